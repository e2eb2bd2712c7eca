import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, execute, postgresProblem } from '../support/databases/postgres.ts';
import { type HeldLock, openSlowPostgres, type SlowPostgres, slowRows } from '../support/databases/slow-postgres.ts';
import { mcpOf, statelessOf, type ToolContent } from '../support/http/mcp.ts';
import { createKey } from '../support/people/accounts.ts';
import type { Execution } from '../support/queries/exports.ts';
import { copyDemo, createWorkspace, type ServiceProcess, type Workspace } from '../support/services/process.ts';
import { type S3Server, startS3 } from '../support/services/s3-server.ts';
import { admin, type Caller, expectStatus, type List } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const storages = ['a shared folder', 'an object store'] as const;

describe.skipIf(postgresProblem() !== null).each(storages)('long MCP calls on two replicas with %s', (storage) => {
  let workspace: Workspace;
  let s3: S3Server | null = null;
  let metadata: string;
  let one: ServiceProcess;
  let other: ServiceProcess;
  let root: Caller;
  let pg: SlowPostgres;
  let key: string;
  let slow: string;
  let started = 0;
  const startReplica = async (more: Record<string, string> = {}): Promise<ServiceProcess> => {
    const folder = s3 === null ? workspace.data : join(workspace.folder, `replica-${started++}`);
    if (s3 !== null) await copyDemo(folder);
    const secret = { SLUICE_SECRET: Buffer.alloc(32, 7).toString('base64') };
    return workspace.start({ ...secret, SLUICE_METADATA_URL: metadata, SLUICE_DATA: folder, ...s3?.settings, ...more });
  };
  beforeAll(async () => {
    workspace = await createWorkspace();
    metadata = await createDatabase();
    s3 = storage === 'an object store' ? await startS3() : null;
    one = await startReplica({ SLUICE_MCP_WAIT_SECONDS: '2' });
    other = await startReplica({ SLUICE_MCP_WAIT_SECONDS: '2' });
    root = one.as(admin);
    pg = await openSlowPostgres(root);
    ({ key } = await createKey(root, { name: 'long' }));
    slow = await pg.publish('Slow', { timeoutSeconds: 120 });
  }, 180_000);
  afterAll(async () => {
    await workspace.remove();
    await pg.close();
    await s3?.remove();
  });
  afterEach(() => clearInterval(watch));

  let watch: NodeJS.Timeout | undefined;
  /** The connections on which the query runs: a second execution would need a second one. */
  const watchDatabase = (name: string) => {
    const seen = new Set<unknown>();
    const sql = `select pid from pg_stat_activity where state = 'active' and datname = current_database() and query not like '%pg_stat_activity%' and query like '%/* ${name} */%'`;
    watch = setInterval(() => void execute(pg.url, sql).then((found) => found.forEach(({ pid }) => seen.add(pid))), 250);
    return seen;
  };
  const run = (replica: ServiceProcess, { parameters }: HeldLock): Promise<ToolContent> =>
    mcpOf(replica, key).tool('execute_query', { queryName: slow, parameters });
  const isIdle = async () =>
    expect(
      await waitUntil(
        () => pg.active('Slow'),
        (count) => count === 0,
      ),
    ).toBe(0);

  test('get their response from the other replica, with one execution', async () => {
    const seen = watchDatabase('Slow');
    const lock = await pg.hold();
    const first = await run(one, lock);
    expect(first).toMatchObject({ Data: [], status: 'running' });
    const ask = (replica: ServiceProcess): Promise<ToolContent> =>
      mcpOf(replica, key).tool('execute_query_next_page', { queryMoreCode: first.QueryMoreCode });
    expect(await ask(other)).toMatchObject({ status: 'running' });
    const readRows = (replica: ServiceProcess) =>
      waitUntil(
        () => ask(replica),
        ({ status }) => status === undefined,
        40_000,
      );
    const pages = Promise.all([one, other].map(readRows));
    await lock.release();
    expect(await pages).toMatchObject([
      { Data: slowRows, QueryMoreCode: null },
      { Data: slowRows, QueryMoreCode: null },
    ]);
    expect(seen.size).toBe(1);
  });

  test('respond to twenty simultaneous callers of both replicas', async () => {
    const seen = watchDatabase('Slow');
    const lock = await pg.hold();
    const first = await run(one, lock);
    const ask = (index: number): Promise<ToolContent> =>
      waitUntil(
        () => mcpOf(index % 2 ? one : other, key).tool('execute_query_next_page', { queryMoreCode: first.QueryMoreCode }),
        ({ status }) => status === undefined,
        40_000,
      );
    const asked = Promise.all(Array.from({ length: 20 }, (_, index) => ask(index)));
    await lock.release();
    const pages = await asked;
    expect(new Set(pages.map((page) => JSON.stringify(page)))).toEqual(new Set([JSON.stringify(pages[0])]));
    expect([pages[0]?.Data, seen.size]).toEqual([slowRows, 1]);
  });

  test('of an export get their file from the other replica', async () => {
    const seen = watchDatabase('Slow');
    const lock = await pg.hold();
    const sent = { queryName: slow, format: 'csv', parameters: lock.parameters };
    const first = await mcpOf(one, key).tool('export_query', sent);
    expect(first).toMatchObject({ status: 'running', QueryMoreCode: expect.any(String) });
    const ask = () => mcpOf(other, key).tool('export_query', { format: 'csv', queryMoreCode: first.QueryMoreCode });
    await lock.release();
    const file = await waitUntil(ask, ({ status }) => status === undefined, 40_000);
    expect(file).toMatchObject({ rowCount: 3, fileName: 'Slow.csv' });
    expect(await (await fetch(String(file.downloadUrl))).text()).toContain('3,row 3');
    expect(seen.size).toBe(1);
  });

  test('are cancelled from the other replica, by DELETE and by tasks/cancel', async () => {
    const lock = await pg.hold();
    const first = await run(one, lock);
    const ask = () => mcpOf(other, key).call('execute_query_next_page', { queryMoreCode: first.QueryMoreCode });
    const shown = async () => (await other.as(admin).call<List<Execution>>('GET', '/api/v1/executions')).json.items;
    const [execution] = await waitUntil(shown, (items) => items.length > 0);
    await expectStatus(other.as(admin).call('DELETE', `/api/v1/executions/${execution?.id}`), 204);
    const { json } = await waitUntil(ask, (response) => response.json.error !== undefined);
    expect(json.error).toMatchObject({ code: 50001, data: { reason: 'query_cancelled' } });
    await isIdle();

    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const [here, there] = [one, other].map((each) => statelessOf(each, { 'X-API-Key': key }, capabilities));
    const created = await here?.call('execute_query', { queryName: slow, parameters: lock.parameters });
    const taskId = String(created?.json.result?.taskId);
    expect((await there?.rpc('tasks/get', { taskId }))?.json.result).toMatchObject({ taskId, status: 'working' });
    expect((await there?.rpc('tasks/cancel', { taskId }))?.json.result).toMatchObject({ resultType: 'complete' });
    const get = async () => (await there?.rpc('tasks/get', { taskId }))?.json.result?.status;
    expect(await waitUntil(get, (status) => status !== 'working')).toBe('cancelled');
    await isIdle();
  });

  test('fail when their replica stops, and give the reason', async () => {
    const victim = await startReplica({ SLUICE_MCP_WAIT_SECONDS: '1', SLUICE_DRAIN_SECONDS: '0' });
    const lock = await pg.hold();
    const stopped = await run(victim, lock);
    expect(await victim.stop()).toBe(0);
    await isIdle();
    const ask = ({ QueryMoreCode }: ToolContent) =>
      mcpOf(other, key).call('execute_query_next_page', { queryMoreCode: QueryMoreCode });
    expect((await ask(stopped)).json.error).toMatchObject({ message: expect.stringContaining('stopped or restarted') });

    const another = await startReplica({ SLUICE_MCP_WAIT_SECONDS: '1' });
    const killed = await run(another, lock);
    await another.kill();
    const { json } = await waitUntil(
      () => ask(killed),
      (response) => response.json.error !== undefined,
      60_000,
    );
    expect(json.error).toMatchObject({ code: 50001, data: { reason: 'result_incomplete' } });
    await execute(
      pg.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where query like '%/* Slow */%' and datname = current_database() and pid <> pg_backend_pid()`,
    );
  });

  if (storage === 'a shared folder') return; // once is enough
  test('of 70 seconds return their rows to a client that times out after 60', { timeout: 150_000 }, async () => {
    const replicas = [await startReplica(), await startReplica()]; // both with the default wait
    const clients = await Promise.all(
      replicas.map(async ({ url }) => {
        const client = new Client({ name: 'patient', version: '1' });
        const options = { requestInit: { headers: { 'X-API-Key': key } } };
        // the types of the SDK do not support exactOptionalPropertyTypes
        await client.connect(
          new StreamableHTTPClientTransport(new URL(`${url}/mcp`), options) as Parameters<Client['connect']>[0],
        );
        return client;
      }),
    );
    const seen = watchDatabase('Slow');
    const startedAt = performance.now();
    const call = (index: number, name: string, sent: Record<string, unknown>) =>
      clients[index]?.callTool({ name, arguments: sent }).then((result) => result.structuredContent as ToolContent);
    const lock = await pg.hold();
    const first = await call(0, 'execute_query', { queryName: slow, parameters: lock.parameters });
    expect(first).toMatchObject({ Data: [], status: 'running' });
    const page = call(1, 'execute_query_next_page', { queryMoreCode: first?.QueryMoreCode });
    await sleep(70_000 - (performance.now() - startedAt));
    await lock.release();
    expect(await page).toMatchObject({ Data: slowRows, QueryMoreCode: null });
    expect(seen.size).toBe(1);
    process.stdout.write(
      `a query of 70 s answered after ${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${seen.size} execution\n`,
    );
    await Promise.all([...clients.map((each) => each.close()), ...replicas.map((each) => each.stop())]);
  });
});
