import { TYPE } from 'tedious/lib/data-type.js';
import type { ColumnMetadata } from 'tedious/lib/token/colmetadata-token-parser.js';
import type { Column, ColumnKind } from '../../core/column.ts';
import {
  bigintCell,
  binaryCell,
  booleanCell,
  type ByteCell,
  decodedCell,
  integerCell,
  toShortestFloat32,
} from '../cells/byte-cells.ts';
import { decimalCell, textCell } from '../cells/text-cells.ts';
import { codePageOf, codePageText } from './code-pages.ts';

/** A column as the protocol describes it. */
export type WireColumn = Pick<ColumnMetadata, 'colName' | 'dataLength' | 'collation'> & WireType;

type WireType = Pick<ColumnMetadata, 'type'> &
  Partial<Pick<ColumnMetadata, 'userType' | 'precision' | 'scale' | 'dataLength' | 'udtInfo'>>;

type CellType = WireType & { readonly collation?: { readonly codepage?: string | undefined } | undefined };

/** By the type's name as the server spells it, `decimal(12,2)`. */
export const columnOf = (name: string, type: string): Column => ({ name, type, kind: typeOf(type)?.[0] ?? 'other' });

export const columnOfWire = (column: WireColumn): Column => columnOf(column.colName, spelling(column));

export const cellOf = (column: CellType): ByteCell =>
  (column.type.name === 'UDT' ? undefined : typeOf(spelling(column))?.[1](column)) ?? binaryCell;

function typeOf(spelled: string): (typeof types)[number] | undefined {
  const [base = ''] = spelled.split('(', 1);
  return types.find(([, , names]) => names.includes(base));
}

const integerNames: ReadonlyMap<number, string> = new Map([
  [1, 'tinyint'],
  [2, 'smallint'],
  [4, 'int'],
]);
const rowVersion = 80; // the user type of `timestamp`, which is binary(8) on the wire
const unlimited = 0xffff;

function spelling({ type, userType, precision, scale, dataLength, udtInfo }: WireType): string {
  const withLength = (name: string, bytesEach = 1): string =>
    `${name}(${dataLength === unlimited ? 'max' : (dataLength ?? 0) / bytesEach})`;
  switch (type.name) {
    case 'IntN':
      return integerNames.get(dataLength ?? 0) ?? 'bigint';
    case 'FloatN':
      return dataLength === 4 ? 'real' : 'float';
    case 'MoneyN':
      return dataLength === 4 ? 'smallmoney' : 'money';
    case 'DateTimeN':
      return dataLength === 4 ? 'smalldatetime' : 'datetime';
    case 'BitN':
      return 'bit';
    case 'DecimalN':
      return `decimal(${precision},${scale})`;
    case 'NumericN':
      return `numeric(${precision},${scale})`;
    case 'Time':
    case 'DateTime2':
    case 'DateTimeOffset':
      return `${type.name.toLowerCase()}(${scale})`;
    case 'VarChar':
    case 'Char':
    case 'VarBinary':
      return withLength(type.name.toLowerCase());
    case 'Binary':
      return userType === rowVersion ? 'timestamp' : withLength('binary');
    case 'NVarChar':
    case 'NChar':
      return withLength(type.name.toLowerCase(), 2);
    case 'Variant':
      return 'sql_variant';
    case 'UDT':
      return udtInfo?.typeName ?? 'udt';
    default:
      return type.name.toLowerCase();
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

function floatingCell(read: (bytes: Buffer, start: number) => number): ByteCell {
  const write: ByteCell['json'] = (bytes, start, _end, out) => out.ascii(String(read(bytes, start)));
  return { json: write, text: write, value: (bytes, start) => read(bytes, start) || 0 }; // -0 is 0
}

// Dates and times as ISO 8601, by integer arithmetic: the time zone of the process has no effect.

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

const stringCell = (read: (bytes: Buffer, start: number, end: number) => string): ByteCell => decodedCell(textCell, read);

const types: readonly (readonly [ColumnKind, cellOf: (column: CellType) => ByteCell, names: readonly string[]])[] = [
  ['integer', () => integerCell(readInteger), ['tinyint', 'smallint', 'int']],
  ['integer', () => bigintCell(false), ['bigint']],
  [
    'decimal',
    ({ scale = 0 }) => decodedCell(decimalCell, (bytes, start, end) => decimalText(bytes, start, end, scale)),
    ['decimal', 'numeric'],
  ],
  ['decimal', () => decodedCell(decimalCell, moneyText), ['money', 'smallmoney']],
  ['float', () => floatingCell((bytes, start) => toShortestFloat32(bytes.readFloatLE(start))), ['real']],
  ['float', () => floatingCell((bytes, start) => bytes.readDoubleLE(start)), ['float']],
  ['boolean', () => booleanCell((bytes, start) => bytes[start] !== 0), ['bit']],
  ['date', () => stringCell(dateText), ['date']],
  ['time', ({ scale = 0 }) => stringCell((bytes, start, end) => timeText(bytes, start, end, scale)), ['time']],
  ['timestamp', () => stringCell(dateTimeText), ['datetime']],
  ['timestamp', () => stringCell(smallDateTimeText), ['smalldatetime']],
  ['timestamp', ({ scale = 0 }) => stringCell((bytes, start, end) => timestampText(bytes, start, end, scale)), ['datetime2']],
  [
    'timestamptz',
    ({ scale = 0 }) => stringCell((bytes, start, end) => instantText(bytes, start, end, scale)),
    ['datetimeoffset'],
  ],
  ['text', ({ collation }) => stringCell(codePageText(collation?.codepage)), ['char', 'varchar', 'text']],
  ['text', () => stringCell(utf16Text), ['nchar', 'nvarchar', 'ntext']],
  ['uuid', () => stringCell(uuidText), ['uniqueidentifier']],
  ['binary', () => binaryCell, ['binary', 'varbinary', 'image', 'timestamp', 'hierarchyid', 'geometry', 'geography']],
  ['other', () => stringCell(utf16Text), ['xml']],
  ['other', () => stringCell(variantText), ['sql_variant']],
];
