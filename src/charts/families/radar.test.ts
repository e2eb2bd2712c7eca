import { expect, it } from 'vitest';
import { alphabet, readPath, buildTestChart } from '../../../test/support/results/build-test-chart.ts';

it('requires three labels', () => {
  expect(buildTestChart('radar', alphabet(2))).toMatchObject({
    empty: true,
    description: expect.stringContaining('three labels or more'),
  });
  expect(buildTestChart('radar', alphabet(3)).empty).toBe(false);
});

it('has an axis for each of the first sixteen labels', () => {
  const { option, notes } = buildTestChart('radar', alphabet(20));
  expect(readPath(option, 'radar', 'indicator')).toHaveLength(16);
  expect(readPath(option, 'series', 0, 'data', 0, 'value')).toHaveLength(16);
  expect(notes).toEqual(['The first 16 of 20 labels are shown.']);
});

it('starts at zero, or at a round number below the lowest value', () => {
  const scale = (values: readonly number[]) => {
    const { option } = buildTestChart(
      'radar',
      values.map((value, index) => [`l${index}`, value] as const),
    );
    return [
      readPath(option, 'radar', 'indicator', 0, 'min'),
      readPath(option, 'radar', 'indicator', 0, 'max'),
      readPath(option, 'radar', 'splitNumber'),
    ];
  };
  expect(scale([10, 20, 96])).toEqual([0, 100, 4]);
  expect(scale([-7, 20, 96])).toEqual([-50, 100, 3]);
  expect(scale([-7, -8, -9])).toEqual([-10, -5, 2]);
});
