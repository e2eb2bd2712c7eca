import type { Column } from '../../../src/core/column.ts';
import type { SqlValue } from '../../../src/core/sql-value.ts';
import type { ByteWriter } from '../../../src/results/byte-writer.ts';
import type { RowBatch, RowStream } from '../../../src/results/row-stream.ts';

export type Rows = readonly (readonly SqlValue[])[];

/** A stream of rows in memory or generated on demand; `closed` tells whether it was closed. */
export function rowStreamOf(
  columns: readonly Column[],
  batches: Iterable<Rows> | AsyncIterable<Rows>,
): RowStream & { closed: boolean } {
  const stream = {
    columns,
    closed: false,
    async *batches() {
      for await (const rows of batches) yield batchOf(rows);
    },
    async close() {
      stream.closed = true;
    },
  };
  return stream;
}

export function batchOf(rows: Rows): RowBatch {
  const value = (row: number, column: number) => rows[row]?.[column] ?? null;
  const text = (row: number, column: number, out: ByteWriter) => {
    const cell = value(row, column);
    out.utf8(cell instanceof Uint8Array ? Buffer.from(cell).toString('base64') : String(cell ?? ''));
  };
  return {
    length: rows.length,
    value,
    writeText: text,
    writeJson(row, column, out) {
      const cell = value(row, column);
      if (typeof cell === 'bigint') text(row, column, out);
      else if (cell instanceof Uint8Array) out.ascii(JSON.stringify(Buffer.from(cell).toString('base64')));
      else out.utf8(JSON.stringify(cell));
    },
  };
}
