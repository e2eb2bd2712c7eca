import type { LabeledColumn } from '../../core/column.ts';
import type { SqlValue } from '../../core/sql-value.ts';
import type { ByteWriter } from '../byte-writer.ts';
import type { RowBatch } from '../row-stream.ts';

export const defaultMaxCellBytes = 1 << 20;

/** Cells are never truncated. */
export class CellTooLargeError extends Error {
  readonly column: string;

  constructor(column: string, maxBytes: number) {
    super(`A cell of the column "${column}" is larger than ${maxBytes} bytes.`);
    this.name = 'CellTooLargeError';
    this.column = column;
  }
}

export interface JsonRowEncoder {
  /** Writes `{"a":1,"b":"x"}`. Throws CellTooLargeError after writing a part of the row. */
  encodeRow(batch: RowBatch, row: number, out: ByteWriter): void;
  /** The usual size of a page of these columns, as recorded by `recordSize`: a buffer of this size need not grow. */
  readonly usualBytes: number;
  recordSize(bytes: number): void;
}

export function createJsonRowEncoder(columns: readonly LabeledColumn[], maxCellBytes = defaultMaxCellBytes): JsonRowEncoder {
  const shape = shapeOf(columns);
  const { keys } = shape;
  return {
    usualBytes: shape.usualBytes,
    recordSize(bytes) {
      // if sizes vary widely, a buffer that is too small is better than one that is too large
      if (bytes > shape.usualBytes || bytes < shape.usualBytes / 4) shape.usualBytes = Math.min(bytes, MAX_USUAL_BYTES);
    },
    encodeRow(batch, row, out) {
      const begin = out.length;
      if (batch.writeJsonRow?.(row, keys, maxCellBytes, out) === true) {
        closeBrace(out);
        return;
      }
      out.length = begin;
      for (let column = 0; column < keys.length; column++) {
        const key = keys[column];
        if (key) out.copy(key);
        const start = out.length;
        batch.writeJson(row, column, out);
        if (out.length - start > maxCellBytes) refuseLargeCell(batch, row, column, columns, maxCellBytes);
      }
      if (keys.length === 0) out.ascii('{}');
      else closeBrace(out);
    },
  };
}

const MAX_USUAL_BYTES = 1 << 20;

/** Shared by all runs of a prepared statement. */
interface Shape {
  readonly keys: readonly Buffer[];
  usualBytes: number;
}

const shapes = new WeakMap<readonly LabeledColumn[], Shape>();

function shapeOf(columns: readonly LabeledColumn[]): Shape {
  const known = shapes.get(columns);
  if (known !== undefined) return known;
  const keys = columns.map((column, index) => Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(column.label)}:`));
  const shape = { keys, usualBytes: 0 };
  shapes.set(columns, shape);
  return shape;
}

/** For cells whose encoded form is long: throws CellTooLargeError if the value itself is too large. */
export function refuseLargeCell(
  batch: RowBatch,
  row: number,
  column: number,
  columns: readonly LabeledColumn[],
  maxCellBytes: number,
): void {
  if (sizeOf(batch.value(row, column)) > maxCellBytes) {
    throw new CellTooLargeError(columns[column]?.label ?? '', maxCellBytes);
  }
}

function closeBrace(out: ByteWriter): void {
  out.reserve(1);
  out.byte(0x7d);
}

/** The size of a value without quotes, escapes and base64. */
function sizeOf(value: SqlValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.length : 0;
}
