import { expectStatus } from '../queries/publish.ts';
import type { Answer, Caller, TestCredential } from '../services/service.ts';

export const PASSWORD = 'a password of some length';

/** A user who may run queries on every database, unless told otherwise. */
export async function createUser(
  administrator: Caller,
  username: string,
  more: { roles?: readonly string[]; databases?: readonly string[] } = {},
): Promise<{ id: string; credential: TestCredential }> {
  const body = { username, password: PASSWORD, roles: ['Query User'], databases: ['*'], ...more };
  const { json } = await expectStatus(administrator.call<{ id: string }>('POST', '/api/v1/users', body), 201);
  return { id: json.id, credential: { username, password: PASSWORD } };
}

export async function createKey(
  owner: Caller,
  name: string,
  more: { queries?: readonly string[] } = {},
): Promise<{ id: string; key: string }> {
  const { json } = await expectStatus(
    owner.call<{ id: string; key: string }>('POST', '/api/v1/account/api-keys', { name, ...more }),
    201,
  );
  return { id: json.id, key: json.key };
}

/** The cookie of a session as a browser would send it back. */
export async function signIn(stranger: Caller, username: string, password: string): Promise<{ cookie: string }> {
  const { headers } = await expectStatus(stranger.call('POST', '/api/v1/session', { username, password }), 200);
  return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
}

export interface AuditItem {
  readonly at: string;
  readonly requestId: string;
  readonly user: string | null;
  readonly apiKey: string | null;
  readonly action: string;
  readonly query: string | null;
  readonly queryVersion: number | null;
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly channel: string;
  readonly outcome: string;
  readonly status: number;
  readonly error: string | null;
  readonly rows: number | null;
  readonly bytes: number | null;
  readonly durationMs: number;
  readonly address: string;
  readonly client: string | null;
  readonly cached: boolean;
}

/** The one entry that the audit trail has of an answer. */
export async function auditOf(auditor: Caller, answer: Answer<unknown>): Promise<AuditItem> {
  const id = answer.headers.get('x-request-id');
  const { json } = await expectStatus(auditor.call<{ items: readonly AuditItem[] }>('GET', `/api/v1/audit?requestId=${id}`), 200);
  const [entry] = json.items;
  if (entry === undefined || json.items.length !== 1) throw new Error(`${json.items.length} audit entries of ${id}`);
  return entry;
}
