import type { SqlValue } from '../../core/sql-value.ts';
import { type ByteWriter, freeBytes } from '../../results/byte-writer.ts';
import { escapes, writeJsonBytes } from '../../results/json-text.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import { type ByteCell, cellForms, isDigit, safeDigits, startsAsNumber } from './cells.ts';

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

/** A DataRow; `start` is after its header. */
export interface WireRow {
  readonly bytes: Buffer;
  readonly start: number;
  readonly cells: readonly ByteCell[];
}

const longestRow = 64 << 10; // a larger row would reserve too much for the worst case
const copyWholeFrom = 48; // below, a loop is faster than the call
const widestEscape = 6;

/**
 * A row as JSON in one loop: this is the most frequent work of the service, and lookups and checks per cell take three times as
 * long. Only usual values are handled; the others are left to the cells.
 */
function writeRow(row: WireRow, keys: readonly Uint8Array[], maxCellBytes: number, out: ByteWriter): boolean {
  const { bytes: source, cells } = row;
  const rowBytes = int32At(source, row.start - 4);
  if (rowBytes > longestRow || keys.length !== cells.length || keys.length === 0) return false;
  const room = rowBytes * widestEscape + roomOf(keys);
  out.reserve(room);
  let target = out.bytes;
  let at = out.length;
  let from = row.start + 2;
  for (let column = 0; column < cells.length; column++) {
    const key = keys[column];
    const cell = cells[column];
    if (key === undefined || cell === undefined) return false;
    for (let i = 0; i < key.length; i++) target[at++] = key[i] ?? 0;
    const length = int32At(source, from);
    from += 4;
    if (length < 0) {
      target[at++] = 110;
      target[at++] = 117;
      target[at++] = 108;
      target[at++] = 108;
      continue;
    }
    const end = from + length;
    const begin = at;
    if (cell.form === cellForms.text && length < copyWholeFrom) {
      target[at++] = quote;
      let i = from;
      for (; i < end; i++) {
        const byte = source[i] ?? 0;
        if (escapes[byte] !== 0) break;
        target[at++] = byte;
      }
      if (i === end) {
        target[at++] = quote;
      } else {
        out.length = begin;
        writeJsonBytes(out, source, from, end);
        at = out.length;
      }
    } else if (cell.form === cellForms.number && length <= safeDigits && startsAsNumber(source, from)) {
      for (let i = from; i < end; i++) target[at++] = source[i] ?? 0;
    } else if (cell.form === cellForms.timestamp && isUsualTimestamp(source, from, end)) {
      target[at++] = quote;
      for (let i = from; i < end; i++) target[at++] = source[i] ?? 0;
      target[begin + 11] = letterT;
      target[at++] = quote;
    } else {
      out.length = begin;
      cell.json(source, from, end, out);
      out.reserve(room);
      target = out.bytes;
      at = out.length;
    }
    if (at - begin > maxCellBytes) return false;
    from = end;
  }
  out.length = at;
  return true;
}

const rooms = new WeakMap<readonly Uint8Array[], number>();

/** The size of the keys, each with `null` or two quotes. */
function roomOf(keys: readonly Uint8Array[]): number {
  const known = rooms.get(keys);
  if (known !== undefined) return known;
  const room = keys.reduce((sum, key) => sum + key.length + 4, 8);
  rooms.set(keys, room);
  return room;
}

const quote = 34;
const dash = 45;
const blank = 32;
const letterT = 84;

const int32At = (bytes: Buffer, at: number): number =>
  ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);

// of four digits in the year, not before Christ, not infinity
const isUsualTimestamp = (bytes: Buffer, from: number, end: number): boolean =>
  end - from >= 19 && end - from <= 26 && bytes[from + 4] === dash && bytes[from + 10] === blank && isDigit(bytes[end - 1]);
