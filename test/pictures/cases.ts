import type { ChartColumn, ChartRow, ChartSurface } from '../../src/charts/built-chart.ts';
import { type ChartConfig, type ChartType, chartConfigDefaults, chartTypes } from '../../src/charts/chart-config.ts';

/** A chart with everything that determines its picture. */
export interface PictureCase {
  readonly name: string;
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly ChartRow[];
  readonly config: ChartConfig;
  readonly surface: ChartSurface;
}

export interface Table {
  readonly columns: readonly [label: ChartColumn, data: ChartColumn];
  readonly rows: readonly ChartRow[];
}

function picture(name: string, type: ChartType, table: Table, more: Partial<ChartConfig & ChartSurface> = {}): PictureCase {
  const [label, data] = table.columns;
  const { width = 800, theme = 'light', locale, ...config } = more;
  return {
    name,
    columns: table.columns,
    rows: table.rows,
    config: { ...chartConfigDefaults, chartType: type, labelColumn: label.name, dataColumn: data.name, ...config },
    surface: {
      width,
      theme: theme === 'dark' ? 'dark' : 'light',
      ...(locale ? { locale } : {}),
    },
  };
}

const text = (name: string): ChartColumn => ({ name, class: 'categorical', nature: 'text' });
const time = (name: string): ChartColumn => ({ name, class: 'categorical', nature: 'time' });
const number = (name: string): ChartColumn => ({ name, class: 'numeric', nature: 'number' });

type Cells = readonly (readonly [label: unknown, value: unknown])[];

const table = (label: ChartColumn, data: ChartColumn, cells: Cells): Table => ({
  columns: [label, data],
  rows: cells.map(([first, second]) =>
    label.name === data.name ? { [label.name]: first } : { [label.name]: first, [data.name]: second },
  ),
});

/** Deterministic numbers. */
function chance(seed: number): { even(): number; bell(): number } {
  let state = seed;
  const even = (): number => {
    state = (state * 16807) % 2147483647;
    return state / 2147483647;
  };
  return { even, bell: () => Math.sqrt(-2 * Math.log(even())) * Math.cos(2 * Math.PI * even()) };
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const dayOf2026 = (index: number): string => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);

const { even, bell } = chance(7);

const regions = table(text('Region'), number('Revenue'), [
  ['North America', 412500],
  ['Western Europe', 356200],
  ['East Asia', 298400],
  ['South America', 187300],
  ['Middle East', 142800],
  ['Southern Africa', 98600],
  ['Oceania', 76400],
  ['Nordics', 64100],
]);

const days = table(
  time('Day'),
  number('Orders'),
  times(120, (index) => [dayOf2026(index), Math.round(320 + 120 * Math.sin(index / 9) + index * 1.8 + bell() * 28)]),
);

const calendar = table(
  time('Day'),
  number('Orders'),
  times(230, (index) => {
    const weekend = new Date(Date.UTC(2026, 0, 1 + index)).getUTCDay() % 6 === 0;
    return [dayOf2026(index), Math.max(0, Math.round((weekend ? 90 : 240) + 60 * Math.sin(index / 30) + bell() * 30))];
  }),
);

const prices = table(
  number('Unit price'),
  number('Units sold'),
  times(240, () => {
    const price = 5 + even() * 90;
    return [Number(price.toFixed(2)), Math.max(0, Math.round(520 - 4.2 * price + bell() * 55))];
  }),
);

const depots = table(
  text('Depot'),
  number('Delivery hours'),
  ['Berlin', 'London', 'Madrid', 'Oslo', 'Paris', 'Rome', 'Warsaw'].flatMap((depot, place) =>
    times(60, () => {
      const hours = 24 + place * 2.3 + bell() * (4 + place * 0.8) + (even() > 0.97 ? 22 : 0);
      return [depot, Number(hours.toFixed(1))] as const;
    }),
  ),
);

const scores = table(text('Measure'), number('Score'), [
  ['Availability', 96],
  ['Latency', 82],
  ['Throughput', 74],
  ['Freshness', 88],
  ['Completeness', 91],
  ['Accuracy', 79],
  ['Coverage', 67],
]);

const attainment = table(text('Service'), number('SLO attainment %'), [
  ['Checkout', 98.2],
  ['Search', 91.4],
  ['Catalog', 84.9],
  ['Payments', 76.3],
  ['Returns', 58.1],
]);

const products = table(
  text('Product'),
  number('Sales'),
  'Laptops Phones Monitors Tablets Printers Keyboards Headsets Cameras Routers Docks Cables Chairs Desks Lamps Speakers Webcams Drives Memory Mice Cases Paper Toner Bags Stands'
    .split(' ')
    .map((product, index) => [product, Math.round(92000 / (1 + index * 0.42) + even() * 4000)]),
);

const longNames = table(text('Line item'), number('Amount'), [
  ['Consolidated statement of receivables — subsidiaries and affiliates outside the euro area (unaudited)', 8120],
  ['Short', 5430],
  ['Très long libellé de catégorie avec beaucoup de mots inutiles et répétés', 7210],
  ['Übergangsfinanzierungsgesellschaftsvermögensverwaltung', 3890],
  ['SELECT * FROM <script>alert(1)</script> & "quotes"', 2950],
]);

const scripts = table(text('City'), number('Orders'), [
  ['المبيعات في الرياض', 5400],
  ['ירושלים והסביבה', 4100],
  ['東京都渋谷区', 6300],
  ['Αθήνα', 2700],
  ['Санкт-Петербург', 3900],
  ['北京市朝阳区', 3100],
  ['नई दिल्ली', 4700],
]);

const changes = table(text('Month'), number('Net change'), [
  ['Jan', 12400],
  ['Feb', -5300],
  ['Mar', 8800],
  ['Apr', -11200],
  ['May', 3100],
  ['Jun', 15800],
  ['Jul', -2400],
  ['Aug', 9700],
]);

const withGaps = table(text('Day'), number('Amount'), [
  ['Mon', '120.50'],
  ['Tue', null],
  ['Wed', '98.25'],
  ['Thu', '143.00'],
  ['Fri', null],
  ['Sat', 'n/a'],
  ['Sun', '88.75'],
  [null, '51.00'],
  ['', '12.00'],
]);

const stock = table(
  text('Article'),
  number('Stock'),
  times(5000, (index) => [`SKU-${String(index + 1).padStart(5, '0')}`, Math.round(Math.abs(bell()) * 400 + 20)]),
);

const load = table(
  time('At'),
  number('Load'),
  times(5000, (index) => [
    new Date(Date.UTC(2026, 0, 1) + index * 1_800_000).toISOString(),
    Number((50 + 20 * Math.sin(index / 24) + 10 * Math.sin(index / 300) + bell() * 5).toFixed(2)),
  ]),
);

const people = table(
  number('Weight'),
  number('Height'),
  times(5000, () => {
    const build = bell();
    return [Number((60 + build * 12).toFixed(1)), Number((168 + build * 6 + bell() * 6).toFixed(1))];
  }),
);

const hours = table(
  time('At'),
  number('Load'),
  times(40, (index) => [
    new Date(Date.UTC(2026, 2, 14, 6) + index * 3_600_000).toISOString(),
    Math.round(50 + 30 * Math.sin(index / 4)),
  ]),
);

const years = table(
  time('Month'),
  number('Revenue'),
  times(72, (index) => [
    new Date(Date.UTC(2021, index, 1)).toISOString().slice(0, 10),
    Math.round(4e6 + index * 5e4 + bell() * 4e5),
  ]),
);

const vast = table(text('Galaxy'), number('Stars'), [
  ['Milky Way', '250000000000'],
  ['Andromeda', '1000000000000.5'],
  ['Triangulum', '40000000000'],
  ['IC 1101', '100000000000000'],
]);

/** Each chart type with typical data. */
export const twelve: readonly PictureCase[] = [
  picture('bar', 'bar', regions, { title: 'Revenue by region', showDataLabels: true }),
  picture('line', 'line', days, { title: 'Orders per day' }),
  picture('area', 'area', days, { title: 'Orders per day' }),
  picture('scatter', 'scatter', prices, { title: 'Price and units sold' }),
  picture('pie', 'pie', regions, { title: 'Revenue by region', showDataLabels: true, legendPosition: 'right' }),
  picture('donut', 'donut', regions, { title: 'Revenue by region', legendPosition: 'right' }),
  picture('polar-area', 'polarArea', regions, { title: 'Revenue by region', legendPosition: 'right' }),
  picture('radar', 'radar', scores, { title: 'Data quality scores' }),
  picture('radial-bar', 'radialBar', attainment, { title: 'SLO attainment by service', showDataLabels: true }),
  picture('heatmap', 'heatmap', calendar, { title: 'Orders per day' }),
  picture('treemap', 'treemap', products, { title: 'Sales by product', showDataLabels: true }),
  picture('box-plot', 'boxPlot', depots, { title: 'Delivery time by depot' }),
];

export const dark = (given: PictureCase): PictureCase => ({
  ...given,
  name: `${given.name}-dark`,
  surface: { ...given.surface, theme: 'dark' },
});

/** Cases that are likely to look wrong. */
export const edgeCases: readonly PictureCase[] = [
  picture('horizontal-long-names', 'bar', longNames, {
    barOrientation: 'horizontal',
    title: 'Receivables by line item',
    showDataLabels: true,
  }),
  picture('long-names', 'bar', longNames, { title: 'Receivables by line item' }),
  picture('many-scripts', 'bar', scripts, { title: 'Orders by city' }),
  picture('right-to-left', 'pie', scripts, { title: 'الطلبات حسب المدينة', legendPosition: 'left', showDataLabels: true }),
  picture('negative-bars', 'bar', changes, { title: 'Net change', showDataLabels: true }),
  picture('negative-slices', 'pie', changes, { title: 'Net change', showLegend: false }),
  picture('gaps', 'line', withGaps, { title: 'Amount' }),
  picture('negative-radar', 'radar', changes, { title: 'Net change', showDataLabels: true }),
  picture(
    'heatmap-of-rows',
    'heatmap',
    { ...depots, rows: depots.rows.filter((_, index) => index % 5 === 0) },
    { title: 'Delivery hours' },
  ),
  picture('heatmap-of-tiles', 'heatmap', regions, { title: 'Revenue by region' }),
  picture('heatmap-of-months', 'heatmap', years, { title: 'Revenue by month', showDataLabels: true, legendPosition: 'right' }),
  picture('heatmap-around-zero', 'heatmap', changes, { title: 'Net change' }),
  picture('scatter-of-categories', 'scatter', depots, { title: 'Delivery hours by depot' }),
  picture('same-label-slices', 'donut', depots, { title: 'Total hours' }),
  picture('one-box', 'boxPlot', regions, { title: 'Revenue' }),
  picture('few-leaves', 'treemap', regions, { title: 'Revenue by region' }),
  picture('hours', 'line', hours, { title: 'Load by hour' }),
  picture('years', 'area', years, { title: 'Revenue by month' }),
  picture('time-bars', 'bar', days, { title: 'Orders per day', barWidth: 80 }),
  picture('vast-numbers', 'bar', vast, { title: 'Stars', barOrientation: 'horizontal', showDataLabels: true }),
  picture('no-rows', 'bar', { ...regions, rows: [] }, { title: 'Revenue by region' }),
  picture('no-numbers', 'line', { ...regions, rows: [{ Region: 'a', Revenue: 'x' }] }, { title: 'Revenue by region' }),
  picture('small', 'bar', regions, { title: 'Revenue by region', width: 360, chartHeight: 260 }),
  picture('small-pie', 'pie', regions, { title: 'Revenue by region', width: 360, chartHeight: 320, legendPosition: 'right' }),
  picture('tiny', 'line', days, { title: 'Orders per day', width: 320, chartHeight: 120 }),
  picture('patterns', 'pie', regions, { title: 'Revenue by region', patterns: true, legendPosition: 'right' }),
  picture('bare', 'bar', regions, { showToolbar: false, showGrid: false, showLegend: false, barWidth: 90 }),
  picture('legend-on-top', 'polarArea', regions, { title: 'Revenue by region', legendPosition: 'top', showDataLabels: true }),
  picture('german', 'bar', regions, { title: 'Umsatz', locale: 'de-DE', showDataLabels: true }),
];

export const oneRow: readonly PictureCase[] = chartTypes.map(({ type }) =>
  picture(`one-row-${type}`, type, { ...regions, rows: regions.rows.slice(0, 1) }, { title: 'One row' }),
);

const largeTables: Readonly<Partial<Record<ChartType, Table>>> = { line: load, area: load, scatter: people };

export const large: readonly PictureCase[] = chartTypes.map(({ type }) =>
  picture(`5000-rows-${type}`, type, largeTables[type] ?? stock, { title: '5,000 rows' }),
);

const quarters = ['2025-01-01', '2025-04-01', '2025-07-01', '2025-10-01', '2026-01-01'];
const channels: SeriesTable = {
  columns: [time('Quarter'), text('Channel'), number('Revenue'), number('Cost'), number('Orders')],
  rows: ['Web', 'Store', 'Phone'].flatMap((channel, place) =>
    quarters.map((quarter, index) => ({
      Quarter: quarter,
      Channel: channel,
      Revenue: 90_000 - 28_000 * place + 6000 * index * (place === 1 ? -1 : 1),
      Cost: 52_000 - 15_000 * place + 2500 * index,
      Orders: 900 - 250 * place + 40 * index,
    })),
  ),
};
const measures: SeriesTable = {
  columns: [text('Region'), number('Revenue'), number('Cost'), number('Margin')],
  rows: ['North America', 'Western Europe', 'East Asia', 'South America', 'Nordics'].map((region, index) => ({
    Region: region,
    Revenue: 98_000 - 15_500 * index,
    Cost: 61_000 - 8500 * index,
    Margin: 37_000 - 7000 * index,
  })),
};
const minutes = table(
  time('Minute'),
  number('Requests'),
  times(90, (index) => [
    new Date(Date.UTC(2026, 2, 9, 9, 15 + 4 * index)).toISOString(),
    Math.round(40 + 25 * Math.sin(index / 7)),
  ]),
);
const many = table(
  text('Product'),
  number('Net revenue'),
  times(34, (index) => [`Product ${String.fromCodePoint(65 + (index % 26))}${index}, with a long name`, 9900 - 260 * index]),
);

interface SeriesTable {
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly ChartRow[];
}

function seriesPicture(
  name: string,
  type: ChartType,
  { columns, rows }: SeriesTable,
  config: Partial<ChartConfig> & Pick<ChartConfig, 'labelColumn' | 'dataColumn'>,
  width = 800,
): PictureCase {
  return {
    name,
    columns,
    rows,
    config: { ...chartConfigDefaults, chartType: type, ...config },
    surface: { width, theme: 'light' },
  };
}

const split = { labelColumn: 'Quarter', dataColumn: 'Revenue', seriesColumn: 'Channel' };
const sideBySide = { labelColumn: 'Region', dataColumn: 'Revenue', moreDataColumns: ['Cost', 'Margin'] };
const phone = 380;

/** Several series, and the same on a phone. */
export const severalSeries: readonly PictureCase[] = [
  seriesPicture('grouped-bars', 'bar', measures, { ...sideBySide, title: 'Revenue, cost and margin', showDataLabels: true }),
  seriesPicture('stacked-bars', 'bar', channels, {
    ...split,
    title: 'Revenue by channel',
    stacked: 'stacked',
    showDataLabels: true,
  }),
  seriesPicture('percent-bars', 'bar', measures, {
    ...sideBySide,
    stacked: 'percent',
    barOrientation: 'horizontal',
    showDataLabels: true,
  }),
  seriesPicture('several-lines', 'line', channels, { ...split, title: 'Revenue by channel' }),
  seriesPicture('overlapping-areas', 'area', channels, { ...split, title: 'Revenue by channel' }),
  seriesPicture('stacked-areas', 'area', channels, { ...split, title: 'Revenue by channel', stacked: 'stacked' }),
  seriesPicture('percent-areas', 'area', channels, { ...split, stacked: 'percent' }),
  seriesPicture('scatter-of-series', 'scatter', channels, { ...split, labelColumn: 'Orders', title: 'Orders and revenue' }),
  seriesPicture('radar-of-series', 'radar', measures, sideBySide),
  seriesPicture('heatmap-of-series', 'heatmap', measures, { ...sideBySide, showDataLabels: true }),
  seriesPicture('one-of-several', 'pie', measures, { ...sideBySide, title: 'Revenue' }),
  seriesPicture('counted', 'bar', channels, { labelColumn: 'Channel', dataColumn: 'Quarter', aggregate: 'count' }),
  seriesPicture('averaged-by-label', 'bar', channels, {
    labelColumn: 'Channel',
    dataColumn: 'Orders',
    aggregate: 'average',
    sortBy: 'label',
  }),
  seriesPicture('minutes-of-a-day', 'line', minutes, { labelColumn: 'Minute', dataColumn: 'Requests', title: 'Load' }),
  seriesPicture('every-label', 'bar', many, { labelColumn: 'Product', dataColumn: 'Net revenue', barOrientation: 'horizontal' }),
  seriesPicture('phone-grouped-bars', 'bar', measures, { ...sideBySide, title: 'Revenue, cost and margin' }, phone),
  seriesPicture('phone-several-lines', 'line', channels, { ...split, title: 'Revenue by channel' }, phone),
  seriesPicture(
    'phone-every-label',
    'bar',
    many,
    { labelColumn: 'Product', dataColumn: 'Net revenue', barOrientation: 'horizontal' },
    phone,
  ),
  ...twelve
    .filter(({ config }) => ['pie', 'donut', 'polarArea', 'radialBar', 'radar', 'treemap', 'heatmap'].includes(config.chartType))
    .map((each) => ({ ...each, name: `phone-${each.name}`, surface: { ...each.surface, width: phone } })),
];
