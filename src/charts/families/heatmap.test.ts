import { describe, expect, it } from 'vitest';
import { alphabet, readPath, buildTestChart, type Cells } from '../../../test/support/results/build-test-chart.ts';

const label = { nature: 'time' } as const;
const days = (count: number, value = (index: number) => index): Cells =>
  Array.from({ length: count }, (_, index) => [new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10), value(index)]);

describe('a heatmap of dates', () => {
  it('is a calendar of weekdays and weeks', () => {
    const { option } = buildTestChart('heatmap', days(30), { label });
    expect(readPath(option, 'yAxis', 'data')).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']);
    expect(readPath(option, 'xAxis', 'data')).toEqual(['Dec 29', 'Jan 5', 'Jan 12', 'Jan 19', 'Jan 26']);
    expect(readPath(option, 'series', 0, 'data', 0, 'value')).toEqual([0, 3, 0]); // 1 January 2026 is a Thursday
    expect(readPath(option, 'series', 0, 'data', 5, 'value')).toEqual([1, 1, 5]);
  });

  it('is a calendar of months and years for long periods', () => {
    const { option, notes } = buildTestChart('heatmap', days(800), { label });
    expect(readPath(option, 'yAxis', 'data')).toEqual(['2026', '2027', '2028']);
    expect(readPath(option, 'xAxis', 'data')).toHaveLength(12);
    expect(notes).toEqual(['Sum of 800 rows by month.']);
  });

  it('adds up rows of the same day', () => {
    const { option, notes, drawn } = buildTestChart('heatmap', [...days(20), ...days(20)], { label });
    expect(drawn).toBe(20);
    expect(readPath(option, 'series', 0, 'data', 19, 'value', 2)).toBe(38);
    expect(notes).toEqual(['Sum of 40 rows by day.']);
  });

  it('starts weeks on Monday before 1970, too', () => {
    const cells: Cells = Array.from({ length: 20 }, (_, index) => [
      new Date(Date.UTC(1969, 11, 1 + index)).toISOString().slice(0, 10),
      1,
    ]); // 1 December 1969 was a Monday
    expect(readPath(buildTestChart('heatmap', cells, { label }).option, 'series', 0, 'data', 0, 'value')).toEqual([0, 0, 1]);
  });
});

it('shows repeated labels as one line each', () => {
  const cells: Cells = [
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ];
  const { option } = buildTestChart('heatmap', cells, { aggregate: 'none' });
  expect(readPath(option, 'yAxis', 'data')).toEqual(['a', 'b']);
  expect(readPath(option, 'xAxis', 'data')).toEqual(['1', '2']);
  expect(readPath(option, 'series', 0, 'data', 2, 'value')).toEqual([1, 0, 3]);
});

it('shows other labels as named tiles', () => {
  const { option } = buildTestChart('heatmap', alphabet(8));
  expect(readPath(option, 'xAxis', 'show')).toBe(false);
  expect(readPath(option, 'series', 0, 'label', 'show')).toBe(true);
  expect(buildTestChart('heatmap', alphabet(700)).notes).toEqual(['The first 600 of 700 rows are shown.']);
});

it('limits lines and their length', () => {
  const cells: Cells = [...Array.from({ length: 70 }, (_, index) => ['a', index] as const), ...alphabet(50)];
  expect(buildTestChart('heatmap', cells, { aggregate: 'none' }).notes).toEqual([
    'The first 40 of 51 labels are shown.',
    'The first 60 rows of each label are shown, of up to 70.',
  ]);
});

it('uses a diverging scale for mixed signs', () => {
  const range = (values: readonly number[]) => {
    const { option } = buildTestChart(
      'heatmap',
      values.map((value, index) => [`l${index}`, value] as const),
    );
    return [readPath(option, 'visualMap', 'min'), readPath(option, 'visualMap', 'max')];
  };
  expect(range([-5, 3])).toEqual([-5, 5]);
  expect(range([2, 8])).toEqual([2, 8]);
  expect(range([4, 4])).toEqual([0, 4]);
  expect(range([-4, -4])).toEqual([-4, -3]);
});

it('prints both ends of the color scale in a readable unit', () => {
  const ends = (...values: readonly number[]) => {
    const rows = values.map((value, index) => [`l${index}`, value] as const);
    return readPath(buildTestChart('heatmap', [...rows, ['l0', values[0]]], { aggregate: 'none' }).option, 'visualMap', 'text');
  };
  expect(ends(22, 21_600)).toEqual(['21,600', '22']);
  expect(ends(12_000, 21_600)).toEqual(['21.6K', '12.0K']);
  expect(ends(0, 21_600)).toEqual(['21.6K', '0']);
});

it('shows the color scale instead of a legend', () => {
  const ramp = (more: object) => readPath(buildTestChart('heatmap', alphabet(8), more).option, 'visualMap');
  expect(ramp({ legendPosition: 'right' })).toMatchObject({ show: true, orient: 'vertical', right: 20 });
  expect(ramp({ legendPosition: 'top' })).toMatchObject({ orient: 'horizontal', top: expect.any(Number) });
  expect(ramp({ showLegend: false })).toMatchObject({ show: false });
});

it('shortens its color scale on a narrow surface', () => {
  const scaleOf = (width: number) =>
    Number(readPath(buildTestChart('heatmap', alphabet(30), { surface: { width } }).option, 'visualMap', 'itemHeight'));
  expect(scaleOf(600)).toBe(160);
  expect(scaleOf(200)).toBeLessThan(150);
});
