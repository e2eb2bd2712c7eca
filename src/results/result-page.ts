import type { ClassifiedColumn } from './columns.ts';

/** A page of rows: JSON objects separated by commas, without brackets. */
export interface ResultPage {
  readonly rows: Buffer;
  readonly rowCount: number;
  readonly rowIndex: number;
  readonly nextRowIndex: number;
  /** False if and only if no rows remain. */
  readonly hasMore: boolean;
  /** Why rows that remain will not be delivered, if that is known already. */
  readonly incomplete?: string;
  readonly columns: readonly ClassifiedColumn[];
}

export interface PageRequest {
  readonly rowIndex: number;
  readonly rowSize: number;
  readonly maxPageBytes: number;
  /** Called with the size of the page before its bytes are made, and again as they grow. Throws if they may not be made. */
  readonly claim?: ((bytes: number) => void) | undefined;
}

/** `start` and `end` are offsets into rows that each end in a comma; the last one is not sent. */
export const pageOverflows = (start: number, end: number, maxPageBytes: number) => end - start - 1 > maxPageBytes;

/** How many of the rows that end at `ends` fit the page that begins at `start`; at least one. */
export function rowsThatFit(start: number, ends: ArrayLike<number>, maxPageBytes: number): number {
  let fitting = Math.min(1, ends.length);
  let over = ends.length + 1;
  while (over - fitting > 1) {
    const middle = (fitting + over) >> 1;
    if (pageOverflows(start, ends[middle - 1] ?? 0, maxPageBytes)) over = middle;
    else fitting = middle;
  }
  return fitting;
}
