import type { ByteWriter } from '../../results/byte-writer.ts';
import { escapes, writeJsonBytes } from '../../results/json-text.ts';
import { type ByteCell, cellForms, isDigit, safeDigits, startsAsNumber } from './cells.ts';

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
export function writeRow(row: WireRow, keys: readonly Uint8Array[], maxCellBytes: number, out: ByteWriter): boolean {
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
