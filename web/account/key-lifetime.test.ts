import { expect, test } from 'vitest';
import { daysLeftText, daysOf, endOf } from './key-lifetime.ts';

const now = Date.parse('2026-11-15T10:00:00Z');

test('converts a preset to days, never to null, and a custom lifetime to the typed number', () => {
  expect([daysOf('60', 5), daysOf('never', 5), daysOf('custom', 5), daysOf('custom', '')]).toEqual([60, null, 5, undefined]);
});

test.each([
  [30, null, '2026-12-15T10:00:00.000Z'],
  [null, null, undefined],
  [null, '2027-01-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
  [365, '2027-01-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
  [10, '2027-01-01T00:00:00Z', '2026-11-25T10:00:00.000Z'],
])('a key for %s days of an account that expires %s expires %s', (days, accountEnd, end) => {
  expect(endOf(days, accountEnd, now)?.toISOString()).toBe(end);
});

test.each([
  ['2027-02-13T09:59:58Z', 'in 90 days'],
  ['2026-11-16T10:00:00Z', 'in 1 day'],
  ['2026-11-15T12:00:00Z', 'in less than a day'],
])('describes %s as %s', (expiresAt, text) => {
  expect(daysLeftText(expiresAt, now)).toBe(text);
});
