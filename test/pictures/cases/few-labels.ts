import { onPhone, type PictureCase, picture, type Table } from './picture-case.ts';
import { load, longNames, regions, stock, withGaps, years } from './tables.ts';

const first = (table: Table, count: number): Table => ({ ...table, rows: table.rows.slice(0, count) });
const signed: Table = {
  columns: withGaps.columns,
  rows: withGaps.rows.map((row, index) => ({ ...row, Amount: index === 3 ? -143 : row.Amount })),
};
const signedBars = picture('negative-and-missing', 'bar', signed, { title: 'Amount by day', showDataLabels: true });
const fiveMonths = picture('five-months', 'bar', first(years, 5), { title: 'Revenue by month' });
const sixLong = {
  ...longNames,
  rows: [...longNames.rows, { 'Line item': 'Receivables of the year before, not yet due', Amount: 2100 }],
};
const longLabels = [2, 3, 6].map((count) =>
  picture(`${count}-long-labels`, 'bar', first(sixLong, count), { title: 'Receivables' }),
);

/** Charts of one to six labels, of long ones, of incomplete values and of many points. */
export const fewLabels: readonly PictureCase[] = [
  ...[1, 2, 3, 4, 5, 6].map((count) => picture(`${count}-labels`, 'bar', first(regions, count), { title: 'Revenue by region' })),
  ...longLabels,
  ...longLabels.map(onPhone),
  fiveMonths,
  onPhone(fiveMonths),
  signedBars,
  { ...signedBars, name: 'negative-and-missing-beside', config: { ...signedBars.config, barOrientation: 'horizontal' } },
  picture('5000-bars', 'bar', stock, { title: 'Stock by article' }),
  picture('5000-points', 'line', load, { title: 'Load' }),
];
