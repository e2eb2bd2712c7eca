import type { SqlValue } from '../../sql-value.ts';
import type { ByteWriter } from '../byte-writer.ts';
import type { LabelledColumn } from '../column.ts';
import type { RowBatch } from '../row-stream.ts';

export const defaultMaxCellBytes = 1 << 20;

/** A cell is delivered whole or not at all. */
export class CellTooLargeError extends Error {
  readonly column: string;

  constructor(column: string, maxBytes: number) {
    super(`A cell of the column "${column}" is larger than ${maxBytes} bytes.`);
    this.name = 'CellTooLargeError';
    this.column = column;
  }
}

export interface JsonRowEncoder {
  /** Writes `{"a":1,"b":"x"}`. Throws CellTooLargeError, having written a part of the row. */
  encodeRow(batch: RowBatch, row: number, out: ByteWriter): void;
}

export function createJsonRowEncoder(columns: readonly LabelledColumn[], maxCellBytes = defaultMaxCellBytes): JsonRowEncoder {
  const keys = columns.map((column, index) => Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(column.label)}:`));
  return {
    encodeRow(batch, row, out) {
      for (let column = 0; column < keys.length; column++) {
        const key = keys[column];
        if (key) writeKey(key, out);
        const start = out.length;
        batch.writeJson(row, column, out);
        if (out.length - start > maxCellBytes) refuseLargeCell(batch, row, column, columns, maxCellBytes);
      }
      if (keys.length === 0) out.ascii('{}');
      else closeBrace(out);
    },
  };
}

/** For a cell that is long as it was written: throws CellTooLargeError where the value itself is too large. */
export function refuseLargeCell(
  batch: RowBatch,
  row: number,
  column: number,
  columns: readonly LabelledColumn[],
  maxCellBytes: number,
): void {
  if (sizeOf(batch.value(row, column)) > maxCellBytes) {
    throw new CellTooLargeError(columns[column]?.label ?? '', maxCellBytes);
  }
}

function writeKey(key: Buffer, out: ByteWriter): void {
  if (key.length > 24) {
    out.copy(key);
    return;
  }
  // A loop beats a call into the engine for a handful of bytes.
  out.reserve(key.length);
  const { bytes } = out;
  let at = out.length;
  for (let i = 0; i < key.length; i++) bytes[at++] = key[i] ?? 0;
  out.length = at;
}

function closeBrace(out: ByteWriter): void {
  out.reserve(1);
  out.byte(0x7d);
}

/** Quotes, escapes and base64 do not count against the cell. */
function sizeOf(value: SqlValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.length : 0;
}
