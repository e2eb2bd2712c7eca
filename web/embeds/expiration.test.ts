import { expect, test } from 'vitest';
import { daysOf, nearestExpiration } from './expiration.ts';

test.each([
  [null, 'never'],
  [7, '7'],
  [10, '7'],
  [45, '30'],
  [365, '365'],
  [3650, '365'],
])('a lifetime of %s days is offered as %s', (days, expiration) => {
  expect(nearestExpiration(days)).toBe(expiration);
});

test('days are sent as a number, and never as a word', () => {
  expect([daysOf('30'), daysOf('never')]).toEqual([30, 'never']);
});
