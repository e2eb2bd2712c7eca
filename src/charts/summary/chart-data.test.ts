import { describe, expect, it } from 'vitest';
import { chartConfigDefaults } from '../../core/chart-config.ts';
import type { ChartColumn, ChartRow } from '../built-chart.ts';
import { spreadOf } from './boxes.ts';
import { collectChart, type CollectorOptions, type DrawnConfig } from './chart-data.ts';

const columns: readonly ChartColumn[] = [
  { name: 'Name', class: 'categorical', nature: 'text' },
  { name: 'Day', class: 'categorical', nature: 'time' },
  { name: 'X', class: 'numeric', nature: 'number' },
  { name: 'Value', class: 'numeric', nature: 'number' },
];
const collect = (rows: readonly ChartRow[], config: Partial<DrawnConfig>, options?: CollectorOptions) =>
  collectChart(
    columns,
    rows,
    { ...chartConfigDefaults, chartType: 'bar', labelColumn: 'Name', dataColumn: 'Value', ...config },
    options,
  );
const rowsOf = (count: number, make: (index: number) => ChartRow): readonly ChartRow[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('without an aggregate', () => {
  const noisy = rowsOf(20_000, (index) => ({ X: index / 10, Value: Math.sin(index / 50) * 10 + (index === 7_777 ? 500 : 0) }));

  it.each(['line', 'area'] as const)('a chart of type %s with more than 2,000 points keeps every peak', (chartType) => {
    const { rows, notes } = collect(noisy, { chartType, labelColumn: 'X', aggregate: 'none' });
    expect(rows.length).toBeLessThanOrEqual(2000);
    expect(rows.length).toBeGreaterThan(500);
    expect(rows.map(({ X }) => X)).toEqual(rows.map(({ X }) => X).toSorted((a, b) => Number(a) - Number(b)));
    expect(rows).toContainEqual(noisy[7_777]);
    for (let from = 0; from < noisy.length; from += 1000) {
      const values = (of: readonly ChartRow[]) =>
        of.filter(({ X }) => Number(X) >= from / 10 && Number(X) < (from + 1000) / 10).map(({ Value }) => Number(Value));
      expect(Math.max(...values(rows))).toBeCloseTo(Math.max(...values(noisy)), 1);
      expect(Math.min(...values(rows))).toBeCloseTo(Math.min(...values(noisy)), 1);
    }
    expect(notes).toEqual([expect.stringMatching(/^[\d,]+ of 20,000 points are drawn: the lowest and the highest of each/)]);
  });

  it('a line keeps the peaks of each of its series and columns, in any order of the rows', () => {
    const shuffled = noisy.map((_, index) => noisy[(index * 7919) % noisy.length] ?? {});
    const split = shuffled.map((row, index) => ({
      ...row,
      Name: index % 2 === 0 ? 'even' : 'odd',
      Other: index === 5 ? -900 : 1,
    }));
    const config = { chartType: 'line', labelColumn: 'X', aggregate: 'none' } as const;
    const bySeries = collect(split, { ...config, seriesColumn: 'Name' });
    expect(bySeries.rows.length).toBeLessThanOrEqual(2000);
    expect(new Set(bySeries.rows.map(({ Name }) => Name)).size).toBe(2);
    expect(bySeries.rows.some(({ Value }) => Number(Value) > 480)).toBe(true);
    const { Name: _, ...lowest } = split[5] ?? { Name: '' };
    expect(collect(split, { ...config, moreDataColumns: ['Other'] }).rows).toContainEqual(lowest);
    expect(collect(noisy.slice(0, 2000), { ...config }).rows).toEqual(noisy.slice(0, 2000));
  });

  it('a scatter chart draws up to 5,000 evenly chosen rows', () => {
    const { rows, notes } = collect(noisy, { chartType: 'scatter', labelColumn: 'X' });
    expect(rows).toEqual(noisy.filter((_, index) => index % 4 === 0));
    expect(notes).toEqual(['5,000 of 20,000 rows are drawn, evenly chosen.']);
    expect(collect(noisy.slice(0, 5000), { chartType: 'scatter', labelColumn: 'X' }).notes).toEqual([]);
  });

  it('bars and slices past 50 become the 20 largest and one for the others', () => {
    const many = rowsOf(5000, (index) => ({ Name: `n${index}`, Value: index }));
    for (const chartType of ['bar', 'pie', 'donut', 'polarArea', 'radialBar'] as const) {
      const { rows, others } = collect(many, { chartType, aggregate: 'none' });
      expect(rows[0]).toEqual({ Name: 'n4999', Value: 4999 });
      expect(rows.at(-1)).toEqual({ Name: 'Others (4,980)', Value: (4979 * 4980) / 2 });
      expect([rows.length, others]).toEqual([21, { label: 'Others (4,980)', labels: 4980 }]);
    }
    expect(collect(many, { aggregate: 'none' }, { allLabels: true }).rows.length).toBeGreaterThan(1000);
    expect(collect(many.slice(0, 50), { aggregate: 'none' }).rows).toEqual(many.slice(0, 50));
  });
});

describe('a box plot', () => {
  it('has the quartiles, whiskers and outliers of every row', () => {
    expect(spreadOf([7, 1, 2, 3, 4, 5, 6, 100])).toEqual({ five: [1, 2.75, 4.5, 6.25, 7], outliers: [100], rows: 8 });
    expect(spreadOf([5])).toEqual({ five: [5, 5, 5, 5, 5], outliers: [], rows: 1 });
    const rows = rowsOf(100_001, (index) => ({ Name: index % 2 === 0 ? 'a' : 'b', Value: (index * 7919) % 100_001 }));
    const boxes = collect(rows, { chartType: 'boxPlot' }).rows;
    const own = (name: string) => rows.filter(({ Name }) => Name === name).map(({ Value }) => Number(Value));
    expect(boxes).toEqual(['a', 'b'].map((Name) => ({ Name, Value: spreadOf(own(Name)) })));
  });

  it('is a single one if no label occurs twice, however many there are', () => {
    const { rows, notes } = collect(
      rowsOf(30_000, (index) => ({ Name: `n${index}`, Value: index })),
      { chartType: 'boxPlot' },
    );
    expect(rows).toMatchObject([{ Name: 'All rows', Value: { rows: 30_000 } }]);
    expect(notes).toEqual(['No “Name” occurs twice: one box shows all 30,000 rows.']);
  });
});

describe('refuses an aggregate of a part', () => {
  it('past the limit of rows, with advice', () => {
    const rows = rowsOf(11, (index) => ({ Name: `n${index % 3}`, X: index, Value: 1 }));
    const refusal = { head: 'Too many rows to draw', advice: expect.stringContaining('more than 10 rows (SLUICE_CHART_ROWS)') };
    for (const aggregate of ['sum', 'average', 'count', 'min', 'max'] as const)
      expect(collect(rows, { aggregate }, { maxRows: 10 })).toMatchObject({ rows: [], refusal });
    expect(collect(rows, { chartType: 'boxPlot' }, { maxRows: 10 })).toMatchObject({ refusal });
    expect(collect(rows.slice(0, 10), {}, { maxRows: 10 }).refusal).toBeNull();
    expect(collect(rows, { chartType: 'scatter', labelColumn: 'X' }, { maxRows: 10 })).toMatchObject({
      refusal: null,
      notes: ['Only the first 10 rows are drawn; the query has more.'],
    });
  });

  it('past the groups', () => {
    const rows = rowsOf(10_001, (index) => ({ Name: `n${index}`, Value: 1 }));
    expect(collect(rows, {}).refusal).toMatchObject({ head: 'Too many groups to draw' });
    expect(collect(rows.slice(1), {})).toMatchObject({ refusal: null, others: { labels: 9_980 } });
  });

  it('of labels that take too much memory', () => {
    const long = 'x'.repeat(1 << 20);
    const rows = rowsOf(9, (index) => ({ Name: `${index}${long}`, Value: 1 }));
    expect(collect(rows, {}).refusal).toMatchObject({ advice: expect.stringContaining('too long') });
  });

  it('past the series whose peaks fit in a line chart', () => {
    const rows = rowsOf(2001, (index) => ({ Name: `n${index % 501}`, X: index, Value: 1 }));
    const config = { chartType: 'line', labelColumn: 'X', seriesColumn: 'Name', aggregate: 'none' } as const;
    expect(collect(rows, config).refusal).toMatchObject({ head: 'Too many series to draw' });
  });
});

it('groups times by a readable unit, and cells of a heatmap by days or months', () => {
  const days = (count: number) =>
    rowsOf(count, (index) => ({ Day: new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10), Value: 1 }));
  const unitOf = (count: number, chartType: DrawnConfig['chartType']) =>
    collect(days(count), { chartType, labelColumn: 'Day', aggregate: chartType === 'heatmap' ? 'none' : 'average' }).unit;
  expect([unitOf(30, 'line'), unitOf(400, 'line'), unitOf(2000, 'line')]).toEqual(['day', 'week', 'quarter']);
  expect([unitOf(30, 'heatmap'), unitOf(400, 'heatmap'), unitOf(2000, 'heatmap')]).toEqual(['day', 'day', 'month']);
});

it('keeps only the columns of the chart, and no more of a text than is shown', () => {
  const rows = rowsOf(60, (index) => ({ Name: 'x'.repeat(1 << 20), Value: index, Secret: 's'.repeat(1000) }));
  for (const chartType of ['scatter', 'line', 'radar'] as const)
    expect(JSON.stringify(collect(rows, { chartType, aggregate: 'none' })).length).toBeLessThan(60 * 600);
});

it('counts missing and unreadable values', () => {
  const rows = [{ Name: 'a', Value: null }, { Name: 'b' }, { Name: 'c', Value: 'n/a' }, { Name: 'd', Value: 1 }];
  for (const config of [{}, { aggregate: 'none' }, { chartType: 'boxPlot' }, { chartType: 'scatter' }] as const)
    expect(collect(rows, config)).toMatchObject({ missing: 2, unreadable: 1 });
});
