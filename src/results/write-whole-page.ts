import type { LabelledColumn } from '../core/column.ts';
import { ByteWriter } from './byte-writer.ts';
import { type ClassifiedColumn, observeValues, type ValuesSeen } from './columns.ts';
import { createJsonRowEncoder } from './encode/json-rows.ts';
import { pageOverflows, type PageRequest, type ResultPage } from './result-page.ts';
import type { RowBatch } from './row-stream.ts';

interface WholePageRequest extends PageRequest {
  readonly columns: readonly LabelledColumn[];
  readonly classified: boolean; // otherwise the columns are left out
  readonly classify: (seen: readonly ValuesSeen[]) => readonly ClassifiedColumn[];
  readonly maxRows?: number | undefined;
  readonly keepUntil?: number | undefined;
}

/** The page of a complete result, encoded without waiting. Null if there may be more rows, or if the result is to be kept. */
export function writeWholePage(
  whole: readonly RowBatch[],
  { columns, classified, classify, rowIndex, rowSize, maxPageBytes, claim, maxRows, keepUntil }: WholePageRequest,
  { maxCellBytes, maxRowsEach, maxBytesEach }: { maxCellBytes: number; maxRowsEach: number; maxBytesEach: number },
): ResultPage | null {
  if (rowIndex !== 0 || keepUntil !== undefined) return null;
  const rowCount = whole.reduce((sum, { length }) => sum + length, 0);
  if (rowCount > Math.min(rowSize, maxRows ?? rowSize, maxRowsEach)) return null;
  const encoder = createJsonRowEncoder(columns, maxCellBytes);
  const observer = classified ? observeValues(columns) : null;
  claim?.(encoder.usualBytes);
  const out = new ByteWriter(encoder.usualBytes + MIN_BYTES);
  for (const batch of whole) {
    claim?.(out.length);
    for (let row = 0; row < batch.length; row++) {
      encoder.encodeRow(batch, row, out);
      out.reserve(1);
      out.byte(COMMA);
      observer?.look(batch, row);
    }
  }
  if (pageOverflows(0, out.length, Math.min(maxPageBytes, maxBytesEach))) return null;
  encoder.recordSize(out.length);
  const rows = out.view(0, Math.max(0, out.length - 1));
  return {
    rows,
    rowCount,
    rowIndex,
    nextRowIndex: rowCount,
    hasMore: false,
    columns: observer === null ? [] : classify(observer.seen()),
  };
}

const COMMA = 0x2c;
const MIN_BYTES = 1 << 11;
