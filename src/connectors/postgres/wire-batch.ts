import type { SqlValue } from '../../core/sql-value.ts';
import { type ByteWriter, freeBytes } from '../../results/byte-writer.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import type { ByteCell } from './cells.ts';
import { writeRow } from './write-row.ts';

/** Rows as received. Cells are decoded on demand. */
export class WireBatch implements RowBatch {
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #starts: readonly number[];
  readonly #cells: readonly ByteCell[];
  // cells are mostly read in order: the position of the last one
  #row = -1;
  #column = 0;
  #at = 0;

  constructor(bytes: Buffer, starts: readonly number[], cells: readonly ByteCell[]) {
    this.length = starts.length;
    this.#bytes = bytes;
    this.#starts = starts;
    this.#cells = cells;
  }

  get size(): number {
    return this.#bytes.length;
  }

  /** A notice between the rows of one read splits them into two batches that share the bytes. */
  free(next: WireBatch | undefined): void {
    if (next === undefined || next.#bytes.buffer !== this.#bytes.buffer) freeBytes(this.#bytes);
  }

  writeJson(row: number, column: number, out: ByteWriter): void {
    const length = this.#find(row, column);
    if (length < 0) out.ascii('null');
    else this.#cell(column).json(this.#bytes, this.#at + 4, this.#at + 4 + length, out);
  }

  writeJsonRow(row: number, keys: readonly Uint8Array[], maxCellBytes: number, out: ByteWriter): boolean {
    return writeRow({ bytes: this.#bytes, start: this.#starts[row] ?? 0, cells: this.#cells }, keys, maxCellBytes, out);
  }

  writeText(row: number, column: number, out: ByteWriter): void {
    const length = this.#find(row, column);
    if (length >= 0) this.#cell(column).text(this.#bytes, this.#at + 4, this.#at + 4 + length, out);
  }

  value(row: number, column: number): SqlValue {
    const length = this.#find(row, column);
    return length < 0 ? null : this.#cell(column).value(this.#bytes, this.#at + 4, this.#at + 4 + length);
  }

  /** Sets `#at` to the start of the cell; returns its length, below 0 for NULL. */
  #find(row: number, column: number): number {
    const bytes = this.#bytes;
    if (row !== this.#row || column < this.#column) {
      this.#row = row;
      this.#column = 0;
      this.#at = (this.#starts[row] ?? 0) + 2;
    }
    let length = lengthAt(bytes, this.#at);
    while (this.#column < column) {
      this.#at += 4 + Math.max(length, 0);
      this.#column++;
      length = lengthAt(bytes, this.#at);
    }
    return length;
  }

  #cell(column: number): ByteCell {
    const cell = this.#cells[column];
    if (cell === undefined) throw new RangeError(`There is no column ${column}.`);
    return cell;
  }
}

const lengthAt = (bytes: Buffer, at: number): number =>
  ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
