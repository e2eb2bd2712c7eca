import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpOf, type McpCaller } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let mcp: McpCaller;
const COUNT = 60;
const long = 'Orders of a region since a day, newest first. One row is one order, amounts are in EUR. '.repeat(6);

beforeAll(async () => {
  service = await startTestService();
  const root = service.as(admin);
  mcp = mcpOf(service, (await createKey(root, { name: 'catalog' })).key);
  const parameters = [{ name: '@From', dataType: 'date', required: false, description: 'First day' }];
  const sql = 'select 1 as id, @From as day, 1.50::decimal(9, 2) as amount';
  for (let index = 0; index < COUNT; index++)
    await publish(root, { name: `Report ${index}`, sql, parameters, description: long, tip: long });
});
afterAll(() => service.close());

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
  expect(first.note).toMatch(/^50 of \d+ queries, the most used first\. For the others call list_queries with search/);
  const second = await list({ cursor: first.nextCursor });
  expect([second.nextCursor, 'note' in second]).toEqual([null, false]);
  expect(new Set([...namesOf(first), ...namesOf(second)]).size).toBeGreaterThanOrEqual(COUNT);
  expect(await list({ search: 'report 11' })).not.toHaveProperty('note');
  expect(namesOf(await list({ search: 'Report 11' }))[0]).toBe('QD_Report_11_Demo');
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
  const root = service.as(admin);
  const queries = namesOf(await list({ limit: 200 })).slice(0, 40);
  const { key } = await createKey(root, { name: 'typed', queries, tools: 'typed' });
  const sizeOf = async (method: string, headers: Record<string, string>) =>
    (await mcpOf(service).rpc(method, {}, headers)).text.length;
  expect(await sizeOf('tools/list', { 'X-API-Key': key })).toBeLessThan(95_000);
  expect(await sizeOf('tools/list', {})).toBeLessThan(27_300);
  expect(JSON.stringify(await list()).length).toBeLessThan(42_000);
  expect(JSON.stringify(await mcp.tool('get_query_detail', { queryId: 'QD_Order_lines_Demo' })).length).toBeLessThan(3_500);
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
