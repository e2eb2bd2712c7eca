import { writeJsonString } from '../../results/json-text.ts';
import type { Cell } from './cell.ts';
import { codePageText } from './code-pages.ts';
import type { WireColumn } from './columns.ts';
import { bigintCell, bitCell, decimalCell, floatCell, integerCell, moneyCell, realCell } from './number-cells.ts';
import { dateText, dateTimeText, instantText, smallDateTimeText, timestampText, timeText } from './time-cells.ts';
import { uuidText } from './uuid-text.ts';
import { variantText } from './variant.ts';

export function cellOf({ type, dataLength, scale = 0, collation }: WireColumn): Cell {
  switch (type.name) {
    case 'TinyInt':
    case 'SmallInt':
    case 'Int':
      return integerCell;
    case 'BigInt':
      return bigintCell;
    case 'IntN':
      return dataLength === 8 ? bigintCell : integerCell;
    case 'Bit':
    case 'BitN':
      return bitCell;
    case 'Real':
      return realCell;
    case 'Float':
      return floatCell;
    case 'FloatN':
      return dataLength === 4 ? realCell : floatCell;
    case 'Money':
    case 'SmallMoney':
    case 'MoneyN':
      return moneyCell;
    case 'DecimalN':
    case 'NumericN':
      return decimalCell(scale);
    case 'Date':
      return stringCell(dateText);
    case 'Time':
      return stringCell((bytes, start, end) => timeText(bytes, start, end, scale));
    case 'DateTime2':
      return stringCell((bytes, start, end) => timestampText(bytes, start, end, scale));
    case 'DateTimeOffset':
      return stringCell((bytes, start, end) => instantText(bytes, start, end, scale));
    case 'DateTime':
      return stringCell(dateTimeText);
    case 'SmallDateTime':
      return stringCell(smallDateTimeText);
    case 'DateTimeN':
      return stringCell(dataLength === 4 ? smallDateTimeText : dateTimeText);
    case 'NVarChar':
    case 'NChar':
    case 'NText':
    case 'Xml':
      return stringCell(utf16Text);
    case 'VarChar':
    case 'Char':
    case 'Text':
      return stringCell(codePageText(collation?.codepage));
    case 'UniqueIdentifier':
      return stringCell(uuidText);
    case 'Variant':
      return stringCell(variantText);
    default:
      return binaryCell;
  }
}

const utf16Text = (bytes: Buffer, start: number, end: number): string => bytes.toString('ucs2', start, end);

function stringCell(read: (bytes: Buffer, start: number, end: number) => string): Cell {
  return {
    json: (bytes, start, end, out) => writeJsonString(out, read(bytes, start, end)),
    text: (bytes, start, end, out) => out.utf8(read(bytes, start, end)),
    value: read,
  };
}

const binaryCell: Cell = {
  json: (bytes, start, end, out) => out.ascii(`"${bytes.toString('base64', start, end)}"`),
  text: (bytes, start, end, out) => out.ascii(bytes.toString('base64', start, end)),
  value: (bytes, start, end) => new Uint8Array(bytes.subarray(start, end)),
};
