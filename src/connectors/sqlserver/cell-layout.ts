import { NotEnoughDataError } from 'tedious/lib/token/helpers.js';
import type { WireColumn } from './columns.ts';

/** The layout of the cells of a column in a row. */
export interface CellLayout {
  /** Its value is sent in parts: `find` returns the start of the first and the end of the last one. */
  readonly parted: boolean;
  /** Appends the start and the end of the value at `at` to `cells`; returns the start of the next cell. */
  find(bytes: Buffer, at: number, cells: number[]): number;
}

export const longestCell = 16 << 20;

export function layoutOf({ type, dataLength }: WireColumn): CellLayout {
  const [fixed] = fixedLengths.find(([, names]) => names.includes(type.name)) ?? [];
  if (fixed !== undefined) return layoutOfLength(fixed);
  switch (type.name) {
    case 'VarChar':
    case 'NVarChar':
    case 'VarBinary':
      return dataLength === unlimited ? inParts : afterTwoBytes;
    case 'Char':
    case 'NChar':
    case 'Binary':
      return afterTwoBytes;
    case 'Text':
    case 'NText':
    case 'Image':
      return afterPointer;
    case 'Variant':
      return afterFourBytes;
    case 'Xml':
    case 'UDT':
      return inParts;
    default:
      return afterOneByte;
  }
}

const unlimited = 0xffff;

const fixedLengths: readonly (readonly [number, readonly string[]])[] = [
  [0, ['Null']],
  [1, ['TinyInt', 'Bit']],
  [2, ['SmallInt']],
  [4, ['Int', 'Real', 'SmallMoney', 'SmallDateTime']],
  [8, ['BigInt', 'Float', 'Money', 'DateTime']],
];

function layoutOfLength(length: number): CellLayout {
  return { parted: false, find: (bytes, at, cells) => appendCell(bytes, length === 0 ? -1 : at, at + length, cells) };
}

const afterOneByte = layoutAfterLength(1, 0);
const afterTwoBytes = layoutAfterLength(2, unlimited);
const afterFourBytes = layoutAfterLength(4, 0);

/** A length of `nullLength` is NULL. */
function layoutAfterLength(width: 1 | 2 | 4, nullLength: number): CellLayout {
  return {
    parted: false,
    find(bytes, at, cells) {
      const start = at + width;
      requireBytes(bytes, start);
      const length = width === 1 ? (bytes[at] ?? 0) : width === 2 ? bytes.readUInt16LE(at) : bytes.readUInt32LE(at);
      return length === nullLength ? appendCell(bytes, -1, start, cells) : appendCell(bytes, start, start + length, cells);
    },
  };
}

/** The old large types: a pointer, whose length of 0 is NULL, and the time of the row come first. */
const afterPointer: CellLayout = {
  parted: false,
  find(bytes, at, cells) {
    requireBytes(bytes, at + 1);
    const pointer = bytes[at] ?? 0;
    if (pointer === 0) return appendCell(bytes, -1, at + 1, cells);
    const start = at + 1 + pointer + 8 + 4;
    requireBytes(bytes, start);
    const length = bytes.readUInt32LE(start - 4);
    if (length > longestCell) throw tooLongError();
    return appendCell(bytes, start, start + length, cells);
  },
};

const noValue = 0xffff_ffff_ffff_ffffn;
const unknownLength = 0xffff_ffff_ffff_fffen;

const inParts: CellLayout = {
  parted: true,
  find(bytes, at, cells) {
    const start = at + 8;
    requireBytes(bytes, start);
    const total = bytes.readBigUInt64LE(at);
    if (total === noValue) return appendCell(bytes, -1, start, cells);
    if (total !== unknownLength) {
      if (total > BigInt(longestCell)) throw tooLongError();
      // the full length at once, so that a large value is not parsed again for each packet
      requireBytes(bytes, start + Number(total) + (total === 0n ? 4 : 8));
    }
    for (let next = start; ;) {
      requireBytes(bytes, next + 4);
      const length = bytes.readUInt32LE(next);
      next += 4 + length;
      if (next - start > 2 * longestCell) throw tooLongError();
      if (length === 0) return appendCell(bytes, start, next, cells);
    }
  },
};

function requireBytes(bytes: Buffer, end: number): void {
  if (end > bytes.length) throw new NotEnoughDataError(end);
}

/** Appends a cell that ends where the next one starts. */
function appendCell(bytes: Buffer, start: number, end: number, cells: number[]): number {
  requireBytes(bytes, end);
  cells.push(start, end);
  return end;
}

const tooLongError = (): RangeError => new RangeError('A cell is longer than 16 MiB.');
