import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { execute } from './databases/postgres.ts';
import { type Caller, expectStatus, type List, type TestService } from './services/service.ts';
import { waitUntil } from './wait-until.ts';

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

/** The only audit entry of a response; throws when there is none or more than one. */
export async function auditOf(auditor: Caller, { headers }: { readonly headers: Headers }): Promise<AuditItem> {
  const id = headers.get('x-request-id');
  const { items } = await entriesOf(auditor, id);
  const [entry] = items;
  if (entry === undefined || items.length !== 1) throw new Error(`${items.length} audit entries of ${id}`);
  return entry;
}

/** The audit entry of a response, awaited because that of an aborted response is written when it ends. */
export async function entryOf(auditor: Caller, { headers }: { readonly headers: Headers }): Promise<AuditItem | undefined> {
  const id = headers.get('x-request-id');
  const { items } = await waitUntil(
    () => entriesOf(auditor, id),
    ({ items }) => items.length > 0,
  );
  return items[0];
}

/** How many executions the reads of a query by GET took: those that did not share one. */
export async function countDataExecutions(auditor: Caller, queryName: string): Promise<number> {
  const path = `/api/v1/audit?action=data.read&query=${queryName}&limit=1000`;
  const { items } = (await expectStatus(auditor.call<List<AuditItem>>('GET', path), 200)).json;
  return items.filter(({ cached, outcome }) => !cached && outcome === 'ok').length;
}

const entriesOf = async (auditor: Caller, id: string | null): Promise<List<AuditItem>> =>
  (await expectStatus(auditor.call<List<AuditItem>>('GET', `/api/v1/audit?requestId=${id}`), 200)).json;

/** Adds entries directly to the store. */
export async function addAuditEntries({ folder, metadataUrl }: TestService, count: number): Promise<void> {
  const columns =
    'at, request_id, user_id, user_name, user_key, action, channel, outcome, status, duration_ms, address, client, cached, search_text';
  const rowsOf = (numbers: string) =>
    `insert into audit (${columns}) select ${Date.now()} - n, 'request ' || n, 'u1', 'someone', 'someone', 'query.execute', 'rest',
      'ok', 200, 1, '192.0.2.1', '${'client '.repeat(40)}', 0, 'text' from ${numbers}`;
  if (metadataUrl !== null) {
    await execute(metadataUrl, rowsOf(`generate_series(1, ${count}) n`));
    return;
  }
  const store = new DatabaseSync(join(folder, 'metadata.sqlite'), { timeout: 10_000 });
  store.exec(rowsOf(`(with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s)`));
  store.close();
}
