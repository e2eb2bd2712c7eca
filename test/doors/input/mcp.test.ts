import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../../src/doors/mcp/tool-list.ts';
import { type McpCaller, mcpOf, type RpcResponse, rowsOf, type ToolContent } from '../../support/http/mcp.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let mcp: McpCaller;
let key: string;
let queryId: string;
const queryName = 'QD_Numbers_Demo';

beforeAll(async () => {
  service = await startTestService();
  key = (await createKey(service.as(admin), { name: 'assistant' })).key;
  mcp = mcpOf(service, key);
  const parameters = [{ name: '@From', dataType: 'int', required: false, default: '0' }];
  const sql = 'select (i + @From)::int as n from range(9) t(i) order by i';
  queryId = (await publish(service.as(admin), { name: 'Numbers', sql, parameters })).id;
});
afterAll(() => service.close());

const numbers = (content: ToolContent): unknown[] => rowsOf(content).map(({ n }) => n);
const running = ['execute_query', 'start_stream', 'execute_chart_query'] as const;

describe.each(running)('%s', (tool) => {
  const few = tool === 'start_stream' ? 'chunkSize' : 'rowSize';
  const rows = async (sent: Record<string, unknown>) => numbers(await mcp.tool(tool, { [few]: 2, ...sent }));

  test.each([
    ['an array', [{ ParameterName: '@From', Value: '5' }]],
    ['an array in another spelling', [{ parameter_name: 'from', VALUE: 5, 'data-type': 'nvarchar' }]],
    ['an object', { '@From': 5 }],
    ['an object without @', { from: '5' }],
    ['an array as a JSON text', '[{"ParameterName":"@From","Value":"5"}]'],
    ['an object as a JSON text', ' {"@From": 5} '],
  ])('takes parameters as %s', async (_, parameters) => {
    expect(await rows({ queryName, parameters })).toEqual([5, 6]);
  });

  test('takes queryId for queryName, and the reverse', async () => {
    for (const reference of [
      { queryName },
      { queryId },
      { queryName: queryId },
      { queryId: queryName },
      { queryName, queryId },
      { query_name: queryName.toLowerCase() },
      { 'QUERY-ID': queryId, queryName: null },
    ])
      expect(await rows(reference)).toEqual([0, 1]);
    const other = await mcp.refusal(tool, { queryName, queryId: 'QD_Sales_by_region_Demo' });
    expect([other.code, other.message]).toEqual([-32602, expect.stringContaining('another query')]);
    expect((await mcp.refusal(tool, { queryId: 'none' })).code).toBe(40301);
    expect((await mcp.refusal(tool, {})).message).toContain('queryName');
  });

  test.each([
    ['params', 'parameters'],
    ['parameter', 'parameters'],
    ['Parameter_s_s', 'parameters'],
    ['query', 'queryName'],
    ['name', 'queryName'],
    ['pageSize', few],
    ['verbose', 'queryName, '],
  ])('refuses %s and suggests %s', async (name, suggested) => {
    for (const value of [1, null, []]) {
      const error = await mcp.refusal(tool, { queryName, [name]: value });
      expect([error.code, error.data.reason]).toEqual([-32602, 'field_unknown']);
      expect(error.message).toContain(`There is no argument "${name}" here.`);
      expect(error.message).toContain(suggested);
    }
  });

  test('names an unknown parameter, and all problems at once', async () => {
    const unknown = await mcp.refusal(tool, { queryName, parameters: { '@Form': 1 } });
    expect([unknown.code, unknown.data.reason]).toEqual([-32602, 'parameter_unknown']);
    expect(unknown.message).toContain('Did you mean "@From"?');
    const several = await mcp.refusal(tool, { queryNam: queryName, [few]: 0, parameters: [{ Value: 1, Type: 'int' }] });
    for (const part of ['"queryNam"', few, 'parameters.0.ParameterName', '"Type"']) expect(several.message).toContain(part);
  });

  test('refuses an argument that is sent twice', async () => {
    const error = await mcp.refusal(tool, { queryName, query_name: 'QD_Sales_by_region_Demo' });
    expect([error.code, error.message]).toEqual([-32602, expect.stringContaining('query_name: It is sent twice.')]);
    for (const parameters of ['{"From":1,"From":2}', '[{"ParameterName":"From","From":1,"From":2}]']) {
      const inText = await mcp.refusal(tool, { queryName, parameters });
      expect([inText.code, inText.message]).toEqual([-32602, expect.stringMatching(/^From: It is sent twice\./)]);
    }
  });
});

describe('execute_query continues', () => {
  const first = (more: Record<string, unknown> = {}) =>
    mcp.tool('execute_query', { queryName, parameters: { from: 1 }, rowSize: 3, ...more });

  test('with a code alone, with the name, or with the same parameters', async () => {
    const { QueryMoreCode: queryMoreCode } = await first();
    for (const more of [
      {},
      { queryName },
      { queryId },
      { parameters: { '@From': '1' } },
      { queryName, parameters: { '@From': '1' } },
      { queryName, parameters: [{ ParameterName: 'from', Value: 1 }] },
      { query_more_code: undefined, QueryName: queryName.toLowerCase() },
    ]) {
      const page = await mcp.tool('execute_query', { queryMoreCode, ...more });
      expect([numbers(page), page.RowSize, page.NextRowIndex]).toEqual([[4, 5, 6], 3, 6]);
    }
    expect(await mcp.tool('execute_query_next_page', { 'query-more-code': queryMoreCode })).toMatchObject({ NextRowIndex: 6 });
  });

  test('to the end, for a model that sends every argument again', async () => {
    const seen: unknown[] = [];
    let sent: Record<string, unknown> = { queryName, parameters: { from: 1 }, rowSize: 4 };
    for (;;) {
      const page = await mcp.tool('execute_query', sent);
      seen.push(...numbers(page));
      if (page.QueryMoreCode === null) break;
      sent = { ...sent, queryMoreCode: page.QueryMoreCode, rowIndex: page.NextRowIndex };
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('at any row, and without a code from any row', async () => {
    const { QueryMoreCode: queryMoreCode } = await first();
    expect(numbers(await mcp.tool('execute_query', { queryMoreCode, rowIndex: 7, rowSize: 1 }))).toEqual([8]);
    expect(numbers(await first({ rowIndex: '7' }))).toEqual([8, 9]);
    expect(numbers(await first({ queryMoreCode: null, rowIndex: null }))).toEqual([1, 2, 3]);
  });

  test('not with another query, other parameters, or a code of another user', async () => {
    const { QueryMoreCode: queryMoreCode } = await first();
    for (const more of [
      { queryName: 'QD_Sales_by_region_Demo' },
      { queryName, parameters: { '@From': 2 } },
      { queryName, parameters: [] },
    ])
      expect((await mcp.refusal('execute_query', { queryMoreCode, ...more })).code).toBe(-32602);
    expect((await mcp.refusal('execute_query', { queryMoreCode, queryName: 'QD_None' })).code).toBe(40301);
    expect((await mcp.refusal('execute_query', { queryMoreCode: 'x' })).code).toBe(-32602);
    const stranger = mcpOf(service, (await createKey((await createQueryUser(service, 'stranger')).caller)).key);
    expect((await stranger.refusal('execute_query', { queryMoreCode })).code).toBe(40301);
  });

  test('and the other tools refuse what they would ignore', async () => {
    for (const [tool, sent] of [
      ['execute_chart_query', { queryName, rowIndex: 3 }],
      ['start_stream', { queryName, rowSize: 3 }],
      ['export_query', { queryName, format: 'csv', rowSize: 3 }],
      ['list_queries', { query: 'x' }],
      ['list_databases', { search: 'x' }],
      ['get_user_profile', { user: 'x' }],
      ['get_query_detail', { queryId, version: 1 }],
    ] as const)
      expect([tool, (await mcp.refusal(tool, sent)).data.reason]).toEqual([tool, 'field_unknown']);
  });
});

describe('the key', () => {
  test.each([' KEY', 'KEY\n', '\t KEY  '])('may have surrounding spaces: %j', async (pattern) => {
    const spaced = mcpOf(service, pattern.replace('KEY', key));
    expect(await spaced.tool('get_user_profile')).toMatchObject({ userName: 'admin' });
    const header = await mcpOf(service).tool('get_user_profile', {}, { Authorization: `Bearer   ${key} ` });
    expect(header).toMatchObject({ userName: 'admin' });
  });

  test('may be spelled api_key; blanks are no key', async () => {
    const anonymous = mcpOf(service);
    expect(await anonymous.tool('get_user_profile', { api_key: key })).toMatchObject({ userName: 'admin' });
    expect((await anonymous.refusal('get_user_profile', { apiKey: '  ' })).code).toBe(40101);
    expect((await anonymous.refusal('get_user_profile', { apikeys: key })).code).toBe(40101);
  });
});

describe('the envelope', () => {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    service.as().call<RpcResponse>('POST', path, body, headers);
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const call = (id: number, sent: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'execute_query', arguments: { apiKey: key, queryName, rowSize: 1, ...sent } },
  });
  const batches = { 'MCP-Protocol-Version': '2025-03-26' };

  test.each(['/mcp', '/mcp/', '/MCP', '/Mcp/'])('is accepted at %s', async (path) => {
    expect((await post(path, ping(1))).json).toEqual({ jsonrpc: '2.0', result: {}, id: 1 });
    expect((await service.as().call('GET', path)).json).toMatchObject({ protocol: 'JSON-RPC 2.0 over HTTP POST' });
    expect((await service.as().call('DELETE', path)).status).toBe(405);
  });

  test('may have params: null', async () => {
    expect((await post('/mcp', { ...ping(1), params: null })).json.result).toEqual({});
    const { json } = await post('/mcp', { jsonrpc: '2.0', id: 2, method: 'tools/list', params: null });
    expect(json.result?.tools).toHaveLength(tools.length);
    expect((await post('/mcp', { ...ping(1), params: [] })).json.error?.code).toBe(-32600);
  });

  test('may be a batch for 2025-03-26', async () => {
    const sent = [ping(1), notification, call(2, {}), call(3, { params: 1 }), { id: 4 }, call(5, { rowIndex: 3 })];
    const response = await post('/mcp', sent, batches);
    expect(response.status).toBe(200);
    const answers = response.json as unknown as RpcResponse[];
    expect(answers.map(({ id, result, error }) => [id, error?.code ?? (result && 'result')])).toEqual([
      [1, 'result'],
      [2, 'result'],
      [3, -32602],
      [4, -32600],
      [5, 'result'],
    ]);
    expect(rowsOf(answers[4]?.result?.structuredContent as ToolContent)).toEqual([{ n: 3 }]);
    const single = await post('/mcp', [ping(7)], batches);
    expect(single.text).toBe('[{"jsonrpc":"2.0","result":{},"id":7}]');
    expect(
      (
        await post(
          '/mcp',
          Array.from({ length: 20 }, (_, id) => call(id, {})),
          batches,
        )
      ).json,
    ).toHaveLength(20);
    const silent = await post('/mcp', [notification, notification], batches);
    expect([silent.status, silent.text]).toEqual([202, '']);
  });

  test('may not be another batch', async () => {
    const many = Array.from({ length: 21 }, (_, id) => ping(id));
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    for (const [messages, headers] of [
      [[ping(1)], {}],
      [[ping(1)], { 'MCP-Protocol-Version': '2025-06-18' }],
      [[ping(1)], { 'MCP-Protocol-Version': '2025-11-25' }],
      [[], batches],
      [many, batches],
      [[initialize], batches],
    ] as [unknown[], Record<string, string>][]) {
      const { status, json } = await post('/mcp', messages, headers);
      expect([status, json.error?.code, json.id]).toEqual([400, -32600, null]);
    }
  });

  test('may not repeat a name', async () => {
    const inside =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_queries","arguments":{"limit":1,"limit":2}}}';
    for (const [text, name] of [
      ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', 'method'],
      [inside, 'limit'],
    ] as const) {
      const { status, json } = await post('/mcp', text);
      expect([status, json.error?.code, json.id]).toEqual([400, -32600, null]);
      expect(json.error?.message).toContain(`${name}: It is sent twice.`);
    }
  });
});
