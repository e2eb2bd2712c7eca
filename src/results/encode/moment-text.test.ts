import { expect, it } from 'vitest';
import { type Moment, readDate, readMoment } from './moment-text.ts';

const dateOf = (text: string) => readDate(Buffer.from(text), 0, text.length);
const momentOf = (text: string): Moment | undefined => {
  const moment = { days: 0, seconds: 0, nanos: 0 };
  return readMoment(Buffer.from(text), 0, text.length, moment) ? moment : undefined;
};

it('counts days like JavaScript, also before 1970 and for years beyond four digits', () => {
  for (const text of [
    '1970-01-01',
    '1969-12-31',
    '2000-02-29',
    '1900-03-01',
    '0000-01-01',
    '9999-12-31',
    '+012026-06-30',
    '-000044-03-15',
  ]) {
    expect(dateOf(text), text).toBe(Date.parse(text) / 86_400_000);
  }
});

it('parses times with fractions, and converts zones to UTC', () => {
  expect(momentOf('1970-01-02T09:30:00.123')).toEqual({ days: 1, seconds: 34_200, nanos: 123_000_000 });
  expect(momentOf('1970-01-02 09:30:00')).toEqual({ days: 1, seconds: 34_200, nanos: 0 });
  expect(momentOf('1970-01-02T09:30')).toEqual({ days: 1, seconds: 34_200, nanos: 0 });
  expect(momentOf('1970-01-02T09:30:00.123456789Z')).toEqual({ days: 1, seconds: 34_200, nanos: 123_456_789 });
  expect(momentOf('1970-01-02T00:30:00+02:00')).toEqual({ days: 0, seconds: 81_000, nanos: 0 });
  expect(momentOf('1970-01-01T23:30:00-01')).toEqual({ days: 1, seconds: 1800, nanos: 0 });
});

it('rejects text that is not a date', () => {
  const others = [
    '',
    'infinity',
    '0000-00-00',
    '2026-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-1-1',
    '20260131',
    '2026-01-31x',
    '2026-01-3a',
    '1700000000',
  ];
  for (const text of others) expect(dateOf(text), text).toBeUndefined();
  expect(dateOf('2026-01-31T09:30:00')).toBeUndefined();
  const times = [
    '2026-01-31T',
    '2026-01-31T25:00:00',
    '2026-01-31T09:60:00',
    '2026-01-31T09:30:00.',
    '2026-01-31T09:30:00.1234567890',
    '2026-01-31T09:30:00 BC',
    '2026-01-31T09:30:0',
  ];
  for (const text of times) expect(momentOf(text), text).toBeUndefined();
});
