import type { ByteWriter } from '../../results/byte-writer.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import type { SqlValue } from '../../sql-value.ts';
import { type ByteCell, cellAt } from '../text-cells.ts';

/** Rows as received. Cells are decoded on demand. */
export class WireBatch implements RowBatch {
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #places: readonly number[]; // the start and the end of each cell
  readonly #cells: readonly ByteCell[];

  constructor(bytes: Buffer, places: readonly number[], cells: readonly ByteCell[]) {
    this.length = places.length / 2 / cells.length;
    this.#bytes = bytes;
    this.#places = places;
    this.#cells = cells;
  }

  get size(): number {
    return this.#bytes.length;
  }

  writeJson(row: number, column: number, out: ByteWriter): void {
    const at = this.#place(row, column);
    const start = this.#places[at] ?? -1;
    if (start < 0) out.ascii('null');
    else cellAt(this.#cells, column).json(this.#bytes, start, this.#places[at + 1] ?? start, out);
  }

  writeText(row: number, column: number, out: ByteWriter): void {
    const at = this.#place(row, column);
    const start = this.#places[at] ?? -1;
    if (start >= 0) cellAt(this.#cells, column).text(this.#bytes, start, this.#places[at + 1] ?? start, out);
  }

  value(row: number, column: number): SqlValue {
    const at = this.#place(row, column);
    const start = this.#places[at] ?? -1;
    return start < 0 ? null : cellAt(this.#cells, column).value(this.#bytes, start, this.#places[at + 1] ?? start);
  }

  #place(row: number, column: number): number {
    return (row * this.#cells.length + column) * 2;
  }
}
