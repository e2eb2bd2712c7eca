import type duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../results/byte-writer.ts';
import type { SqlValue } from '../../sql-value.ts';
import { nestedCells } from './nested-cells.ts';
import { numberCells } from './number-cells.ts';
import { textCells } from './text-cells.ts';
import { timeCells } from './time-cells.ts';

/** One column of a chunk. Writing and reading a cell presume that it is not NULL: slots of NULLs hold garbage. */
export interface Cells {
  json(row: number, out: ByteWriter): void;
  text(row: number, out: ByteWriter): void;
  value(row: number): SqlValue;
}

/** Made once for a column; gives the cells of each of its chunks. */
export type CellReader = (vector: duckdb.Vector, count: number) => Cells;

export function cellReader(type: duckdb.LogicalType): CellReader {
  return numberCells(type) ?? timeCells(type) ?? nestedCells(type, cellReader) ?? textCells(type);
}
