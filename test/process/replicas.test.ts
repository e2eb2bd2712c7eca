import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';
import { mcpOf } from '../support/http/mcp.ts';
import { createKey } from '../support/people/accounts.ts';
import type { Execution } from '../support/queries/exports.ts';
import { publish } from '../support/queries/publish.ts';
import { copyDemo, createWorkspace, type Workspace, type ServiceProcess, whenReady } from '../support/services/process.ts';
import { type Caller, type List, admin, expectStatus } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const noPostgres = postgresProblem();
const close = { Connection: 'close' };
const PASSWORD_LINE = /^admin password: (\w+)$/gm;

describe.skipIf(noPostgres !== null)('two replicas on one PostgreSQL', () => {
  let workspace: Workspace;
  let replicas: readonly [ServiceProcess, ServiceProcess];
  let one: Caller;
  let other: Caller;
  let password: string;

  beforeAll(async () => {
    workspace = await createWorkspace({ demo: false });
    const url = await createDatabase();
    const folders = ['one', 'other'].map((name) => join(workspace.folder, name));
    for (const folder of folders) await copyDemo(folder);
    // both in parallel, on an empty store
    const started = folders.map((folder) => workspace.run(['start'], { SLUICE_METADATA_URL: url, SLUICE_DATA: folder }));
    const [first, second] = await Promise.all(started.map(whenReady));
    if (first === undefined || second === undefined) throw new Error('two were started');
    replicas = [first, second];
    password = [...(first.stdout() + second.stdout()).matchAll(PASSWORD_LINE)][0]?.[1] ?? '';
    [one, other] = [first.as({ username: 'admin', password }), second.as({ username: 'admin', password })];
  });
  afterAll(() => workspace.remove());

  test('start with one administrator and one demo catalog', async () => {
    const printed = replicas.flatMap((each) => [...each.stdout().matchAll(PASSWORD_LINE)]);
    expect(printed).toHaveLength(1);
    for (const caller of [one, other]) {
      expect((await caller.call('GET', '/api/v1/queries?limit=100')).json.items).toHaveLength(20);
      expect((await caller.call('GET', '/api/v1/databases')).json.items).toHaveLength(1);
      expect((await caller.call('GET', '/api/v1/users')).json.items).toHaveLength(1);
      expect((await caller.call('GET', '/api/v1/roles')).json.items).toHaveLength(6);
    }
  });

  test('share queries, keys and sessions immediately', async () => {
    const { queryName } = await publish(one, { name: 'Shared', sql: 'select 42 as n' });
    expect((await other.run(queryName)).json.Data).toEqual([{ n: 42 }]);
    const { json: key } = await one.call<{ id: string; key: string }>('POST', '/api/v1/account/api-keys', { name: 'shared' });
    expect((await replicas[1].as({ key: key.key }).run(queryName)).status).toBe(200);
    await expectStatus(one.call('DELETE', `/api/v1/account/api-keys/${key.id}`), 204);

    const signedIn = await replicas[0].as().call('POST', '/api/v1/session', { username: 'admin', password });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await replicas[1].as({ cookie }).call('GET', '/api/v1/session')).json).toMatchObject({ username: 'admin' });
    await expectStatus(replicas[1].as({ cookie }).call('DELETE', '/api/v1/session', undefined), 204);
    expect((await replicas[0].as({ cookie }).call('GET', '/api/v1/session')).status).toBe(401);
  });

  test('preview queries of a user who has run nothing there yet', async () => {
    const preview = { database: 'Demo', sql: 'select 1 as n', parameters: [] };
    for (const caller of [one, other]) await expectStatus(caller.call('POST', '/api/v1/queries/preview', preview), 200);
  });

  test('list and cancel the executions of the other', async () => {
    const sql = 'select count(*) as n from range(100000000000) a(i), range(100) b(j) where (i * j) % 7 = 3';
    const { queryName } = await publish(one, { name: 'Endless', sql, timeoutSeconds: 120 });
    const response = one.run(queryName);
    const shown = async () => (await other.call<List<Execution>>('GET', '/api/v1/executions')).json.items;
    // an execution of another test that took a second is listed for a second after its end
    const [execution] = (await waitUntil(shown, (items) => items.some(({ query }) => query === queryName), 30_000)).filter(
      ({ query }) => query === queryName,
    );
    expect(execution).toMatchObject({ user: 'admin', state: 'running' });
    await expectStatus(other.call('DELETE', `/api/v1/executions/${execution?.id}`), 204);
    expect(await response).toMatchObject({ status: 500, json: { code: 'query_cancelled' } });
    expect(await waitUntil(shown, (items) => items.length === 0, 30_000)).toEqual([]);
  });

  test('cancel an MCP call of the other by a notification of the same key', async () => {
    const sql = 'select count(*) as n from range(100000000000) a(i), range(100) b(j) where (i * j) % 7 = 4';
    const { queryName } = await publish(one, { name: 'Endless for assistants', sql, timeoutSeconds: 120 });
    const [mine, foreign] = [await createKey(one, { name: 'mine' }), await createKey(one, { name: 'foreign' })];
    const response = mcpOf(replicas[0], mine.key).call('execute_query', { queryName });
    const shown = async () => (await one.call<List<Execution>>('GET', '/api/v1/executions')).json.items;
    await waitUntil(shown, (items) => items.length > 0, 30_000);
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    for (const { key } of [foreign, mine]) await expectStatus(mcpOf(replicas[1]).post(notification, { 'X-API-Key': key }), 202);
    expect((await response).json.error).toMatchObject({ code: 50001, data: { reason: 'query_cancelled' } });
    for (const { id } of [mine, foreign]) await expectStatus(one.call('DELETE', `/api/v1/account/api-keys/${id}`), 204);
  });

  test('create five keys in twenty parallel requests', async () => {
    for (let round = 0; round < 3; round++) {
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? one : other).call<{ id: string }>('POST', '/api/v1/account/api-keys', { name: `k${index}` }, close),
        ),
      );
      expect(responses.map((each) => each.status).sort()).toEqual([...Array(5).fill(201), ...Array(15).fill(409)]);
      const made = responses.filter((each) => each.status === 201);
      for (const { json } of made) await expectStatus(other.call('DELETE', `/api/v1/account/api-keys/${json.id}`), 204);
    }
  });

  test('stop cleanly', async () => {
    expect(await Promise.all(replicas.map((each) => each.stop()))).toEqual([0, 0]);
  });
});

describe.skipIf(noPostgres !== null)('two replicas that also share the data folder', () => {
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = await createWorkspace();
  });
  afterAll(() => workspace.remove());

  test('serve the pages of a result that the other started', async () => {
    const environment = { SLUICE_METADATA_URL: await createDatabase() };
    const [first, second] = await Promise.all([workspace.start(environment), workspace.start(environment)]);
    const [one, other] = [first.as(admin), second.as(admin)];
    const { queryName } = await publish(one, { name: 'Paged', sql: 'select i as n from range(300000) t(i) order by i' });

    const firstPage = await one.run(queryName, [], { RowSize: '1000' });
    const code = firstPage.json.QueryMoreCode ?? '';
    const next = await other.run(queryName, [], { QueryMoreCode: code }); // possibly while the first still writes it
    expect([next.status, next.json.Data[0], next.json.NextRowIndex]).toEqual([200, { n: 1000 }, 2000]);
    const last = await other.run(queryName, [], { QueryMoreCode: code, RowIndex: '299000' });
    expect([last.json.Data[0], last.json.Data.length, last.json.QueryMoreCode]).toEqual([{ n: 299000 }, 1000, null]);
    const back = await one.run(queryName, [], { QueryMoreCode: next.json.QueryMoreCode ?? '' });
    expect([back.status, back.json.Data[0]]).toEqual([200, { n: 2000 }]);

    expect(await first.stop()).toBe(0);
    const after = await other.run(queryName, [], { QueryMoreCode: code });
    expect([after.status, after.json.Data[0]]).toEqual([200, { n: 1000 }]);
    expect(await second.stop()).toBe(0);
  });
});
