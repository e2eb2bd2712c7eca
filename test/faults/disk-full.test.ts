import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportFigure } from '../support/faults/figure.ts';
import { mountSmallDisk, type SmallDisk } from '../support/faults/small-disk.ts';
import { createKey } from '../support/people/accounts.ts';
import { countLines } from '../support/queries/exports.ts';
import { publish } from '../support/queries/publish.ts';
import { onPostgres } from '../support/services/metadata-store.ts';
import { copyDemo, createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type Caller, type List, admin } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

// the long form: TEST_FULL_MS=20000
const FULL_MS = Number(process.env.TEST_FULL_MS ?? 2_000);
const TIMEOUT = 120_000 + 3 * FULL_MS;
const ROWS = 150_000;
const SQL = `select i as n, md5(i::varchar) as code from range(${ROWS}) t(i) order by i`;

/** The folders of the data folder on a separate disk; '' is the data folder itself. */
const cases = [
  { what: 'the whole data folder', folders: [''], metadata: !onPostgres },
  { what: 'snapshots, exports and scratch', folders: ['snapshots', 'exports', 'scratch'], metadata: false },
];

describe.each(cases)('a full disk under $what', ({ what, folders, metadata }) => {
  let workspace: Workspace;
  const disks: SmallDisk[] = [];
  let service: ServiceProcess | undefined;
  let problem: string | null = null;
  beforeAll(async () => {
    workspace = await createWorkspace({ demo: false });
    for (const folder of folders) {
      const disk = await mountSmallDisk(join(workspace.data, folder), 256);
      if (typeof disk === 'string') problem = disk;
      else disks.push(disk);
    }
    await copyDemo(workspace.data);
    service = problem === null ? await workspace.start() : undefined;
  });
  afterAll(async () => {
    await service?.kill();
    for (const disk of disks) await disk.remove();
    await workspace?.remove();
  });

  test('leaves no response without an audit entry and no truncated result, and recovers', { timeout: TIMEOUT }, async () => {
    // not a skip, which fails in CI: containers that may not mount cannot change that
    if (service === undefined) return reportFigure(6, `not tried: ${problem}`);
    const author = service.as(admin);
    const { key } = await createKey(author);
    const caller = service.as({ key });
    const large = (await publish(author, { name: 'Large', sql: SQL })).queryName;
    const small = (await publish(author, { name: 'Small', sql: 'select 42 as n' })).queryName;
    const load = { url: service.url, key, caller, large, small };
    expect(await rounds(load, 0)).toMatchObject({ whole: 3, broken: 0, refused: 0 });

    for (const disk of disks) disk.fill();
    const full = await rounds(load, FULL_MS);
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    for (const disk of disks) disk.free();
    const freed = performance.now();
    const back = await waitUntil(
      async () => (await caller.run(small)).status,
      (status) => status === 200,
      10_000,
    );
    const backMs = Math.round(performance.now() - freed);
    expect(back).toBe(200);
    const after = await waitUntil(
      () => rounds(load, 0),
      ({ whole }) => whole === 3,
      20_000,
    );
    expect(after).toMatchObject({ whole: 3, broken: 0, refused: 0 });

    const ids = [...full.ids, ...after.ids];
    expect(await withoutEntry(author, ids)).toEqual([]);
    const calls = `${full.whole} whole, ${full.broken} broken off, ${full.refused} refused (${[...full.codes].sort().join(', ')})`;
    reportFigure(
      6,
      `${what} full for ${FULL_MS} ms: ${calls}; ${ids.length} successes, each with its entry; works ${backMs} ms after there is room`,
    );
    // without space for audit entries hardly anything may succeed; without space for results all else works
    if (metadata) expect(full.refused).toBeGreaterThan(0);
    else expect(full.small).toBeGreaterThan(0);
    expect(full.broken + full.refused).toBeGreaterThan(0);
    expect(full.codes).not.toContain('internal_error');
    expect(service.stderr()).not.toMatch(/"level":60/);
    expect(await service.stop()).toBe(0);
  });
});

interface Load {
  readonly url: string;
  readonly key: string;
  readonly caller: Caller;
  readonly large: string;
  readonly small: string;
}
interface Outcomes {
  whole: number; // results read to the last row
  broken: number; // reported as incomplete
  refused: number;
  small: number;
  readonly codes: Set<string>;
  readonly ids: string[]; // of responses with status 200
}

/** Reads a result in pages, as an export and by link, with small calls in parallel; once, then for `milliseconds`. */
async function rounds(load: Load, ms: number): Promise<Outcomes> {
  const outcomes: Outcomes = { whole: 0, broken: 0, refused: 0, small: 0, codes: new Set(), ids: [] };
  const end = performance.now() + ms;
  do {
    await Promise.all([pages(load, outcomes), exported(load, outcomes), linked(load, outcomes), smallCalls(load, outcomes)]);
    await sleep(50);
  } while (performance.now() < end);
  return outcomes;
}

async function pages({ caller, large }: Load, outcomes: Outcomes): Promise<void> {
  const first = await caller.run(large, [], { RowSize: '1000' });
  if (!noted(first, outcomes)) return void outcomes.refused++;
  const code = first.json.QueryMoreCode ?? '';
  expect(code).not.toBe('');
  // one in the middle, and the last
  for (const rowIndex of [ROWS / 2, ROWS - 1000]) {
    const page = await caller.run(large, [], { QueryMoreCode: code, RowIndex: String(rowIndex) });
    if (!noted(page, outcomes)) return void outcomes.broken++;
    expect(page.json.Data.map(({ n }) => n)).toEqual(Array.from({ length: page.json.Data.length }, (_, row) => rowIndex + row));
    if (page.json.NextRowIndex < ROWS) expect(page.json.QueryMoreCode).not.toBeNull();
    else expect(page.json.QueryMoreCode).toBeNull();
    if (page.json.Data.length < 1000) return void outcomes.broken++; // and the next page reports why
  }
  outcomes.whole++;
}

async function exported({ url, key, large }: Load, outcomes: Outcomes): Promise<void> {
  const response = await fetch(`${url}/api/v1/Export/ExecuteQuery?format=ndjson`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' },
    body: JSON.stringify({ QueryName: large, Parameters: [] }),
  });
  await whole(response, outcomes);
}

async function linked({ caller, large }: Load, outcomes: Outcomes): Promise<void> {
  const body = { QueryName: large, Parameters: [] };
  const link = await caller.call<{ downloadUrl: string }>('POST', '/api/v1/Export/CreateLink?format=ndjson', body);
  if (!noted(link, outcomes)) return void outcomes.refused++;
  await whole(await fetch(link.json.downloadUrl), outcomes);
}

/** Reads all lines, or notes that the connection was aborted. */
async function whole(response: Response, outcomes: Outcomes): Promise<void> {
  if (response.status !== 200) {
    outcomes.refused++;
    outcomes.codes.add(String(JSON.parse(await response.text()).code));
    return;
  }
  const lines = await countLines(response.body).then(
    (read) => read.lines,
    () => 'broken' as const,
  );
  if (lines === 'broken') return void outcomes.broken++;
  expect(lines).toBe(ROWS);
  outcomes.whole++;
  outcomes.ids.push(response.headers.get('x-request-id') ?? 'none');
}

async function smallCalls({ caller, small }: Load, outcomes: Outcomes): Promise<void> {
  for (let call = 0; call < 20; call++) {
    const result = await caller.run(small);
    if (noted(result, outcomes)) outcomes.small++;
    else outcomes.refused++;
  }
}

function noted(result: { status: number; headers: Headers; json: unknown }, outcomes: Outcomes): boolean {
  if (result.status === 200) {
    outcomes.ids.push(result.headers.get('x-request-id') ?? 'none');
    return true;
  }
  expect([500, 503]).toContain(result.status);
  outcomes.codes.add((result.json as { code: string }).code); // every problem response has one
  return false;
}

async function withoutEntry(auditor: Caller, ids: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const id of ids) {
    const { json } = await auditor.call<List<{ status: number }>>('GET', `/api/v1/audit?requestId=${id}`);
    if (json.items.length !== 1 || json.items[0]?.status !== 200) missing.push(id);
  }
  return missing;
}
