import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresProblem } from '../../support/databases/postgres.ts';
import {
  lockParameter,
  openSlowPostgres,
  type SlowPostgres,
  slowRows,
  withoutLock,
} from '../../support/databases/slow-postgres.ts';
import { mcpOf, type RpcResponse, type StatelessCaller, statelessOf } from '../../support/http/mcp.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type ApiResponse, type Caller, startTestService, type TestService } from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

const extension = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

// the text of the extension: github.com/modelcontextprotocol/ext-tasks, specification/draft/tasks.md
describe.skipIf(postgresProblem() !== null)('tasks, for clients that announce the extension', () => {
  let service: TestService;
  let root: Caller;
  let pg: SlowPostgres;
  let key: string;
  let client: StatelessCaller;
  let slow: string;
  beforeAll(async () => {
    service = await startTestService({ SLUICE_MCP_WAIT_SECONDS: '1' });
    root = service.as(admin);
    pg = await openSlowPostgres(root);
    ({ key } = await createKey(root, { name: 'tasks' }));
    client = statelessOf(service, { 'X-API-Key': key }, extension);
    slow = await pg.publish('Slow');
  });
  afterAll(async () => {
    await service.close();
    await pg.close();
  });

  const start = (parameters: object, queryName = slow, tool = 'execute_query', more: object = {}) =>
    client.call(tool, { queryName, parameters, ...more });
  const taskIdOf = ({ json }: ApiResponse<RpcResponse>) => String(json.result?.taskId);
  const get = (taskId: string, by = client) => by.rpc('tasks/get', { taskId });
  const getEnded = (taskId: string) =>
    waitUntil(
      () => get(taskId),
      ({ json }) => json.result?.status !== 'working',
    );

  test('are announced, and made for a call whose rows take long', async () => {
    const { json } = await client.rpc('server/discover');
    expect(json.result).toMatchObject({ capabilities: extension });
    const lock = await pg.hold();
    const created = await start(lock.parameters);
    expect(created.json.result).toEqual({
      resultType: 'task',
      taskId: expect.any(String),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUpdatedAt: expect.stringMatching(/Z$/),
      ttlMs: 2_100_000,
      pollIntervalMs: 5000,
      _meta: expect.any(Object),
    });
    const taskId = taskIdOf(created);
    const working = await get(taskId);
    expect(working.json.result).toMatchObject({ resultType: 'complete', taskId, status: 'working' });
    expect(await pg.active('Slow')).toBe(1);
    const { createdAt } = created.json.result ?? {};
    const content = { Data: slowRows, RowSize: 1000, NextRowIndex: 3, QueryMoreCode: null };
    await lock.release();
    const ended = await getEnded(taskId);
    expect(ended.json.result).toMatchObject({
      ...{ resultType: 'complete', taskId, status: 'completed', createdAt },
      result: { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content, isError: false },
    });
    expect((await get(taskId)).json.result).toMatchObject({ status: 'completed', result: { structuredContent: content } });
  });

  test('are made for streams and charts, too', async () => {
    const lock = await pg.hold();
    const stream = taskIdOf(await start(lock.parameters, slow, 'start_stream'));
    const drawn = await start(lock.parameters, slow, 'execute_chart_query', { chart_type: 'bar', labelColumn: 'word' });
    await lock.release();
    expect((await getEnded(stream)).json.result).toMatchObject({
      status: 'completed',
      result: { structuredContent: { Data: slowRows, chunkIndex: 0, streamToken: null } },
    });
    expect((await getEnded(taskIdOf(drawn))).json.result).toMatchObject({
      status: 'completed',
      result: { content: [{ type: 'text' }, { type: 'image', mimeType: 'image/png' }], structuredContent: { Data: slowRows } },
    });
  });

  test('are not made for quick calls, for others, or for a key that the client cannot send again', async () => {
    expect((await start(withoutLock)).json.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { Data: slowRows },
    });
    const running = { resultType: 'complete', structuredContent: { status: 'running', QueryMoreCode: expect.any(String) } };
    const lock = await pg.hold();
    const sent = { queryName: slow, parameters: lock.parameters };
    const silent = statelessOf(service, { 'X-API-Key': key });
    expect((await silent.call('execute_query', sent)).json.result).toMatchObject(running);
    const keyless = statelessOf(service, {}, extension);
    expect((await keyless.call('execute_query', { ...sent, apiKey: key })).json.result).toMatchObject(running);
    await lock.release();
  });

  test('end by tasks/cancel, in the database', async () => {
    const queryName = await pg.publish('Cancelled');
    const taskId = taskIdOf(await start((await pg.hold()).parameters, queryName));
    expect(await pg.active('Cancelled')).toBe(1);
    const updated = await client.rpc('tasks/update', { taskId, inputResponses: {} });
    expect([updated.status, updated.json.result]).toEqual([200, { resultType: 'complete', _meta: expect.any(Object) }]);
    const cancelled = await client.rpc('tasks/cancel', { taskId });
    expect([cancelled.status, cancelled.json.result]).toEqual([200, { resultType: 'complete', _meta: expect.any(Object) }]);
    expect((await getEnded(taskId)).json.result).toMatchObject({ taskId, status: 'cancelled' });
    expect(
      await waitUntil(
        () => pg.active('Cancelled'),
        (count) => count === 0,
      ),
    ).toBe(0);
    expect((await client.rpc('tasks/cancel', { taskId })).json.result).toMatchObject({ resultType: 'complete' });
  });

  test('report how their call failed', async () => {
    const sql = 'select 1 / (length(s::text) - length(s::text)) as n from pass_lock(@Lock) s';
    const { queryName } = await publish(root, { name: 'Failing', database: 'Pg', sql, parameters: [lockParameter] });
    const lock = await pg.hold();
    const failing = taskIdOf(await start(lock.parameters, queryName));
    await lock.release();
    expect((await getEnded(failing)).json.result).toMatchObject({
      status: 'failed',
      error: { code: 50001, data: { reason: 'query_failed' } },
    });
    const late = await pg.publish('Late', { timeoutSeconds: 5 });
    expect((await getEnded(taskIdOf(await start((await pg.hold()).parameters, late)))).json.result).toMatchObject({
      status: 'completed',
      result: { isError: true, _meta: { 'sluice/error': { code: 50401, reason: 'query_timed_out' } } },
    });
  });

  test('are refused to others, without the extension, before 2026-07-28, and by another id', async () => {
    const lock = await pg.hold();
    const taskId = taskIdOf(await start(lock.parameters));
    const { caller } = await createQueryUser(service, 'other');
    const foreign = statelessOf(service, { 'X-API-Key': (await createKey(caller)).key }, extension);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect((await foreign.rpc(method, { taskId })).json.error).toMatchObject({ code: 40301 });
      const keyless = await statelessOf(service, {}, extension).rpc(method, { taskId });
      expect(keyless.json.error).toMatchObject({ code: 40101 });
      const silent = await statelessOf(service, { 'X-API-Key': key }).rpc(method, { taskId });
      expect([silent.status, silent.json.error]).toMatchObject([
        400,
        { code: -32021, data: { requiredCapabilities: extension } },
      ]);
      const altered = await client.rpc(method, { taskId: `${taskId}x` });
      expect([altered.status, altered.json.error]).toMatchObject([200, { code: -32602 }]);
      const unnamed = await client.rpc(method, { taskId }, { 'Mcp-Name': 'other' });
      expect([unnamed.status, unnamed.json.error]).toMatchObject([400, { code: -32020 }]);
      const older = await mcpOf(service).rpc(method, { taskId }, { 'X-API-Key': key, 'MCP-Protocol-Version': '2025-11-25' });
      expect(older.json.error).toMatchObject({ code: -32601 });
    }
    expect((await client.rpc('tasks/result', { taskId })).json.error).toMatchObject({ code: -32601 });
    await lock.release();
    expect((await getEnded(taskId)).json.result).toMatchObject({ status: 'completed' });
  });
});
