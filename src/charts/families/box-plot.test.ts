import { expect, it } from 'vitest';
import { alphabet, readPath, buildTestChart, type Cells } from '../../../test/support/results/build-test-chart.ts';

it('draws a box for each repeated label, and outliers as dots', () => {
  const cells: Cells = [...[1, 2, 3, 4, 90].map((value) => ['a', value] as const), ['b', 5], ['b', 7]];
  const { option, drawn } = buildTestChart('boxPlot', cells);
  expect(drawn).toBe(2);
  expect(readPath(option, 'xAxis', 'data')).toEqual(['a', 'b']);
  expect(readPath(option, 'series', 1)).toMatchObject({ type: 'scatter', name: 'Outliers', data: [[0, 90]] });
});

it('draws a single box if no label is repeated', () => {
  const { option, notes } = buildTestChart('boxPlot', alphabet(8));
  expect(readPath(option, 'xAxis', 'data')).toEqual(['All rows']);
  expect(notes).toEqual(['No “Label” occurs twice: one box shows all 8 rows.']);
});

it('draws at most forty boxes', () => {
  const { drawn, notes } = buildTestChart('boxPlot', [...alphabet(50), ...alphabet(50)]);
  expect(drawn).toBe(40);
  expect(notes).toEqual(['The first 40 of 50 labels are shown.']);
});
