import { expect, test } from 'vitest';
import { limitsText, usageText } from './key-use.tsx';

const none = { callsPerSecond: null, rowsPerDay: null, concurrent: null };

test.each([
  [1, null, '1 row'],
  [0, null, '0 rows'],
  [12_345, null, '12,345 rows'],
  [1, 100_000, '1 of 100,000 rows'],
])('formats %i rows and a daily limit of %s as %s', (rowsToday, rowsPerDay, text) => {
  expect(usageText({ rowsToday, limits: { ...none, rowsPerDay } })).toBe(text);
});

test.each([
  [null, null, ''],
  [1, null, '1 call per second'],
  [50, 2, '50 calls per second, 2 at a time'],
  [null, 1, '1 at a time'],
])('formats %s calls per second and %s at a time as %s', (callsPerSecond, concurrent, text) => {
  expect(limitsText({ ...none, callsPerSecond, concurrent })).toBe(text);
});
