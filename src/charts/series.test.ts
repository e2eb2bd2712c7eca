import { describe, expect, it } from 'vitest';
import { buildFromRows, formatWith, readPath } from '../../test/support/results/build-test-chart.ts';
import { type ChartConfig, type ChartType, chartConfigDefaults, chartTypes, severalSeries } from '../core/chart-config.ts';
import type { ChartColumn } from './built-chart.ts';
import { notes } from './notes.ts';

const columns: readonly ChartColumn[] = [
  { name: 'Region', class: 'categorical', nature: 'text' },
  { name: 'Channel', class: 'categorical', nature: 'text' },
  { name: 'Revenue', class: 'numeric', nature: 'number' },
  { name: 'Cost', class: 'numeric', nature: 'number' },
];
const rows = [
  { Region: 'North', Channel: 'Web', Revenue: 30, Cost: 10 },
  { Region: 'North', Channel: 'Store', Revenue: 10, Cost: 5 },
  { Region: 'South', Channel: 'Web', Revenue: 60, Cost: 20 },
  { Region: 'East', Channel: 'Store', Revenue: 5, Cost: null },
];
const drawn = (chartType: ChartType, config: Partial<ChartConfig> = {}) =>
  buildFromRows(
    columns,
    rows,
    { ...chartConfigDefaults, chartType, labelColumn: 'Region', dataColumn: 'Revenue', ...config },
    { width: 800, theme: 'light' },
  );
const series = ({ option }: ReturnType<typeof drawn>) =>
  (option.series as { name: string; stack?: string; data: unknown[] }[]).map(({ name, stack, data }) => ({ name, stack, data }));

describe('several series', () => {
  it('are noted if one is too small to be compared with another', () => {
    const wide = rows.map((row) => ({ ...row, Revenue: row.Revenue * 1000 }));
    const config = { ...chartConfigDefaults, labelColumn: 'Region', dataColumn: 'Revenue', moreDataColumns: ['Cost'] } as const;
    const notesOf = (chartType: ChartType, data: typeof rows) =>
      buildFromRows(columns, data, { ...config, chartType }, { width: 800, theme: 'light' }).notes;
    expect(notes.tooSmall(['A', 'B'], 'C')).toBe('“A” and “B” are too small to compare with “C”.');
    const note = '“Cost” is too small to compare with “Revenue”.';
    expect(notesOf('bar', wide)).toContain(note);
    expect(notesOf('bar', rows)).not.toContain(note);
    expect(notesOf('pie', wide)).not.toContain(note); // which shows one series
  });

  it('are the data columns, or the values of the series column', () => {
    expect(series(drawn('bar', { moreDataColumns: ['Cost'] })).map(({ name, data }) => [name, data])).toEqual([
      ['Revenue', [40, 60, 5]],
      ['Cost', [15, 20, '-']],
    ]);
    expect(series(drawn('bar', { seriesColumn: 'Channel' })).map(({ name, data }) => [name, data])).toEqual([
      ['Web', [30, 60, '-']],
      ['Store', [10, '-', 5]],
    ]);
  });

  it('are stacked, or shares of 100 %', () => {
    const stacked = drawn('bar', { seriesColumn: 'Channel', stacked: 'stacked' });
    expect(series(stacked).map(({ stack }) => stack)).toEqual(['all', 'all']);
    const percent = drawn('bar', { seriesColumn: 'Channel', stacked: 'percent' });
    expect(series(percent).map(({ data }) => data)).toEqual([
      [75, 100, '-'],
      [25, '-', 100],
    ]);
    expect(readPath(percent.option, 'yAxis', 'max')).toBe(100);
    const tip = formatWith(readPath(percent.option, 'tooltip', 'formatter'), [{ dataIndex: 0 }]);
    expect(tip).toContain('<b>30 (75.0%)</b>');
    expect(tip).toContain('Total');
  });

  it('are not stacked if there is one', () => {
    expect(series(drawn('bar', { stacked: 'stacked' }))).toMatchObject([{ name: 'Revenue', stack: undefined }]);
  });

  it('leaves negative values out of shares and says so', () => {
    const negative = [...rows, { Region: 'East', Channel: 'Web', Revenue: -5, Cost: 1 }];
    const config = { ...chartConfigDefaults, chartType: 'area', labelColumn: 'Region', dataColumn: 'Revenue' } as const;
    const chart = buildFromRows(
      columns,
      negative,
      { ...config, seriesColumn: 'Channel', stacked: 'percent' },
      { width: 800, theme: 'light' },
    );
    expect(chart.notes).toContain('1 negative value cannot be shown in this chart.');
  });

  it('shows the ten largest of many', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ Region: 'North', Channel: `Channel ${index}`, Revenue: index }));
    const config = { ...chartConfigDefaults, chartType: 'line', labelColumn: 'Region', dataColumn: 'Revenue' } as const;
    const chart = buildFromRows(columns, many, { ...config, seriesColumn: 'Channel' }, { width: 800, theme: 'light' });
    expect(series(chart)).toHaveLength(10);
    expect(new Set(chart.option.color as readonly string[]).size).toBe(10);
    expect(chart.notes).toContain('The 10 largest of 30 series are shown.');
  });
});

it.each(chartTypes.map(({ type }) => type))('a %s shows several series or says what it leaves out', (type) => {
  const columnsChart = drawn(type, { moreDataColumns: ['Cost'] });
  const split = drawn(type, { seriesColumn: 'Channel' });
  const said = severalSeries.has(type) ? [] : ['“Cost” is not shown.'];
  expect(columnsChart.notes.filter((note) => note.includes('not shown'))).toEqual(said);
  expect(split.notes.some((note) => note.includes('cannot show the series of “Channel”'))).toBe(!severalSeries.has(type));
  expect(columnsChart.empty).toBe(false);
});

describe('rows with the same label', () => {
  it.each([
    ['sum', [40, 60, 5], 'Sum of 4 rows by “Region”.'],
    ['average', [20, 60, 5], 'Average of 4 rows by “Region”.'],
    ['min', [10, 60, 5], 'Lowest of 4 rows by “Region”.'],
    ['max', [30, 60, 5], 'Highest of 4 rows by “Region”.'],
    ['count', [2, 1, 1], 'Count of 4 rows by “Region”.'],
    ['none', [30, 10, 60, 5], undefined],
  ] as const)('are combined by %s', (aggregate, data, note) => {
    const chart = drawn('bar', { aggregate });
    expect(series(chart)[0]?.data).toEqual(data);
    expect(chart.notes[0]).toBe(note);
  });

  it('are counted for columns of any type', () => {
    const chart = drawn('pie', { dataColumn: 'Channel', aggregate: 'count' });
    expect(series(chart)[0]).toMatchObject({ name: 'Count of Channel', data: [{ value: 2 }, { value: 1 }, { value: 1 }] });
  });
});

it('sorts labels by value, by name, or not at all', () => {
  const labels = (sortBy: ChartConfig['sortBy']) =>
    readPath(drawn('bar', { seriesColumn: 'Channel', sortBy }).option, 'xAxis', 'data');
  expect(labels('none')).toEqual(['North', 'South', 'East']);
  expect(labels('value')).toEqual(['South', 'North', 'East']);
  expect(labels('label')).toEqual(['East', 'North', 'South']);
});
