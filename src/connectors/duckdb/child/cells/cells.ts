import type duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../../../results/byte-writer.ts';
import type { SqlValue } from '../../../../sql-value.ts';

/** One column of a chunk. Cells that are NULL must not be written or read: their memory is undefined. */
export interface Cells {
  json(row: number, out: ByteWriter): void;
  text(row: number, out: ByteWriter): void;
  value(row: number): SqlValue;
}

/** Created once per column; returns the cells of each chunk. */
export type CellReader = (vector: duckdb.Vector, count: number) => Cells;
