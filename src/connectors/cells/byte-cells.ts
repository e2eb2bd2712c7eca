import type { SqlValue } from '../../core/sql-value.ts';
import type { ByteWriter } from '../../results/byte-writer.ts';
import { writeJsonBytes } from '../../results/json-text.ts';
import type { TextCell } from './text-cells.ts';

/** Converts values that are a part of received bytes. Not called for NULL. */
export interface ByteCell {
  json(bytes: Buffer, start: number, end: number, out: ByteWriter): void;
  text(bytes: Buffer, start: number, end: number, out: ByteWriter): void;
  value(bytes: Buffer, start: number, end: number): SqlValue;
}

type Read<T> = (bytes: Buffer, start: number, end: number) => T;

/** Text in UTF-8. */
export const utf8Cell: ByteCell = {
  json: (bytes, start, end, out) => writeJsonBytes(out, bytes, start, end),
  text: (bytes, start, end, out) => out.copyRange(bytes, start, end),
  value: (bytes, start, end) => bytes.toString('utf8', start, end),
};

/** Base64. */
export const binaryCell: ByteCell = {
  json: (bytes, start, end, out) => out.ascii(`"${bytes.toString('base64', start, end)}"`),
  text: (bytes, start, end, out) => out.ascii(bytes.toString('base64', start, end)),
  value: (bytes, start, end) => new Uint8Array(bytes.subarray(start, end)),
};

/** Values that a cell for text converts. */
export function decodedCell(cell: TextCell, read: Read<string>): ByteCell {
  return {
    json: (bytes, start, end, out) => cell.json(read(bytes, start, end), out),
    text: (bytes, start, end, out) => cell.text(read(bytes, start, end), out),
    value: (bytes, start, end) => cell.value(read(bytes, start, end)),
  };
}

export function booleanCell(read: Read<boolean>): ByteCell {
  const write: ByteCell['json'] = (bytes, start, end, out) => out.ascii(read(bytes, start, end) ? 'true' : 'false');
  return { json: write, text: write, value: read };
}

/** Integers of up to 32 bits. */
export function integerCell(read: Read<number>): ByteCell {
  const write: ByteCell['json'] = (bytes, start, end, out) => out.integer(read(bytes, start, end));
  return { json: write, text: write, value: read };
}

/** Integers of 64 bits, little-endian: JSON numbers where no client would round them, strings otherwise. */
export function bigintCell(unsigned: boolean): ByteCell {
  const readExact = (bytes: Buffer, at: number): bigint => (unsigned ? bytes.readBigUInt64LE(at) : bytes.readBigInt64LE(at));
  const readRounded = (bytes: Buffer, at: number): number =>
    bytes.readUInt32LE(at) + (unsigned ? bytes.readUInt32LE(at + 4) : bytes.readInt32LE(at + 4)) * 2 ** 32;
  const write = (bytes: Buffer, at: number, out: ByteWriter, quotes: string): void => {
    const number = readRounded(bytes, at);
    if (Number.isSafeInteger(number)) out.integer(number);
    else out.ascii(`${quotes}${readExact(bytes, at)}${quotes}`);
  };
  return {
    json: (bytes, start, _end, out) => write(bytes, start, out, '"'),
    text: (bytes, start, _end, out) => write(bytes, start, out, ''),
    value(bytes, start) {
      const number = readRounded(bytes, start);
      return Number.isSafeInteger(number) ? number : readExact(bytes, start);
    },
  };
}

/** The number with the shortest text that reads back as the same single-precision number: 0.1 instead of 0.10000000149011612. */
export function toShortestFloat32(value: number): number {
  if ((value | 0) === value) return value | 0;
  for (let precision = 6; precision < 9; precision++) {
    const short = Number(value.toPrecision(precision));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}
