import type { SqlValue } from '../../core/sql-value.ts';
import type { ByteWriter } from '../../results/byte-writer.ts';
import { isJson, writeJsonBytes, writeJsonString } from '../../results/json-text.ts';
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
