import type duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../../../results/byte-writer.ts';
import type { SqlValue } from '../../../../sql-value.ts';

/** One column of a chunk. Writing and reading a cell presume that it is not NULL: slots of NULLs hold garbage. */
export interface Cells {
  json(row: number, out: ByteWriter): void;
  text(row: number, out: ByteWriter): void;
  value(row: number): SqlValue;
}

/** Made once for a column; gives the cells of each of its chunks. */
export type CellReader = (vector: duckdb.Vector, count: number) => Cells;
