import { expect, test } from 'vitest';
import { type ChartConfig, chartConfigDefaults } from '../../core/chart-config.ts';
import type { ChartRow } from '../built-chart.ts';
import { toTime } from '../cell-values.ts';
import { createFigureCollector } from './figure.ts';

const columns = [
  { name: 'Day', class: 'categorical', nature: 'time' },
  { name: 'Region', class: 'categorical', nature: 'text' },
  { name: 'Price', class: 'numeric', nature: 'number' },
  { name: 'Net', class: 'numeric', nature: 'number' },
] as const;
const chartOf = (labelColumn: string, more: Partial<ChartConfig> = {}): ChartConfig => ({
  ...{ ...chartConfigDefaults, chartType: 'bar', labelColumn, dataColumn: 'Net' },
  ...more,
});
const draw = (rows: readonly ChartRow[], chart: ChartConfig, clock = Date.parse('2026-06-01')) => {
  const collector = createFigureCollector(columns, chart, { clockOf: toTime, maxRows: 1000 });
  return collector !== null && rows.every(collector.add) ? collector.finish(clock) : null;
};
/** A row with 1 for each day from January 2026 on. */
const days = (count: number) =>
  Array.from({ length: count }, (_, day) => ({
    Day: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
    Net: 1,
  }));

test('compares whole periods, and leaves out one that the rows do not fill', () => {
  const monthly = chartOf('Day', { timeUnit: 'month' });
  expect(draw(days(90), monthly)).toMatchObject({
    unit: 'month',
    points: [{ value: 31 }, { value: 28 }, { label: '2026-03-01', value: 31 }], // up to 31 March
    last: { label: '2026-03-01' },
    change: 3 / 28,
  });
  expect(draw(days(80), monthly)).toMatchObject({ points: [{ value: 31 }, { value: 28 }], last: { value: 28 } });
  expect(draw(days(90), monthly, Date.parse('2026-03-15'))).toMatchObject({ last: { label: '2026-02-01' } });
});

test('treats months as complete if the rows have only their first days', () => {
  const months = [10, 20, 30].map((Net, month) => ({ Day: `2026-0${month + 1}-01`, Net }));
  expect(draw(months, chartOf('Day', { timeUnit: 'month' }))).toMatchObject({ last: { value: 30 }, change: 0.5 });
});

test('shows the largest labels as bars, and averages charts of single rows', () => {
  const rows = 'abcdefgh'.split('').flatMap((Region, index) => [
    { Region, Net: index },
    { Region, Net: index },
  ]);
  const figure = draw(rows, chartOf('Region'));
  expect(figure).toMatchObject({ unit: null, labels: 8, last: null, change: null });
  expect(figure?.points.slice(0, 2)).toEqual([
    { label: 'h', value: 14 },
    { label: 'g', value: 12 },
  ]);
  expect(figure?.points).toHaveLength(6);
  expect(draw(rows, chartOf('Region', { chartType: 'boxPlot' }))?.points[0]).toEqual({ label: 'h', value: 7 });
});

test('returns no figure for labels that are numbers, too many rows, or no values', () => {
  expect(draw([{ Price: 1, Net: 2 }], chartOf('Price'))).toBeNull();
  expect(draw([{ Region: 'a', Net: null }], chartOf('Region'))).toBeNull();
  expect(
    draw(
      Array.from({ length: 1001 }, () => ({ Region: 'a', Net: 1 })),
      chartOf('Region'),
    ),
  ).toBeNull();
});
