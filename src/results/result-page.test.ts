import { describe, expect, it, test } from 'vitest';
import { batchOf } from '../../test/support/results/row-stream-of.ts';
import { classifyColumns } from '../charts/classify.ts';
import { labelColumns } from './columns.ts';
import { CellTooLargeError } from './encode/json-rows.ts';
import { rowsThatFit, writeWholePage } from './result-page.ts';

describe('rowsThatFit', () => {
  const ends = [10, 20, 30, 40];

  it('counts rows without the last comma', () => {
    expect(rowsThatFit(0, ends, 29)).toBe(3);
    expect(rowsThatFit(0, ends, 28)).toBe(2);
    expect(rowsThatFit(0, ends, 1000)).toBe(4);
  });

  it('accepts one row of any size', () => {
    expect(rowsThatFit(0, ends, 1)).toBe(1);
  });

  it('returns 0 without rows', () => {
    expect(rowsThatFit(0, [], 100)).toBe(0);
  });

  it('returns the same as counting one by one', () => {
    for (let cap = 0; cap < 50; cap++) {
      let count = 1;
      while (count < ends.length && (ends[count] ?? 0) - 5 - 1 <= cap) count++;
      expect(rowsThatFit(5, ends, cap)).toBe(count);
    }
  });
});

const columns = labelColumns(
  [
    { name: 'id', type: 'int4', kind: 'integer' },
    { name: 'name', type: 'text', kind: 'text' },
  ],
  [],
);
const rows = [
  batchOf([
    [1, 'one'],
    [2, 'two'],
  ]),
  batchOf([[3, 'three']]),
];
const request = {
  columns,
  classified: true,
  classify: (seen: Parameters<typeof classifyColumns>[2]) => classifyColumns(columns, [], seen),
  rowIndex: 0,
  rowSize: 3,
  maxPageBytes: 1000,
};
const bounds = { maxCellBytes: 100, maxRowsEach: 100, maxBytesEach: 1000 };

test('returns a complete result that fits its page', () => {
  const page = writeWholePage(rows, request, bounds);
  expect(JSON.parse(`[${page?.rows}]`)).toEqual([
    { id: 1, name: 'one' },
    { id: 2, name: 'two' },
    { id: 3, name: 'three' },
  ]);
  expect(page).toMatchObject({ rowCount: 3, rowIndex: 0, nextRowIndex: 3, hasMore: false });
  expect(page?.columns.map((column) => column.class)).toEqual(['numeric', 'categorical']);
});

test('returns a page without rows', () => {
  expect(writeWholePage([], request, bounds)).toMatchObject({
    rows: Buffer.alloc(0),
    rowCount: 0,
    nextRowIndex: 0,
    hasMore: false,
  });
});

test.each([
  ['the page begins later', rows, { ...request, rowIndex: 1 }, bounds],
  ['the page is too short for it', rows, { ...request, rowSize: 2 }, bounds],
  ['the page would have too many bytes', rows, { ...request, maxPageBytes: 40 }, bounds],
  ['the row limit of the query is lower', rows, { ...request, maxRows: 2 }, bounds],
  ['the bound on rows of all results is lower', rows, request, { ...bounds, maxRowsEach: 2 }],
  ['the bound on bytes of all results is lower', rows, request, { ...bounds, maxBytesEach: 40 }],
  ['other calls may share it', rows, { ...request, keepUntil: 1 }, bounds],
])('returns null if %s', (_, whole, asked, within) => {
  expect(writeWholePage(whole, asked, within)).toBeNull();
});

test('rejects a cell that is too large', () => {
  expect(() => writeWholePage(rows, request, { ...bounds, maxCellBytes: 4 })).toThrow(CellTooLargeError);
});
