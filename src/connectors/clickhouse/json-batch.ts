import type { SqlValue } from '../../core/sql-value.ts';
import type { ByteWriter } from '../../results/byte-writer.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import { cellAt } from '../cells/text-cells.ts';
import type { JsonCell } from './cells.ts';
import type { RawRows } from './result-reader.ts';

/** Rows as received. Cells are decoded on demand. */
export class JsonBatch implements RowBatch {
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #bounds: Uint32Array;
  readonly #cells: readonly JsonCell[];

  constructor({ bytes, bounds }: RawRows, cells: readonly JsonCell[]) {
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

  /** In one loop, because calls for each cell take twice as long. */
  writeJsonRow(row: number, keys: readonly Uint8Array[], maxCellBytes: number, out: ByteWriter): boolean {
    const source = this.#bytes;
    const bounds = this.#bounds;
    const cells = this.#cells;
    if (keys.length !== cells.length) return false;
    let bound = this.#boundOf(row, 0);
    let room = (bounds[bound + 2 * cells.length - 1] ?? 0) - (bounds[bound] ?? 0);
    for (const key of keys) room += key.length;
    out.reserve(room);
    let target = out.bytes;
    let at = out.length;
    for (let column = 0; column < cells.length; column++, bound += 2) {
      const key = keys[column];
      const cell = cells[column];
      const start = bounds[bound] ?? 0;
      const end = bounds[bound + 1] ?? 0;
      if (key === undefined || cell === undefined || end - start > maxCellBytes) return false;
      for (let i = 0; i < key.length; i++) target[at++] = key[i] ?? 0;
      if (end - start < copyWholeFrom && (cell.isUsual?.(source, start, end) === true || this.#isNull(bound))) {
        for (let i = start; i < end; i++) target[at++] = source[i] ?? 0;
        continue;
      }
      out.length = at;
      this.writeJson(row, column, out);
      if (out.length - at > maxCellBytes) return false;
      out.reserve(room);
      target = out.bytes;
      at = out.length;
    }
    out.length = at;
    return true;
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

const copyWholeFrom = 48; // below, a loop is faster than the call
const letterN = 110; // of null, the only JSON that begins with it
