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
  const fixed = fixedLengths.get(type.name);
  if (fixed !== undefined) return ofLength(fixed);
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

const fixedLengths: ReadonlyMap<string, number> = new Map([
  ['Null', 0],
  ['TinyInt', 1],
  ['Bit', 1],
  ['SmallInt', 2],
  ['Int', 4],
  ['Real', 4],
  ['SmallMoney', 4],
  ['SmallDateTime', 4],
  ['BigInt', 8],
  ['Float', 8],
  ['Money', 8],
  ['DateTime', 8],
]);

function ofLength(length: number): CellLayout {
  return {
    parted: false,
    find(bytes, at, cells) {
      if (at + length > bytes.length) throw new NotEnoughDataError(at + length);
      cells.push(length === 0 ? -1 : at, at + length);
      return at + length;
    },
  };
}

/** A length of 0 is NULL. */
const afterOneByte: CellLayout = {
  parted: false,
  find(bytes, at, cells) {
    const length = bytes[at];
    const end = at + 1 + (length ?? 0);
    if (length === undefined || end > bytes.length) throw new NotEnoughDataError(end);
    cells.push(length === 0 ? -1 : at + 1, end);
    return end;
  },
};

const afterTwoBytes: CellLayout = {
  parted: false,
  find(bytes, at, cells) {
    if (at + 2 > bytes.length) throw new NotEnoughDataError(at + 2);
    const length = bytes.readUInt16LE(at);
    if (length === unlimited) {
      cells.push(-1, -1);
      return at + 2;
    }
    const end = at + 2 + length;
    if (end > bytes.length) throw new NotEnoughDataError(end);
    cells.push(at + 2, end);
    return end;
  },
};

const afterFourBytes: CellLayout = {
  parted: false,
  find(bytes, at, cells) {
    if (at + 4 > bytes.length) throw new NotEnoughDataError(at + 4);
    const length = bytes.readUInt32LE(at);
    const end = at + 4 + length;
    if (end > bytes.length) throw new NotEnoughDataError(end);
    cells.push(length === 0 ? -1 : at + 4, end);
    return end;
  },
};

/** The old large types: a pointer, whose length of 0 is NULL, and the time of the row come first. */
const afterPointer: CellLayout = {
  parted: false,
  find(bytes, at, cells) {
    const pointer = bytes[at];
    if (pointer === undefined) throw new NotEnoughDataError(at + 1);
    if (pointer === 0) {
      cells.push(-1, -1);
      return at + 1;
    }
    const start = at + 1 + pointer + 8 + 4;
    if (start > bytes.length) throw new NotEnoughDataError(start);
    const end = start + bytes.readUInt32LE(start - 4);
    if (end - start > longestCell) throw tooLong();
    if (end > bytes.length) throw new NotEnoughDataError(end);
    cells.push(start, end);
    return end;
  },
};

const noValue = 0xffff_ffff_ffff_ffffn;
const unknownLength = 0xffff_ffff_ffff_fffen;

const inParts: CellLayout = {
  parted: true,
  find(bytes, at, cells) {
    if (at + 8 > bytes.length) throw new NotEnoughDataError(at + 8);
    const total = bytes.readBigUInt64LE(at);
    if (total === noValue) {
      cells.push(-1, -1);
      return at + 8;
    }
    const start = at + 8;
    if (total !== unknownLength) {
      if (total > BigInt(longestCell)) throw tooLong();
      // the full length at once, so that a large value is not parsed again for each packet
      const least = start + Number(total) + (total === 0n ? 4 : 8);
      if (least > bytes.length) throw new NotEnoughDataError(least);
    }
    let next = start;
    for (;;) {
      if (next + 4 > bytes.length) throw new NotEnoughDataError(next + 4);
      const length = bytes.readUInt32LE(next);
      next += 4 + length;
      if (next - start > 2 * longestCell) throw tooLong();
      if (length === 0) break;
      if (next > bytes.length) throw new NotEnoughDataError(next);
    }
    cells.push(start, next);
    return next;
  },
};

const tooLong = (): RangeError => new RangeError('A cell is longer than 16 MiB.');
