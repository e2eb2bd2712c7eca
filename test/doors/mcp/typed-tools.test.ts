import { afterAll, beforeAll, expect, test } from 'vitest';
import { tools as generalTools } from '../../../src/doors/mcp/tool-list.ts';
import { contentOf, mcpOf, rowsOf } from '../../support/http/mcp.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let names: string[];
let headers: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
  const root = service.as(admin);
  const orders = await publish(root, {
    name: 'Größe der Aufträge',
    description: 'Orders by size',
    tip: 'Ask for a year',
    sql: 'select @Year::int as year, @State as state, @Paid::boolean as paid, @Least::decimal(12,2) as least, 9007199254740993 as id, @Who as who',
    parameters: [
      { name: '@Year', dataType: 'int', required: true, values: ['2025', '2026'], description: 'The year' },
      { name: '@State', dataType: 'nvarchar(20)', required: true, default: 'open' },
      { name: '@Paid', dataType: 'bit', required: false },
      { name: '@Least', dataType: 'decimal(12,2)', required: false },
      { name: '@Who', dataType: 'nvarchar(50)', required: true, boundTo: 'user.name' },
    ],
  });
  names = [orders.queryName, 'QD_Customers_Demo'];
  const { key } = await createKey(root, { name: 'typed', queries: names, tools: 'typed' });
  headers = { 'X-API-Key': key };
});
afterAll(() => service.close());

interface Listed {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly properties: Record<string, unknown>; readonly required: readonly string[] };
  readonly outputSchema: {
    readonly properties: { readonly Data: { readonly items: { readonly properties: Record<string, unknown> } } };
  };
}
const listed = async (sent: Record<string, string>): Promise<readonly Listed[]> =>
  (await mcpOf(service).rpc('tools/list', {}, sent)).json.result?.tools as readonly Listed[];

test('a key in a header is offered a tool for each of its queries in place of the general ones', async () => {
  const tools = await listed(headers);
  const replaced = ['execute_query', 'start_stream', 'resume_stream', 'execute_chart_query'];
  expect(tools.map(({ name }) => name)).toEqual([
    ...generalTools.map(({ name }) => name).filter((name) => !replaced.includes(name)),
    'qd_customers_demo',
    'qd_groe_der_auftrage_demo',
  ]);
  expect(await listed(headers)).toEqual(tools);
  const orders = tools.at(-1);
  expect(orders?.title).toBe('Größe der Aufträge');
  expect(orders?.description).toMatch(/^Orders by size\. Ask for a year\. .*never instructions/);
  expect(orders?.inputSchema).toMatchObject({
    properties: {
      Year: { type: 'integer', enum: [2025, 2026], description: 'The year. SQL type int.' },
      State: { type: 'string', default: 'open' },
      Paid: { type: 'boolean' },
      Least: { type: 'number' },
    },
    required: ['Year'],
  });
  expect(Object.keys(orders?.inputSchema.properties ?? {})).toEqual([
    'Year',
    'State',
    'Paid',
    'Least',
    'rowSize',
    'shape',
    'columns',
    'fullCells',
  ]);
  expect(orders?.outputSchema.properties.Data.items.properties).toMatchObject({
    year: { type: ['number', 'string', 'null'] },
    state: { type: ['string', 'null'] },
    paid: { type: ['boolean', 'null'] },
  });
});

test('the tools run their queries', async () => {
  const mcp = mcpOf(service);
  const page = contentOf(await mcp.call('qd_groe_der_auftrage_demo', { Year: 2026, paid: true, Least: 1.5 }, headers));
  expect(rowsOf(page)).toEqual([{ year: 2026, state: 'open', paid: true, least: 1.5, id: '9007199254740993', who: 'admin' }]);
  const newest = { ...headers, 'MCP-Protocol-Version': '2025-11-25' };
  const { json } = await mcp.call('qd_groe_der_auftrage_demo', { Yaer: 1 }, newest);
  expect(json.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Did you mean "@Year"?') }] });
  const first = contentOf(await mcp.call('qd_customers_demo', { Country: null }, headers));
  expect(rowsOf(first).length).toBeGreaterThan(1);
  const audit = await service
    .as(admin)
    .call<{ items: { action: string; query: string }[] }>('GET', '/api/v1/audit?channel=mcp&limit=1');
  expect(audit.json.items[0]).toMatchObject({ action: 'qd_customers_demo', query: 'QD_Customers_Demo' });
});

test('numbers with more digits than clients keep are not rounded, and texts where they are listed', async () => {
  const root = service.as(admin);
  const { queryName } = await publish(root, {
    name: 'Large numbers',
    sql: 'select @Id::varchar as id, @Least::varchar as least, @Kind::varchar as kind, 9007199254740993 in (@Ids) as found',
    parameters: [
      { name: '@Id', dataType: 'bigint', required: true },
      { name: '@Least', dataType: 'decimal(38,4)', required: true, default: '12345678901234567890.1234' },
      { name: '@Kind', dataType: 'bigint', required: true, values: ['9007199254740993', '1'] },
      { name: '@Ids', dataType: 'bigint', required: true, multiple: true },
    ],
  });
  const { key } = await createKey(root, { name: 'large', queries: [queryName], tools: 'typed' });
  const tool = (await listed({ 'X-API-Key': key })).at(-1);
  expect(tool?.inputSchema.properties).toMatchObject({
    Id: { type: 'integer' },
    Least: { type: 'string', default: '12345678901234567890.1234' },
    Kind: { type: 'string', enum: ['9007199254740993', '1'] },
  });
  const args = '{"Id":9007199254740993,"Least":98765432109876543210.9876,"Kind":9007199254740993,"Ids":[9007199254740993]}';
  const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool?.name}","arguments":${args}}}`;
  expect(rowsOf(contentOf(await mcpOf(service).post(message, { 'X-API-Key': key })))).toEqual([
    { id: '9007199254740993', least: '98765432109876543210.9876', kind: '9007199254740993', found: true },
  ]);
});

test('other keys, and the key as an argument, have the general tools', async () => {
  const { key } = await createKey(service.as(admin), { name: 'generic' });
  expect(await listed({ 'X-API-Key': key })).toHaveLength(generalTools.length);
  expect(await listed({ 'X-API-Key': 'slc_wrong' })).toHaveLength(generalTools.length);
  expect(await listed({})).toHaveLength(generalTools.length);
  const unknown = await mcpOf(service, headers['X-API-Key']).refusal('qd_customers_demo', {});
  expect([unknown.code, unknown.message]).toEqual([-32602, expect.stringContaining('There is no tool "qd_customers_demo"')]);
});

test('a query that is no longer Active has no tool', async () => {
  const root = service.as(admin);
  const { json } = await root.call<{ items: { id: string }[] }>('GET', '/api/v1/queries?search=Customers');
  await root.call('POST', `/api/v1/queries/${json.items[0]?.id}/deactivate`);
  expect((await listed(headers)).map(({ name }) => name)).not.toContain('qd_customers_demo');
  expect((await mcpOf(service).call('qd_customers_demo', {}, headers)).json.error?.code).toBe(-32602);
  await root.call('POST', `/api/v1/queries/${json.items[0]?.id}/activate`);
});

test('the management interface shows which tools a key has and what they would be', async () => {
  const root = service.as(admin);
  await expectProblem(root.call('POST', '/api/v1/account/api-keys', { name: 'x', tools: 'typed' }), 400, 'field_invalid');
  const keys = await root.call<{ items: { name: string; tools: string }[] }>('GET', '/api/v1/account/api-keys');
  expect(keys.json.items.find(({ name }) => name === 'typed')?.tools).toBe('typed');
  const shown = await root.call<{ tools: { name: string }[] }>('GET', `/api/v1/mcp/tools?queries=${names.join(',')}`);
  expect(shown.json.tools.map(({ name }) => name)).toEqual((await listed(headers)).map(({ name }) => name));
});
