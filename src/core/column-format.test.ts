import { describe, expect, it } from 'vitest';
import { cellText, type ColumnFormat, valueText } from './column-format.ts';

const text = (value: unknown, format: ColumnFormat) => cellText(value, format);

describe('a value', () => {
  it.each<[string, unknown, ColumnFormat]>([
    ['€1,590,477.67', 1_590_477.67, { kind: 'currency', currency: 'EUR' }],
    ['-€5.00', -5, { kind: 'currency', currency: 'EUR' }],
    ['CHF 12.00', 12, { kind: 'currency', currency: 'CHF' }],
    ['¥1,200', 1200, { kind: 'currency', currency: 'JPY' }],
    ['$3', 2.5, { kind: 'currency', currency: 'USD', decimals: 0 }],
    ['1,234.50', '1234.5', { kind: 'currency' }],
    ['€12,345,678,901,234,567,890.12', '12345678901234567890.12', { kind: 'currency', currency: 'EUR' }],
    ['25%', 0.25, { kind: 'percent' }],
    ['12.5%', '0.125', { kind: 'percent' }],
    ['12.50%', 0.125, { kind: 'percent', decimals: 2 }],
    ['0%', -0.0001, { kind: 'percent' }],
    ['1,234.5', 1234.5, { kind: 'number' }],
    ['1,234.500 kg', '1234.5', { kind: 'number', decimals: 3, unit: 'kg' }],
    ['999 B', 999, { kind: 'bytes' }],
    ['1 kB', 1000, { kind: 'bytes' }],
    ['340.5 MB', 340_500_000, { kind: 'bytes' }],
    ['1:23:45', 5025, { kind: 'duration' }],
    ['0:00:12.5', 12.5, { kind: 'duration' }],
    ['0:01:00', 59.9996, { kind: 'duration' }],
    ['-52:00:00', -187_200, { kind: 'duration' }],
    ['10078', 10078, { kind: 'id' }],
    ['2026', 2026, { kind: 'text' }],
    ['n/a', 'n/a', { kind: 'currency', currency: 'EUR' }],
    ['', null, { kind: 'percent' }],
    ['true', true, { kind: 'number' }],
  ])('reads %s', (expected, value, format) => {
    expect(text(value, format)).toBe(expected);
  });
});

it('writes a column of numbers without decimals of its own as the column needs', () => {
  expect(valueText({ kind: 'number', unit: 'm' }, { least: 2, most: 2 })(5)).toBe('5.00 m');
});
