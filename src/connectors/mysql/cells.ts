import type { SqlValue } from '../../core/sql-value.ts';
import { ByteWriter } from '../../results/byte-writer.ts';
import { isJson, writeJsonBytes, writeJsonString } from '../../results/json-text.ts';
import { toShortestFloat32 } from '../cells/float32.ts';
import { decimalCell, jsonCell as jsonTextCell } from '../cells/text-cells.ts';

/** Reads the cells of a column from the bytes of a row. Not called for NULL. */
export interface Cell {
  /** Its size in bytes; `counted`: a length prefix, `clock`: a length prefix of one byte. */
  readonly width: number | 'counted' | 'clock';
  json(bytes: Buffer, at: number, out: ByteWriter): void;
  text(bytes: Buffer, at: number, out: ByteWriter): void;
  value(bytes: Buffer, at: number): SqlValue;
}

/** The start of the bytes after a length prefix. */
function startOf(bytes: Buffer, at: number): number {
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
export const textCell: Cell = {
  width: 'counted',
  json: (bytes, at, out) => writeJsonBytes(out, bytes, startOf(bytes, at), endOf(bytes, at)),
  text: (bytes, at, out) => out.copyRange(bytes, startOf(bytes, at), endOf(bytes, at)),
  value: (bytes, at) => bytes.toString('utf8', startOf(bytes, at), endOf(bytes, at)),
};

export const binaryCell: Cell = {
  width: 'counted',
  json: (bytes, at, out) => out.ascii(`"${base64(bytes, at)}"`),
  text: (bytes, at, out) => out.ascii(base64(bytes, at)),
  value: (bytes, at) => new Uint8Array(bytes.subarray(startOf(bytes, at), endOf(bytes, at))),
};

const base64 = (bytes: Buffer, at: number): string => bytes.toString('base64', startOf(bytes, at), endOf(bytes, at));

/** JSON is nested, on one line. MariaDB stores JSON as text: what does not parse becomes a string. */
export const jsonCell: Cell = {
  ...textCell,
  json(bytes, at, out) {
    const text = bytes.toString('utf8', startOf(bytes, at), endOf(bytes, at));
    if (isJson(text)) jsonTextCell.json(text, out);
    else writeJsonString(out, text);
  },
};

const surelySafe = 16; // no number of so few characters is rounded by a client

/** The server sends decimals as text with all digits. */
export const decimalTextCell: Cell = {
  width: 'counted',
  json(bytes, at, out) {
    const start = numberStart(bytes, at);
    const end = endOf(bytes, at);
    if (end - start < surelySafe) out.copyRange(bytes, start, end);
    else decimalCell.json(bytes.toString('latin1', start, end), out);
  },
  text: (bytes, at, out) => out.copyRange(bytes, numberStart(bytes, at), endOf(bytes, at)),
  value: (bytes, at) => decimalCell.value(bytes.toString('latin1', numberStart(bytes, at), endOf(bytes, at))),
};

const zero = 48;
const point = 46;

/** Removes the leading zeros of ZEROFILL, which JSON does not allow. */
function numberStart(bytes: Buffer, at: number): number {
  let start = startOf(bytes, at);
  const end = endOf(bytes, at);
  while (bytes[start] === zero && start + 1 < end && bytes[start + 1] !== point) start++;
  return start;
}

/** Whole numbers of up to 32 bits. */
export function smallIntegerCell(width: 1 | 2 | 4, unsigned: boolean): Cell {
  const read = smallReaders[`${unsigned ? 'U' : ''}${width}`];
  const write = (bytes: Buffer, at: number, out: ByteWriter): void => out.integer(read(bytes, at));
  return { width, json: write, text: write, value: read };
}

const smallReaders = {
  '1': (bytes: Buffer, at: number) => bytes.readInt8(at),
  '2': (bytes: Buffer, at: number) => bytes.readInt16LE(at),
  '4': (bytes: Buffer, at: number) => bytes.readInt32LE(at),
  U1: (bytes: Buffer, at: number) => bytes.readUInt8(at),
  U2: (bytes: Buffer, at: number) => bytes.readUInt16LE(at),
  U4: (bytes: Buffer, at: number) => bytes.readUInt32LE(at),
};

/** Whole numbers of 64 bits. */
export function bigintCell(unsigned: boolean): Cell {
  const readExact = (bytes: Buffer, at: number): bigint => (unsigned ? bytes.readBigUInt64LE(at) : bytes.readBigInt64LE(at));
  const readRounded = (bytes: Buffer, at: number): number =>
    bytes.readUInt32LE(at) + (unsigned ? bytes.readUInt32LE(at + 4) : bytes.readInt32LE(at + 4)) * 2 ** 32;
  const value = (bytes: Buffer, at: number): number | bigint => {
    const number = readRounded(bytes, at);
    return Number.isSafeInteger(number) ? number : readExact(bytes, at);
  };
  const write = (bytes: Buffer, at: number, out: ByteWriter, quotes: string): void => {
    const number = readRounded(bytes, at);
    if (Number.isSafeInteger(number)) out.integer(number);
    else out.ascii(`${quotes}${readExact(bytes, at)}${quotes}`);
  };
  return {
    width: 8,
    json: (bytes, at, out) => write(bytes, at, out, '"'),
    text: (bytes, at, out) => write(bytes, at, out, ''),
    value,
  };
}

/** BIT(n) is an unsigned integer. */
export const bitsCell: Cell = {
  width: 'counted',
  json(bytes, at, out) {
    const value = bits(bytes, at);
    out.ascii(typeof value === 'bigint' ? `"${value}"` : String(value));
  },
  text: (bytes, at, out) => out.ascii(String(bits(bytes, at))),
  value: bits,
};

/** BIT(1) is a boolean. */
export const yesNoCell: Cell = {
  width: 'counted',
  json: (bytes, at, out) => out.ascii(readBoolean(bytes, at) ? 'true' : 'false'),
  text: (bytes, at, out) => out.ascii(readBoolean(bytes, at) ? 'true' : 'false'),
  value: readBoolean,
};

function bits(bytes: Buffer, at: number): number | bigint {
  let value = 0n;
  for (let i = startOf(bytes, at); i < endOf(bytes, at); i++) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** MariaDB sends the bit of an expression as a byte, or as the digit 0 or 1. */
function readBoolean(bytes: Buffer, at: number): boolean {
  const value = bits(bytes, at);
  return value === 1 || value === digitOne;
}

const digitOne = 49;

export const doubleCell: Cell = floatingCell(8, (bytes, at) => bytes.readDoubleLE(at));
export const floatCell: Cell = floatingCell(4, (bytes, at) => toShortestFloat32(bytes.readFloatLE(at)));

/** MySQL has neither NaN nor infinities. */
function floatingCell(width: number, read: (bytes: Buffer, at: number) => number): Cell {
  const write = (bytes: Buffer, at: number, out: ByteWriter): void => {
    const value = read(bytes, at);
    if ((value | 0) === value && value !== 0) out.integer(value);
    else out.ascii(Object.is(value, -0) ? '-0' : String(value));
  };
  return { width, json: write, text: write, value: read };
}

/** Dates and times are sent as their parts; trailing parts that are zero are omitted. Zero dates (`0000-00-00`) are kept. */

/** `2026-01-31` */
export const dateCell: Cell = clockCell(writeDate);

/** `2026-01-31T09:30:00.123` */
export const datetimeCell: Cell = clockCell(writeDatetime);

/** An instant, in the session's time zone, which is UTC: `2026-01-31T09:30:00.123Z` */
export const timestampCell: Cell = clockCell((bytes, at, out) => {
  writeDatetime(bytes, at, out);
  out.ascii('Z');
});

/** A span of up to 838 hours, either way: `-12:30:00.5` */
export const timeCell: Cell = clockCell((bytes, at, out) => {
  const length = bytes[at] ?? 0;
  if (length === 0) {
    out.ascii('00:00:00');
    return;
  }
  if (bytes[at + 1] === 1) out.ascii('-');
  const hours = bytes.readUInt32LE(at + 2) * 24 + (bytes[at + 6] ?? 0);
  writeClock(out, hours, bytes[at + 7], bytes[at + 8], length > 8 ? bytes.readUInt32LE(at + 9) : 0);
});

type Write = (bytes: Buffer, at: number, out: ByteWriter) => void;

function clockCell(write: Write): Cell {
  return {
    width: 'clock',
    json(bytes, at, out) {
      out.ascii('"');
      write(bytes, at, out);
      out.ascii('"');
    },
    text: write,
    value(bytes, at) {
      scratch.clear();
      write(bytes, at, scratch);
      return scratch.view().toString('latin1');
    },
  };
}

const scratch = new ByteWriter(64);
const dash = 45;
const colon = 58;

function writeDate(bytes: Buffer, at: number, out: ByteWriter): void {
  const length = bytes[at] ?? 0;
  out.reserve(10);
  out.digits(length > 0 ? bytes.readUInt16LE(at + 1) : 0, 4);
  out.byte(dash);
  out.digits(length > 0 ? (bytes[at + 3] ?? 0) : 0, 2);
  out.byte(dash);
  out.digits(length > 0 ? (bytes[at + 4] ?? 0) : 0, 2);
}

function writeDatetime(bytes: Buffer, at: number, out: ByteWriter): void {
  const length = bytes[at] ?? 0;
  writeDate(bytes, at, out);
  out.ascii('T');
  if (length > 4) writeClock(out, bytes[at + 5], bytes[at + 6], bytes[at + 7], length > 7 ? bytes.readUInt32LE(at + 8) : 0);
  else out.ascii('00:00:00');
}

/** The fraction is written without zeros at its end. */
function writeClock(out: ByteWriter, hours = 0, minutes = 0, seconds = 0, micros = 0): void {
  out.reserve(24);
  out.digits(hours, hours < 100 ? 2 : 3);
  out.byte(colon);
  out.digits(minutes, 2);
  out.byte(colon);
  out.digits(seconds, 2);
  if (micros === 0) return;
  let digits = 6;
  while (micros % 10 === 0) {
    micros /= 10;
    digits--;
  }
  out.byte(point);
  out.digits(micros, digits);
}
