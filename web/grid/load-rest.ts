import type { ResultPage, Row } from '../app/wire.ts';

/** Sorting and filtering work on all rows of a result up to this number. */
export const MAX_LOADED = 50_000;

export interface LoadedRows {
  readonly rows: readonly Row[]; // from the first
  readonly last: ResultPage;
  readonly isWhole: boolean;
}

/** Reads pages of a result from its first row, until the last page or `MAX_LOADED` rows. `start` are rows that are there already. */
export async function loadRest(
  start: readonly Row[],
  readPage: (rowIndex: number) => Promise<ResultPage>,
  onProgress: (rows: number, total: number | null) => void,
): Promise<LoadedRows> {
  const rows = [...start];
  for (;;) {
    const page = await readPage(rows.length);
    for (const row of page.Data) rows.push(row);
    onProgress(rows.length, page.totalRows ?? null);
    const isWhole = page.QueryMoreCode === null;
    const isTooLong = rows.length >= MAX_LOADED || (page.totalRows ?? 0) > MAX_LOADED;
    if (isWhole || isTooLong) return { rows, last: page, isWhole };
  }
}
