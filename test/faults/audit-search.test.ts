import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditItem } from '../support/audit-entries.ts';
import { execute } from '../support/databases/postgres.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { onPostgres, storeName } from '../support/services/metadata-store.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type ApiResponse, type Caller, type List, admin, expectStatus } from '../support/services/service.ts';

// the long form: TEST_ENTRIES=1000000
const ENTRIES = Number(process.env.TEST_ENTRIES ?? 200_000);
const SEARCHES = 8;

let workspace: Workspace;
let service: ServiceProcess;
let auditor: Caller;
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start({ SLUICE_DEMO: 'off' });
  auditor = service.as(admin);
  await expectStatus(auditor.call('GET', '/api/v1/account'), 200);
  await fill();
}, 300_000);
afterAll(() => workspace.remove());

/** Entries as calls write them, dated a year ago. */
async function fill(): Promise<void> {
  const columns =
    'at, request_id, user_id, user_name, user_key, action, query, channel, outcome, status, duration_ms, address, client, cached, search_text';
  const text = "'request ' || n || ' someone query.execute qd_sales 192.0.2.1 curl/8.0 with some more text as of a browser'";
  const row = (numbers: string) =>
    `select 1700000000000 + n, 'request ' || n, 'u1', 'someone', 'someone', 'query.execute', 'QD_Sales', 'rest', 'ok', 200, 1,
       '192.0.2.1', 'curl/8.0', 0, ${text} from ${numbers}`;
  if (onPostgres) {
    await execute(
      workspace.store.SLUICE_METADATA_URL ?? '',
      `insert into audit (${columns}) ${row(`generate_series(1, ${ENTRIES}) n`)}`,
    );
    return;
  }
  const store = new DatabaseSync(join(workspace.data, 'metadata.sqlite'), { timeout: 10_000 });
  store.exec(
    `insert into audit (${columns}) ${row(`(with recursive s(n) as (select 1 union all select n + 1 from s where n < ${ENTRIES}) select n from s)`)}`,
  );
  store.close();
}

const search = (words: string) => auditor.call<List<AuditItem>>('GET', `/api/v1/audit?${words}`);

test(`${SEARCHES} searches of ${ENTRIES} entries do not block other calls`, { timeout: 120_000 }, async () => {
  let over = false;
  const searches = Promise.all(Array.from({ length: SEARCHES }, (_, n) => search(`search=nothing-like-this-${n}`))).finally(
    () => {
      over = true;
    },
  );
  const taken: number[] = [];
  while (!over) {
    const begun = performance.now();
    expect((await service.as().call('GET', '/livez')).status).toBe(200);
    taken.push(performance.now() - begun);
  }
  const responses = await searches;
  // searches that wait too long are refused
  expect(responses.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  const served = responses.filter(({ status }) => status === 200).length;
  expect(served).toBeGreaterThanOrEqual(2);
  reportFigure(
    22,
    `${storeName}: ${SEARCHES} searches of ${ENTRIES} entries, ${served} served: ${taken.length} calls of /livez meanwhile, the slowest ${Math.round(Math.max(...taken))} ms`,
  );
  // a call that waited for every search would finish about once per search
  expect(taken.length).toBeGreaterThan(4 * SEARCHES);
});

test('a search finds old and new entries in pages', async () => {
  // far back: earlier pages may be empty when their time limit ends
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `search=request%20777%20&limit=5${cursor && `&cursor=${cursor}`}`;
    const { json }: ApiResponse<List<AuditItem>> = await expectStatus(search(path), 200);
    found.push(...json.items.map(({ requestId }) => requestId));
    cursor = json.nextCursor;
  }
  expect(found).toEqual(['request 777']);
  const path = 'search=qd_sales&outcome=ok&limit=1000';
  const first = await expectStatus(search(path), 200);
  expect(first.json.items).toHaveLength(1000);
  const second = await expectStatus(search(`${path}&cursor=${first.json.nextCursor}`), 200);
  expect(second.json.items[0]?.requestId).toBe(`request ${ENTRIES - 1000}`);
});

test('refuses searches beyond the queue limit, and other lists still work', async () => {
  const searches = Promise.all(Array.from({ length: 60 }, (_, n) => search(`search=nothing-like-that-${n}`)));
  const entry = await auditor.call('GET', '/api/v1/users');
  expect(entry.status).toBe(200);
  const statuses = (await searches).map(({ status }) => status);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status !== 503 && status !== 200)).toEqual([]);
});
