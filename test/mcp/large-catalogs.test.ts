import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpOf, type McpCaller } from '../support/http/mcp.ts';
import { createKey } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

let service: TestService;
let mcp: McpCaller;
const COUNT = 1000;
const long = 'Orders of a region since a day, newest first. One row is one order, amounts are in EUR. '.repeat(6);

beforeAll(async () => {
  service = await startTestService();
  const root = service.as(admin);
  mcp = mcpOf(service, (await createKey(root, { name: 'catalog' })).key);
  const parameters = [{ name: '@From', dataType: 'date', required: false, description: 'First day' }];
  const sql = 'select 1 as id, @From as day, 1.50::decimal(9, 2) as amount';
  let published = 0;
  const publishSome = async (): Promise<void> => {
    for (let index = published++; index < COUNT; index = published++)
      await publish(root, { name: nameAt(index), sql, parameters, description: long, tip: long });
  };
  await Promise.all(Array.from({ length: 8 }, publishSome));
});
afterAll(() => service.close());

const measures = ['Churn', 'Arrears', 'Defects', 'Refunds', 'Downtime'];
const nameAt = (index: number): string => `${index < 60 ? 'Report' : measures[index % measures.length]} ${index}`;

interface Listed {
  readonly queries: readonly { readonly queryName: string; readonly description: string; readonly tip: string }[];
  readonly nextCursor: string | null;
  readonly note?: string;
}
const list = async (sent: Record<string, unknown> = {}) => (await mcp.tool('list_queries', sent)) as unknown as Listed;
const namesOf = ({ queries }: Listed): string[] => queries.map(({ queryName }) => queryName);

test('a large catalog lists the most used queries first and says how to find the others', async () => {
  for (const [name, times] of [
    ['QD_Report_7_Demo', 3],
    ['QD_Report_42_Demo', 5],
  ] as const)
    for (let time = 0; time < times; time++) await mcp.tool('execute_query', { queryName: name });
  await expect.poll(async () => namesOf(await list()).slice(0, 2)).toEqual(['QD_Report_42_Demo', 'QD_Report_7_Demo']);
  const first = await list();
  expect(first.queries).toHaveLength(50);
  expect(first.note).toMatch(/^50 of 1\d{3} queries, the most used first\. For the others call list_queries with search/);
  expect(await list({ search: 'report 11' })).not.toHaveProperty('note');
  expect(namesOf(await list({ search: 'Report 11' }))[0]).toBe('QD_Report_11_Demo');
});

test('an agent finds any query by following the note, and all of them by their cursors', async () => {
  const { note = '' } = await list();
  const [, tool = '', argument = ''] = /call (\w+) with (\w+)/.exec(note) ?? [];
  const found = (await mcp.tool(tool, { [argument]: 'how high were the arrears 771?' })) as unknown as Listed;
  expect(namesOf(found)[0]).toBe('QD_Arrears_771_Demo');
  expect(await mcp.tool('execute_query', { queryName: namesOf(found)[0] })).toMatchObject({ Data: [{ id: 1 }] });
  const pages = [await list({ limit: 200 })];
  for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor)
    pages.push(await list({ limit: 200, cursor }));
  expect(pages.at(-1)).not.toHaveProperty('note');
  const names = pages.flatMap(namesOf);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => /_\d+_Demo$/.test(name))).toHaveLength(COUNT);
});

test('texts of a list are cut, the whole ones are in the detail', async () => {
  const listed = (await list({ search: 'Report 11' })).queries[0];
  expect(listed?.description).toBe(`${long.slice(0, 300)}…`);
  expect(listed?.tip).toBe(`${long.slice(0, 150)}…`);
  expect(await mcp.tool('get_query_detail', { queryId: 'QD_Report_11_Demo' })).toMatchObject({
    description: long,
    tip: long,
  });
});

test('lists of tools and queries stay small', async () => {
  const queries = namesOf(await list({ limit: 200 })).slice(0, 40);
  const { key } = await createKey(service.as(admin), { name: 'typed', queries, tools: 'typed' });
  const tools = async (headers: Record<string, string>) => (await mcpOf(service).rpc('tools/list', {}, headers)).text;
  const texts = {
    'tools/list': await tools({}),
    'tools/list of 40 typed tools': await tools({ 'X-API-Key': key }),
    list_queries: JSON.stringify(await list()),
    'list_queries with search': JSON.stringify(await list({ search: 'arrears' })),
    get_query_detail: JSON.stringify(await mcp.tool('get_query_detail', { queryId: 'QD_Order_lines_Demo' })),
  };
  const sizes = Object.entries(texts).map(([what, text]) => [what, text.length, countTokens(text)] as const);
  process.stdout.write(
    `of 1,000 queries: ${sizes.map(([what, bytes, tokens]) => `${what} ${bytes} bytes, ${tokens} tokens`).join('; ')}\n`,
  );
  const most = [
    [27_300, 6_500],
    [95_000, 23_000],
    [42_000, 11_000],
    [42_000, 11_000],
    [3_500, 1_000],
  ];
  for (const [index, [what, bytes, tokens]] of sizes.entries()) {
    const [mostBytes = 0, mostTokens = 0] = most[index] ?? [];
    expect([what, bytes <= mostBytes, tokens <= mostTokens]).toEqual([what, true, true]);
  }
});

test('the gateway shows how large the last default answers were, to those who may run the queries', async () => {
  const root = service.as(admin);
  await mcp.tool('execute_query', { queryName: 'QD_Order_lines_Demo' });
  await mcp.tool('execute_query', { queryName: 'QD_Order_lines_Demo', rowSize: 1 }); // not by default
  await mcp.tool('execute_query', { queryName: 'QD_Order_lines_Demo', shape: 'table' });
  const { json } = await root.call<{ answers: { queryName: string; name: string; bytes: number; tokens: number }[] }>(
    'GET',
    '/api/v1/mcp/tools',
  );
  const [largest, next] = json.answers;
  expect(largest).toMatchObject({ queryName: 'QD_Order_lines_Demo', name: 'Order lines' });
  expect(largest?.bytes).toBeGreaterThan(60_000);
  expect(largest?.tokens).toBeGreaterThan(18_000);
  expect(next?.bytes).toBeLessThan(100);
});
