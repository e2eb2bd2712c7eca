import type { SqlValue } from '../../core/sql-value.ts';
import type { ByteWriter } from '../../results/byte-writer.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import type { ByteCell } from '../cells/byte-cells.ts';
import { cellAt } from '../cells/text-cells.ts';
import type { RawRows } from './result-reader.ts';

/** Rows as received. Cells are decoded on demand. */
export class JsonBatch implements RowBatch {
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #bounds: Uint32Array;
  readonly #cells: readonly ByteCell[];

  constructor({ bytes, bounds }: RawRows, cells: readonly ByteCell[]) {
    this.length = bounds.length / (2 * cells.length);
    this.#bytes = bytes;
    this.#bounds = bounds;
    this.#cells = cells;
  }

  writeJson(row: number, column: number, out: ByteWriter): void {
    const at = this.#boundOf(row, column);
    if (this.#isNull(at)) out.ascii('null');
    else cellAt(this.#cells, column).json(this.#bytes, this.#bounds[at] ?? 0, this.#bounds[at + 1] ?? 0, out);
  }

  writeText(row: number, column: number, out: ByteWriter): void {
    const at = this.#boundOf(row, column);
    if (!this.#isNull(at)) cellAt(this.#cells, column).text(this.#bytes, this.#bounds[at] ?? 0, this.#bounds[at + 1] ?? 0, out);
  }

  value(row: number, column: number): SqlValue {
    const at = this.#boundOf(row, column);
    return this.#isNull(at)
      ? null
      : cellAt(this.#cells, column).value(this.#bytes, this.#bounds[at] ?? 0, this.#bounds[at + 1] ?? 0);
  }

  #isNull(at: number): boolean {
    const start = this.#bounds[at] ?? 0;
    return this.#bytes[start] === letterN && (this.#bounds[at + 1] ?? 0) - start === 4;
  }

  #boundOf(row: number, column: number): number {
    return 2 * (row * this.#cells.length + column);
  }
}

const letterN = 110; // of null, the only JSON that begins with it
