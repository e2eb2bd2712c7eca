import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, contentOf, type McpCaller, mcpOf } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let mcp: McpCaller;
beforeAll(async () => {
  service = await startTestService();
  mcp = mcpOf(service, (await createKey(service.as(admin))).key);
});
afterAll(() => service.close());

const queryName = 'QD_Sales_by_region_Demo';
const newest = { 'MCP-Protocol-Version': '2025-11-25' };
const chartOf = (response: Awaited<ReturnType<McpCaller['call']>>) =>
  (response.json.result?._meta as Record<string, { config: object }> | undefined)?.['sluice/chart']?.config;

test.each(['bar', 'Line Chart', 'doughnut', 'heatmap'])(
  'execute_chart_query returns a PNG for the chart type %s',
  async (chartType) => {
    const response = await mcp.call('execute_chart_query', { queryName, chartType, title: 'Sales <b>' });
    expect(contentOf(response)).toMatchObject({ Columns: expect.any(Array), QueryMoreCode: null });
    const blocks = blocksOf(response);
    expect(blocks.map(({ type, mimeType }) => [type, mimeType])).toEqual([
      ['text', undefined],
      ['image', 'image/png'],
    ]);
    const png = Buffer.from(String(blocks[1]?.data), 'base64');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.readUInt32BE(16)).toBe(1440);
    expect(chartOf(response)).toMatchObject({ title: 'Sales <b>', labelColumn: 'Region' });
  },
);

test('execute_chart_query matches column names ignoring case, and lists the known columns if it refuses one', async () => {
  const response = await mcp.call('execute_chart_query', {
    queryName,
    chartType: 'bar',
    labelColumn: 'region',
    dataColumn: 'ORDERS',
  });
  expect(chartOf(response)).toMatchObject({ chartType: 'bar', labelColumn: 'Region', dataColumn: 'Orders', title: '' });
  const refused = await mcp.call('execute_chart_query', { queryName, chartType: 'bar', dataColumn: 'Profit' }, newest);
  expect(refused.json.result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/dataColumn: The result has no column "Profit"\. Its columns are "Region"/) }],
  });
  const audit = await service.as(admin).call<{ items: { outcome: string }[] }>('GET', '/api/v1/audit?channel=mcp&limit=1');
  expect(audit.json.items[0]?.outcome).toBe('refused');
});

test('execute_chart_query returns only rows if no chart type is sent', async () => {
  const { text, json } = await mcp.call('execute_chart_query', { queryName, rowSize: 1 });
  const block = blocksOf({ json })[0];
  expect(text).toBe(
    `{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":${JSON.stringify(block?.text)}}],"structuredContent":${block?.text},"isError":false},"id":1}`,
  );
});
