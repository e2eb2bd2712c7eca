import { expect, test } from 'vitest';
import { batchOf } from '../../test/support/results/row-stream-of.ts';
import { classifyColumns } from '../charts/classify.ts';
import { CellTooLargeError } from './encode/json-rows.ts';
import { labelColumns } from './labels.ts';
import { wholePage } from './whole-page.ts';

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
  classify: (seen: Parameters<typeof classifyColumns>[2]) => classifyColumns(columns, [], seen),
  rowIndex: 0,
  rowSize: 3,
  maxPageBytes: 1000,
};
const bounds = { maxCellBytes: 100, maxRowsEach: 100, maxBytesEach: 1000 };

test('a result that has come whole and fits its page is that page', () => {
  const page = wholePage(rows, request, bounds);
  expect(JSON.parse(`[${page?.rows}]`)).toEqual([
    { id: 1, name: 'one' },
    { id: 2, name: 'two' },
    { id: 3, name: 'three' },
  ]);
  expect(page).toMatchObject({ rowCount: 3, rowIndex: 0, nextRowIndex: 3, hasMore: false });
  expect(page?.columns.map((column) => column.class)).toEqual(['numeric', 'categorical']);
});

test('no rows are a page too', () => {
  expect(wholePage([], request, bounds)).toMatchObject({ rows: Buffer.alloc(0), rowCount: 0, nextRowIndex: 0, hasMore: false });
});

test.each([
  ['it is still to come', undefined, request, bounds],
  ['the page begins later', rows, { ...request, rowIndex: 1 }, bounds],
  ['the page is too short for it', rows, { ...request, rowSize: 2 }, bounds],
  ['the page would have too many bytes', rows, { ...request, maxPageBytes: 40 }, bounds],
  ['the query bounds its rows', rows, { ...request, maxRows: 2 }, bounds],
  ['all results are bounded in rows', rows, request, { ...bounds, maxRowsEach: 2 }],
  ['all results are bounded in bytes', rows, request, { ...bounds, maxBytesEach: 40 }],
  ['others may share it', rows, { ...request, keepUntil: 1 }, bounds],
])('there is no such page where %s', (_, whole, asked, within) => {
  expect(wholePage(whole, asked, within)).toBeNull();
});

test('a cell that is too large is refused, as everywhere', () => {
  expect(() => wholePage(rows, request, { ...bounds, maxCellBytes: 4 })).toThrow(CellTooLargeError);
});
