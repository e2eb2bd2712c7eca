import type { LabeledColumn } from '../core/column.ts';
import { ByteWriter } from './byte-writer.ts';
import { type ClassifiedColumn, observeValues, type ValuesSeen } from './columns.ts';
import { createJsonRowEncoder } from './encode/json-rows.ts';
import type { RowBatch } from './row-stream.ts';
import { type RowView, type Shown, ShownRows } from './shown-rows.ts';

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
  readonly totalRows?: number; // of the whole result, if it is known already
  readonly shown?: Shown; // these rows as the view of the request shows them
  readonly columns: readonly ClassifiedColumn[];
}

export interface PageRequest {
  readonly rowIndex: number;
  readonly rowSize: number;
  readonly maxPageBytes: number;
  /** Transforms the rows; `maxPageBytes` then bounds its output. Left out: rows are sent as they are stored. */
  readonly view?: RowView | undefined;
  /** Called with the size of the page before it is encoded, and again as it grows. Throws if the memory is not available. */
  readonly claim?: ((bytes: number) => void) | undefined;
}

/** `start` and `end` are offsets into rows that each end in a comma; the last one is not sent. */
export const pageOverflows = (start: number, end: number, maxPageBytes: number) => end - start - 1 > maxPageBytes;

/** A view reads at most this many bytes of stored rows for a page; it may drop most of them. */
export const MOST_BYTES_TO_SHOW = 16 << 20;

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

export interface WholePageRequest extends PageRequest {
  readonly columns: readonly LabeledColumn[];
  /** Whether the page needs classified columns, although the result is not kept. */
  readonly classified: boolean;
  readonly classify: (firstPage: readonly ValuesSeen[]) => readonly ClassifiedColumn[];
  /** The bound of the query. */
  readonly maxRows?: number | undefined;
  /** Keeps the result at least until this time, even if it has only one page: other calls may share it. */
  readonly keepUntil?: number | undefined;
  /** Keeps the result for the usual lifetime, even if it has only one page. */
  readonly keep?: boolean | undefined;
}

/** The page of a complete result, encoded without waiting. Null if there may be more rows, or if the result is to be kept. */
export function writeWholePage(
  whole: readonly RowBatch[],
  { columns, classified, classify, rowIndex, rowSize, maxPageBytes, view, claim, maxRows, keepUntil, keep }: WholePageRequest,
  { maxCellBytes, maxRowsEach, maxBytesEach }: { maxCellBytes: number; maxRowsEach: number; maxBytesEach: number },
): ResultPage | null {
  if (rowIndex !== 0 || keepUntil !== undefined || keep === true) return null;
  const rowCount = whole.reduce((sum, { length }) => sum + length, 0);
  if (rowCount > Math.min(rowSize, maxRows ?? rowSize, maxRowsEach)) return null;
  const encoder = createJsonRowEncoder(columns, maxCellBytes);
  const observer = classified ? observeValues(columns) : null;
  const shown = view === undefined ? null : new ShownRows(columns, view, maxPageBytes);
  claim?.(encoder.usualBytes);
  const out = new ByteWriter(encoder.usualBytes + MIN_BYTES);
  for (const batch of whole) {
    claim?.(out.length);
    for (let row = 0; row < batch.length; row++) {
      const start = out.length;
      encoder.encodeRow(batch, row, out);
      if (shown?.add(out.bytes, start, out.length) === false) return null;
      out.reserve(1);
      out.byte(COMMA);
      observer?.look(batch, row);
    }
  }
  const maxBytes = Math.min(shown === null ? maxPageBytes : MOST_BYTES_TO_SHOW, maxBytesEach);
  if (pageOverflows(0, out.length, maxBytes)) return null;
  for (const batch of whole) batch.release?.();
  encoder.recordSize(out.length);
  const rows = out.view(0, Math.max(0, out.length - 1));
  return {
    rows,
    rowCount,
    rowIndex,
    nextRowIndex: rowCount,
    hasMore: false,
    ...(shown && { shown: shown.end() }),
    columns: observer === null ? [] : classify(observer.seen()),
  };
}

const COMMA = 0x2c;
const MIN_BYTES = 1 << 11;
