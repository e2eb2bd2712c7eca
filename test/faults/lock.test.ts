import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../support/faults/figure.ts';
import { publish } from '../support/queries/publish.ts';
import { onPostgres, storeName } from '../support/services/metadata-store.ts';
import { type Environment, createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type ApiResponse, admin, type Caller } from '../support/services/service.ts';

// the long form: TEST_LOCK_MS=10000; on PostgreSQL metadata: TEST_METADATA=postgres
const long = process.env.TEST_LOCK_MS !== undefined;
const HELD_MS = Number(process.env.TEST_LOCK_MS ?? 4_000); // at least, and until every call has a response
// strict on an idle machine; in a run of many suites a call also waits for the processor
const ANSWER_MS = long ? 5_000 : 20_000;
const PULSE_MS = long ? 1_000 : 10_000;

let workspace: Workspace;
let environment: Environment;
let service: ServiceProcess;
let queryName: string;
beforeAll(async () => {
  workspace = await createWorkspace();
  environment = workspace.store;
  service = await workspace.start(environment);
  ({ queryName } = await publish(service.as(admin), { name: 'One', sql: 'select 1 as n' }));
});
afterAll(() => workspace.remove());

interface Timed {
  readonly what: string;
  readonly status: number;
  readonly ms: number;
}

test('while another process locks the store, calls get 503 in time; afterwards they succeed', async () => {
  const caller = service.as(admin);
  const signedIn = await caller.call('POST', '/api/v1/session', admin);
  const byCookie = service.as({ cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '' });
  expect((await byCookie.run(queryName, [], { Origin: service.url })).status).toBe(200);
  const release = await holdLock();
  const lockedAt = performance.now();

  const calls: Promise<Timed>[] = [];
  const pulse: Timed[] = [];
  let responses = 0;
  for (let turn = 0; performance.now() - lockedAt < HELD_MS || responses < calls.length; turn++) {
    if (performance.now() - lockedAt < HELD_MS / 2)
      calls.push(...someCalls(caller, turn).map((call) => call.finally(() => responses++)));
    pulse.push(await timed('livez', service.as().call('GET', '/livez')));
    await sleep(150);
  }
  const heldMs = Math.round(performance.now() - lockedAt);
  await release();
  const answered = await Promise.all(calls);
  const slowest = Math.max(...answered.map((each) => each.ms));
  const beat = Math.round(Math.max(...pulse.map((each) => each.ms)));
  reportFigure(
    7,
    `${storeName} locked for ${heldMs} ms: ${answered.length} calls got 503 after ${slowest} ms at most; livez ${beat} ms`,
  );

  expect(answered.filter((each) => each.status !== 503)).toEqual([]);
  expect(answered.filter((each) => each.ms > ANSWER_MS)).toEqual([]);
  expect(pulse.filter((each) => each.status !== 200 || each.ms > PULSE_MS)).toEqual([]);
  expect(answered.length).toBeGreaterThan(0);
  expect(pulse.length).toBeGreaterThan(3);

  expect((await caller.run(queryName)).status).toBe(200);
  expect((await caller.call('GET', '/readyz')).status).toBe(200);
  expect(service.stderr()).not.toMatch(/"level":[56]0/);
  expect(await service.stop()).toBe(0);
});

function someCalls(caller: Caller, turn: number): Promise<Timed>[] {
  return [
    timed('run', caller.run(queryName)),
    timed('create', caller.call('POST', '/api/v1/roles', { name: `role ${turn}`, permissions: [] })),
    timed('sign-in', caller.call('POST', '/api/v1/session', admin)),
  ];
}

async function timed(what: string, call: Promise<ApiResponse<unknown>>): Promise<Timed> {
  const startedAt = performance.now();
  const { status } = await call;
  return { what, status, ms: Math.round(performance.now() - startedAt) };
}

/** Takes the lock from this process; the service runs in another one. */
const holdLock = async (): Promise<() => Promise<void>> =>
  onPostgres ? holdPostgresLock(environment.SLUICE_METADATA_URL ?? '') : holdSqliteLock();

async function holdPostgresLock(url: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  await client.query('begin');
  await client.query(`lock table ${rows.map(({ name }) => name).join()} in access exclusive mode`);
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}

function holdSqliteLock(): () => Promise<void> {
  const database = new DatabaseSync(join(workspace.data, 'metadata.sqlite'), { timeout: 5_000 });
  database.exec('begin immediate');
  return async () => {
    database.exec('rollback');
    database.close();
  };
}
