import { ByteWriter } from '../../results/byte-writer.ts';
import { isJson, writeJsonString } from '../../results/json-text.ts';
import {
  bigintCell,
  binaryCell,
  booleanCell,
  type ByteCell,
  integerCell,
  toShortestFloat32,
  utf8Cell,
} from '../cells/byte-cells.ts';
import { decimalCell as decimalTextCell, jsonCell as jsonTextCell } from '../cells/text-cells.ts';
import { writeClock } from '../cells/write-clock.ts';

/** Reads the cells of a column from the bytes of a row. */
export interface Cell extends ByteCell {
  /** Its size in bytes; `counted`: after a length prefix. */
  readonly width: number | 'counted';
}

const countedCell = (cell: ByteCell): Cell => ({ width: 'counted', ...cell });

/** The start of the bytes after a length prefix. */
export function startOf(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 251) return at + 1;
  return first === 252 ? at + 3 : first === 253 ? at + 4 : at + 9;
}

export function endOf(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 251) return at + 1 + first;
  if (first === 252) return at + 3 + bytes.readUInt16LE(at + 1);
  if (first === 253) return at + 4 + bytes.readUIntLE(at + 1, 3);
  return at + 9 + bytes.readUIntLE(at + 1, 6);
}

/** The server sends strings as UTF-8, whatever the character set of the column. */
export const textCell = countedCell(utf8Cell);

export const bytesCell = countedCell(binaryCell);

/** JSON is nested, on one line. MariaDB stores JSON as text: what does not parse becomes a string. */
export const jsonCell: Cell = {
  ...textCell,
  json(bytes, start, end, out) {
    const text = bytes.toString('utf8', start, end);
    if (isJson(text)) jsonTextCell.json(text, out);
    else writeJsonString(out, text);
  },
};

const surelySafe = 16; // no number of so few characters is rounded by a client

/** The server sends decimals as text with all digits. */
export const decimalCell: Cell = {
  width: 'counted',
  json(bytes, start, end, out) {
    const from = numberStart(bytes, start, end);
    if (end - from < surelySafe) out.copyRange(bytes, from, end);
    else decimalTextCell.json(bytes.toString('latin1', from, end), out);
  },
  text: (bytes, start, end, out) => out.copyRange(bytes, numberStart(bytes, start, end), end),
  value: (bytes, start, end) => decimalTextCell.value(bytes.toString('latin1', numberStart(bytes, start, end), end)),
};

const zero = 48;
const point = 46;

/** Removes the leading zeros of ZEROFILL, which JSON does not allow. */
function numberStart(bytes: Buffer, start: number, end: number): number {
  let from = start;
  while (bytes[from] === zero && from + 1 < end && bytes[from + 1] !== point) from++;
  return from;
}

export const smallIntegerCell = (width: 1 | 2 | 4, unsigned: boolean): Cell => ({
  width,
  ...integerCell(smallReaders[`${unsigned ? 'U' : ''}${width}`]),
});

const smallReaders = {
  '1': (bytes: Buffer, at: number) => bytes.readInt8(at),
  '2': (bytes: Buffer, at: number) => bytes.readInt16LE(at),
  '4': (bytes: Buffer, at: number) => bytes.readInt32LE(at),
  U1: (bytes: Buffer, at: number) => bytes.readUInt8(at),
  U2: (bytes: Buffer, at: number) => bytes.readUInt16LE(at),
  U4: (bytes: Buffer, at: number) => bytes.readUInt32LE(at),
};

export const largeIntegerCell = (unsigned: boolean): Cell => ({ width: 8, ...bigintCell(unsigned) });

/** BIT(n) is an unsigned integer. */
export const bitsCell: Cell = {
  width: 'counted',
  json(bytes, start, end, out) {
    const value = readBits(bytes, start, end);
    out.ascii(typeof value === 'bigint' ? `"${value}"` : String(value));
  },
  text: (bytes, start, end, out) => out.ascii(String(readBits(bytes, start, end))),
  value: readBits,
};

const digitOne = 49;

/** BIT(1) is a boolean. MariaDB sends the bit of an expression as a byte, or as the digit 0 or 1. */
export const yesNoCell = countedCell(
  booleanCell((bytes, start, end) => {
    const value = readBits(bytes, start, end);
    return value === 1 || value === digitOne;
  }),
);

function readBits(bytes: Buffer, start: number, end: number): number | bigint {
  let value = 0n;
  for (let i = start; i < end; i++) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

export const doubleCell = floatingCell(8, (bytes, at) => bytes.readDoubleLE(at));
export const floatCell = floatingCell(4, (bytes, at) => toShortestFloat32(bytes.readFloatLE(at)));

/** MySQL has neither NaN nor infinities. */
function floatingCell(width: number, read: (bytes: Buffer, at: number) => number): Cell {
  const write: ByteCell['json'] = (bytes, start, _end, out) => {
    const value = read(bytes, start);
    if ((value | 0) === value && value !== 0) out.integer(value);
    else out.ascii(Object.is(value, -0) ? '-0' : String(value));
  };
  return { width, json: write, text: write, value: read };
}

// Dates and times are sent as their parts; trailing parts that are zero are omitted. Zero dates (`0000-00-00`) are kept.

/** `2026-01-31` */
export const dateCell = momentCell(writeDate);

/** `2026-01-31T09:30:00.123` */
export const datetimeCell = momentCell(writeDatetime);

/** An instant, in the session's time zone, which is UTC: `2026-01-31T09:30:00.123Z` */
export const timestampCell = momentCell((bytes, start, end, out) => {
  writeDatetime(bytes, start, end, out);
  out.ascii('Z');
});

/** A span of up to 838 hours, either way: `-12:30:00.5` */
export const timeCell = momentCell((bytes, start, end, out) => {
  if (start === end) {
    out.ascii('00:00:00');
    return;
  }
  if (bytes[start] === 1) out.ascii('-');
  const hours = bytes.readUInt32LE(start + 1) * 24 + (bytes[start + 5] ?? 0);
  writeClock(out, hours, bytes[start + 6], bytes[start + 7], end - start > 8 ? bytes.readUInt32LE(start + 8) : 0);
});

function momentCell(write: ByteCell['text']): Cell {
  return {
    width: 'counted',
    json(bytes, start, end, out) {
      out.ascii('"');
      write(bytes, start, end, out);
      out.ascii('"');
    },
    text: write,
    value(bytes, start, end) {
      scratch.clear();
      write(bytes, start, end, scratch);
      return scratch.view().toString('latin1');
    },
  };
}

const scratch = new ByteWriter(64);
const dash = 45;

function writeDate(bytes: Buffer, start: number, end: number, out: ByteWriter): void {
  const isZero = start === end;
  out.reserve(10);
  out.digits(isZero ? 0 : bytes.readUInt16LE(start), 4);
  out.byte(dash);
  out.digits(isZero ? 0 : (bytes[start + 2] ?? 0), 2);
  out.byte(dash);
  out.digits(isZero ? 0 : (bytes[start + 3] ?? 0), 2);
}

function writeDatetime(bytes: Buffer, start: number, end: number, out: ByteWriter): void {
  const length = end - start;
  writeDate(bytes, start, end, out);
  out.ascii('T');
  if (length > 4)
    writeClock(out, bytes[start + 4], bytes[start + 5], bytes[start + 6], length > 7 ? bytes.readUInt32LE(start + 7) : 0);
  else out.ascii('00:00:00');
}
