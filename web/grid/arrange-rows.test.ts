import { expect, test } from 'vitest';
import { type Arrangement, arrangeRows, asDelivered } from './arrange-rows.ts';
import { cellFormat } from './cell-format.ts';

const columns = [
  { label: 'name', kind: 'text', type: '' },
  { label: 'amount', kind: 'decimal', type: 'DECIMAL(12,2)' },
  { label: 'day', kind: 'timestamp', type: '' },
];
const rows = [
  { name: 'Zoë', amount: 1234.5, day: '2026-01-31T09:00:00' },
  { name: 'item 10', amount: -2, day: '2026-02-01T00:00:00' },
  { name: 'item 9', amount: null, day: null },
  { name: '', amount: '12345678901234567890.12', day: '2025-12-31T23:59:59' },
  { name: null, amount: '12345678901234567890.13', day: '2026-01-31T10:00:00' },
];
const arranged = (some: Partial<Arrangement>, searched = columns) =>
  arrangeRows(rows, { all: columns, searched }, { ...asDelivered, ...some }, (column) => cellFormat(column, rows));
const sorted = (label: string, descending = false) => arranged({ sort: { label, descending } });
const filtered = (label: string, filter: string) => arranged({ filters: { [label]: filter } });

test('takes no filter from a column that is named like a property of every object', () => {
  const all = [{ label: 'constructor', kind: 'text', type: '' }];
  expect(arrangeRows([{ constructor: 'a' }], { all, searched: all }, asDelivered, (column) => cellFormat(column, []))).toEqual([
    0,
  ]);
});

test('keeps the order of the result unless it is sorted', () => {
  expect(arranged({})).toEqual([0, 1, 2, 3, 4]);
  expect(sorted('gone')).toEqual([0, 1, 2, 3, 4]);
});

test('sorts texts naturally, numbers with all their digits, and dates, with NULL last in both directions', () => {
  expect(sorted('name')).toEqual([3, 2, 1, 0, 4]);
  expect(sorted('name', true)).toEqual([0, 1, 2, 3, 4]);
  expect(sorted('amount')).toEqual([1, 0, 3, 4, 2]);
  expect(sorted('amount', true)).toEqual([4, 3, 0, 1, 2]);
  expect(sorted('day')).toEqual([3, 0, 4, 1, 2]);
});

test('finds text as shown and as delivered, ignoring case and accents', () => {
  expect(arranged({ search: ' zoe ' })).toEqual([0]);
  expect(arranged({ search: '1,234.5' })).toEqual([0]);
  expect(arranged({ search: '1234.5' })).toEqual([0]);
  expect(arranged({ search: 'jan 31' })).toEqual([0, 4]);
  expect(arranged({ search: 'zoe' }, columns.slice(1)), 'hidden columns are not searched').toEqual([]);
});

test.each([
  ['amount', '>0', [0, 3, 4]],
  ['amount', '<= -2', [1]],
  ['amount', '-5..2000', [0, 1]],
  ['amount', '=12345678901234567890.13', [4]],
  ['amount', '=', [2]],
  ['amount', '>x', []],
  ['name', '=', [3, 4]],
  ['name', '<>', [0, 1, 2]],
  ['name', '=ITEM 9', [2]],
  ['day', '=2026-01', [0, 4]],
  ['day', '>=2026-01-31', [0, 1, 4]],
  ['day', '2025-12-31..2026-01-31', [0, 3, 4]],
  ['day', '> 2026-01-31 09:30', [1, 4]],
])('filters %s by %s', (label, filter, expected) => {
  expect(filtered(label, filter)).toEqual(expected);
});
