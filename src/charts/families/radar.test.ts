import { expect, it } from 'vitest';
import { alphabet, at, built } from '../../../test/support/results/built-chart.ts';

it('requires three labels', () => {
  expect(built('radar', alphabet(2))).toMatchObject({
    empty: true,
    description: expect.stringContaining('three labels or more'),
  });
  expect(built('radar', alphabet(3)).empty).toBe(false);
});

it('has an axis for each of the first sixteen labels', () => {
  const { option, notes } = built('radar', alphabet(20));
  expect(at(option, 'radar', 'indicator')).toHaveLength(16);
  expect(at(option, 'series', 0, 'data', 0, 'value')).toHaveLength(16);
  expect(notes).toEqual(['The first 16 of 20 labels are shown.']);
});

it('starts at zero, or at a round number below the lowest value', () => {
  const scale = (values: readonly number[]) => {
    const { option } = built(
      'radar',
      values.map((value, index) => [`l${index}`, value] as const),
    );
    return [
      at(option, 'radar', 'indicator', 0, 'min'),
      at(option, 'radar', 'indicator', 0, 'max'),
      at(option, 'radar', 'splitNumber'),
    ];
  };
  expect(scale([10, 20, 96])).toEqual([0, 100, 4]);
  expect(scale([-7, 20, 96])).toEqual([-50, 100, 3]);
  expect(scale([-7, -8, -9])).toEqual([-10, -5, 2]);
});
