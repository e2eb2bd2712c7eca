import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

const ROWS = 1000; // 4 MiB, beyond the socket buffers
const MCP_ROWS = 100; // 0.8 MiB, near the largest page there: the rows as text and as structured content

let service: TestService;
let key: string;
let queryName: string;
beforeAll(async () => {
  service = await startTestService();
  const root = service.as(admin);
  ({ key } = await createKey(root, { name: 'large pages' }));
  const parameters = [{ name: '@Rows', dataType: 'int', required: true }];
  const sql = `select i as n, repeat(md5(i::varchar), 128) as "t""\\" from range(@Rows) r(i) order by i`;
  ({ queryName } = await publish(root, { name: 'Large page', sql, parameters }));
});
afterAll(() => service.close());

const parametersOf = (rows: number) => [{ ParameterName: '@Rows', Value: String(rows) }];
const page = () => ({ QueryName: queryName, Parameters: parametersOf(ROWS), RowSize: ROWS });
const doors = {
  REST: { path: '/api/v1/JsonBuilder/ExecuteQuery', rows: ROWS, body: page },
  charts: { path: '/api/v1/ChartBuilder/ExecuteQuery', rows: ROWS, body: page },
  MCP: {
    path: '/mcp',
    rows: MCP_ROWS,
    body: () => {
      const sent = { queryName, parameters: parametersOf(MCP_ROWS), rowSize: MCP_ROWS };
      return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'execute_query', arguments: sent } };
    },
  },
};

async function ask(path: string, body: unknown): Promise<IncomingMessage> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const sent = request(new URL(path, service.url), { agent: false, method: 'POST', headers });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  return response.pause();
}

test.each(['REST', 'charts', 'MCP'] as const)('%s: slow readers get whole pages while others disconnect', async (door) => {
  const { path, rows, body } = doors[door];
  const responses = await Promise.all(Array.from({ length: 9 }, () => ask(path, body())));
  await sleep(200); // the service has sent what fits the socket buffers
  for (const gone of responses.filter((_, reader) => reader % 3 === 0)) gone.destroy();
  const [first = Buffer.alloc(0), ...others] = await Promise.all(
    responses.filter((_, reader) => reader % 3 !== 0).map((each) => buffer(each)),
  );
  for (const other of others) expect(other.equals(first)).toBe(true);
  const json = JSON.parse(first.toString());
  const { Data } = json.result?.structuredContent ?? json;
  expect(json.QueryMoreCode ?? null).toBeNull();
  expect(Data.map(({ n }: { n: number }) => n)).toEqual(Array.from({ length: rows }, (_, index) => index));
  if (door === 'MCP') expect(JSON.parse(json.result.content[0].text)).toEqual(json.result.structuredContent);
});
