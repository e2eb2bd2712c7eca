import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../support/faults/figure.ts';
import { publish } from '../support/queries/publish.ts';
import { onPostgres, storeName } from '../support/services/metadata-store.ts';
import { type Environment, createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { admin, type Caller } from '../support/services/service.ts';

// the long form: TEST_KILLS=20; on PostgreSQL metadata: TEST_METADATA=postgres
const KILLS = Number(process.env.TEST_KILLS ?? 3);
// a machine that runs many suites is slower than a server
const READY_MS = process.env.TEST_KILLS === undefined ? 60_000 : 5_000; // a busy machine starts slowly
const CLIENTS = 6;
const ROWS = 1_000_000;

let workspace: Workspace;
let environment: Environment;
let service: ServiceProcess;
let key: string;
let queries: readonly string[];
let large: string;

beforeAll(async () => {
  workspace = await createWorkspace();
  environment = workspace.store;
  service = await workspace.start(environment);
  const caller = service.as(admin);
  const made = await caller.call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'load' });
  key = made.json.key;
  const { json } = await caller.call<{ items: { queryName: string; parameters: { required: boolean }[] }[] }>(
    'GET',
    '/api/v1/queries?limit=100',
  );
  const demoQuery = json.items.find((each) => each.parameters.every(({ required }) => !required))?.queryName ?? '';
  const small = await publish(caller, { name: 'Small', sql: 'select 42 as n' });
  queries = [demoQuery, small.queryName, small.queryName];
  large = (await publish(caller, { name: 'Large', sql: `select i as n from range(${ROWS}) t(i) order by i` })).queryName;
});
afterAll(() => workspace.remove());

test(`every response that a client received has its audit entry after ${KILLS} kills`, { timeout: KILLS * 30_000 }, async () => {
  let remembered = 0;
  const readyMs: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const ids = await loadUntilKilled(300 + 100 * (kill % 5));
    expect(ids.length).toBeGreaterThan(0);
    remembered += ids.length;

    service = await workspace.start(environment);
    readyMs.push(service.readyMs);
    expect(service.readyMs).toBeLessThan(READY_MS);
    expect(await withoutEntry(ids)).toEqual([]);
    if (!onPostgres) expect(integrity()).toEqual(['ok']);
  }
  const slowest = `ready again after ${Math.round(Math.max(...readyMs))} ms at most`;
  reportFigure(1, `${storeName}: ${KILLS} kills, ${remembered} responses, each with its entry; ${slowest}`);
  expect(remembered).toBeGreaterThan(KILLS * 10);
});

test.for([0, 30, 150])('a kill %i ms after the first page leaves correct rows or an error', async (afterMs) => {
  const first = await service.as({ key }).run(large, [], { RowSize: '100' });
  expect([first.status, first.json.Data.length]).toEqual([200, 100]);
  const code = first.json.QueryMoreCode ?? '';
  await sleep(afterMs);
  await service.kill();
  service = await workspace.start(environment);

  const caller = service.as({ key });
  const outcomes: string[] = [];
  for (const rowIndex of [100, 0, 1_000, 20_000, 100_000, 500_000, ROWS - 500, ROWS]) {
    outcomes.push(`${rowIndex}: ${await pageOutcome(caller, code, rowIndex)}`);
  }
  process.stdout.write(`after ${afterMs} ms ${outcomes.join(', ')}\n`);
  expect((await caller.run(large, [], { RowSize: '1' })).status).toBe(200);
});

/** Clients call until the process is gone; returns the ids of the complete responses. */
async function loadUntilKilled(ms: number): Promise<string[]> {
  const ids: string[] = [];
  let killed = false;
  const client = async (queryName: string): Promise<void> => {
    const caller = service.as({ key });
    while (!killed) {
      try {
        const { status, headers, json } = await caller.run(queryName, [], { RowSize: '20' });
        if (status === 200 && Array.isArray(json.Data)) ids.push(headers.get('x-request-id') ?? 'none');
      } catch {
        if (!killed) throw new Error('a call failed before the kill');
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, index) => client(queries[index % queries.length] ?? ''));
  const warm = performance.now() + 20_000;
  while (ids.length < CLIENTS && performance.now() < warm) await sleep(10);
  await sleep(ms);
  killed = true;
  await service.kill();
  await Promise.all(clients);
  return ids;
}

async function withoutEntry(ids: readonly string[]): Promise<string[]> {
  const caller = service.as(admin);
  const missing: string[] = [];
  const left = [...ids];
  const reader = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const { json } = await caller.call<{ items: { status: number }[] }>('GET', `/api/v1/audit?requestId=${id}`);
      if (json.items.length !== 1 || json.items[0]?.status !== 200) missing.push(id);
    }
  };
  await Promise.all(Array.from({ length: 8 }, reader));
  return missing;
}

function integrity(): unknown[] {
  const database = new DatabaseSync(join(workspace.data, 'metadata.sqlite'));
  try {
    return database
      .prepare('pragma integrity_check')
      .all()
      .map((row) => row.integrity_check);
  } finally {
    database.close();
  }
}

/** Throws when rows are wrong, or when a truncated result looks complete. */
async function pageOutcome(caller: Caller, code: string, rowIndex: number): Promise<string> {
  const headers = { QueryMoreCode: code, RowIndex: String(rowIndex), RowSize: '500' };
  const { status, json } = await caller.run(large, [], headers);
  if (status !== 200) {
    expect([status, json]).toMatchObject(status === 400 ? [400, {}] : [500, { code: 'result_incomplete' }]);
    return 'clear error';
  }
  const { Data: rows, NextRowIndex: next, QueryMoreCode: more } = json;
  expect(rows).toEqual(rows.map((_, index) => ({ n: rowIndex + index })));
  expect(next).toBe(rowIndex + rows.length);
  expect(more === null).toBe(next === ROWS);
  return `${rows.length} rows`;
}
