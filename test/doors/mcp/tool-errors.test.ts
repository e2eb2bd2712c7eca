import { afterAll, beforeAll, expect, test } from 'vitest';
import { type McpCaller, mcpOf, statelessOf, type StatelessCaller } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

// Errors that a model can correct are results of the tool, for clients whose specification asks for it.

let service: TestService;
let plain: McpCaller; // without a version
let narrow: McpCaller; // a key for a single query
let newest: StatelessCaller;
beforeAll(async () => {
  service = await startTestService();
  const root = service.as(admin);
  const { key } = await createKey(root, { name: 'errors' });
  plain = mcpOf(service, key);
  newest = statelessOf(service, { 'X-API-Key': key });
  narrow = mcpOf(service, (await createKey(root, { name: 'narrow', queries: ['QD_Customers_Demo'] })).key);
  await publish(root, {
    name: 'Orders of a state',
    sql: 'select @State as state, @From::date as since',
    parameters: [
      { name: '@State', dataType: 'nvarchar(20)', required: true, values: ['open', 'paid'] },
      { name: '@From', dataType: 'date', required: false, default: '2026-01-01' },
    ],
  });
});
afterAll(() => service.close());

const versions = {
  '2025-11-25': { 'MCP-Protocol-Version': '2025-11-25' },
  '2025-06-18': { 'MCP-Protocol-Version': '2025-06-18' },
};
const failing = [
  ['an unknown query', 'execute_query', { queryName: 'QD_Custmers_Demo' }, 40301, /closest names .*: QD_Customers_Demo/],
  ['no query', 'execute_query', {}, -32602, /argument queryName is required/],
  [
    'an unknown argument',
    'execute_query',
    { queryName: 'x', rowsize_: 1, rows: 5 },
    -32602,
    /Correct the arguments and call the tool again/,
  ],
  [
    'a missing parameter',
    'execute_query',
    { queryName: 'QD_Orders_of_a_state_Demo' },
    -32602,
    /The parameters of the query: @State nvarchar\(20\), required, one of "open", "paid"; @From date, default "2026-01-01"\./,
  ],
  [
    'an unknown parameter',
    'execute_query',
    { queryName: 'QD_Sales_by_region_Demo', parameters: { '@No': 1 } },
    -32602,
    /The (query has no parameters|parameters of the query: @)/,
  ],
  ['an altered code', 'execute_query_next_page', { queryMoreCode: 'Bnonsense' }, -32602, /call execute_query again/],
] as const;

test.each(failing)('%s is an error result from 2025-11-25 on', async (_what, tool, sent, code, text) => {
  for (const response of [await plain.call(tool, sent, versions['2025-11-25']), await newest.call(tool, sent)]) {
    expect([response.status, response.json.error]).toEqual([200, undefined]);
    const { content, isError, structuredContent, _meta } = response.json.result as Record<string, unknown>;
    expect([isError, structuredContent]).toEqual([true, undefined]);
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(text) }]);
    expect(_meta).toMatchObject({
      'sluice/error': { code, reason: expect.any(String), requestId: response.headers.get('x-request-id') },
    });
  }
});

test.each(failing)(
  '%s is a JSON-RPC error for older clients and plain callers, without the advice',
  async (_what, tool, sent, code) => {
    const error = await plain.refusal(tool, sent);
    expect(error.code).toBe(code);
    expect(error.message).not.toMatch(/closest names|The parameters of the query/);
    const { requestId: _, ...data } = error.data;
    const older = await plain.refusal(tool, sent, versions['2025-06-18']);
    expect([older.code, older.message, older.data]).toMatchObject([code, error.message, data]);
  },
);

test('suggests only names that the key may see', async () => {
  const { json } = await narrow.call('execute_query', { queryName: 'QD_Sales_by_regions_Demo' }, versions['2025-11-25']);
  expect(JSON.stringify(json)).toContain('isError');
  expect(JSON.stringify(json)).not.toContain('QD_Sales_by_region_Demo');
});

test.each([
  ['an unknown tool', { name: 'drop_table', arguments: {} }, -32602],
  ['arguments that are no object', { name: 'list_queries', arguments: [] }, -32602],
  ['a missing key', { name: 'list_queries', arguments: {} }, 40101],
])('%s stays a JSON-RPC error', async (_what, params, code) => {
  const { json } = await mcpOf(service).rpc('tools/call', params, versions['2025-11-25']);
  expect(json.error?.code).toBe(code);
});

test('list_queries finds queries by words, forms and typos, best first, in pages', async () => {
  const names = async (sent: Record<string, unknown>) => {
    const { queries, nextCursor } = await plain.tool('list_queries', sent);
    return { names: (queries as { queryName: string }[]).map(({ queryName }) => queryName), nextCursor };
  };
  expect((await names({ search: 'Which customer lives in which country?' })).names[0]).toBe('QD_Customers_Demo');
  expect((await names({ search: 'state of ordres' })).names[0]).toBe('QD_Orders_of_a_state_Demo');
  const all = await names({ search: 'sales' });
  const pages: string[] = [];
  let cursor: unknown;
  do {
    const page = await names({ search: 'sales', limit: 1, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(...page.names);
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(pages).toEqual(all.names);
  expect(all.names.length).toBeGreaterThan(1);
  const { json } = await service
    .as(admin)
    .call<{ items: { queryName: string }[] }>('GET', '/api/v1/queries?search=ordres%20state');
  expect(json.items[0]?.queryName).toBe('QD_Orders_of_a_state_Demo');
});
