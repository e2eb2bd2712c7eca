import { TYPE } from 'tedious/lib/data-type.js';
import { writeJsonString } from '../../results/json-text.ts';
import type { ByteCell } from '../cells/text-cells.ts';
import { codePageOf, codePageText } from './code-pages.ts';
import type { WireColumn } from './columns.ts';
import { bigintCell, bitCell, decimalCell, floatCell, integerCell, moneyCell, realCell } from './number-cells.ts';
import { dateText, dateTimeText, instantText, smallDateTimeText, timestampText, timeText } from './time-cells.ts';

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
