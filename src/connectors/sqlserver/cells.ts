import { TYPE } from 'tedious/lib/data-type.js';
import type { ByteWriter } from '../../results/byte-writer.ts';
import { writeJsonString } from '../../results/json-text.ts';
import { toShortestFloat32 } from '../cells/float32.ts';
import { type ByteCell, decimalCell as decimalTextCell, integerCell as integerTextCell } from '../cells/text-cells.ts';
import { codePageOf, codePageText } from './code-pages.ts';
import type { WireColumn } from './columns.ts';

type CellType = Pick<WireColumn, 'type' | 'dataLength' | 'scale'> & {
  readonly collation?: { readonly codepage?: string | undefined } | undefined;
};

export function cellOf({ type, dataLength, scale = 0, collation }: CellType): ByteCell {
  switch (type.name) {
    case 'IntN':
      return dataLength === 8 ? bigintCell : integerCell;
    case 'FloatN':
      return dataLength === 4 ? realCell : floatCell;
    case 'DecimalN':
    case 'NumericN':
      return decimalCell(scale);
    case 'Time':
      return stringCell((bytes, start, end) => timeText(bytes, start, end, scale));
    case 'DateTime2':
      return stringCell((bytes, start, end) => timestampText(bytes, start, end, scale));
    case 'DateTimeOffset':
      return stringCell((bytes, start, end) => instantText(bytes, start, end, scale));
    case 'DateTimeN':
      return stringCell(dataLength === 4 ? smallDateTimeText : dateTimeText);
    case 'VarChar':
    case 'Char':
    case 'Text':
      return stringCell(codePageText(collation?.codepage));
    default:
      return otherCells.find(([, names]) => names.includes(type.name))?.[0] ?? binaryCell;
  }
}

const utf16Text = (bytes: Buffer, start: number, end: number): string => bytes.toString('ucs2', start, end);

/** The first three groups are little-endian. */
function uuidText(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + 16);
  const hexAt = (...places: number[]): string => places.map((place) => hex.slice(place * 2, place * 2 + 2)).join('');
  return `${hexAt(3, 2, 1, 0)}-${hexAt(5, 4)}-${hexAt(7, 6)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A sql_variant: the type of its value, the properties of the type, then the value. */
function variantText(bytes: Buffer, start: number, end: number): string {
  const type = TYPE[bytes[start] ?? 0];
  const properties = start + 2;
  const from = properties + (bytes[start + 1] ?? 0);
  if (type === undefined) return bytes.toString('base64', from, end);
  const isDecimal = type.name === 'DecimalN' || type.name === 'NumericN';
  const scale = bytes[properties + (isDecimal ? 1 : 0)] ?? 0; // the precision of a decimal comes first
  const isCollated = type.name === 'VarChar' || type.name === 'Char';
  const collation = isCollated ? { codepage: codePageOf(bytes, properties) } : undefined;
  const value = cellOf({ type, scale, collation, dataLength: end - from }).value(bytes, from, end);
  return value instanceof Uint8Array ? bytes.toString('base64', from, end) : String(value);
}

function stringCell(read: (bytes: Buffer, start: number, end: number) => string): ByteCell {
  return {
    json: (bytes, start, end, out) => writeJsonString(out, read(bytes, start, end)),
    text: (bytes, start, end, out) => out.utf8(read(bytes, start, end)),
    value: read,
  };
}

const binaryCell: ByteCell = {
  json: (bytes, start, end, out) => out.ascii(`"${bytes.toString('base64', start, end)}"`),
  text: (bytes, start, end, out) => out.ascii(bytes.toString('base64', start, end)),
  value: (bytes, start, end) => new Uint8Array(bytes.subarray(start, end)),
};

/** An integer of one, two or four bytes; a single byte is unsigned. */
const integerCell: ByteCell = {
  json: writeInteger,
  text: writeInteger,
  value: readInteger,
};

const bigintCell: ByteCell = {
  json: (bytes, start, _end, out) => writeLarge(bytes.readBigInt64LE(start), out, true),
  text: (bytes, start, _end, out) => writeLarge(bytes.readBigInt64LE(start), out, false),
  value: (bytes, start) => integerTextCell.value(String(bytes.readBigInt64LE(start))),
};

const bitCell: ByteCell = {
  json: (bytes, start, _end, out) => out.ascii(bytes[start] === 0 ? 'false' : 'true'),
  text: (bytes, start, _end, out) => out.ascii(bytes[start] === 0 ? 'false' : 'true'),
  value: (bytes, start) => bytes[start] !== 0,
};

const floatCell: ByteCell = floatingCell((bytes, start) => bytes.readDoubleLE(start));
const realCell: ByteCell = floatingCell((bytes, start) => toShortestFloat32(bytes.readFloatLE(start)));

const moneyCell: ByteCell = exactCell(moneyText);

const decimalCell = (scale: number): ByteCell => exactCell((bytes, start, end) => decimalText(bytes, start, end, scale));

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

/** Dates and times as ISO 8601, by integer arithmetic: the time zone of the process has no effect. */

/** Days since the first of January of the year 1, in three bytes. */
function dateText(bytes: Buffer, start: number): string {
  return dayText(bytes.readUIntLE(start, 3) - daysBefore1970);
}

function timeText(bytes: Buffer, start: number, end: number, scale: number): string {
  return clockText(bytes.readUIntLE(start, end - start), scale);
}

/** A time and then a day. */
function timestampText(bytes: Buffer, start: number, end: number, scale: number): string {
  return `${dateText(bytes, end - 3)}T${timeText(bytes, start, end - 3, scale)}`;
}

/** As a timestamp in UTC; the offset after it is not needed. */
function instantText(bytes: Buffer, start: number, end: number, scale: number): string {
  return `${timestampText(bytes, start, end - 2, scale)}Z`;
}

/** Days since 1900 and three-hundredths of a second, which the server shows in milliseconds. */
function dateTimeText(bytes: Buffer, start: number): string {
  const milliseconds = Math.round((bytes.readInt32LE(start + 4) * 10) / 3);
  return `${dayText(bytes.readInt32LE(start) - days1900To1970)}T${clockText(milliseconds, 3)}`;
}

/** Days since 1900 and minutes. */
function smallDateTimeText(bytes: Buffer, start: number): string {
  return `${dayText(bytes.readUInt16LE(start) - days1900To1970)}T${clockText(bytes.readUInt16LE(start + 2) * 60, 0)}`;
}

const daysBefore1970 = 719_162;
const days1900To1970 = 25_567;
const msADay = 86_400_000;

/** The years of all these types are 1 to 9999. */
const dayText = (days: number): string => new Date(days * msADay).toISOString().slice(0, 10);

/** `units` of ten to the power of minus `scale` seconds. */
function clockText(units: number, scale: number): string {
  const perSecond = 10 ** scale;
  const seconds = Math.floor(units / perSecond);
  const fraction = units % perSecond;
  const clock = `${padTwo(Math.floor(seconds / 3600))}:${padTwo(Math.floor(seconds / 60) % 60)}:${padTwo(seconds % 60)}`;
  return fraction === 0
    ? clock
    : `${clock}.${String(fraction)
        .padStart(scale, '0')
        .replace(/(?<!0)0+$/, '')}`;
}

const padTwo = (value: number): string => String(value).padStart(2, '0');

const otherCells: readonly (readonly [ByteCell, readonly string[]])[] = [
  [integerCell, ['TinyInt', 'SmallInt', 'Int']],
  [bigintCell, ['BigInt']],
  [bitCell, ['Bit', 'BitN']],
  [realCell, ['Real']],
  [floatCell, ['Float']],
  [moneyCell, ['Money', 'SmallMoney', 'MoneyN']],
  [stringCell(dateText), ['Date']],
  [stringCell(dateTimeText), ['DateTime']],
  [stringCell(smallDateTimeText), ['SmallDateTime']],
  [stringCell(utf16Text), ['NVarChar', 'NChar', 'NText', 'Xml']],
  [stringCell(uuidText), ['UniqueIdentifier']],
  [stringCell(variantText), ['Variant']],
];
