import { expectStatus } from '../queries/publish.ts';
import { type Answer, admin, type Caller, type TestService } from '../services/service.ts';

export interface Person {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  /** By Basic. */
  readonly caller: Caller;
}

export interface Problem {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly { field: string; code: string; message: string; line?: number; column?: number }[];
}

export const problemOf = (answer: Answer<unknown>): Problem => answer.json as Problem; // as the answer is expected to be
export const fieldsOf = (answer: Answer<unknown>): string[] => problemOf(answer).errors?.map((each) => each.field) ?? [];

const PASSWORD = 'four plain words here';

/** A user made by `admin`; without roles and databases unless they are given. */
export async function addPerson(service: TestService, username: string, more: Record<string, unknown> = {}): Promise<Person> {
  const body = { username, password: PASSWORD, ...more };
  const { json } = await expectStatus(service.as(admin).call<{ id: string }>('POST', '/api/v1/users', body), 201);
  return { id: json.id, username, password: PASSWORD, caller: service.as({ username, password: PASSWORD }) };
}

/** Signs in and gives the cookie as a browser would send it. */
export async function signIn(
  service: TestService,
  { username, password }: { username: string; password: string },
  headers: Record<string, string> = {},
): Promise<string> {
  return cookieOf(await expectStatus(service.as().call('POST', '/api/v1/session', { username, password }, headers), 200));
}

export const cookieOf = (answer: Answer<unknown>): string => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly prefix: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly state: string;
  readonly queries: readonly string[] | null;
}

export async function addKey(caller: Caller, more: Record<string, unknown> = {}): Promise<ApiKey> {
  return (await expectStatus(caller.call<ApiKey>('POST', '/api/v1/account/api-keys', { name: 'key', ...more }), 201)).json;
}

export interface List<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** Asks until `done`, for what happens a moment later; then gives the last answer, whatever it is. */
export async function eventually<T>(ask: () => Promise<T>, done: (value: T) => boolean, milliseconds = 20_000): Promise<T> {
  const end = Date.now() + milliseconds;
  for (;;) {
    const value = await ask();
    if (done(value) || Date.now() > end) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
