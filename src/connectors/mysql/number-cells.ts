import type { ByteWriter } from '../../results/byte-writer.ts';
import { toShortestFloat32 } from '../cells/float32.ts';
import { type Cell, endOf, startOf } from './cells.ts';

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
