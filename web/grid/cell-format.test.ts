import { expect, test } from 'vitest';
import type { ColumnFormat } from '../../src/core/column-format.ts';
import { cellFormat } from './cell-format.ts';

const shown = (
  label: string,
  kind: string,
  values: readonly unknown[],
  more: { readonly name?: string; readonly type?: string; readonly class?: 'categorical'; readonly format?: ColumnFormat } = {},
) => {
  const column = { label, kind, type: '', ...more };
  const rows = values.map((value) => ({ [label]: value }));
  return values.map((value) => cellFormat(column, rows)(value).text);
};

test('groups the digits of numbers, and keeps every digit and the scale', () => {
  expect(shown('Units', 'integer', [1234, -5, null])).toEqual(['1,234', '-5', 'NULL']);
  expect(shown('Units', 'integer', ['9007199254740993'])).toEqual(['9,007,199,254,740,993']);
  const money = { type: 'DECIMAL(30,2)' };
  expect(shown('Revenue', 'decimal', [1234.5, '12345678901234567890.12'], money)).toEqual([
    '1,234.50',
    '12,345,678,901,234,567,890.12',
  ]);
});

test.each([
  ...[
    'id',
    'Order ID',
    'order_id',
    'orderId',
    'CUSTOMERID',
    'custno',
    'Order number',
    'Fiscal year',
    'Zip',
    'Postcode',
    'product_key',
  ],
])('does not group the digits of %s', (label) => {
  expect(shown(label, 'integer', [12345, 7])).toEqual(['12345', '7']);
});

test.each(['Paid', 'Number of customers', 'Bid', 'Year to date', 'Units', 'Amount', 'Void'])(
  'groups the digits of %s',
  (label) => {
    expect(shown(label, 'integer', [12345])).toEqual(['12,345']);
  },
);

test('does not group columns that hold years, that the database calls an id, or that the author made categorical', () => {
  expect(shown('Period', 'integer', [2023, 2024, null])).toEqual(['2023', '2024', 'NULL']);
  expect(shown('Period', 'integer', [2023, 2500])).toEqual(['2,023', '2,500']);
  expect(shown('Customer', 'integer', [12345], { name: 'customer_id' })).toEqual(['12345']);
  expect(shown('Customer', 'integer', [12345], { class: 'categorical' })).toEqual(['12345']);
});

test('rounds floating point numbers for reading only, and says so', () => {
  const format = cellFormat({ label: 'Average', kind: 'float', type: 'DOUBLE' }, []);
  expect(format(1234.333333333333)).toEqual({ text: '1,234.333333', nature: 'number', isRounded: true });
  expect(format(0.1 + 0.2)).toMatchObject({ text: '0.3', isRounded: true });
  expect(format(0.0000123456789)).toMatchObject({ text: '0.0000123457', isRounded: true });
  expect(format(12.5)).toEqual({ text: '12.5', nature: 'number' });
  expect([format(1e21).text, format(0).text, format(-0.5).text]).toEqual(['1e+21', '0', '-0.5']);
});

test('shows dates and times in the American style', () => {
  expect(shown('Day', 'date', ['2026-01-31', 'infinity', '12026-01-31'])).toEqual(['Jan 31, 2026', 'infinity', '12026-01-31']);
  expect(shown('At', 'timestamp', ['2026-01-31T09:30:05.123456', '2026-01-31T09:30:05'])).toEqual([
    'Jan 31, 2026, 9:30:05.123456 AM',
    'Jan 31, 2026, 9:30:05 AM',
  ]);
  expect(shown('At', 'timestamp', ['2026-01-31T09:30:00', null])).toEqual(['Jan 31, 2026, 9:30 AM', 'NULL']);
  expect(shown('Month', 'timestamp', ['2026-01-01T00:00:00', '2026-02-01T00:00:00'])).toEqual(['Jan 1, 2026', 'Feb 1, 2026']);
  expect(shown('At', 'timestamptz', ['2026-01-31T09:30:05Z'])[0]).toMatch(/^Jan 31, 2026, \d{1,2}:30:05 [AP]M \S+/);
});

test('leaves texts, booleans and times of day as they are', () => {
  expect(shown('Text', 'text', ['1234', ''])).toEqual(['1234', '']);
  expect(shown('Open', 'boolean', [true])).toEqual(['true']);
  expect(shown('From', 'time', ['09:30:00'])).toEqual(['09:30:00']);
});

test('shows numbers in the format of their author', () => {
  const euros: ColumnFormat = { kind: 'currency', currency: 'EUR' };
  expect(
    shown('Revenue', 'decimal', [1234.5, '12345678901234567890.12', null], { type: 'DECIMAL(30,2)', format: euros }),
  ).toEqual(['€1,234.50', '€12,345,678,901,234,567,890.12', 'NULL']);
  expect(shown('Share', 'float', [0.25], { format: { kind: 'percent' } })).toEqual(['25%']);
  expect(shown('Weight', 'float', [1234.5, 2], { format: { kind: 'number', unit: 'kg' } })).toEqual(['1,234.5 kg', '2 kg']);
  expect(shown('Order number', 'integer', [12345], { format: { kind: 'number' } })).toEqual(['12,345']);
  expect(shown('Customer', 'integer', [12345], { format: { kind: 'id' } })).toEqual(['12345']);
  expect(shown('Note', 'text', ['12'], { format: euros })).toEqual(['12']);
});

test('keeps the value of a cell that its format rounds or shows in another unit', () => {
  const cell = (format: ColumnFormat, value: unknown) => cellFormat({ label: 'a', kind: 'float', type: '', format }, [])(value);
  expect(cell({ kind: 'currency', currency: 'EUR' }, 12.345)).toMatchObject({ text: '€12.35', isRounded: true });
  expect(cell({ kind: 'currency', currency: 'EUR' }, 12.3)).toMatchObject({ text: '€12.30', isRounded: false });
  expect(cell({ kind: 'percent' }, 0.25)).toMatchObject({ text: '25%', isRounded: true });
});
