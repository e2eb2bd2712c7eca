import { expectStatus } from './publish.ts';
import { type Answer, admin, type Caller, type TestService } from './service.ts';

const PASSWORD = 'four plain words here';

export interface Person {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  readonly caller: Caller; // by Basic
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly field: string; readonly code: string; readonly message: string }[];
}

/** A user, made by the administrator; without more, one who may do nothing. */
export async function addPerson(
  service: Pick<TestService, 'as'>,
  username: string,
  more: Record<string, unknown> = {},
): Promise<Person> {
  const body = { username, password: PASSWORD, ...more };
  const { json } = await expectStatus(service.as(admin).call<{ id: string }>('POST', '/api/v1/users', body), 201);
  const credential = { username, password: PASSWORD };
  return { id: json.id, ...credential, caller: service.as(credential) };
}

export async function addKey(caller: Caller, more: Record<string, unknown> = {}): Promise<{ id: string; key: string }> {
  const body = { name: 'a key', ...more };
  const { json } = await expectStatus(caller.call<{ id: string; key: string }>('POST', '/api/v1/account/api-keys', body), 201);
  return json;
}

/** The cookie of a new session, as a browser sends it back. */
export async function signIn(
  service: Pick<TestService, 'as'>,
  { username, password }: { readonly username: string; readonly password: string },
  headers: Record<string, string> = {},
): Promise<string> {
  return cookieOf(await expectStatus(service.as().call('POST', '/api/v1/session', { username, password }, headers), 200));
}

export const cookieOf = (answer: Answer<unknown>): string => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';

export const problemOf = (answer: Answer<unknown>): Problem => JSON.parse(answer.text);
