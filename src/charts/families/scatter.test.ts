import { expect, it } from 'vitest';
import { readPath, buildTestChart } from '../../../test/support/results/build-test-chart.ts';
import { chartConfigDefaults } from '../../core/chart-config.ts';
import { rendererFor } from '../echarts.ts';

it('draws rows with the same label side by side', () => {
  const { option, drawn } = buildTestChart('scatter', [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['a', null],
  ]);
  expect(readPath(option, 'series', 0, 'data')).toEqual([
    [0, 1],
    [1, 2],
    [expect.closeTo(0.059), 3],
  ]);
  expect(readPath(option, 'xAxis', 0)).toMatchObject({ type: 'category', data: ['a', 'b'] });
  expect(readPath(option, 'xAxis', 1)).toMatchObject({ min: -0.5, max: 1.5, show: false });
  expect(drawn).toBe(3);
});

it('places numbers and times at their position', () => {
  const axis = (cells: Parameters<typeof buildTestChart>[1], label: object) => {
    const { option } = buildTestChart('scatter', cells, { label });
    return [readPath(option, 'xAxis', 'type'), readPath(option, 'series', 0, 'data', 0)];
  };
  expect(axis([['2.5', 1]], { class: 'numeric', nature: 'number' })).toEqual(['value', [2.5, 1]]);
  expect(axis([['2026-01-01', 1]], { nature: 'time' })).toEqual(['time', [Date.UTC(2026, 0, 1), 1]]);
});

it('notes how many rows lack a position or a value', () => {
  const { notes } = buildTestChart(
    'scatter',
    [
      [1, 1],
      [null, 2],
      [3, null],
    ],
    { label: { class: 'numeric', nature: 'number' } },
  );
  expect(notes).toEqual(['1 row has no “Value”.', '1 row without “Label” is not shown.']);
});

it('uses a canvas for thousands of dots', () => {
  const config = { ...chartConfigDefaults, chartType: 'scatter', labelColumn: 'Label', dataColumn: 'Value' } as const;
  const dots = (count: number) =>
    buildTestChart(
      'scatter',
      Array.from({ length: count }, (_, index) => [index, index]),
      { label: { class: 'numeric' } },
    );
  expect(rendererFor(dots(2000), config)).toBe('svg');
  expect(rendererFor(dots(2001), config)).toBe('canvas');
  expect(rendererFor(dots(2001), { ...config, chartType: 'line' })).toBe('svg');
});
