import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Execution } from '../support/queries/exports.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess, whenReady } from '../support/services/process.ts';
import type { Caller, List } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const close = { Connection: 'close' };
const EXECUTIONS = '/api/v1/executions';
const ENDLESS = 'select count(*) as n from range(100000000000) a(i), range(100) b(j) where (i * j) % 7 = 3';

let workspace: Workspace;
let service: ServiceProcess;
let caller: Caller;
beforeAll(async () => {
  workspace = await createWorkspace();
  service = await whenReady(workspace.run(['start'], { SLUICE_WORKERS: '2' }));
  const password = /^admin password: (\w+)$/m.exec(service.stdout())?.[1] ?? '';
  caller = service.as({ username: 'admin', password });
});
afterAll(() => workspace.remove());

test('two workers share one port and print one ready line', async () => {
  process.stdout.write(`ready with two workers after ${Math.round(service.readyMs)} ms\n`);
  const lines = service.stdout().trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('admin password: '))).toHaveLength(1);
  expect(lines.filter((line) => line === `Sluice is ready at ${service.url}`)).toHaveLength(1);
  expect(workers()).toHaveLength(2);
});

test('both workers get a fair part of the connections that arrive at once', async () => {
  const before = await countSockets();
  const { hostname, port } = new URL(service.url);
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(Number(port), hostname));
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const accepted = async () => (await countSockets()).map((count, worker) => count - (before[worker] ?? 0));
    const counts = await waitUntil(accepted, (all) => all.reduce((sum, count) => sum + count, 0) >= CONNECTIONS);
    // the kernel chooses by the port of the client: fewer than 20 of 100 have a chance of one to a billion
    for (const count of counts) expect(count, counts.join(' and ')).toBeGreaterThanOrEqual(20);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

const CONNECTIONS = 100;

/** The open sockets of each worker. */
const countSockets = (): Promise<number[]> =>
  Promise.all(
    workers().map(async (pid) => {
      const folder = join('/proc', String(pid), 'fd');
      const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')));
      return targets.filter((target) => target.startsWith('socket:')).length;
    }),
  );

test('workers share changes and the pages of results', async () => {
  const { queryName } = await publish(caller, { name: 'Paged', sql: 'select i as n from range(5000) t(i) order by i' });
  const seen: unknown[] = [];
  let headers: Record<string, string> = {};
  for (let page = 0; page < 5; page++) {
    const { json } = await caller.run(queryName, [], { ...close, ...headers });
    seen.push(...json.Data.map((row) => row.n));
    headers = { QueryMoreCode: json.QueryMoreCode ?? '' };
  }
  expect(seen).toEqual(Array.from({ length: 5000 }, (_, index) => index));
});

test('identical calls to both workers share one execution', async () => {
  const sql = 'select random() as r from range(3)';
  const { queryName } = await publish(caller, { name: 'Shared', sql, cacheSeconds: 600 });
  const responses = [];
  for (let time = 0; time < 6; time++) responses.push(await caller.run(queryName, [], close));
  expect(new Set(responses.map((each) => JSON.stringify(each.json.Data))).size).toBe(1);
  expect(responses.map((each) => each.headers.get('x-cache'))).toEqual(['miss', ...Array(5).fill('hit')]);
});

test('both workers list an execution, and either can cancel it', async () => {
  const name = `Endless ${Date.now()}`;
  const { queryName } = await publish(caller, { name, sql: ENDLESS, timeoutSeconds: 120 });
  const running = [1, 2].map(() => caller.run(queryName, [], close));
  const seen = () =>
    Promise.all(Array.from({ length: 4 }, () => caller.call<List<Execution>>('GET', EXECUTIONS, undefined, close)));
  const lists = await waitUntil(seen, (all) => all.every((each) => each.json.items.length === 2), 30_000);
  expect(lists.map((each) => each.json.items.map((item) => item.query))).toEqual(Array(4).fill([queryName, queryName]));
  // the worker that runs both may return every list; the other one returns 404 until it is informed
  const cancelled = (id: string) => async () =>
    (await caller.call('DELETE', `${EXECUTIONS}/${id}`, undefined, close)).status === 204;
  for (const { id } of lists[0]?.json.items ?? []) await expect.poll(cancelled(id)).toBe(true);
  for (const response of running) expect(await response).toMatchObject({ status: 500, json: { code: 'query_cancelled' } });
  const left = await waitUntil(seen, (all) => all.every((each) => each.json.items.length === 0), 30_000);
  expect(left.flatMap((each) => each.json.items)).toEqual([]);
});

test('every scrape has the metrics of both workers', async () => {
  const { queryName } = await publish(caller, { name: 'Counted', sql: 'select 1 as n' });
  for (let time = 0; time < 20; time++) await caller.run(queryName, [], close);
  const counted = async () => {
    const text = await (await fetch(`${service.url}/metrics`, { headers: close })).text();
    const line = /^sluice_http_request_duration_seconds_count\{.*JsonBuilder\/ExecuteQuery",status="200"\} (\d+)$/m;
    return { calls: Number(line.exec(text)?.[1]), running: /^sluice_queries_running (\d+)$/m.exec(text)?.[1] };
  };
  const first = await waitUntil(counted, ({ calls }) => calls >= 20);
  expect(first.calls).toBeGreaterThanOrEqual(20);
  for (let time = 0; time < 8; time++) expect(await counted()).toEqual(first);
});

test('both workers together keep the limits of a key: rows, calls and concurrent queries', async () => {
  const thirty = await publish(caller, { name: `Thirty ${Date.now()}`, sql: 'select i as n from range(30) t(i)' });
  const keyWith = async (limits: object) => {
    const { json } = await caller.call<{ id: string; key: string }>('POST', '/api/v1/account/api-keys', {
      name: 'bounded',
      limits,
    });
    return { run: (name: string) => service.as({ key: json.key }).run(name, [], close), id: json.id };
  };
  const manyOf = (count: number, run: () => Promise<{ status: number; json: { Data?: readonly unknown[] } }>) =>
    Promise.all(Array.from({ length: count }, run));

  const rows = await keyWith({ rowsPerDay: 100 });
  const pages = await manyOf(12, () => rows.run(thirty.queryName));
  const sent = pages.filter(({ status }) => status === 200).reduce((sum, { json }) => sum + (json.Data?.length ?? 0), 0);
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThanOrEqual(100);

  const rate = await keyWith({ callsPerSecond: 5 });
  const startedAt = performance.now();
  const calls = await manyOf(40, () => rate.run(thirty.queryName));
  const seconds = (performance.now() - startedAt) / 1000;
  expect(calls.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(Math.ceil(5 * (seconds + 1)));
  expect(calls.some(({ status }) => status === 429)).toBe(true);

  const endless = await publish(caller, { name: `Busy ${Date.now()}`, sql: ENDLESS, timeoutSeconds: 3 });
  const slots = await keyWith({ concurrent: 2 });
  const busy = await manyOf(8, () => slots.run(endless.queryName));
  expect(busy.map(({ status }) => status).sort()).toEqual([...Array(6).fill(429), 500, 500]);
  for (const { id } of [rows, rate, slots]) await caller.call('DELETE', `/api/v1/account/api-keys/${id}`);
});

test('twenty parallel requests at both workers create five keys', async () => {
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => caller.call('POST', '/api/v1/account/api-keys', { name: `key ${index}` }, close)),
  );
  expect(responses.map((each) => each.status).sort()).toEqual([...Array(5).fill(201), ...Array(15).fill(409)]);
});

test('a killed worker is replaced, and clients of the others do not hang', { timeout: 120_000 }, async () => {
  const load = clients(6);
  for (const victim of workers()) {
    const enough = load.answered() + 10;
    await expect.poll(load.answered).toBeGreaterThan(enough);
    process.kill(victim, 'SIGKILL');
    const killedAt = performance.now();
    // a dead worker that is not yet noticed still has its process id
    const isReplaced = () => !workers().includes(victim) && workers().length === 2;
    await expect.poll(isReplaced, { timeout: 50_000 }).toBe(true);
    process.stdout.write(`replaced after ${Math.round(performance.now() - killedAt)} ms\n`);
  }
  const enough = load.answered() + 10;
  await expect.poll(load.answered).toBeGreaterThan(enough);
  expect(await load.stop()).toEqual({ hung: 0 });
  expect(service.stdout().match(/Sluice is ready/g)).toHaveLength(1);
});

test('SIGTERM stops all workers', async () => {
  expect(workers()).toHaveLength(2);
  expect(await service.stop()).toBe(0);
  expect(workers()).toEqual([]);
  await expect(fetch(`${service.url}/livez`)).rejects.toThrow();
});

test('workers end with a killed primary, and the next start succeeds', async () => {
  service = await workspace.start({ SLUICE_WORKERS: '2' });
  await service.kill(); // resolves when its output is closed, which a running worker would keep open
  await expect(fetch(`${service.url}/livez`)).rejects.toThrow();
  service = await workspace.start();
  expect(await service.stop()).toBe(0);
});

/** Each call uses a new connection. One that a killed worker had accepted fails; none may hang. */
function clients(count: number): { answered: () => number; stop: () => Promise<{ hung: number }> } {
  let [answered, hung] = [0, 0];
  let stopped = false;
  const client = async (): Promise<void> => {
    while (!stopped) {
      try {
        await (await fetch(`${service.url}/livez`, { headers: close, signal: AbortSignal.timeout(20_000) })).text();
        answered++;
      } catch (error) {
        if (error instanceof Error && error.name === 'TimeoutError') hung++;
      }
    }
  };
  const all = Array.from({ length: count }, client);
  return {
    answered: () => answered,
    async stop() {
      stopped = true;
      await Promise.all(all);
      return { hung };
    },
  };
}

/** Process ids of the running workers. */
function workers(): number[] {
  const listening = [...service.stderr().matchAll(/"pid":(\d+),.*"msg":"Server listening/g)].map((match) => Number(match[1]));
  return listening.filter((pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  });
}
