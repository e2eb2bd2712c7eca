import { expect, test } from 'vitest';
import { castMoment } from './cast-moment.ts';

test.each([
  ['2026-01-31', 'date', '2026-01-31'],
  ['2024-02-29', 'date', '2024-02-29'],
  ['0001-01-01', 'date', '0001-01-01'],
  ['2026-01-31T00:00:00', 'date', '2026-01-31'],
  ['2026-02-01T02:00:00+02:00', 'date', '2026-02-01'],
  ['2026-01-31', 'datetime', '2026-01-31T00:00:00'],
  ['2026-01-31T09:30', 'datetime', '2026-01-31T09:30:00'],
  ['2026-01-31 09:30:15.1200', 'datetime', '2026-01-31T09:30:15.12'],
  ['0099-12-31t23:59:59.123456000', 'datetime', '0099-12-31T23:59:59.123456'],
  ['2026-01-31T23:30:00-02:00', 'datetime', '2026-02-01T01:30:00'],
  ['2026-01-01T00:30:00+0200', 'datetime', '2025-12-31T22:30:00'],
  ['2026-01-31T09:30:00Z', 'datetime', '2026-01-31T09:30:00'],
  ['2026-01-31T09:30:00', 'datetimeoffset', '2026-01-31T09:30:00Z'],
  ['2026-01-31 09:30:00.5 +02', 'datetimeoffset', '2026-01-31T07:30:00.5Z'],
  ['2026-01-31T09:30:00+05:45', 'datetimeoffset', '2026-01-31T03:45:00Z'],
  ['09:30', 'time', '09:30:00'],
  ['09:30:00.500', 'time', '09:30:00.5'],
  ['01:30:00+02:00', 'time', '23:30:00'],
  ['23:30:00-02:00', 'time', '01:30:00'],
] as const)('takes %s as %s', (text, type, value) => {
  expect(castMoment(text, type)).toEqual({ ok: true, value });
});

test.each([
  ['2026-02-30', 'date'],
  ['2026-02-29', 'date'],
  ['2026-13-01', 'date'],
  ['2026-00-10', 'date'],
  ['2026-01-00', 'date'],
  ['0000-01-01', 'date'],
  ['31.01.2026', 'date'],
  ['2026-1-31', 'date'],
  ['2026-01-31T00:00:01', 'date'],
  ['2026-01-31T00:00:00+02:00', 'date'],
  ['2026-01-31T24:00:00', 'datetime'],
  ['2026-06-30T23:59:60Z', 'datetime'],
  ['2026-01-31T09:60', 'datetime'],
  ['2026-01-31T09', 'datetime'],
  ['2026-01-31T09:30:00.1234567', 'datetime'],
  ['2026-01-31T09:30:00+15:00', 'datetimeoffset'],
  ['2026-01-31T09:30:00+02:60', 'datetimeoffset'],
  ['2026-01-31T09:30:00 Europe/Berlin', 'datetimeoffset'],
  ['0001-01-01T00:00:00+02:00', 'datetimeoffset'],
  ['9999-12-31T23:00:00-02:00', 'datetimeoffset'],
  ['24:00', 'time'],
  ['9:30', 'time'],
  ['09:30:00.1234567', 'time'],
  ['09:30:60', 'time'],
  ['2026-01-31T09:30:00', 'time'],
] as const)('refuses %s as %s', (text, type) => {
  expect(castMoment(text, type).ok).toBe(false);
});

test('names the expected form in its message', () => {
  expect(castMoment('2026-02-30', 'date')).toEqual({ ok: false, message: '"2026-02-30" is not a valid date. Write 2026-01-31.' });
});
