import { describe, expect, it } from 'vitest';
import { alphabet, at, built } from '../../../test/support/results/built-chart.ts';

describe('a polar area chart', () => {
  it('shows the ten largest values on rings up to a round number', () => {
    const { option, notes } = built('polarArea', alphabet(12));
    expect(at(option, 'series', 0, 'data')).toHaveLength(10);
    expect(at(option, 'series', 0, 'roseType')).toBe('area');
    expect(at(option, 'radiusAxis', 'max')).toBe(12);
    expect(at(built('polarArea', [['a', 6200]]).option, 'radiusAxis')).toMatchObject({ max: 6200, interval: 2500 });
    expect(notes).toEqual(['The 10 largest of 12 labels are shown: 96% of the total.']);
  });
});
