import type duckdb from '@duckdb/node-bindings';
import { nestedCells } from './nested-cells.ts';
import { numberCells } from './number-cells.ts';
import { textCells } from './text-cells.ts';
import { timeCells } from './time-cells.ts';
import type { CellReader } from './vector-data.ts';

export function cellReader(type: duckdb.LogicalType): CellReader {
  return numberCells(type) ?? timeCells(type) ?? nestedCells(type, cellReader) ?? textCells(type);
}
