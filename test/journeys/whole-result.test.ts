import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChartRow } from '../../src/charts/built-chart.ts';
import { type McpCaller, mcpOf } from '../support/http/mcp.ts';
import { createKey } from '../support/people/accounts.ts';
import { embedOf } from '../support/queries/embeds.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../support/services/service.ts';

/** Each draws a result of more rows than a page has; `by` and `value` are what the database groups by and computes. */
const charts = [
  {
    type: 'bar',
    from: 'Customers',
    label: 'Segment',
    data: 'Segment',
    aggregate: 'count',
    by: '"Segment"',
    value: 'count("Segment")',
  },
  {
    type: 'pie',
    from: 'Customers',
    label: 'Country',
    data: 'Name',
    aggregate: 'count',
    by: '"Country"',
    value: 'count("Name")',
  },
  {
    type: 'line',
    from: 'Customers',
    label: 'Signed up',
    data: 'Name',
    aggregate: 'count',
    unit: 'quarter',
    by: `date_trunc('quarter', "Signed up")`,
    value: 'count("Name")',
  },
  {
    type: 'bar',
    from: 'Top customers',
    label: 'Country',
    data: 'Net revenue',
    aggregate: 'sum',
    by: '"Country"',
    value: 'sum("Net revenue")',
  },
  {
    type: 'donut',
    from: 'Top customers',
    label: 'Segment',
    data: 'Orders',
    aggregate: 'average',
    by: '"Segment"',
    value: 'avg("Orders")',
  },
  {
    type: 'bar',
    from: 'Order lines',
    label: 'Region',
    data: 'Net amount',
    aggregate: 'sum',
    by: '"Region"',
    value: 'sum("Net amount")',
  },
  {
    type: 'area',
    from: 'Order lines',
    label: 'Ordered at',
    data: 'Quantity',
    aggregate: 'sum',
    unit: 'month',
    by: `date_trunc('month', "Ordered at")`,
    value: 'sum("Quantity")',
  },
  {
    type: 'radar',
    from: 'Order lines',
    label: 'Category',
    data: 'Rating',
    aggregate: 'average',
    by: '"Category"',
    value: 'avg("Rating")',
  },
  {
    type: 'treemap',
    from: 'Order lines',
    label: 'Store',
    data: 'Unit price',
    aggregate: 'max',
    by: '"Store"',
    value: 'max("Unit price")',
  },
  {
    type: 'heatmap',
    from: 'Order lines',
    label: 'Channel',
    data: 'Net amount',
    aggregate: 'min',
    by: '"Channel"',
    value: 'min("Net amount")',
  },
] as const;
type Chart = (typeof charts)[number];

interface DemoQuery {
  readonly queryName: string;
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly columns: readonly unknown[];
  readonly resultColumns: readonly { readonly name: string; readonly label: string }[];
}

let service: TestService;
let caller: Caller;
let mcp: McpCaller;
const sources = new Map<string, DemoQuery>();
beforeAll(async () => {
  service = await startTestService();
  caller = service.as(admin);
  mcp = mcpOf(service, (await createKey(caller)).key);
  const { items } = (await caller.call<{ items: { id: string; name: string }[] }>('GET', '/api/v1/queries?limit=200')).json;
  for (const { id, name } of items) sources.set(name, (await caller.call<DemoQuery>('GET', `/api/v1/queries/${id}`)).json);
});
afterAll(() => service.close());

const sourceOf = ({ from }: Chart): DemoQuery => {
  const found = sources.get(from);
  if (found === undefined) throw new Error(`no query ${from}`);
  return found;
};

/** The database's own aggregate, by label. */
async function aggregateOf(chart: Chart): Promise<Map<string, number>> {
  const { sql, parameters, resultColumns } = sourceOf(chart);
  const named = resultColumns.map(({ name, label }) => `"${name}" as "${label}"`).join(', ');
  const own = `select ${chart.by}::varchar as label, (${chart.value})::double as value from (select ${named} from (${sql}) a) b group by 1`;
  const { queryName } = await publish(caller, { name: `Own ${charts.indexOf(chart)}`, sql: own, parameters });
  const { json } = await caller.run(queryName, []);
  return new Map(json.Data.map(({ label, value }) => [String(label).slice(0, 10), Number(value)]));
}

/** The query with this chart as its own, which an assistant does not choose. */
async function publishWith(chart: Chart): Promise<string> {
  const { sql, parameters, columns } = sourceOf(chart);
  const { type, label, data, aggregate } = chart;
  const own = { type, label, data: [data], aggregate, ...('unit' in chart ? { timeUnit: chart.unit } : {}) };
  const query = { name: `Drawn ${charts.indexOf(chart)}`, sql, parameters, columns, chart: own, aiAccess: true };
  return (await publish(caller, query)).queryName;
}

const optionsOf = ({ label, data, aggregate, ...chart }: Chart) => ({
  labelColumn: label,
  dataColumn: data,
  aggregate,
  ...('unit' in chart ? { timeUnit: chart.unit } : {}),
});

function expectSame(rows: readonly ChartRow[], { label, data, aggregate }: Chart, expected: ReadonlyMap<string, number>): void {
  const key = label === data ? `${data} (${aggregate})` : data;
  const drawn = new Map(rows.map((row) => [String(row[label]).slice(0, 10), Number(row[key])]));
  const filled = [...drawn].filter(([name, value]) => expected.has(name) || value !== 0); // a month without rows is drawn as 0
  expect(filled.map(([name]) => name).toSorted()).toEqual([...expected.keys()].toSorted());
  for (const [name, value] of filled) expect(value, name).toBeCloseTo(expected.get(name) ?? Number.NaN, 6);
}

/** A picture shows its values as labels, slices as shares of the whole, and lines as the heights of their points. */
function expectDrawn(svg: string, chart: Chart, rows: readonly ChartRow[], expected: ReadonlyMap<string, number>): void {
  const values = [...expected.values()].toSorted((a, b) => b - a);
  if (chart.type === 'line' || chart.type === 'area')
    expectHeights(
      svg,
      rows.map((row) => Number(row[chart.data])),
    );
  else if (chart.type !== 'pie' && chart.type !== 'donut') expectPrinted(svg, values);
  else {
    const total = values.reduce((sum, value) => sum + value, 0);
    const slices = values.slice(0, 9); // the others are one slice
    expectPrinted(
      svg,
      slices.map((value) => value / total),
    );
  }
}

const units: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, '%': 0.01 };

function expectPrinted(svg: string, values: readonly number[]): void {
  const printed = [...svg.matchAll(/(-?[\d,]+(?:\.(\d+))?)([KM%]?)<\/text>/g)].map(
    ([, digits = '', decimals = '', unit = '']) => {
      const scale = units[unit] ?? 1;
      return { value: Number(digits.replaceAll(',', '')) * scale, half: 0.5001 * 10 ** -decimals.length * scale };
    },
  );
  const isPrinted = (wanted: number) => printed.some(({ value, half }) => Math.abs(value - wanted) <= half);
  expect(values.filter((value) => !isPrinted(value))).toEqual([]);
}

function expectHeights(svg: string, values: readonly number[]): void {
  const lines = [...svg.matchAll(/ d="M([\d. -]+(?:L[\d. -]+)+)"/g)].map(([, points = '']) =>
    points.split('L').map((point) => Number(point.split(' ')[1])),
  );
  const heights = lines.find(({ length }) => length === values.length) ?? [];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [bottom = 0, top = 0] = [heights[values.indexOf(low)], heights[values.indexOf(high)]];
  const drawn = heights.map((height) => low + ((bottom - height) / (bottom - top)) * (high - low));
  expect(bottom - top, 'pixels').toBeGreaterThan(50);
  for (const [index, value] of values.entries())
    expect(Math.abs((drawn[index] ?? Number.NaN) - value)).toBeLessThan((high - low) / (bottom - top) / 4);
}

test.each(charts.map((chart) => [`${chart.aggregate} of ${chart.data} by ${chart.label} (${chart.from})`, chart] as const))(
  'draws %s as the database computes it, in builder, embed, picture and MCP',
  async (_, chart) => {
    const queryName = await publishWith(chart);
    const expected = await aggregateOf(chart);
    const sent = { QueryName: queryName, Parameters: {} };

    const page = await caller.call<{ Data: object[]; QueryMoreCode: string | null }>(
      'POST',
      '/api/v1/ChartBuilder/ExecuteQuery',
      sent,
    );
    expect(page.json.QueryMoreCode, 'more rows than a page').not.toBeNull();
    const builder = await caller.call<{ Data: ChartRow[]; rowsRead: number }>('POST', '/api/v1/ChartBuilder/Summary', {
      ...sent,
      ...optionsOf(chart),
      chartType: chart.type,
      QueryMoreCode: page.json.QueryMoreCode,
    });
    expect(builder.json.rowsRead).toBeGreaterThan(1000);
    expectSame(builder.json.Data, chart, expected);

    const link = await embedOf(caller, { queryName, chartType: chart.type, showDataLabels: 'true', ...optionsOf(chart) });
    const html = await (await fetch(link.EmbedUrl)).text();
    const { names, rows } = JSON.parse(/<script id="data"[^>]*>([^<]*)/.exec(html)?.[1] ?? '') as {
      names: string[];
      rows: unknown[][];
    };
    expectSame(
      rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]]))),
      chart,
      expected,
    );

    const svg = await (await fetch(`${service.url}/api/v1/EmbeddedChart/RenderImage?token=${link.Token}`)).text();
    expectDrawn(svg, chart, builder.json.Data, expected);

    const answer = (await mcp.call('execute_chart_query', { queryName, chartType: chart.type })).json;
    const { _meta: meta } = answer.result as { _meta: { 'sluice/chart': { data: { rows: ChartRow[] } } } };
    expectSame(meta['sluice/chart'].data.rows, chart, expected);
  },
);
