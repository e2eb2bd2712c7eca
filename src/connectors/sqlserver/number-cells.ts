import type { ByteWriter } from '../../results/byte-writer.ts';
import type { SqlValue } from '../../sql-value.ts';
import { decimalCell as decimalTextCell, integerCell as integerTextCell, type TextCell } from '../text-cells.ts';
import type { Cell } from './cell.ts';

/** Of one, two or four bytes; a single one has no sign. */
export const integerCell: Cell = {
  json: writeInteger,
  text: writeInteger,
  value: readInteger,
};

export const bigintCell: Cell = {
  json: (bytes, start, _end, out) => writeLarge(bytes.readBigInt64LE(start), out, true),
  text: (bytes, start, _end, out) => writeLarge(bytes.readBigInt64LE(start), out, false),
  value: (bytes, start) => integerTextCell.value(String(bytes.readBigInt64LE(start))),
};

export const bitCell: Cell = {
  json: (bytes, start, _end, out) => out.ascii(bytes[start] === 0 ? 'false' : 'true'),
  text: (bytes, start, _end, out) => out.ascii(bytes[start] === 0 ? 'false' : 'true'),
  value: (bytes, start) => bytes[start] !== 0,
};

export const floatCell: Cell = floatingCell((bytes, start) => bytes.readDoubleLE(start), String);
export const realCell: Cell = floatingCell((bytes, start) => bytes.readFloatLE(start), shortestReal);

export const moneyCell: Cell = exactCell(decimalTextCell, moneyText);

export const decimalCell = (scale: number): Cell =>
  exactCell(decimalTextCell, (bytes, start, end) => decimalText(bytes, start, end, scale));

/** Four digits after the point; the larger one has its upper half first. */
export function moneyText(bytes: Buffer, start: number, end: number): string {
  if (end - start === 4) return scaledText(String(Math.abs(bytes.readInt32LE(start))), bytes.readInt32LE(start) < 0, 4);
  const value = (BigInt(bytes.readInt32LE(start)) << 32n) + BigInt(bytes.readUInt32LE(start + 4));
  return value < 0n ? scaledText(String(-value), true, 4) : scaledText(String(value), false, 4);
}

/** A sign, then a whole number of up to 16 bytes. */
export function decimalText(bytes: Buffer, start: number, end: number, scale: number): string {
  const negative = bytes[start] === 0;
  if (end - start === 5) return scaledText(String(bytes.readUInt32LE(start + 1)), negative, scale);
  let value = 0n;
  for (let at = end - 4; at > start; at -= 4) value = (value << 32n) | BigInt(bytes.readUInt32LE(at));
  return scaledText(String(value), negative, scale);
}

/** The shortest text that reads back as the same single-precision number. */
export function shortestReal(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

function scaledText(digits: string, negative: boolean, scale: number): string {
  const sign = negative && !/^0*$/.test(digits) ? '-' : '';
  if (scale === 0) return sign + digits;
  const padded = digits.padStart(scale + 1, '0');
  const point = padded.length - scale;
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`;
}

function readInteger(bytes: Buffer, start: number, end: number): number {
  if (end - start === 4) return bytes.readInt32LE(start);
  return end - start === 2 ? bytes.readInt16LE(start) : (bytes[start] ?? 0);
}

function writeInteger(bytes: Buffer, start: number, end: number, out: ByteWriter): void {
  out.integer(readInteger(bytes, start, end));
}

function writeLarge(value: bigint, out: ByteWriter, json: boolean): void {
  const number = Number(value);
  if (Number.isSafeInteger(number)) out.integer(number);
  else out.ascii(json ? `"${value}"` : String(value));
}

function exactCell(cell: TextCell, read: (bytes: Buffer, start: number, end: number) => string): Cell {
  return {
    json: (bytes, start, end, out) => cell.json(read(bytes, start, end), out),
    text: (bytes, start, end, out) => cell.text(read(bytes, start, end), out),
    value: (bytes, start, end) => cell.value(read(bytes, start, end)),
  };
}

function floatingCell(read: (bytes: Buffer, start: number) => number, textOf: (value: number) => string): Cell {
  const write = (value: number, out: ByteWriter): void => out.ascii(Object.is(value, -0) ? '0' : textOf(value));
  return {
    json: (bytes, start, _end, out) => write(read(bytes, start), out),
    text: (bytes, start, _end, out) => write(read(bytes, start), out),
    value: (bytes, start): SqlValue => Number(textOf(read(bytes, start))),
  };
}
