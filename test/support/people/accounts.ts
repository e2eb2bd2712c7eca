import {
  type ApiResponse,
  admin,
  type Caller,
  expectStatus,
  type TestCredential,
  type TestService,
} from '../services/service.ts';

export const PASSWORD = 'four plain words here';

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  readonly credential: Extract<TestCredential, { username: string }>;
  /** Authenticates with Basic. */
  readonly caller: Caller;
}

/** Creates a user without roles and databases unless `more` names them. */
export async function createUser(
  service: Pick<TestService, 'as'>,
  username: string,
  more: Record<string, unknown> = {},
): Promise<Account> {
  const body = { username, password: PASSWORD, ...more };
  const { json } = await expectStatus(service.as(admin).call<{ id: string }>('POST', '/api/v1/users', body), 201);
  const credential = { username, password: PASSWORD };
  return { id: json.id, ...credential, credential, caller: service.as(credential) };
}

/** Creates a user who may run queries on every database unless `more` says otherwise. */
export const createQueryUser = (
  service: Pick<TestService, 'as'>,
  username: string,
  more: Record<string, unknown> = {},
): Promise<Account> => createUser(service, username, { roles: ['Query User'], databases: ['*'], ...more });

/** Returns the session cookie as a browser sends it. */
export async function signIn(
  service: Pick<TestService, 'as'>,
  { username, password }: { username: string; password: string },
  headers: Record<string, string> = {},
): Promise<string> {
  return cookieOf(await expectStatus(service.as().call('POST', '/api/v1/session', { username, password }, headers), 200));
}

export const cookieOf = (response: ApiResponse): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';

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

export async function createKey(owner: Caller, more: Record<string, unknown> = {}): Promise<ApiKey> {
  return (await expectStatus(owner.call<ApiKey>('POST', '/api/v1/account/api-keys', { name: 'key', ...more }), 201)).json;
}

/** Creates an application that may run every query unless `more` says otherwise. */
export async function createApplication(service: Pick<TestService, 'as'>, username: string, more: Record<string, unknown> = {}) {
  const root = service.as(admin);
  const body = { kind: 'application', username, owner: 'admin', roles: ['Query User'], databases: ['*'], ...more };
  const { json } = await expectStatus(root.call<{ id: string }>('POST', '/api/v1/users', body), 201);
  const path = `/api/v1/users/${json.id}/api-keys`;
  return {
    id: json.id,
    createKey: async (key: Record<string, unknown> = {}): Promise<ApiKey> =>
      (await expectStatus(root.call<ApiKey>('POST', path, { name: 'key', ...key }), 201)).json,
  };
}
