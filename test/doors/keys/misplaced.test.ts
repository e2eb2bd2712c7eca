import { afterAll, beforeAll, expect, test } from 'vitest';
import { type McpCaller, mcpOf } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let key: string;
let secret: string; // the part that lists do not show
let caller: Caller;
let mcp: McpCaller;
let queryName: string;

beforeAll(async () => {
  service = await startTestService();
  ({ key } = await createKey(service.as(admin), { name: 'misplaced' }));
  secret = key.slice('slc_12345678_'.length);
  caller = service.as({ key });
  mcp = mcpOf(service, key);
  const parameters = [
    { name: '@Text', dataType: 'nvarchar(200)', required: false },
    { name: '@N', dataType: 'int', required: false },
    { name: '@Taken', dataType: 'nvarchar(200)', required: false },
  ];
  const sql = 'select case when @Text is null then 1 else error(@Text) end as t, @N as n, @Taken as c';
  ({ queryName } = await publish(service.as(admin), { name: 'Misplaced', sql, parameters }));
});
afterAll(() => service.close());

const untold = (text: string): void => expect(text.includes(secret), text).toBe(false);

test('a key in the wrong place of an MCP call is not echoed', async () => {
  const responses = [
    await mcp.rpc(key),
    await mcp.rpc('ping', {}, { 'MCP-Protocol-Version': key }),
    await mcp.rpc('tools/call', { name: key, arguments: {} }),
    await mcp.rpc('tools/call', { name: `${'x'.repeat(60)} ${key}`, arguments: {} }),
    await mcp.call('execute_query', { queryName: key }),
    await mcp.call('execute_query', { queryName, rowSize: key }),
    await mcp.call('get_query_detail', { queryName, queryId: key }),
    await mcp.call('execute_query_next_page', { queryMoreCode: key }),
    ...(await Promise.all(
      ['@Text', '@N', key].map((name) => mcp.call('execute_query', { queryName, parameters: { [name]: key } })),
    )),
  ];
  for (const { json, text } of responses) {
    expect(json.error?.message).toEqual(expect.any(String));
    untold(text);
  }
  expect(responses[0]?.json.error?.message).toContain('slc_');
});

test('a key in the wrong place of a REST call is not echoed', async () => {
  const values = ['@Text', '@N', key].map((ParameterName) => [{ ParameterName, Value: key }]);
  const responses = [
    await caller.run(key),
    await caller.run(queryName, [], { QueryMoreCode: key }),
    await caller.run(queryName, [], { RowSize: key }),
    await caller.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?queryName=${key}`),
    await caller.call('POST', `/api/query/execute/${key}`, { parameters: { '@N': key } }),
    await service.as(admin).call('POST', '/api/v1/queries', { name: 'x', database: key, sql: '' }),
    await service.as(admin).call('GET', `/api/v1/queries?status=${key}`),
    ...(await Promise.all(values.map((each) => caller.run(queryName, each)))),
  ];
  for (const { status, text } of responses) {
    expect(status).toBeGreaterThanOrEqual(400);
    untold(text);
  }
});

test('neither the audit trail nor the log contains the key', async () => {
  await mcp.rpc('initialize', { clientInfo: { name: key } });
  await caller.run(queryName, [{ ParameterName: '@Taken', Value: key }], { 'User-Agent': `curl ${key}` });
  const { text } = await service.as(admin).call('GET', '/api/v1/audit?limit=1000');
  expect(text).toContain(queryName);
  expect(text).toContain(`${key.slice(0, 12)}…`);
  untold(text);
  expect(service.log().join('')).toContain('QueryFailed');
  untold(service.log().join(''));
});
