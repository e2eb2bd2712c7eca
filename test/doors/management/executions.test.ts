import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { problemOf } from '../../support/http/problem.ts';
import { type Account, createKey, createUser } from '../../support/people/accounts.ts';
import { createVouchingApplication } from '../../support/people/viewers.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type List, type TestService, admin, startTestService } from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Execution {
  readonly id: string;
  readonly query: string;
  readonly user: string;
  readonly channel: string;
  readonly startedAt: string;
  readonly rows: number;
  readonly state: string;
}

let service: TestService;
let owner: Account;
let slow: string;
let long: string;
beforeAll(async () => {
  service = await startTestService();
  owner = await createUser(service, 'owner', { roles: ['Query User'], databases: ['Demo'] });
  const sum = 'select sum(a.i * b.i % 7) as n from range(1000000) a(i), range(1000000) b(i)';
  slow = (await publish(service.as(admin), { name: 'Slow', sql: sum })).queryName;
  const endless = 'select i, repeat(md5(cast(i as varchar)), 20) as t from range(100000000) r(i)';
  long = (await publish(service.as(admin), { name: 'Long', sql: endless })).queryName;
});
afterEach(async () => {
  for (const { id } of await running(service.as(admin))) await service.as(admin).call('DELETE', `/api/v1/executions/${id}`);
  await waitUntil(
    () => running(service.as(admin)),
    (all) => all.length === 0,
  );
});
afterAll(() => service.close());

const running = async (caller: Caller) => (await caller.call<List<Execution>>('GET', '/api/v1/executions')).json.items;
const started = (caller: Caller, count = 1) =>
  waitUntil(
    () => running(caller),
    (all) => all.length >= count && all.every(({ state }) => state !== 'waiting'),
  );
const gone = (within = 2000) =>
  waitUntil(
    () => running(service.as(admin)),
    (all) => all.length === 0,
    within,
  );

test('names the application and the viewer of an execution', async () => {
  const host = await createVouchingApplication(service, 'host');
  const call = (await host.as('ana')).run(slow);
  const [execution] = await started(service.as(admin));
  expect(execution).toMatchObject({ user: 'host', kind: 'application', viewer: 'ana', query: slow });
  await service.as(admin).call('DELETE', `/api/v1/executions/${execution?.id}`);
  expect((await call).status).toBe(500);
});

test('lists running executions to their owner and Administrators only', async () => {
  const call = owner.caller.run(slow);
  const [mine] = await started(owner.caller);
  expect(mine).toEqual({
    id: expect.any(String),
    query: slow,
    user: 'owner',
    kind: 'person',
    viewer: null,
    application: null,
    channel: 'rest',
    startedAt: expect.stringMatching(/Z$/),
    rows: 0,
    state: 'running',
  });
  expect(Math.abs(Date.now() - Date.parse(mine?.startedAt ?? ''))).toBeLessThan(60_000);
  expect(await running(service.as(admin))).toMatchObject([{ id: mine?.id }]);
  const other = await createUser(service, 'other', { roles: ['Query Publisher', 'Auditor'], databases: ['*'] });
  expect(await running(other.caller)).toEqual([]);
  const refused = await other.caller.call('DELETE', `/api/v1/executions/${mine?.id}`);
  expect(refused.status, 'what one may not see is not there').toBe(404);
  expect(await running(owner.caller)).toHaveLength(1);

  expect((await owner.caller.call('DELETE', `/api/v1/executions/${mine?.id}`)).status).toBe(204);
  const response = await call;
  expect([response.status, problemOf(response).code]).toEqual([500, 'query_cancelled']);
  expect(problemOf(response).detail).toContain('by you or by an administrator');
  expect(await gone()).toEqual([]);
  expect((await owner.caller.call('DELETE', `/api/v1/executions/${mine?.id}`)).status).toBe(404);
});

test('an Administrator can cancel an execution, and both actions are audited', async () => {
  const call = owner.caller.run(slow);
  const [mine] = await started(owner.caller);
  const cancelled = await service.as(admin).call('DELETE', `/api/v1/executions/${mine?.id}`);
  expect(cancelled.status).toBe(204);
  const response = await call;
  const entry = async (id: string | null) =>
    (await service.as(admin).call<List<Record<string, unknown>>>('GET', `/api/v1/audit?requestId=${id}`)).json.items;
  expect(await entry(cancelled.headers.get('x-request-id'))).toMatchObject([
    { action: 'execution.cancel', user: 'admin', query: slow, parameters: { user: 'owner' }, outcome: 'ok', status: 204 },
  ]);
  expect(await entry(response.headers.get('x-request-id'))).toMatchObject([
    { action: 'query.execute', user: 'owner', query: slow, outcome: 'cancelled', status: 500 },
  ]);
});

test('a key of the owner can list and cancel an execution, a narrowed one cannot', async () => {
  const key = async (more: Record<string, unknown>) => service.as({ key: (await createKey(owner.caller, more)).key });
  const [whole, narrow] = [await key({}), await key({ queries: [slow] })];
  const call = narrow.run(slow);
  const [mine] = await started(whole);
  expect((await narrow.call('GET', '/api/v1/executions')).status).toBe(403);
  expect((await narrow.call('DELETE', `/api/v1/executions/${mine?.id}`)).status).toBe(403);
  expect((await whole.call('DELETE', `/api/v1/executions/${mine?.id}`)).status).toBe(204);
  expect((await call).status).toBe(500);
});

test('a client disconnect cancels its query within two seconds', async () => {
  const leave = new AbortController();
  const left = fetch(`${service.url}/api/v1/JsonBuilder/ExecuteQuery`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${owner.username}:${owner.password}`).toString('base64')}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ QueryName: slow, Parameters: [] }),
    signal: leave.signal,
  }).catch((error: unknown) => error);
  expect(await started(owner.caller)).toHaveLength(1);
  leave.abort();
  await left;
  expect(await gone()).toEqual([]);
  const trail = await waitUntil(
    async () =>
      (await service.as(admin).call<List<Record<string, unknown>>>('GET', `/api/v1/audit?query=${slow}&limit=1`)).json.items,
    ([last]) => last?.outcome === 'cancelled',
  );
  expect(trail).toMatchObject([{ user: 'owner', outcome: 'cancelled' }]);
});

test('a result in progress counts its rows, and cancelling it ends the pages', async () => {
  const first = await owner.caller.run(long, [], { RowSize: '10' });
  expect(first.status).toBe(200);
  const [draining] = await waitUntil(
    () => running(owner.caller),
    ([one]) => one?.state === 'draining' && one.rows > 100,
  );
  expect(draining).toMatchObject({ query: long, state: 'draining', rows: expect.any(Number) });
  expect(draining?.rows).toBeGreaterThan(100);
  expect((await owner.caller.call('DELETE', `/api/v1/executions/${draining?.id}`)).status).toBe(204);
  expect(await gone()).toEqual([]);
  const headers = { RowIndex: '99999990', QueryMoreCode: first.json.QueryMoreCode ?? '' };
  const end = await owner.caller.run(long, [], headers);
  expect([end.status, problemOf(end).code]).toEqual([500, 'result_incomplete']);
  const next = await owner.caller.run(long, [], { QueryMoreCode: first.json.QueryMoreCode ?? '' });
  expect(next.status, 'what was gathered can still be read').toBe(200);
});

test('a preview is listed and can be cancelled like a query', async () => {
  const author = await createUser(service, 'author', { roles: ['Query Author'], databases: ['Demo'] });
  const sql = 'select sum(a.i * b.i % 7) as n from range(1000000) a(i), range(1000000) b(i)';
  const call = author.caller.call('POST', '/api/v1/queries/preview', { database: 'Demo', sql, parameters: [] });
  const [mine] = await started(author.caller);
  expect(mine).toMatchObject({ query: '(preview on Demo)', user: 'author', channel: 'management', state: 'running' });
  expect((await owner.caller.call('DELETE', `/api/v1/executions/${mine?.id}`)).status).toBe(404);
  expect((await service.as(admin).call('DELETE', `/api/v1/executions/${mine?.id}`)).status).toBe(204);
  const response = await call;
  expect([response.status, problemOf(response).code]).toEqual([500, 'query_cancelled']);
  expect(await gone()).toEqual([]);
});

test('parallel executions can be searched by name and end independently', async () => {
  const calls = [owner.caller.run(slow), owner.caller.run(slow)];
  const [one, two] = await started(owner.caller, 2);
  expect(one?.id).not.toBe(two?.id);
  const search = async (text: string) =>
    (await owner.caller.call<List<Execution>>('GET', `/api/v1/executions?search=${text}`)).json.items.length;
  expect([await search('SLOW'), await search('nothing')]).toEqual([2, 0]);
  await owner.caller.call('DELETE', `/api/v1/executions/${one?.id}`);
  const left = await waitUntil(
    () => running(owner.caller),
    (all) => all.length === 1,
    2000,
  );
  expect(left.map(({ id }) => id)).toEqual([two?.id]);
  await owner.caller.call('DELETE', `/api/v1/executions/${two?.id}`);
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([500, 500]);
});
