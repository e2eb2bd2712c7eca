import { describe, expect, it } from 'vitest';
import { alphabet, readPath, buildTestChart } from '../../../test/support/results/build-test-chart.ts';

describe('a polar area chart', () => {
  it('shows the ten largest values on rings up to a round number', () => {
    const { option, notes } = buildTestChart('polarArea', alphabet(12));
    expect(readPath(option, 'series', 0, 'data')).toHaveLength(10);
    expect(readPath(option, 'series', 0, 'roseType')).toBe('area');
    expect(readPath(option, 'radiusAxis', 'max')).toBe(12);
    expect(readPath(buildTestChart('polarArea', [['a', 6200]]).option, 'radiusAxis')).toMatchObject({
      max: 6200,
      interval: 2500,
    });
    expect(notes).toEqual(['The 10 largest of 12 labels are shown: 96.2% of the total.']);
  });
});
