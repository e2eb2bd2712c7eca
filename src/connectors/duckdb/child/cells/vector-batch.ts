import duckdb from '@duckdb/node-bindings';
import type { ByteWriter } from '../../../../results/byte-writer.ts';
import type { RowBatch } from '../../../../results/row-stream.ts';
import type { SqlValue } from '../../../../sql-value.ts';
import type { CellReader, Cells } from './cells.ts';
import { isNull, validityOf } from './vector-data.ts';

interface OpenColumn {
  readonly validity: Uint8Array | null;
  readonly cells: Cells;
}

/** The rows of one chunk. Cells are decoded on demand. */
export class VectorBatch implements RowBatch {
  readonly length: number;
  readonly #chunk: duckdb.DataChunk; // its memory is freed when it is garbage-collected
  readonly #readers: readonly CellReader[];
  readonly #columns: (OpenColumn | undefined)[];

  constructor(chunk: duckdb.DataChunk, length: number, readers: readonly CellReader[]) {
    this.length = length;
    this.#chunk = chunk;
    this.#readers = readers;
    this.#columns = readers.map(() => undefined);
  }

  writeJson(row: number, column: number, out: ByteWriter): void {
    const { validity, cells } = this.#columns[column] ?? this.#open(column);
    if (isNull(validity, row)) out.ascii('null');
    else cells.json(row, out);
  }

  writeText(row: number, column: number, out: ByteWriter): void {
    const { validity, cells } = this.#columns[column] ?? this.#open(column);
    if (!isNull(validity, row)) cells.text(row, out);
  }

  value(row: number, column: number): SqlValue {
    const { validity, cells } = this.#columns[column] ?? this.#open(column);
    return isNull(validity, row) ? null : cells.value(row);
  }

  #open(column: number): OpenColumn {
    const read = this.#readers[column];
    if (read === undefined) throw new RangeError(`There is no column ${column}.`);
    const vector = duckdb.data_chunk_get_vector(this.#chunk, column);
    const opened = { validity: validityOf(vector, this.length), cells: read(vector, this.length) };
    this.#columns[column] = opened;
    return opened;
  }
}
