import { describe, expect, it } from 'vitest';
import { alphabet, readPath, buildTestChart, type Cells } from '../../../test/support/results/build-test-chart.ts';

const day = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);

describe.each(['line', 'area'] as const)('a chart of type %s', (type) => {
  it('sorts times on a time axis and leaves out rows without a time', () => {
    const { option, notes } = buildTestChart(
      type,
      [
        ['2026-01-03', 3],
        ['2026-01-01', 1],
        [null, 9],
      ],
      { label: { nature: 'time' }, timeUnit: 'none' },
    );
    expect(readPath(option, 'xAxis', 'type')).toBe('time');
    expect(readPath(option, 'series', 0, 'data')).toEqual([
      [Date.UTC(2026, 0, 1), 1],
      [Date.UTC(2026, 0, 3), 3],
    ]);
    expect(notes).toEqual(['1 row without “Label” is not shown.']);
  });

  it('sorts numbers on a number axis', () => {
    const { option } = buildTestChart(
      type,
      [
        ['10', 3],
        [9, 1],
      ],
      { label: { class: 'numeric', nature: 'number' } },
    );
    expect(readPath(option, 'xAxis', 'type')).toBe('value');
    expect(readPath(option, 'series', 0, 'data')).toEqual([
      [9, 1],
      [10, 3],
    ]);
  });

  it('keeps the order of other labels', () => {
    expect(readPath(buildTestChart(type, alphabet(3)).option, 'xAxis', 'data')).toEqual(['Label 1', 'Label 2', 'Label 3']);
  });

  it('has gaps for missing values, and dots for isolated ones', () => {
    const { option, notes } = buildTestChart(type, [...alphabet(70), ['gap', null], ['alone', 5], ['gap 2', null]] as Cells);
    expect(readPath(option, 'series', 0, 'connectNulls')).toBe(false);
    expect(notes).toEqual(['2 rows have no “Value”: the line has a gap there.']);
    const size = readPath(option, 'series', 0, 'symbolSize');
    if (typeof size !== 'function') throw new Error('sizes differ');
    expect([size(0, { dataIndex: 0 }), size(0, { dataIndex: 71 })]).toEqual([0, 5]);
  });

  it('has dots only if they are apart', () => {
    const dots = (count: number, width: number) =>
      readPath(buildTestChart(type, alphabet(count), { surface: { width } }).option, 'series', 0, 'showSymbol');
    expect([dots(28, 800), dots(29, 800), dots(13, 380), dots(14, 380)]).toEqual([true, false, true, false]);
  });

  it('samples lines with more points than pixels', () => {
    const sampling = (count: number) => readPath(buildTestChart(type, alphabet(count)).option, 'series', 0, 'sampling');
    expect([sampling(1500), sampling(1501)]).toEqual([undefined, 'lttb']);
  });
});

it('fills areas only, and starts them at zero', () => {
  const cells: Cells = [
    ['a', 100],
    ['b', 101],
  ];
  expect(readPath(buildTestChart('line', cells).option, 'yAxis', 'scale')).toBe(true);
  expect(readPath(buildTestChart('area', cells).option, 'yAxis', 'scale')).toBe(false);
  expect(readPath(buildTestChart('line', cells).option, 'series', 0, 'areaStyle')).toBeUndefined();
  expect(readPath(buildTestChart('area', cells).option, 'series', 0, 'areaStyle', 'color', 'type')).toBe('linear');
});

it('labels every second point where all labels do not fit', () => {
  const cells: Cells = Array.from({ length: 18 }, (_, index) => [`Month ${index}`, 4_000_000 + index * 1_234_567]);
  const data = readPath(buildTestChart('line', cells, { showDataLabels: true }).option, 'series', 0, 'data');
  const hidden = (Array.isArray(data) ? data : []).map((each) => readPath(each, 'label', 'show') === false);
  expect(hidden).toEqual(cells.map((_, index) => index % 2 === 0 || index === 17));
  // ECharts hides the label of a point without a symbol
  const symbols = [50, 61].map((count) =>
    readPath(buildTestChart('line', alphabet(count), { showDataLabels: true }).option, 'series', 0, 'showSymbol'),
  );
  expect(symbols).toEqual([true, false]);
});

it('keeps time labels short', () => {
  const label = (cells: Cells, at0: number, index: number) => {
    const formatter = readPath(
      buildTestChart('line', cells, { label: { nature: 'time' } }).option,
      'xAxis',
      'axisLabel',
      'formatter',
    );
    return typeof formatter === 'function' ? formatter(at0, index) : null;
  };
  const quarter: Cells = Array.from({ length: 120 }, (_, index) => [day(index), 1]);
  expect(label(quarter, Date.UTC(2026, 0, 1), 0)).toBe('Jan 2026');
  expect(label(quarter, Date.UTC(2026, 1, 1), 1)).toBe('Feb');
  expect(label(quarter, Date.UTC(2026, 1, 8), 2)).toBe('Feb 8');
  expect(label(quarter, Date.UTC(2026, 1, 8, 14, 30), 3)).toBe('14:30');
  const decade: Cells = Array.from({ length: 10 }, (_, index) => [`${2016 + index}-01-01`, 1]);
  expect(label(decade, Date.UTC(2020, 0, 1), 1)).toBe('2020');
});
