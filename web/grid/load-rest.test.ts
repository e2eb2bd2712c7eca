import { expect, test } from 'vitest';
import type { ResultPage } from '../app/wire.ts';
import { loadRest, MAX_LOADED } from './load-rest.ts';

const SIZE = 1000;
const rowsFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => ({ n: first + index }));
const pagesOf =
  (total: number, asked: number[] = [], totalRows: number | null = null) =>
  async (first: number): Promise<ResultPage> => {
    asked.push(first);
    const Data = rowsFrom(first, Math.min(SIZE, total - first));
    const NextRowIndex = first + Data.length;
    return { Data, RowSize: SIZE, NextRowIndex, QueryMoreCode: NextRowIndex < total ? 'code' : null, totalRows };
  };

test('continues after the rows that are there, up to the last page', async () => {
  const asked: number[] = [];
  const progress: number[] = [];
  const loaded = await loadRest(rowsFrom(0, SIZE), pagesOf(3500, asked), (rows) => progress.push(rows));
  expect(asked).toEqual([1000, 2000, 3000]);
  expect(progress).toEqual([2000, 3000, 3500]);
  expect(loaded).toMatchObject({ isWhole: true, last: { QueryMoreCode: null } });
  expect(loaded.rows.map(({ n }) => n)).toEqual(rowsFrom(0, 3500).map(({ n }) => n));
});

test('stops at the limit, and at once if the service reports more rows', async () => {
  const loaded = await loadRest([], pagesOf(MAX_LOADED + 1), () => {});
  expect([loaded.isWhole, loaded.rows.length]).toEqual([false, MAX_LOADED]);
  const long = await loadRest([], pagesOf(90_000, [], 90_000), () => {});
  expect([long.isWhole, long.rows.length]).toEqual([false, SIZE]);
});
