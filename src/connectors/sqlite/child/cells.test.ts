import { expect, test } from 'vitest';
import { formatMoment } from './cells.ts';

test.each([
  ['2026-01-31 09:30:00', '2026-01-31T09:30:00'],
  ['2026-01-31 09:30:00.120', '2026-01-31T09:30:00.12'],
  ['2026-01-31T09:30:00.000', '2026-01-31T09:30:00'],
  ['2026-01-31 09:30:00Z', '2026-01-31T09:30:00Z'],
  ['2026-01-31', '2026-01-31'],
  ['31.01.2026 09:30', '31.01.2026 09:30'],
  ['', ''],
])('%s in a column without a zone is shown as %s', (stored, shown) => {
  expect(formatMoment(stored, 'timestamp')).toBe(shown);
});

test.each([
  ['2026-01-31 09:30:00', '2026-01-31T09:30:00Z'],
  ['2026-01-31 09:30:00.5+02:00', '2026-01-31T07:30:00.5Z'],
  ['2026-01-01 00:30:00.123456+01:00', '2025-12-31T23:30:00.123456Z'],
  ['2026-13-31 09:30:00+02:00', '2026-13-31 09:30:00+02:00'],
  ['soon', 'soon'],
])('%s in a column with a zone is shown as %s', (stored, shown) => {
  expect(formatMoment(stored, 'timestamptz')).toBe(shown);
});
