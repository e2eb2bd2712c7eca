import type { ColumnMetadata } from 'tedious/lib/token/colmetadata-token-parser.js';
import type { Column, ColumnKind } from '../../core/column.ts';

/** A column as the protocol describes it. */
export type WireColumn = Pick<
  ColumnMetadata,
  'colName' | 'type' | 'userType' | 'precision' | 'scale' | 'dataLength' | 'collation' | 'udtInfo'
>;

/** By the type's name as the server spells it, `decimal(12,2)`. */
export function columnOf(name: string, type: string): Column {
  const [base = ''] = type.split('(', 1);
  return { name, type, kind: kinds.find(([, names]) => names.includes(base))?.[0] ?? 'other' };
}

export const columnOfWire = (column: WireColumn): Column => columnOf(column.colName, spelling(column));

const kinds: readonly (readonly [ColumnKind, readonly string[]])[] = [
  ['integer', ['tinyint', 'smallint', 'int', 'bigint']],
  ['decimal', ['decimal', 'numeric', 'money', 'smallmoney']],
  ['float', ['real', 'float']],
  ['boolean', ['bit']],
  ['date', ['date']],
  ['time', ['time']],
  ['timestamp', ['datetime', 'smalldatetime', 'datetime2']],
  ['timestamptz', ['datetimeoffset']],
  ['text', ['char', 'varchar', 'text', 'nchar', 'nvarchar', 'ntext']],
  ['uuid', ['uniqueidentifier']],
  ['binary', ['binary', 'varbinary', 'image', 'timestamp', 'hierarchyid', 'geometry', 'geography']],
];

const integerNames: ReadonlyMap<number, string> = new Map([
  [1, 'tinyint'],
  [2, 'smallint'],
  [4, 'int'],
]);
const rowVersion = 80; // the user type of `timestamp`, which is binary(8) on the wire
const unlimited = 0xffff;

function spelling({ type, userType, precision, scale, dataLength, udtInfo }: WireColumn): string {
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
