import type { ByteWriter } from '../../results/byte-writer.ts';
import { toShortestFloat32 } from '../cells/float32.ts';
import { type ByteCell, decimalCell as decimalTextCell, integerCell as integerTextCell } from '../cells/text-cells.ts';

/** An integer of one, two or four bytes; a single byte is unsigned. */
export const integerCell: ByteCell = {
  json: writeInteger,
  text: writeInteger,
  value: readInteger,
};

export const bigintCell: ByteCell = {
  json: (bytes, start, _end, out) => writeLarge(bytes.readBigInt64LE(start), out, true),
  text: (bytes, start, _end, out) => writeLarge(bytes.readBigInt64LE(start), out, false),
  value: (bytes, start) => integerTextCell.value(String(bytes.readBigInt64LE(start))),
};

export const bitCell: ByteCell = {
  json: (bytes, start, _end, out) => out.ascii(bytes[start] === 0 ? 'false' : 'true'),
  text: (bytes, start, _end, out) => out.ascii(bytes[start] === 0 ? 'false' : 'true'),
  value: (bytes, start) => bytes[start] !== 0,
};

export const floatCell: ByteCell = floatingCell((bytes, start) => bytes.readDoubleLE(start));
export const realCell: ByteCell = floatingCell((bytes, start) => toShortestFloat32(bytes.readFloatLE(start)));

export const moneyCell: ByteCell = exactCell(moneyText);

export const decimalCell = (scale: number): ByteCell => exactCell((bytes, start, end) => decimalText(bytes, start, end, scale));

/** Four digits after the point; the larger one has its upper half first. */
function moneyText(bytes: Buffer, start: number, end: number): string {
  if (end - start === 4) return insertPoint(String(Math.abs(bytes.readInt32LE(start))), bytes.readInt32LE(start) < 0, 4);
  const value = (BigInt(bytes.readInt32LE(start)) << 32n) + BigInt(bytes.readUInt32LE(start + 4));
  return value < 0n ? insertPoint(String(-value), true, 4) : insertPoint(String(value), false, 4);
}

/** A sign, then a whole number of up to 16 bytes. */
function decimalText(bytes: Buffer, start: number, end: number, scale: number): string {
  const negative = bytes[start] === 0;
  if (end - start === 5) return insertPoint(String(bytes.readUInt32LE(start + 1)), negative, scale);
  let value = 0n;
  for (let at = end - 4; at > start; at -= 4) value = (value << 32n) | BigInt(bytes.readUInt32LE(at));
  return insertPoint(String(value), negative, scale);
}

function insertPoint(digits: string, negative: boolean, scale: number): string {
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

function exactCell(read: (bytes: Buffer, start: number, end: number) => string): ByteCell {
  return {
    json: (bytes, start, end, out) => decimalTextCell.json(read(bytes, start, end), out),
    text: (bytes, start, end, out) => decimalTextCell.text(read(bytes, start, end), out),
    value: (bytes, start, end) => decimalTextCell.value(read(bytes, start, end)),
  };
}

function floatingCell(read: (bytes: Buffer, start: number) => number): ByteCell {
  const write: ByteCell['json'] = (bytes, start, _end, out) => out.ascii(String(read(bytes, start)));
  return { json: write, text: write, value: (bytes, start) => read(bytes, start) || 0 }; // -0 is 0
}
