import { expect, test } from 'vitest';
import { cellOf } from './cell-text.ts';
import { estimateWidth, listGridColumns } from './grid-columns.ts';

const known = [
  { label: 'Region', kind: 'text', type: 'VARCHAR' },
  { label: '2024', kind: 'integer', type: 'BIGINT' },
];

test('keeps the column order of the query, even for names that look like numbers', () => {
  expect(listGridColumns(known, [{ Region: 'North', '2024': 1 }]).map(({ label }) => label)).toEqual(['Region', '2024']);
});

test('keeps the columns of a result without rows', () => {
  expect(listGridColumns(known, [])).toHaveLength(2);
});

test('appends unknown columns with a kind derived from their values', () => {
  expect(listGridColumns(known, [{ Region: 'North', Share: 0.5, Open: true }]).slice(1)).toEqual([
    { label: 'Share', kind: 'float', type: '' },
    { label: 'Open', kind: 'boolean', type: '' },
  ]);
});

test('fits the width to the longest of the first and last rows, within limits', () => {
  const [column] = known;
  if (column === undefined) throw new Error('no column');
  const width = (length: number) => estimateWidth(column, [{ Region: 'x'.repeat(length) }], (value) => cellOf(value, column));
  expect(width(20)).toBeGreaterThan(width(1));
  expect(width(2000)).toBe(360);
  const many = Array.from({ length: 1000 }, (_, index) => ({ Region: 'x'.repeat(index < 990 ? 1 : 20) }));
  expect(estimateWidth(column, many, (value) => cellOf(value, column))).toBe(width(20));
});
