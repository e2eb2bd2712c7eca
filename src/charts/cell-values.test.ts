import { describe, expect, it } from 'vitest';
import { createClockReader, labelText, toPrintable, toNumber, toTime } from './cell-values.ts';

describe('toNumber', () => {
  it.each<[unknown, number | null]>([
    [12.5, 12.5],
    ['12.50', 12.5],
    [' -3e2 ', -300],
    ['.5', 0.5],
    [12n, 12],
    [true, 1],
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['1e-310', 0],
    ['1e301', null],
    ['Infinity', null],
    [Number.NaN, null],
    ['n/a', null],
    ['0x10', null],
    ['', null],
    [null, null],
    [{}, null],
  ])('reads %s as %s', (value, expected) => {
    expect(toNumber(value)).toBe(expected);
  });
});

describe('a clock reader', () => {
  it.each([
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T02:30:00', '2026-03-01T02:30:00.000Z'],
    ['2026-03-01 02:30:00.5', '2026-03-01T02:30:00.500Z'],
    ['2026-03-01T02:30:00Z', '2026-02-28T21:30:00.000Z'],
    ['2026-03-01T02:30:00.5+02:00', '2026-02-28T19:30:00.500Z'],
    ['2026-03-01 02:30-05', '2026-03-01T02:30:00.000Z'],
  ])('moves only times that have a zone: %s', (value, expected) => {
    const read = createClockReader((instant) => instant - 5 * 3_600_000);
    expect(new Date(read(value) ?? Number.NaN).toISOString()).toBe(expected);
  });
});

describe('toTime', () => {
  it.each<[unknown, string | null]>([
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2026-02-28T14:30:00', '2026-02-28T14:30:00.000Z'],
    ['2026-02-28 14:30:00.123456', '2026-02-28T14:30:00.123Z'],
    ['2026-02-28T14:30:00+02:00', '2026-02-28T12:30:00.000Z'],
    ['2026-02-28 14:30:00+0200', '2026-02-28T12:30:00.000Z'],
    ['2026-02-28 14:30:00+02', '2026-02-28T12:30:00.000Z'],
    ['2026-13-01', null],
    ['14:30:00', null],
    ['2026', null],
    [20260228, null],
    [null, null],
  ])('reads %s as %s', (value, expected) => {
    const at = toTime(value);
    expect(at === null ? null : new Date(at).toISOString()).toBe(expected);
  });
});

describe('labelText', () => {
  it('has texts for null, empty and other values', () => {
    expect([null, undefined, '', '  ', true, false, 7, { a: 1 }].map(labelText)).toEqual([
      '(no value)',
      '(no value)',
      '(empty)',
      '(empty)',
      'Yes',
      'No',
      '7',
      '{"a":1}',
    ]);
  });

  it('removes characters that XML does not allow', () => {
    expect(toPrintable('a\u0000b\nc\ud800d\uffffe\u2028f')).toBe('a b c\ufffdd e f');
  });
});
