import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresProblem } from '../../support/databases/postgres.ts';
import { openSlowPostgres, type SlowPostgres, withoutLock } from '../../support/databases/slow-postgres.ts';
import { contentOf, type McpCaller, mcpOf, rowsOf, statelessOf, type ToolContent } from '../../support/http/mcp.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import type { Execution } from '../../support/queries/exports.ts';
import {
  admin,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe.skipIf(postgresProblem() !== null)('exports that take longer than the gateway waits', () => {
  let service: TestService;
  let root: Caller;
  let pg: SlowPostgres;
  let key: string;
  let mcp: McpCaller;
  let slow: string;
  beforeAll(async () => {
    service = await startTestService({ SLUICE_MCP_WAIT_SECONDS: '1' });
    root = service.as(admin);
    pg = await openSlowPostgres(root);
    ({ key } = await createKey(root, { name: 'exports' }));
    mcp = mcpOf(service, key);
    slow = await pg.publish('Slow');
  });
  afterAll(async () => {
    await service.close();
    await pg.close();
  });

  const executions = async () => (await root.call<List<Execution>>('GET', '/api/v1/executions')).json.items;

  const sent = (parameters: object) => ({ queryName: slow, format: 'csv', fileName: 'slow', parameters });
  const askFor = (queryMoreCode: unknown, caller = mcp) => caller.call('export_query', { format: 'csv', queryMoreCode });
  const awaitEnd = (queryMoreCode: unknown, caller = mcp) =>
    waitUntil(
      () => askFor(queryMoreCode, caller),
      ({ json }) => (json.result?.structuredContent as ToolContent | undefined)?.status === undefined,
    );

  test('get a code, and every call with it waits for the file', async () => {
    const lock = await pg.hold();
    const first = await mcp.tool('export_query', sent(lock.parameters));
    expect(first).toEqual({
      QueryMoreCode: expect.any(String),
      status: 'running',
      note: expect.stringMatching(
        /the file is not there yet\. Call export_query with this code as queryMoreCode and the same format/,
      ),
    });
    expect(await pg.active('Slow')).toBe(1);
    expect((await executions()).filter(({ query }) => query === slow)).toHaveLength(1);
    const files = Promise.all([1, 2, 3].map(() => awaitEnd(first.QueryMoreCode)));
    await lock.release();
    for (const response of await files) {
      const file = contentOf(response);
      expect(file).toMatchObject({ format: 'csv', fileName: 'slow.csv', rowCount: 3, size: expect.any(Number) });
      expect(await (await fetch(String(file.downloadUrl))).text()).toContain('3,row 3');
    }
    const { json } = await root.call<List<Record<string, unknown>>>('GET', `/api/v1/audit?query=${slow}&limit=30`);
    const entries = json.items.filter(({ action }) => action === 'export_query');
    expect(entries.at(-1)).toMatchObject({ outcome: 'ok', rows: null });
    expect(entries.filter(({ rows }) => rows === 3)).toHaveLength(3);
  });

  test('return a file at once if it is ready in time', async () => {
    expect(await mcp.tool('export_query', sent(withoutLock))).toMatchObject({ rowCount: 3, fileName: 'slow.csv' });
  });

  test('are refused to other users and other tools', async () => {
    const lock = await pg.hold();
    const { QueryMoreCode: code } = await mcp.tool('export_query', sent(lock.parameters));
    const { caller, id } = await createQueryUser(service, 'exporter');
    const foreign = mcpOf(service, (await createKey(caller)).key);
    expect((await askFor(code, foreign)).json.error).toMatchObject({ code: 40301 });
    const narrow = await createKey(root, { name: 'narrow export', queries: ['QD_Customers_Demo'] });
    expect((await askFor(code, mcpOf(service, narrow.key))).json.error).toMatchObject({ code: 40301 });
    for (const tool of ['execute_query_next_page', 'execute_query', 'execute_chart_query'])
      expect(await mcp.refusal(tool, { queryMoreCode: code })).toMatchObject({ code: -32602 });
    expect(await mcp.refusal('resume_stream', { streamToken: code })).toMatchObject({ code: -32602 });
    const page = await mcp.tool('execute_query', { queryName: 'QD_Customers_Demo', rowSize: 1 });
    expect((await askFor(page.QueryMoreCode)).json.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('does not come from export_query. For a file of all rows, call export_query'),
    });
    await lock.release();
    expect(contentOf(await awaitEnd(code))).toMatchObject({ rowCount: 3 });
    await expectStatus(root.call('DELETE', `/api/v1/users/${id}`), 204);
    await expectStatus(root.call('DELETE', `/api/v1/account/api-keys/${narrow.id}`), 204);
  });

  test('report how their query ended', async () => {
    const { parameters } = await pg.hold();
    const cancelled = await mcp.tool('export_query', { ...sent(parameters), queryName: await pg.publish('Exported') });
    const [execution] = (await executions()).filter(({ query }) => query === 'QD_Exported_Pg');
    await expectStatus(root.call('DELETE', `/api/v1/executions/${execution?.id}`), 204);
    expect((await awaitEnd(cancelled.QueryMoreCode)).json.error).toMatchObject({ data: { reason: 'query_cancelled' } });
    expect(
      await waitUntil(
        () => pg.active('Exported'),
        (count) => count === 0,
      ),
    ).toBe(0);
    const late = await pg.publish('Late export', { timeoutSeconds: 5 });
    const { QueryMoreCode: code } = await mcp.tool('export_query', { ...sent(parameters), queryName: late });
    expect((await awaitEnd(code)).json.error).toMatchObject({ code: 50401 });
  });

  test('count the rows of their key once each time that its file is handed out, and never more than it may have', async () => {
    const limited = await createKey(root, { name: 'rows', limits: { rowsPerDay: 4 } });
    const caller = mcpOf(service, limited.key);
    const lock = await pg.hold();
    const { QueryMoreCode: code } = await caller.tool('export_query', sent(lock.parameters));
    await lock.release();
    expect(contentOf(await awaitEnd(code, caller))).toMatchObject({ rowCount: 3 });
    expect((await awaitEnd(code, caller)).json.error).toMatchObject({ code: 42901 });
    expect(rowsOf(await caller.tool('execute_query', { queryName: slow, parameters: withoutLock }))).toHaveLength(1);
    expect(await caller.refusal('export_query', sent(withoutLock))).toMatchObject({ code: 42901 });
    await expectStatus(root.call('DELETE', `/api/v1/account/api-keys/${limited.id}`), 204);
  });

  test('are tasks for clients that support them', async () => {
    const extension = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const client = statelessOf(service, { 'X-API-Key': key }, extension);
    const lock = await pg.hold();
    const { json } = await client.call('export_query', sent(lock.parameters));
    await lock.release();
    const taskId = String(json.result?.taskId);
    expect(json.result).toMatchObject({ resultType: 'task', status: 'working' });
    const get = async () => (await client.rpc('tasks/get', { taskId })).json.result;
    const ended = await waitUntil(get, (result) => result?.status !== 'working');
    expect(ended).toMatchObject({
      status: 'completed',
      result: {
        structuredContent: { fileName: 'slow.csv', rowCount: 3 },
        content: [{ type: 'text' }, { type: 'resource_link' }],
      },
    });
    const cancelled = await client.call('export_query', sent((await pg.hold()).parameters));
    const other = String(cancelled.json.result?.taskId);
    expect((await client.rpc('tasks/cancel', { taskId: other })).json.result).toBeDefined();
    const status = async () => (await client.rpc('tasks/get', { taskId: other })).json.result?.status;
    expect(await waitUntil(status, (each) => each !== 'working')).toBe('cancelled');
  });
});
