import type { ByteWriter } from '../../byte-writer.ts';
import type { RowBatch } from '../../row-stream.ts';
import { type Moment, readDate, readMoment } from '../moment-text.ts';

/** Writes one cell in the format of the file. After `null` and `unfit` the caller discards the bytes. */
export type ValueWriter = (batch: RowBatch, row: number, column: number, out: ByteWriter) => Written;

export type Written = 'value' | 'null' | 'unfit';

export const textValues: ValueWriter = (batch, row, column, out) => {
  const start = beginBytes(out);
  batch.writeText(row, column, out);
  if (out.length === start + 4 && batch.value(row, column) === null) return 'null';
  return endBytes(out, start);
};

export const jsonValues: ValueWriter = (batch, row, column, out) => {
  const start = beginBytes(out);
  batch.writeJson(row, column, out);
  // NULL and the JSON document `null` have the same text
  if (out.length === start + 8 && batch.value(row, column) === null) return 'null';
  return endBytes(out, start);
};

export const binaryValues: ValueWriter = (batch, row, column, out) => {
  const value = batch.value(row, column);
  if (value === null) return 'null';
  if (!(value instanceof Uint8Array)) return 'unfit';
  const start = beginBytes(out);
  out.copy(value);
  return endBytes(out, start);
};

/** One byte per value; packed into bits when the page is closed. */
export const booleanValues: ValueWriter = (batch, row, column, out) => {
  const value = batch.value(row, column);
  if (value === null) return 'null';
  if (value !== true && value !== false && value !== 0 && value !== 1) return 'unfit';
  out.reserve(1);
  out.byte(value === true || value === 1 ? 1 : 0);
  return 'value';
};

export const floatValues: ValueWriter = (batch, row, column, out) => {
  const value = batch.value(row, column);
  if (value === null) return 'null';
  if (typeof value !== 'number') return 'unfit';
  out.reserve(8);
  out.length = out.bytes.writeDoubleLE(value, out.length);
  return 'value';
};

export function integerValues(lowest: bigint, highest: bigint): ValueWriter {
  return createTextWriter((bytes, start, end, out) => {
    const value = readUnscaled(bytes, start, end, 0);
    if (value === undefined) return false;
    if (typeof value === 'bigint' ? value < lowest || value > highest : value < lowest) return false;
    writeInt64(out, value);
    return true;
  });
}

/** The unscaled number in 8 or 16 bytes. */
export function decimalValues(precision: number, scale: number, width: 8 | 16): ValueWriter {
  const beyond = 10n ** BigInt(precision);
  return createTextWriter((bytes, start, end, out) => {
    const value = readUnscaled(bytes, start, end, scale);
    if (value === undefined || value >= beyond || value <= -beyond) return false;
    if (width === 8) writeInt64(out, value);
    else writeInt128(out, BigInt(value));
    return true;
  });
}

export const dateValues: ValueWriter = createTextWriter((bytes, start, end, out) => {
  const days = readDate(bytes, start, end);
  if (days === undefined) return false;
  out.reserve(4);
  out.length = out.bytes.writeInt32LE(days, out.length);
  return true;
});

export function momentValues(unit: 'micros' | 'nanos'): ValueWriter {
  const nanosEach = unit === 'nanos' ? 1 : 1000;
  const unitsOfSecond = 1e9 / nanosEach;
  return createTextWriter((bytes, start, end, out) => {
    if (!readMoment(bytes, start, end, moment) || moment.nanos % nanosEach !== 0) return false;
    const seconds = moment.days * 86_400 + moment.seconds;
    const fraction = moment.nanos / nanosEach;
    const rounded = seconds * unitsOfSecond + fraction;
    const units = Number.isSafeInteger(rounded) ? rounded : BigInt(seconds) * BigInt(unitsOfSecond) + BigInt(fraction);
    if (typeof units === 'bigint' && BigInt.asIntN(64, units) !== units) return false;
    writeInt64(out, units);
    return true;
  });
}

const moment: Moment = { days: 0, seconds: 0, nanos: 0 };

type WriteFromText = (bytes: Buffer, start: number, end: number, out: ByteWriter) => boolean;

/** Writes the text of the cell to the output, parses it there and overwrites it with the value, without creating a string. */
function createTextWriter(write: WriteFromText): ValueWriter {
  return (batch, row, column, out) => {
    const start = out.length;
    batch.writeText(row, column, out);
    const end = out.length;
    if (end === start) return batch.value(row, column) === null ? 'null' : 'unfit';
    out.length = start;
    return write(out.bytes, start, end, out) ? 'value' : 'unfit';
  };
}

/** A decimal number times 10^scale, exactly; undefined if it is not a number or has more decimals. */
function readUnscaled(bytes: Buffer, start: number, end: number, scale: number): number | bigint | undefined {
  const first = bytes[start] === minus ? start + 1 : start;
  let value = 0;
  let digits = 0;
  let decimals = -1; // no point yet
  for (let i = first; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === point && decimals < 0 && digits > 0) {
      decimals = 0;
      continue;
    }
    if (byte < zero || byte > zero + 9) return undefined;
    if (decimals >= scale && byte !== zero) return undefined;
    if (decimals >= scale) continue;
    value = value * 10 + byte - zero;
    digits++;
    if (decimals >= 0) decimals++;
  }
  if (digits === 0) return undefined;
  const missing = scale - Math.max(decimals, 0);
  if (digits + missing > 15) return readLargeUnscaled(bytes.toString('latin1', first, end), bytes[start] === minus, scale);
  const unscaled = value * 10 ** missing;
  return bytes[start] === minus ? -unscaled : unscaled;
}

function readLargeUnscaled(text: string, negative: boolean, scale: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  const unscaled = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
  return negative ? -unscaled : unscaled;
}

function writeInt64(out: ByteWriter, value: number | bigint): void {
  out.reserve(8);
  if (typeof value === 'bigint') {
    out.length = out.bytes.writeBigUInt64LE(BigInt.asUintN(64, value), out.length);
    return;
  }
  const upper = Math.floor(value / 2 ** 32);
  out.length = out.bytes.writeUInt32LE(value - upper * 2 ** 32, out.length);
  out.length = out.bytes.writeInt32LE(upper, out.length);
}

function writeInt128(out: ByteWriter, value: bigint): void {
  out.reserve(16);
  const at = out.bytes.writeBigUInt64BE(BigInt.asUintN(64, value >> 64n), out.length);
  out.length = out.bytes.writeBigUInt64BE(BigInt.asUintN(64, value), at);
}

/** Reserves space for the length, which is known at the end. */
function beginBytes(out: ByteWriter): number {
  const start = out.length;
  out.reserve(4);
  out.length += 4;
  return start;
}

function endBytes(out: ByteWriter, start: number): Written {
  out.bytes.writeUInt32LE(out.length - start - 4, start);
  return 'value';
}

const minus = 45;
const point = 46;
const zero = 48;
