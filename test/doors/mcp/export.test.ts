import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, contentOf, type McpCaller, mcpOf } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
let mcp: McpCaller;
beforeAll(async () => {
  service = await startTestService();
  mcp = mcpOf(service, (await createKey(service.as(admin))).key);
});
afterAll(() => service.close());

const sent = { queryName: 'QD_Sales_by_region_Demo', format: 'csv', fileName: 'Umsätze 2026' };

test.each([
  ['csv', 'text/csv'],
  ['json', 'application/json'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
])('returns a link to a %s file', async (format, mimeType) => {
  const content = await mcp.tool('export_query', { ...sent, format });
  expect(Object.keys(content)).toEqual(['format', 'fileName', 'mimeType', 'size', 'rowCount', 'downloadUrl', 'expiresAt']);
  expect(content).toMatchObject({ format, fileName: `Umsätze 2026.${format}`, rowCount: 6 });
  expect(content.mimeType).toMatch(mimeType);
  const minutes = (Date.parse(String(content.expiresAt)) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(8);
  expect(minutes).toBeLessThan(10.1);
  const download = await fetch(String(content.downloadUrl));
  expect([download.status, Number(download.headers.get('content-length'))]).toEqual([200, content.size]);
  const bytes = Buffer.from(await download.arrayBuffer());
  expect(bytes.length).toBe(content.size);
  if (format === 'csv') expect(bytes.toString()).toContain('Central Europe,1590477.67');
});

test('adds a resource link for clients that support it', async () => {
  const linkFor = async (headers: Record<string, string>) => {
    const response = await mcp.call('export_query', sent, headers);
    const [, link] = blocksOf(response);
    return { downloadUrl: contentOf(response).downloadUrl, link };
  };
  for (const version of ['2025-06-18', '2025-11-25']) {
    const { downloadUrl, link } = await linkFor({ 'MCP-Protocol-Version': version });
    expect(link).toMatchObject({
      type: 'resource_link',
      uri: downloadUrl,
      name: 'Umsätze 2026.csv',
      mimeType: expect.stringContaining('text/csv'),
    });
  }
  for (const headers of [{}, { 'MCP-Protocol-Version': '2025-03-26' }, { 'MCP-Protocol-Version': '2024-11-05' }])
    expect((await linkFor(headers)).link).toBeUndefined();
});

test('returns no link when the query fails', async () => {
  const sql = "select case when range = 300000 then error('broken') else range end as n from range(400000)";
  const { queryName } = await publish(service.as(admin), { name: 'Breaks', sql });
  const error = await mcp.refusal('export_query', { queryName, format: 'csv' });
  expect([error.code, error.data.reason]).toEqual([50001, 'query_failed']);
});

test('a link token works for nothing else, and continuation codes do not work as link tokens', async () => {
  const { downloadUrl } = await mcp.tool('export_query', sent);
  const token = new URL(String(downloadUrl)).searchParams.get('token');
  expect((await mcp.refusal('execute_query_next_page', { queryMoreCode: token })).code).toBe(-32602);
  expect((await mcp.refusal('resume_stream', { streamToken: token })).code).toBe(-32602);
  const { QueryMoreCode } = await mcp.tool('execute_query', { queryName: sent.queryName, rowSize: 1 });
  expect((await fetch(`${service.url}/api/v1/Export/Download?token=${QueryMoreCode}`)).status).toBe(400);
});

test('a link created by MCP ends when its query is closed to AI, one created by REST does not', async () => {
  const root = service.as(admin);
  const { id, queryName } = await publish(root, { name: 'Closing', sql: 'select 1 as n' });
  const { downloadUrl } = await mcp.tool('export_query', { queryName, format: 'csv' });
  const { json } = await expectStatus(
    root.call<{ downloadUrl: string }>('POST', '/api/v1/Export/CreateLink?format=csv', { QueryName: queryName, Parameters: [] }),
    200,
  );
  const statuses = async () => [(await fetch(String(downloadUrl))).status, (await fetch(json.downloadUrl)).status];
  expect(await statuses()).toEqual([200, 200]);
  await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { aiAccess: false }), 200);
  expect(await statuses()).toEqual([403, 200]);
});
