import { expect, test } from 'vitest';
import { daysOf, findNearestExpiration } from './expiration.ts';

test.each([
  [null, 'never'],
  [7, '7'],
  [10, '7'],
  [45, '30'],
  [365, '365'],
  [3650, '365'],
])('maps a lifetime of %s days to the option %s', (days, expiration) => {
  expect(findNearestExpiration(days)).toBe(expiration);
});

test('sends days as a number, and never as null', () => {
  expect([daysOf('30'), daysOf('never')]).toEqual([30, null]);
});
