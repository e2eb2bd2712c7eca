import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publish } from '../support/queries/publish.ts';
import { publishSlowQuery, type SlowQuery } from '../support/queries/slow-query.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type ApiResponse, admin, type Caller } from '../support/services/service.ts';

const DRAIN_SECONDS = 2;
const DRAIN_LONG = 20;
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => ({ n: from + index }));

let workspace: Workspace;
let service: ServiceProcess;
let caller: Caller;
let slow: SlowQuery;
let paged: { queryName: string; code: string };

beforeAll(async () => {
  workspace = await createWorkspace();
  service = await workspace.start();
  caller = service.as(admin);
  slow = await publishSlowQuery(caller);
  const { queryName } = await publish(caller, { name: 'Paged', sql: 'select i as n from range(2500) t(i) order by i' });
  const { json } = await caller.run(queryName, [], { RowSize: '100' });
  paged = { queryName, code: json.QueryMoreCode ?? '' };
});
afterAll(() => workspace.remove());

let drain: number | null = null; // of the running service

async function startWith(drainSeconds: number): Promise<void> {
  if (drain === drainSeconds) return;
  await service.stop();
  service = await workspace.start({ SLUICE_DRAIN_SECONDS: String(drainSeconds) });
  caller = service.as(admin);
  drain = drainSeconds;
}

function signal(name: NodeJS.Signals): void {
  drain = null;
  service.signal(name);
}

test.for(['SIGTERM', 'SIGINT'] as const)('%s lets a running query finish and refuses new connections', async (name) => {
  await startWith(DRAIN_LONG);
  let hasFinished = false;
  const response = slow.run(caller, 2.5).finally(() => {
    hasFinished = true;
  });
  await expect.poll(running).toHaveLength(1);
  signal(name);
  await expect.poll(connecting).toBe('refused');
  expect(hasFinished).toBe(false); // otherwise this test proves nothing
  const { status, headers, json } = await response;
  expect([status, json]).toMatchObject([200, { Data: [{}] }]);
  expect(await service.ended).toBe(0);
  expect(service.stderr()).not.toContain('"level":50');

  await startWith(DRAIN_LONG);
  expect(await auditOf(headers.get('x-request-id'))).toMatchObject({ outcome: 'ok', status: 200 });
});

test.for(['SIGTERM', 'SIGINT'] as const)('%s cancels queries that exceed the drain time', async (name) => {
  await startWith(DRAIN_SECONDS);
  const response = slow.run(caller, 3600);
  await expect.poll(running).toHaveLength(1);
  const startedAt = performance.now();
  signal(name);
  signal(name); // a second signal changes nothing
  const { status, headers, json } = await response;
  const cancelledMs = performance.now() - startedAt;
  expect([status, json]).toMatchObject([
    500,
    { code: 'query_cancelled', detail: expect.stringContaining('stopped or restarted') },
  ]);
  expect(cancelledMs).toBeGreaterThan(DRAIN_SECONDS * 1000 - 100);
  expect(await service.ended).toBe(0);
  const endedMs = performance.now() - startedAt;
  process.stdout.write(`cancelled after ${Math.round(cancelledMs)} ms, ended after ${Math.round(endedMs)} ms\n`);

  await startWith(DRAIN_SECONDS);
  expect(await auditOf(headers.get('x-request-id'))).toMatchObject({ outcome: 'cancelled', status: 500 });
});

test('pages of a result survive the restarts', async () => {
  const { status, json } = await caller.run(paged.queryName, [], { QueryMoreCode: paged.code });
  expect([status, json.Data]).toEqual([200, numbers(100, 100)]);
  const last = await caller.run(paged.queryName, [], { QueryMoreCode: paged.code, RowIndex: '2400' });
  expect([last.json.Data, last.json.QueryMoreCode]).toEqual([numbers(2400, 100), null]);
});

test('an idle service with open connections stops without waiting for the drain time', async () => {
  await startWith(600);
  // in parallel, so that each has its own connection
  await Promise.all([caller.call('GET', '/livez'), caller.run(paged.queryName)]);
  drain = null;
  expect(await service.stop()).toBe(0);
});

test('an incomplete request does not prevent the service from stopping', async () => {
  await startWith(0);
  const { port } = new URL(service.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('POST /api/v1/JsonBuilder/ExecuteQuery HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{');
  await sleep(100);
  expect(await service.stop()).toBe(0);
});

/** The result of a new connection. One that is accepted at the last moment may be reset. */
const connecting = (): Promise<string> =>
  // without keep-alive, so that each is a new connection
  fetch(`${service.url}/livez`, { headers: { Connection: 'close' } }).then(
    () => 'accepted',
    (error: { cause?: { code?: string } }) => (error.cause?.code === 'ECONNREFUSED' ? 'refused' : 'reset'),
  );

const running = async (): Promise<readonly unknown[]> =>
  (await caller.call<{ items: unknown[] }>('GET', '/api/v1/executions')).json.items;

async function auditOf(requestId: string | null): Promise<unknown> {
  const { json }: ApiResponse<{ items: unknown[] }> = await caller.call('GET', `/api/v1/audit?requestId=${requestId}`);
  return json.items[0];
}
