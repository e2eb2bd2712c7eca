import { describe, expect, it } from 'vitest';
import { alphabet, at, built, type Cells } from '../../../test/support/results/built-chart.ts';

const names = (data: unknown) => (Array.isArray(data) ? data.map(({ name }) => name) : []);

describe('a treemap', () => {
  it('shows at most 120 leaves, and groups the others if they are a small part', () => {
    const steep: Cells = Array.from({ length: 200 }, (_, index) => [`l${index}`, 1e6 / (index + 1) ** 2]);
    expect(names(at(built('treemap', steep).option, 'series', 0, 'data'))).toContain('Other (81)');
    const { option, notes } = built(
      'treemap',
      Array.from({ length: 1000 }, (_, index) => [`l${index}`, 5] as const),
    );
    expect(at(option, 'series', 0, 'data')).toHaveLength(120);
    expect(notes).toEqual(['The 120 largest of 1,000 labels are shown: 12% of the total.']);
  });

  it('gives few leaves individual colours and many a colour scale', () => {
    const colours = (count: number) => {
      const data = at(built('treemap', alphabet(count)).option, 'series', 0, 'data');
      return new Set(Array.isArray(data) ? data.map(({ itemStyle }) => itemStyle.color) : []).size;
    };
    expect(colours(9)).toBe(9);
    expect(colours(10)).toBeGreaterThan(5);
  });
});
