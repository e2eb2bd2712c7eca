import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../../src/doors/mcp/tool-list.ts';
import { type McpCaller, mcpOf, rowsOf } from '../../support/http/mcp.ts';
import { createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let mcp: McpCaller;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  key = (await createKey(service.as(admin), { name: 'assistant' })).key;
  mcp = mcpOf(service, key);
});
afterAll(() => service.close());

describe('arguments of a call', () => {
  test.each([
    [{}, 'name'],
    [{ name: null }, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: 'no_such_tool' }, 'list_queries'],
    [{ name: 'EXECUTE_QUERY' }, 'execute_query'],
    [{ name: '__proto__' }, 'execute_query'],
    [{ name: 'list_queries', arguments: [] }, 'arguments'],
    [{ name: 'list_queries', arguments: 'x' }, 'arguments'],
  ])('%j is refused before the key is checked', async (params, reported) => {
    const { status, json } = await mcp.rpc('tools/call', params);
    expect([status, json.error?.code]).toEqual([200, -32602]);
    expect(json.error?.message).toContain(reported);
  });

  test('the key is checked before the other arguments', async () => {
    const anonymous = mcpOf(service);
    for (const { name: tool } of tools)
      for (const sent of [
        {},
        { apiKey: null },
        { apiKey: 5 },
        { apiKey: '' },
        { apiKey: {} },
        { apiKey: 'slc_x', rowSize: 'x' },
      ]) {
        const response = await anonymous.call(tool, sent);
        expect([tool, sent, response.status, response.json.error?.code]).toEqual([tool, sent, 200, 40101]);
        expect(response.headers.get('www-authenticate')).toBeNull();
      }
    expect((await anonymous.rpc('tools/call', { name: 'list_queries' })).json.error?.code).toBe(40101);
  });

  test.each([
    ['get_query_detail', {}, 'queryId'],
    ['get_query_parameters', {}, 'queryName'],
    ['execute_query', {}, 'queryName'],
    ['execute_query', { queryName: '' }, 'queryName'],
    ['execute_query', { queryName: null }, 'queryName'],
    ['execute_query', { queryName: 5 }, 'queryName'],
    ['execute_query', { queryName: 'QD_Sales_by_region_Demo', rowSize: 0 }, 'rowSize'],
    ['execute_query', { queryName: 'QD_Sales_by_region_Demo', rowSize: -1 }, 'rowSize'],
    ['execute_query', { queryName: 'QD_Sales_by_region_Demo', rowSize: 1.5 }, 'rowSize'],
    ['execute_query', { queryName: 'QD_Sales_by_region_Demo', rowSize: 'many' }, 'rowSize'],
    ['execute_query', { queryName: 'QD_Sales_by_region_Demo', parameters: 'x' }, 'parameters'],
    ['execute_query', { queryName: 'QD_Sales_by_region_Demo', parameters: [1] }, 'parameters.0'],
    ['execute_query', { queryName: 'QD_Sales_by_region_Demo', parameters: [{ Value: 'x' }] }, 'ParameterName'],
    [
      'execute_query',
      { queryName: 'QD_Best_sellers_Demo', parameters: [{ ParameterName: '@Nope', Value: 'x' }] },
      'get_query_parameters',
    ],
    ['execute_query', { queryName: 'QD_Best_sellers_Demo', parameters: [{ ParameterName: '@Top', Value: 'x' }] }, '@Top'],
    ['execute_query_next_page', {}, 'queryMoreCode'],
    ['resume_stream', {}, 'streamToken'],
    ['export_query', { queryName: 'QD_Sales_by_region_Demo' }, 'format'],
    ['export_query', { queryName: 'QD_Sales_by_region_Demo', format: 'parquet' }, 'xlsx, csv, json'],
    ['list_queries', { limit: 0 }, 'limit'],
    ['list_queries', { cursor: 'x' }, 'cursor'],
    ['list_queries', { search: '\0' }, 'search'],
  ])('%s with %j reports what is wrong with %s', async (tool, sent, reported) => {
    const error = await mcp.refusal(tool, sent);
    expect(error.code).toBe(-32602);
    expect(error.message).toContain(reported);
    expect(error.data).toEqual({ httpStatus: 400, reason: expect.any(String), requestId: expect.any(String) });
  });

  test.each([
    { query_name: 'QD_Best_sellers_Demo', ROWSIZE: 2, Parameters: [{ parameter_name: '@Top', value: 3 }] },
    {
      'query-name': 'QD_Best_sellers_Demo',
      row_size: '2',
      PARAMETERS: [{ ParameterName: '@Top', Value: '3', DataType: null }],
    },
    { QueryName: 'QD_Best_sellers_Demo', rowSize: 2, queryname: null, parameters: { '@Top': 3 } },
  ])('accepts argument names in any spelling (%j)', async (sent) => {
    expect(await mcp.tool('execute_query', sent)).toMatchObject({
      RowSize: 2,
      NextRowIndex: 2,
      QueryMoreCode: expect.any(String),
    });
  });
});

describe('catalog tools', () => {
  test('get_user_profile', async () => {
    expect(await mcp.tool('get_user_profile')).toEqual({
      userName: 'admin',
      displayName: expect.any(String),
      roles: ['Administrator'],
      permissions: expect.arrayContaining(['queries.run', 'users.manage']),
      databases: ['*'],
      apiKey: { name: 'assistant', expiresAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
  });

  test('list_queries returns pages', async () => {
    const all = (await mcp.tool('list_queries', { limit: 200 })) as { queries: { queryName: string }[]; nextCursor: null };
    expect(all.nextCursor).toBeNull();
    expect(all.queries.length).toBeGreaterThan(15);
    const seen: string[] = [];
    for (let cursor: unknown = null; ;) {
      const page = await mcp.tool('list_queries', { limit: 7, cursor });
      seen.push(...(page.queries as { queryName: string }[]).map(({ queryName }) => queryName));
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    expect(seen).toEqual(all.queries.map(({ queryName }) => queryName));
  });

  test('list_queries searches by text and by database', async () => {
    const { queries } = (await mcp.tool('list_queries', { search: 'best SELLERS' })) as { queries: unknown[] };
    expect(queries[0]).toEqual({
      queryId: expect.any(String),
      queryName: 'QD_Best_sellers_Demo',
      displayName: 'Best sellers',
      description: expect.stringContaining('net revenue'),
      tip: expect.any(String),
      database: 'Demo',
      status: 'Active',
      parameterCount: 5,
      hasWrites: false,
    });
    expect(((await mcp.tool('list_queries', { database: 'demo' })) as { queries: unknown[] }).queries.length).toBeGreaterThan(15);
    expect(await mcp.tool('list_queries', { database: 'Nowhere' })).toEqual({ queries: [], nextCursor: null });
  });

  test('list_databases', async () => {
    const { databases } = (await mcp.tool('list_databases')) as { databases: Record<string, unknown>[] };
    const { queries } = (await mcp.tool('list_queries', { limit: 200 })) as { queries: unknown[] };
    expect(databases).toEqual([{ name: 'Demo', engine: 'duckdb', description: expect.any(String), queryCount: queries.length }]);
  });

  test('the error for a display name contains the technical name', async () => {
    const refused = await mcp.refusal('execute_query', { queryName: 'Sales by region' });
    expect(refused).toMatchObject({ code: 40301, message: expect.stringContaining("queryName 'QD_Sales_by_region_Demo'") });
  });

  test('get_query_detail and get_query_parameters, by id or name', async () => {
    const parameters = [
      { name: '@Region', dataType: 'nvarchar(20)', required: true, description: 'where' },
      { name: '@N', dataType: 'int', required: false, default: '3', values: ['3', '4'] },
    ];
    const sql = 'select @Region as region, @N as n';
    const { id, queryName } = await publish(service.as(admin), {
      name: 'Told',
      sql,
      parameters,
      description: 'What it is',
      tip: 'How',
      columns: [{ name: 'n', displayName: 'Number' }],
    });
    const reported = [
      { ParameterName: '@Region', DataType: 'nvarchar(20)', Required: true, Default: null, Description: 'where' },
      { ParameterName: '@N', DataType: 'int', Required: false, Default: '3', Description: null, Values: ['3', '4'] },
    ];
    const references = [{ queryId: id }, { queryName }, { queryId: queryName }, { queryId: id, queryName }];
    for (const reference of references)
      expect(await mcp.tool('get_query_detail', reference)).toEqual({
        queryId: id,
        queryName,
        displayName: 'Told',
        description: 'What it is',
        tip: 'How',
        database: 'Demo',
        status: 'Active',
        parameterCount: 2,
        hasWrites: false,
        parameters: reported,
        columns: [
          { Name: 'region', Type: 'categorical', DataType: expect.any(String) },
          { Name: 'Number', Type: 'numeric', DataType: expect.any(String) },
        ],
        sql,
      });
    for (const reference of references)
      expect(await mcp.tool('get_query_parameters', reference)).toEqual({ queryId: id, queryName, parameters: reported });
    for (const tool of ['get_query_detail', 'get_query_parameters']) {
      for (const reference of [{ queryId: 'no such thing' }, { queryName: 'none' }, { queryId: 'none', queryName: 'neither' }])
        expect(await mcp.refusal(tool, reference)).toMatchObject({ code: 40301, data: { reason: 'query_not_accessible' } });
      for (const other of ['QD_Best_sellers_Demo', 'no such thing'])
        for (const reference of [
          { queryId: id, queryName: other },
          { queryId: other, queryName },
        ])
          expect(await mcp.refusal(tool, reference)).toMatchObject({
            code: -32602,
            message: expect.stringContaining('another query'),
          });
      expect(await mcp.refusal(tool, {})).toMatchObject({
        code: -32602,
        message: expect.stringContaining('queryId or queryName'),
      });
    }
  });

  test('returns empty lists to a user without permissions', async () => {
    const { caller } = await createUser(service, 'roleless', { databases: ['*'] });
    const nobody = mcpOf(service, (await createKey(caller)).key);
    expect(await nobody.tool('list_queries')).toEqual({ queries: [], nextCursor: null });
    expect(await nobody.tool('list_databases')).toEqual({ databases: [] });
    expect(await nobody.tool('get_user_profile')).toMatchObject({ userName: 'roleless', roles: [], permissions: [] });
    expect((await nobody.refusal('execute_query', { queryName: 'QD_Sales_by_region_Demo' })).code).toBe(40301);
  });
});

describe('rows', () => {
  test('execute_query returns the same bytes as REST', async () => {
    const rest = await service.as({ key }).run('QD_Sales_by_region_Demo');
    const { text } = await mcp.call('execute_query', { queryName: 'QD_Sales_by_region_Demo' });
    expect(text).toContain(`"structuredContent":${rest.text},`);
  });

  test('the text block contains text of every kind unchanged', async () => {
    const sql = `select 'a"b\\c' || chr(10) || chr(1) || 'Ünïcödé 💧 </script>' as t, '{"a": [1,\n 2]}'::json as j, 12345678901234567890::hugeint as big, 0.10::decimal(9,2) as d`;
    const { queryName } = await publish(service.as(admin), { name: 'Odd text', sql });
    const content = await mcp.tool('execute_query', { queryName });
    expect(rowsOf(content)).toEqual([
      { t: 'a"b\\c\n\u0001Ünïcödé 💧 </script>', j: { a: [1, 2] }, big: '12345678901234567890', d: 0.1 },
    ]);
  });

  test('execute_chart_query classifies the columns', async () => {
    expect(await mcp.tool('execute_chart_query', { queryName: 'QD_Sales_by_region_Demo', rowSize: 1 })).toEqual({
      Columns: [
        { Name: 'Region', Type: 'categorical' },
        { Name: 'Net revenue', Type: 'numeric', Format: { kind: 'currency', currency: 'EUR' } },
        { Name: 'Margin', Type: 'numeric', Format: { kind: 'currency', currency: 'EUR' } },
        { Name: 'Orders', Type: 'numeric' },
      ],
      Data: [expect.objectContaining({ Region: expect.any(String) })],
      RowSize: 1,
      NextRowIndex: 1,
      QueryMoreCode: expect.any(String),
    });
  });

  test('a failed query is reported without any SQL', async () => {
    const { queryName } = await publish(service.as(admin), {
      name: 'Broken',
      sql: 'select cast(@T as int) as secret_column',
      parameters: [{ name: '@T', dataType: 'nvarchar', required: true }],
    });
    const response = await mcp.call('execute_query', { queryName, parameters: [{ ParameterName: '@T', Value: 'x' }] });
    expect([response.status, response.json.error?.code, response.json.error?.data.reason]).toEqual([200, 50001, 'query_failed']);
    expect(response.json.error?.message).toContain(response.headers.get('x-request-id'));
    expect(response.text).not.toMatch(/secret_column|cast|select/i);
  });

  test('a query that takes too long is cancelled and reported as timed out', async () => {
    const sql =
      'with recursive step(n) as (select 0 union all select n + 1 from step where n < 100000000) select max(n) as n from step';
    const { queryName } = await publish(service.as(admin), { name: 'Endless', sql, timeoutSeconds: 1 });
    expect(await mcp.refusal('execute_query', { queryName })).toMatchObject({
      code: 50401,
      data: { reason: 'query_timed_out', httpStatus: 500 },
    });
  });
});
