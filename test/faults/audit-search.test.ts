import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditItem } from '../support/audit-entries.ts';
import { execute } from '../support/databases/postgres.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { onPostgres, storeName } from '../support/services/metadata-store.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type Caller, type List, admin, expectStatus } from '../support/services/service.ts';

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
}, 600_000);
afterAll(() => workspace.remove());

const needle = (n: number): string => `needle-${n}-in-the-trail`;

/** Entries like those of calls a year ago. Each text has a random request id, and few have a text that is searched for. */
async function fill(): Promise<void> {
  const columns =
    'at, request_id, user_id, user_name, user_key, action, query, channel, outcome, status, duration_ms, address, client, cached, search_text';
  const id = onPostgres
    ? 'gen_random_uuid()::text'
    : "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(8)))";
  const text = `${id} || ' user' || (n % 100) || ' query.execute qd_sales_' || (n % 50) || ' 192.0.' || (n / 256 % 256) || '.' || (n % 256) ||
    ' mozilla/5.0 (x11; linux x86_64; rv:140.0) gecko/20100101 firefox/140.0 request ' || n || ' ' ||
    case when n % ${ENTRIES / 10} < ${SEARCHES} then 'needle-' || (n % ${ENTRIES / 10}) || '-in-the-trail' else '' end`;
  const row = (numbers: string) =>
    `select 1700000000000 + n, 'request ' || n, 'u1', 'someone', 'someone', 'query.execute', 'QD_Sales', 'rest', 'ok', 200, 1,
       '192.0.2.1', 'curl/8.0', 0, ${text} from ${numbers}`;
  if (onPostgres) {
    const metadata = workspace.store.SLUICE_METADATA_URL ?? '';
    await execute(metadata, 'select add_audit_month(1700000000000)');
    await execute(metadata, `insert into audit (${columns}) ${row(`generate_series(1, ${ENTRIES}) n`)}`);
    return;
  }
  const store = new DatabaseSync(join(workspace.data, 'metadata.sqlite'), { timeout: 10_000 });
  store.exec(
    `insert into audit (${columns}) ${row(`(with recursive s(n) as (select 1 union all select n + 1 from s where n < ${ENTRIES}) select n from s)`)}`,
  );
  store.close();
}

async function livezMs(): Promise<number> {
  const startedAt = performance.now();
  expect((await service.as().call('GET', '/livez')).status).toBe(200);
  return performance.now() - startedAt;
}

const search = (query: string) => auditor.call<List<AuditItem> & { searchedFrom?: string }>('GET', `/api/v1/audit?${query}`);

/** All entries of a search since 2020: follows its cursors, and repeats pages that were refused because too many searches waited. */
async function searchAll(text: string, most: number): Promise<readonly AuditItem[]> {
  const found: AuditItem[] = [];
  for (let cursor: string | null = ''; cursor !== null && found.length < most;) {
    const { status, json }: Awaited<ReturnType<typeof search>> = await search(
      `from=2020-01-01&search=${encodeURIComponent(text)}&cursor=${cursor}`,
    );
    expect([200, 503]).toContain(status);
    if (status !== 200) continue;
    found.push(...json.items);
    cursor = json.nextCursor;
  }
  return found;
}

test.each([
  ['a rare text', (n: number) => needle(n), 10],
  ['a text that does not occur', (n: number) => `0f3a9c7b-e21${n}`, 0],
  ['a common text', (n: number) => `qd_sales_${n}`, 50],
])(
  `${SEARCHES} searches of ${ENTRIES} entries at once for %s find all, and leave the event loop to other calls`,
  { timeout: 300_000 },
  async (what, text, expected) => {
    let over = false;
    const startedAt = performance.now();
    const searches = Promise.all(Array.from({ length: SEARCHES }, (_, n) => searchAll(text(n), Math.max(1, expected)))).finally(
      () => {
        over = true;
      },
    );
    const taken: number[] = [];
    while (!over) taken.push(await livezMs());
    const tookMs = Math.round(performance.now() - startedAt);
    expect((await searches).map((items) => items.length)).toEqual(Array(SEARCHES).fill(expected));
    reportFigure(
      22,
      `${storeName}: ${SEARCHES} searches of ${ENTRIES} entries for ${what}: all served in ${tookMs} ms, ${taken.length} calls of /livez meanwhile, the slowest ${Math.round(Math.max(...taken))} ms`,
    );
    // if these calls waited for searches, about one call would end with each search
    if (expected < 50) expect(taken.length).toBeGreaterThan(4 * SEARCHES);
  },
);

test('a search without a time covers the last 7 days and says so', async () => {
  const { json } = await expectStatus(search('search=qd_sales'), 200);
  expect(json.items).toEqual([]);
  const from = Date.parse(String(json.searchedFrom));
  expect(Math.abs(Date.now() - 7 * 86_400_000 - from)).toBeLessThan(600_000);
  expect((await expectStatus(search('search=account.read'), 200)).json).toHaveProperty('searchedFrom');
  expect((await expectStatus(search('search=qd_sales&from=2020-01-01'), 200)).json).not.toHaveProperty('searchedFrom');
  expect((await expectStatus(search('user=someone'), 200)).json).not.toHaveProperty('searchedFrom');
});

test('a search returns its matches in pages', async () => {
  expect((await searchAll('request 777 ', 2)).map(({ requestId }) => requestId)).toEqual(['request 777']);
  const path = 'search=qd_sales&outcome=ok&limit=1000&from=2020-01-01';
  const first = await expectStatus(search(path), 200);
  expect(first.json.items).toHaveLength(1000);
  const second = await expectStatus(search(`${path}&cursor=${first.json.nextCursor}`), 200);
  expect(second.json.items[0]?.requestId).toBe(`request ${ENTRIES - 1000}`);
});

test('refuses concurrent searches beyond the queue, and still serves other lists', async () => {
  const searches = Promise.all(Array.from({ length: 60 }, (_, n) => search(`search=~${n % 10}&from=2020-01-01`)));
  const entry = await auditor.call('GET', '/api/v1/users');
  expect(entry.status).toBe(200);
  const statuses = (await searches).map(({ status }) => status);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status !== 503 && status !== 200)).toEqual([]);
});
