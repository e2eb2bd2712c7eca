import type { ChartColumn } from '../../../src/charts/built-chart.ts';
import type { ColumnFormat } from '../../../src/core/column-format.ts';
import type { Table } from './picture-case.ts';

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

export const regions = table(text('Region'), number('Revenue'), [
  ['North America', 412500],
  ['Western Europe', 356200],
  ['East Asia', 298400],
  ['South America', 187300],
  ['Middle East', 142800],
  ['Southern Africa', 98600],
  ['Oceania', 76400],
  ['Nordics', 64100],
]);

/** The same with a format of its values. */
export const withFormat = ({ columns: [label, data], rows }: Table, format: ColumnFormat): Table => ({
  columns: [label, { ...data, format }],
  rows,
});

export const seconds = table(text('Step'), number('Time'), [
  ['Picking', 4_530],
  ['Packing', 1_260],
  ['Customs', 15_600],
  ['Delivery', 9_900],
]);

export const days = table(
  time('Day'),
  number('Orders'),
  times(120, (index) => [dayOf2026(index), Math.round(320 + 120 * Math.sin(index / 9) + index * 1.8 + bell() * 28)]),
);

export const calendar = table(
  time('Day'),
  number('Orders'),
  times(230, (index) => {
    const weekend = new Date(Date.UTC(2026, 0, 1 + index)).getUTCDay() % 6 === 0;
    return [dayOf2026(index), Math.max(0, Math.round((weekend ? 90 : 240) + 60 * Math.sin(index / 30) + bell() * 30))];
  }),
);

export const prices = table(
  number('Unit price'),
  number('Units sold'),
  times(240, () => {
    const price = 5 + even() * 90;
    return [Number(price.toFixed(2)), Math.max(0, Math.round(520 - 4.2 * price + bell() * 55))];
  }),
);

export const depots = table(
  text('Depot'),
  number('Delivery hours'),
  ['Berlin', 'London', 'Madrid', 'Oslo', 'Paris', 'Rome', 'Warsaw'].flatMap((depot, place) =>
    times(60, () => {
      const hours = 24 + place * 2.3 + bell() * (4 + place * 0.8) + (even() > 0.97 ? 22 : 0);
      return [depot, Number(hours.toFixed(1))] as const;
    }),
  ),
);

export const scores = table(text('Measure'), number('Score'), [
  ['Availability', 96],
  ['Latency', 82],
  ['Throughput', 74],
  ['Freshness', 88],
  ['Completeness', 91],
  ['Accuracy', 79],
  ['Coverage', 67],
]);

export const attainment = table(text('Service'), number('SLO attainment %'), [
  ['Checkout', 98.2],
  ['Search', 91.4],
  ['Catalog', 84.9],
  ['Payments', 76.3],
  ['Returns', 58.1],
]);

export const products = table(
  text('Product'),
  number('Sales'),
  'Laptops Phones Monitors Tablets Printers Keyboards Headsets Cameras Routers Docks Cables Chairs Desks Lamps Speakers Webcams Drives Memory Mice Cases Paper Toner Bags Stands'
    .split(' ')
    .map((product, index) => [product, Math.round(92000 / (1 + index * 0.42) + even() * 4000)]),
);

export const longNames = table(text('Line item'), number('Amount'), [
  ['Consolidated statement of receivables — subsidiaries and affiliates outside the euro area (unaudited)', 8120],
  ['Short', 5430],
  ['Très long libellé de catégorie avec beaucoup de mots inutiles et répétés', 7210],
  ['Übergangsfinanzierungsgesellschaftsvermögensverwaltung', 3890],
  ['SELECT * FROM <script>alert(1)</script> & "quotes"', 2950],
]);

export const scripts = table(text('City'), number('Orders'), [
  ['المبيعات في الرياض', 5400],
  ['ירושלים והסביבה', 4100],
  ['東京都渋谷区', 6300],
  ['Αθήνα', 2700],
  ['Санкт-Петербург', 3900],
  ['北京市朝阳区', 3100],
  ['नई दिल्ली', 4700],
]);

export const changes = table(text('Month'), number('Net change'), [
  ['Jan', 12400],
  ['Feb', -5300],
  ['Mar', 8800],
  ['Apr', -11200],
  ['May', 3100],
  ['Jun', 15800],
  ['Jul', -2400],
  ['Aug', 9700],
]);

export const withGaps = table(text('Day'), number('Amount'), [
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

export const stock = table(
  text('Article'),
  number('Stock'),
  times(5000, (index) => [`SKU-${String(index + 1).padStart(5, '0')}`, Math.round(Math.abs(bell()) * 400 + 20)]),
);

export const load = table(
  time('At'),
  number('Load'),
  times(5000, (index) => [
    new Date(Date.UTC(2026, 0, 1) + index * 1_800_000).toISOString(),
    Number((50 + 20 * Math.sin(index / 24) + 10 * Math.sin(index / 300) + bell() * 5).toFixed(2)),
  ]),
);

export const people = table(
  number('Weight'),
  number('Height'),
  times(5000, () => {
    const build = bell();
    return [Number((60 + build * 12).toFixed(1)), Number((168 + build * 6 + bell() * 6).toFixed(1))];
  }),
);

export const hours = table(
  time('At'),
  number('Load'),
  times(40, (index) => [
    new Date(Date.UTC(2026, 2, 14, 6) + index * 3_600_000).toISOString(),
    Math.round(50 + 30 * Math.sin(index / 4)),
  ]),
);

export const years = table(
  time('Month'),
  number('Revenue'),
  times(72, (index) => [
    new Date(Date.UTC(2021, index, 1)).toISOString().slice(0, 10),
    Math.round(4e6 + index * 5e4 + bell() * 4e5),
  ]),
);

export const vast = table(text('Galaxy'), number('Stars'), [
  ['Milky Way', '250000000000'],
  ['Andromeda', '1000000000000.5'],
  ['Triangulum', '40000000000'],
  ['IC 1101', '100000000000000'],
]);

const quarters = ['2025-01-01', '2025-04-01', '2025-07-01', '2025-10-01', '2026-01-01'];
export const channels: Table = {
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
export const measures: Table = {
  columns: [text('Region'), number('Revenue'), number('Cost'), number('Margin')],
  rows: ['North America', 'Western Europe', 'East Asia', 'South America', 'Nordics'].map((region, index) => ({
    Region: region,
    Revenue: 98_000 - 15_500 * index,
    Cost: 61_000 - 8500 * index,
    Margin: 37_000 - 7000 * index,
  })),
};
export const minutes = table(
  time('Minute'),
  number('Requests'),
  times(90, (index) => [
    new Date(Date.UTC(2026, 2, 9, 9, 15 + 4 * index)).toISOString(),
    Math.round(40 + 25 * Math.sin(index / 7)),
  ]),
);
export const many = table(
  text('Product'),
  number('Net revenue'),
  times(34, (index) => [`Product ${String.fromCodePoint(65 + (index % 26))}${index}, with a long name`, 9900 - 260 * index]),
);

export const months = table(
  text('Month'),
  number('Revenue'),
  'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Jan+ Feb+ Mar+ Apr+ May+ Jun+'
    .split(' ')
    .map((month, index) => [month, 402_000 + 23_456 * index]),
);

export const weekdays = table(
  text('Weekday'),
  number('Orders'),
  'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'
    .split(' ')
    .map((day, index) => [day, 14_200 - 800 * Math.abs(index - 3)]),
);

export const tiny = table(text('Service'), number('Error rate'), [
  ['Checkout', 0.000_000_5],
  ['Search', 0.000_001_2],
  ['Catalog', 0.000_000_25],
]);

export const uneven = table(text('Channel'), number('Orders'), [
  ['Web', 98_000],
  ['Store', 12_400],
  ['Phone', 1_250],
  ['Letter', 64],
]);

/** Three columns of `measures`, as series. */
export const sideBySide = { labelColumn: 'Region', dataColumn: 'Revenue', moreDataColumns: ['Cost', 'Margin'] };
