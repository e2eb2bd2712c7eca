import { expect, test } from 'vitest';
import { relativePresets, previewRelative } from './relative-moments.ts';

const now = Date.parse('2026-11-15T23:30:00Z');

test('previews the date of every preset in the time zone of the service', () => {
  const shown = relativePresets.map(({ expression }) => previewRelative(expression, 'date', 'UTC', now));
  expect(shown.slice(0, 4)).toEqual(['2026-11-15', '2026-11-14', '2026-11-08', '2026-10-16']);
  for (const each of shown) expect(each).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(previewRelative('today', 'datetime', 'Europe/Berlin', now)).toBe('2026-11-16 00:00:00');
});

test('previews nothing for a date, and the problem of a wrong expression', () => {
  expect(previewRelative('2026-11-15', 'date', 'UTC', now)).toBeNull();
  expect(previewRelative('', 'date', 'UTC', now)).toBeNull();
  expect(previewRelative('today-7', 'date', 'UTC', now)).toContain('not a valid relative moment');
});
