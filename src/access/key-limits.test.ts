import { expect, it } from 'vitest';
import { dayOf, narrower, nextDayAt } from './key-limits.ts';

it.each([
  [undefined, 0, 0],
  [undefined, 7, 7],
  [5, 0, 5],
  [5, 7, 5],
  [9, 7, 7],
])('of a key limit %s and the general limit %i, %i applies', (own, general, counts) => {
  expect(narrower(own, general)).toBe(counts);
});

it('starts a new day at midnight UTC', () => {
  const midnight = Date.UTC(2026, 10, 16);
  expect(dayOf(midnight) - dayOf(midnight - 1)).toBe(1);
  expect(nextDayAt(midnight - 1)).toBe(midnight);
  expect(nextDayAt(midnight)).toBe(midnight + 86_400_000);
});
