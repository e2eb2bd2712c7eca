import dayjs from 'dayjs';
import { expect, test } from 'vitest';
import { auditQuery, exactTime } from './audit-query.ts';

test('a day is the reader’s own day, from its beginning to its end', () => {
  expect(exactTime('2026-11-15', 'start')).toBe(dayjs('2026-11-15T00:00:00.000').toISOString());
  expect(exactTime('2026-11-15', 'end')).toBe(dayjs('2026-11-15T23:59:59.999').toISOString());
});

test('a time without an offset is the reader’s, one with an offset stays', () => {
  expect(exactTime('2026-11-15T10:30', 'start')).toBe(dayjs('2026-11-15T10:30:00.000').toISOString());
  expect(exactTime('2026-11-15T10:30:00Z', 'start')).toBe('2026-11-15T10:30:00Z');
});

test('what is no time is left for the service to refuse', () => {
  expect(exactTime('yesterday', 'start')).toBe('yesterday');
});

test('words that the service does not know, and other words of the address, are not sent', () => {
  expect(auditQuery({ channel: 'mcp', outcome: 'splendid', user: 'rosa', search: '', page: '2' })).toEqual({
    channel: 'mcp',
    user: 'rosa',
  });
});
