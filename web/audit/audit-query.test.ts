import dayjs from 'dayjs';
import { expect, test } from 'vitest';
import { auditQuery, toExactTime } from './audit-query.ts';

test('expands a day to its start and end in the local time zone', () => {
  expect(toExactTime('2026-11-15', 'start')).toBe(dayjs('2026-11-15T00:00:00.000').toISOString());
  expect(toExactTime('2026-11-15', 'end')).toBe(dayjs('2026-11-15T23:59:59.999').toISOString());
});

test('treats a time without an offset as local, and keeps one with an offset', () => {
  expect(toExactTime('2026-11-15T10:30', 'start')).toBe(dayjs('2026-11-15T10:30:00.000').toISOString());
  expect(toExactTime('2026-11-15T10:30:00Z', 'start')).toBe('2026-11-15T10:30:00Z');
});

test('passes an invalid time on to the service', () => {
  expect(toExactTime('yesterday', 'start')).toBe('yesterday');
});

test('does not send unknown values or other search parameters', () => {
  expect(auditQuery({ channel: 'mcp', outcome: 'splendid', user: 'rosa', search: '', page: '2' })).toEqual({
    channel: 'mcp',
    user: 'rosa',
  });
});
