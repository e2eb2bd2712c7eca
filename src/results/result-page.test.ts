import { describe, expect, it } from 'vitest';
import { rowsThatFit } from './result-page.ts';

describe('rowsThatFit', () => {
  const ends = [10, 20, 30, 40];

  it('counts rows without the last comma', () => {
    expect(rowsThatFit(0, ends, 29)).toBe(3);
    expect(rowsThatFit(0, ends, 28)).toBe(2);
    expect(rowsThatFit(0, ends, 1000)).toBe(4);
  });

  it('accepts one row of any size', () => {
    expect(rowsThatFit(0, ends, 1)).toBe(1);
  });

  it('returns 0 without rows', () => {
    expect(rowsThatFit(0, [], 100)).toBe(0);
  });

  it('returns the same as counting one by one', () => {
    for (let cap = 0; cap < 50; cap++) {
      let count = 1;
      while (count < ends.length && (ends[count] ?? 0) - 5 - 1 <= cap) count++;
      expect(rowsThatFit(5, ends, cap)).toBe(count);
    }
  });
});
