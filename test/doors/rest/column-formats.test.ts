import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentOf, type McpCaller, mcpOf } from '../../support/http/mcp.ts';
import { problemOf } from '../../support/http/problem.ts';
import { createKey } from '../../support/people/accounts.ts';
import { startExport } from '../../support/queries/exports.ts';
import { publish } from '../../support/queries/publish.ts';
import { readWorkbook, unescape, unzip } from '../../support/results/workbook.ts';
import {
  admin,
  type ApiResponse,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

const columns = [
  { name: 'customer_id', displayName: 'Customer', format: { kind: 'id' } },
  { name: 'revenue', displayName: 'Revenue', format: { kind: 'currency', currency: 'EUR' } },
  { name: 'share', displayName: 'Share', format: { kind: 'percent', decimals: 1 } },
  { name: 'weight', displayName: 'Weight', format: { kind: 'number', decimals: 3, unit: 'kg' } },
  { name: 'size', displayName: 'Size', format: { kind: 'bytes' } },
  { name: 'took', displayName: 'Took', format: { kind: 'duration' } },
  { name: 'year', displayName: 'Year', format: { kind: 'text' } },
];
const query = {
  name: 'Formats',
  sql: `select 10078 as customer_id, 'Ada' as name, 1590477.67::decimal(12,2) as revenue, 0.25::double as share,
    12.5::double as weight, 340000000 as size, 5025 as took, 2026 as year`,
  columns,
};
const QueryName = 'QD_Formats_Demo';

let service: TestService;
let caller: Caller;
let mcp: McpCaller;
let key: { readonly key: string };
let id: string;
beforeAll(async () => {
  service = await startTestService();
  caller = service.as(admin);
  ({ id } = await publish(caller, query));
  key = await createKey(caller);
  mcp = mcpOf(service, key.key);
});
afterAll(() => service.close());

const messagesOf = (response: ApiResponse<unknown>): Record<string, string> =>
  Object.fromEntries(problemOf(response).errors?.map(({ field, message }) => [field, message]) ?? []);

test('the formats of columns are stored with every version and returned with the query', async () => {
  const read = await caller.call<{ columns: unknown; resultColumns: unknown }>('GET', `/api/v1/queries/${id}`);
  expect(read.json.columns).toEqual(columns);
  expect(read.json.resultColumns).toMatchObject([
    { label: 'Customer', class: 'numeric', format: { kind: 'id' } },
    { label: 'name' },
    { label: 'Revenue', class: 'numeric', format: { kind: 'currency', currency: 'EUR' } },
    { label: 'Share' },
    { label: 'Weight' },
    { label: 'Size' },
    { label: 'Took' },
    { label: 'Year', class: 'categorical', format: { kind: 'text' } },
  ]);
  const changed = [{ name: 'revenue', format: { kind: 'currency', currency: 'USD', decimals: 0 } }];
  await expectStatus(caller.call('PATCH', `/api/v1/queries/${id}`, { columns: changed }), 200);
  const versions = await caller.call<List<{ columns: unknown }>>('GET', `/api/v1/queries/${id}/versions`);
  expect(versions.json.items.map((version) => version.columns)).toEqual([changed, columns]);
  await expectStatus(caller.call('DELETE', `/api/v1/queries/${id}/draft`), 204);
});

test('a format that makes no sense is refused by the name of its field', async () => {
  const problems = async (format: unknown) => {
    const sent = { ...query, name: 'Refused', database: 'Demo', parameters: [], columns: [{ name: 'revenue', format }] };
    const response = await caller.call('POST', '/api/v1/queries', sent);
    expect(response.status, JSON.stringify(format)).toBe(400);
    return Object.entries(messagesOf(response)).map(([field, message]) => `${field}: ${message}`);
  };
  expect(await problems({ kind: 'money' })).toEqual([expect.stringMatching(/^columns\.0\.format\.kind: /)]);
  expect(await problems({ kind: 'currency', currency: 'eur' })).toEqual([
    'columns.0.format.currency: Expected an ISO 4217 code, such as EUR.',
  ]);
  expect(await problems({ kind: 'percent', currency: 'EUR', unit: 'kg' })).toEqual([
    'columns.0.format.currency: Only for a format of the kind currency.',
    'columns.0.format.unit: Only for a format of the kind number.',
  ]);
  expect(await problems({ kind: 'id', decimals: 2 })).toEqual([
    'columns.0.format.decimals: Only for a format of the kind number, currency, percent, bytes, duration.',
  ]);
  expect(await problems({ kind: 'number', decimals: 7 })).toEqual([
    'columns.0.format.decimals: Expected a whole number from 0 to 6.',
  ]);
  expect(await problems({ kind: 'number', unit: ' ' })).toEqual([expect.stringMatching(/^columns\.0\.format\.unit: /)]);
});

test('an id is refused as a data column, in one list with the other problems', async () => {
  const summary = { QueryName, Parameters: {}, labelColumn: 'Nmae', dataColumn: ['Customer', 'Revenue'] };
  const refused = await caller.call('POST', '/api/v1/ChartBuilder/Summary', summary);
  expect(refused.status).toBe(400);
  const isId = 'The column "Customer" contains ids, which are not a measure. Choose another one.';
  expect(messagesOf(refused)).toMatchObject({ labelColumn: expect.stringContaining('no column "Nmae"'), dataColumn: isId });
  const embed = { QueryName, Parameters: {}, chartType: 'bar', labelColumn: 'name', dataColumn: 'customer', timeUnit: 'month' };
  const unembedded = await caller.call('POST', '/api/v1/EmbeddedChart/GetEmbedUrl', embed);
  expect([unembedded.status, messagesOf(unembedded)]).toEqual([
    400,
    { dataColumn: isId, timeUnit: expect.stringContaining('has no dates or times') },
  ]);
  const asDefault = await caller.call<{ id: string }>('POST', '/api/v1/queries', {
    ...query,
    ...{
      name: 'Default',
      database: 'Demo',
      parameters: [],
      chart: { type: 'bar', label: 'name', data: ['Revenue', 'Customer'] },
    },
  });
  const validated = await caller.call('POST', `/api/v1/queries/${asDefault.json.id}/validate`);
  expect([validated.status, messagesOf(validated)]).toEqual([400, { 'chart.data.1': isId }]);
  const drawn = await mcp.call(
    'execute_chart_query',
    { queryName: QueryName, chartType: 'bar', dataColumn: 'Customer' },
    { 'MCP-Protocol-Version': '2025-11-25' },
  );
  expect(drawn.json.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(isId) }] });
});

test('JSON and CSV contain the values unchanged, xlsx has them with number formats', async () => {
  const exported = async (format: string) => {
    const response = await startExport(service, key, format, { QueryName });
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };
  const row = {
    Customer: 10078,
    name: 'Ada',
    Revenue: 1590477.67,
    Share: 0.25,
    Weight: 12.5,
    Size: 340000000,
    Took: 5025,
    Year: 2026,
  };
  expect(JSON.parse((await exported('json')).toString())).toEqual([row]);
  expect((await exported('csv')).toString()).toContain('10078,Ada,1590477.67,0.25,12.5,340000000,5025,2026');
  const file = await exported('xlsx');
  const codes = formatCodes(file);
  const [sheet] = readWorkbook(file);
  expect(
    [...'ABCDEFGH'].map((column) => sheet?.cells.get(`${column}2`)).map((cell) => [cell?.text, codes[cell?.style ?? 0]]),
  ).toEqual([
    ['10078', '0'],
    ['Ada', ''],
    ['1590477.67', '[$€]#,##0.00'],
    ['0.25', '0.0%'],
    ['12.5', '#,##0.000" kg"'],
    ['340000000', '[>=1000000000]#,##0.0,,," GB";[>=1000000]#,##0.0,," MB";#,##0" B"'],
    ['5025', '#,##0" s"'],
    ['2026', '0'],
  ]);
});

/** The format code of each cell style. */
function formatCodes(file: Buffer): readonly string[] {
  const xml = unzip(file).get('xl/styles.xml')?.toString() ?? '';
  const codes = new Map(
    [...xml.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"\/>/g)].map(([, number, code]) => [number, code]),
  );
  const styles = /<cellXfs[^>]*>(.*?)<\/cellXfs>/s.exec(xml)?.[1] ?? '';
  return [...styles.matchAll(/<xf numFmtId="(\d+)"/g)].map(([, number]) => unescape(codes.get(number) ?? ''));
}

test('MCP describes the formats of columns', async () => {
  const detail = contentOf(await mcp.call('get_query_detail', { queryId: id }));
  const page = contentOf(await mcp.call('execute_chart_query', { queryName: QueryName }));
  for (const { columns: described } of [{ columns: detail.columns }, { columns: page.Columns }])
    expect(described).toMatchObject([
      { Name: 'Customer', Format: { kind: 'id' } },
      { Name: 'name' },
      { Name: 'Revenue', Type: 'numeric', Format: { kind: 'currency', currency: 'EUR' } },
      ...columns.slice(2).map(({ displayName, format }) => ({ Name: displayName, Format: format })),
    ]);
});
