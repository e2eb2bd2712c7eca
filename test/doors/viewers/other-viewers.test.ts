import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpOf, statelessOf } from '../../support/http/mcp.ts';
import { problemOf } from '../../support/http/problem.ts';
import { bearer, createVouchingApplication } from '../../support/people/viewers.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

// codes, tasks and files of one viewer are refused to another one, to the application and to others, even with equal attributes

let service: TestService;
let own: string;
let ana: Caller;
let others: readonly Caller[];
let headers: { readonly ana: Record<string, string>; readonly others: readonly Record<string, string>[] };
beforeAll(async () => {
  service = await startTestService({ SLUICE_MCP_WAIT_SECONDS: '1' });
  const root = service.as(admin);
  const attributes = { team: 'red' };
  const host = await createVouchingApplication(service, 'host', { attributes });
  const second = await createVouchingApplication(service, 'second host', { attributes });
  own = (
    await publish(root, {
      name: 'Own',
      sql: "select @Team || ' ' || n as label, n as value from range(2500) as t(n)",
      parameters: [{ name: '@Team', dataType: 'nvarchar', boundTo: 'user.attributes.team' }],
      cacheSeconds: 600,
    })
  ).queryName;
  const { key } = await host.createKey();
  const token = await host.tokenOf('ana', { attributes });
  const tokens = [await host.tokenOf('bob', { attributes }), await second.tokenOf('ana', { attributes })];
  ana = service.as({ token });
  others = [...tokens.map((each) => service.as({ token: each })), service.as({ key }), root];
  headers = { ana: bearer(token), others: [...tokens.map(bearer), { 'X-API-Key': key }] };
});
afterAll(() => service.close());

const asked = { QueryName: '', Parameters: [] };

test('a code at REST, charts and Summary', async () => {
  const body = { ...asked, QueryName: own };
  const paths = ['/api/v1/JsonBuilder/ExecuteQuery', '/api/v1/ChartBuilder/ExecuteQuery', `/api/query/execute/${own}`];
  const { json } = await expectStatus(ana.call<{ QueryMoreCode: string }>('POST', paths[0] ?? '', body), 200);
  const next = { RowIndex: '1000', QueryMoreCode: json.QueryMoreCode };
  for (const path of paths) {
    const sent = path.endsWith(own) ? {} : body;
    expect((await ana.call('POST', path, sent, next)).status, path).toBe(200);
    for (const other of others) {
      const refused = await other.call('POST', path, sent, next);
      expect([path, refused.status, problemOf(refused).code]).toEqual([path, 403, 'continuation_foreign']);
    }
  }
  const summary = {
    ...body,
    labelColumn: 'label',
    dataColumn: ['value'],
    aggregate: 'sum',
    limit: 3,
    QueryMoreCode: json.QueryMoreCode,
  };
  expect((await ana.call('POST', '/api/v1/ChartBuilder/Summary', summary)).status).toBe(200);
  for (const other of others) expect((await other.call('POST', '/api/v1/ChartBuilder/Summary', summary)).status).toBe(403);
});

test('pages, streams, lists and charts over MCP', async () => {
  const mcp = mcpOf(service);
  const page = await mcp.tool('execute_query', { queryName: own, rowSize: 5 }, headers.ana);
  const stream = await mcp.tool('start_stream', { queryName: own, chunkSize: 5 }, headers.ana);
  const list = await mcp.tool('list_queries', { limit: 1 }, headers.ana);
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ['execute_query_next_page', { queryMoreCode: page.QueryMoreCode }],
    ['execute_query', { queryName: own, queryMoreCode: page.QueryMoreCode }],
    ['execute_chart_query', { queryName: own, queryMoreCode: page.QueryMoreCode }],
    ['resume_stream', { streamToken: stream.streamToken }],
    ['list_queries', { cursor: list.nextCursor }],
  ];
  for (const [tool, sent] of calls) {
    await mcp.tool(tool, sent, headers.ana);
    for (const other of headers.others) expect([tool, (await mcp.refusal(tool, sent, other)).code]).toEqual([tool, 40301]);
  }
});

test('a task, which another one can neither read nor cancel', async () => {
  const { queryName } = await publish(service.as(admin), {
    name: 'Slow',
    sql: 'select count(*) as n from range(4000000000) t(n) where hash(n) % 7 = 1',
    timeoutSeconds: 60,
  });
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const callerOf = (credentials: Record<string, string>) => statelessOf(service, credentials, capabilities);
  const mine = callerOf(headers.ana);
  const started = (await mine.call('execute_query', { queryName })).json.result ?? {};
  expect(started).toMatchObject({ resultType: 'task', status: 'working' });
  const { taskId } = started;
  for (const other of headers.others)
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect((await callerOf(other).rpc(method, { taskId })).json.error?.code, method).toBe(40301);
  expect((await mine.rpc('tasks/get', { taskId })).json.result).toMatchObject({ status: 'working' });
  expect((await mine.rpc('tasks/cancel', { taskId })).json.error).toBeUndefined();
  await expect
    .poll(async () => (await mine.rpc('tasks/get', { taskId })).json.result?.status, { timeout: 20_000 })
    .toBe('cancelled');
});

test('a file, its parts and its ETag', async () => {
  for (const format of ['csv', 'parquet', 'json']) {
    const path = `/data/${own}.${format}`;
    const plain = { 'Accept-Encoding': 'identity' };
    const first = await expectStatus(ana.call('GET', path, undefined, plain), 200);
    const etag = first.headers.get('etag') ?? '';
    expect((await ana.call('GET', path, undefined, { ...plain, 'If-None-Match': etag })).status).toBe(304);
    for (const other of others.slice(0, -1)) {
      const whole = await expectStatus(other.call('GET', path, undefined, { ...plain, 'If-None-Match': etag }), 200);
      expect(whole.headers.get('etag')).not.toBe(etag);
      const part = await other.call('GET', path, undefined, { ...plain, Range: 'bytes=0-9', 'If-Range': etag });
      expect([format, part.status]).toEqual([format, 200]); // a part only of their own file
    }
  }
});
