import { codePageOf, codePageText } from './code-pages.ts';
import { decimalText, moneyText, shortestReal } from './number-cells.ts';
import { dateText, dateTimeText, instantText, smallDateTimeText, timestampText, timeText } from './time-cells.ts';
import { uuidText } from './uuid-text.ts';

/** A sql_variant: the type of its value, the properties of the type, then the value. */
export function variantText(bytes: Buffer, start: number, end: number): string {
  const type = bytes[start] ?? 0;
  const properties = start + 2;
  const value = properties + (bytes[start + 1] ?? 0);
  const property = (index: number): number => bytes[properties + index] ?? 0;
  switch (type) {
    case 0x30: // tinyint
      return String(bytes[value]);
    case 0x32: // bit
      return bytes[value] === 0 ? 'false' : 'true';
    case 0x34:
      return String(bytes.readInt16LE(value));
    case 0x38:
      return String(bytes.readInt32LE(value));
    case 0x7f:
      return String(bytes.readBigInt64LE(value));
    case 0x3b:
      return shortestReal(bytes.readFloatLE(value));
    case 0x3e:
      return String(bytes.readDoubleLE(value));
    case 0x3c:
    case 0x7a:
      return moneyText(bytes, value, end);
    case 0x6a:
    case 0x6c:
      return decimalText(bytes, value, end, property(1)); // the precision comes before the scale
    case 0x3d:
      return dateTimeText(bytes, value);
    case 0x3a:
      return smallDateTimeText(bytes, value);
    case 0x28:
      return dateText(bytes, value);
    case 0x29:
      return timeText(bytes, value, end, property(0));
    case 0x2a:
      return timestampText(bytes, value, end, property(0));
    case 0x2b:
      return instantText(bytes, value, end, property(0));
    case 0x24:
      return uuidText(bytes, value);
    case 0xe7:
    case 0xef:
      return bytes.toString('ucs2', value, end);
    case 0xa7:
    case 0xaf:
      return codePageText(codePageOf(bytes, properties))(bytes, value, end);
    default:
      return bytes.toString('base64', value, end); // varbinary, binary
  }
}
