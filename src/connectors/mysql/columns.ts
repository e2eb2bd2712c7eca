import mysql from 'mysql2';
import type { Column, ColumnKind } from '../../core/column.ts';
import { ConnectorError } from '../connector.ts';
import {
  bitsCell,
  bytesCell,
  type Cell,
  dateCell,
  datetimeCell,
  decimalCell,
  doubleCell,
  floatCell,
  jsonCell,
  largeIntegerCell,
  smallIntegerCell,
  textCell,
  timeCell,
  timestampCell,
  yesNoCell,
} from './cells.ts';
import { binaryCharacterSet, type Field, Flag, type PreparedStatement } from './driver.ts';

export interface ColumnReader extends Column {
  readonly cell: Cell;
}

export const columnOf = (field: Field): ColumnReader => ({ name: field.name, ...typeOf(field) });

export const columnsOf = (readers: readonly ColumnReader[]): readonly Column[] =>
  readers.map(({ name, type, kind }) => ({ name, type, kind }));

const latest = new WeakMap<PreparedStatement, readonly Column[]>();

/** The columns of a run: the array of the run before where they are equal, because labels and keys are cached by it. */
export function columnsOfRun(statement: PreparedStatement, readers: readonly ColumnReader[]): readonly Column[] {
  const before = latest.get(statement);
  const areEqual =
    before?.length === readers.length &&
    before.every(({ name, type, kind }, index) => {
      const reader = readers[index];
      return name === reader?.name && type === reader.type && kind === reader.kind;
    });
  if (areEqual) return before;
  const columns = columnsOf(readers);
  latest.set(statement, columns);
  return columns;
}

type FieldType = Omit<ColumnReader, 'name'>;

const { Types } = mysql; // not a named export of its CommonJS module

const json: FieldType = { type: 'json', kind: 'json', cell: jsonCell };

const fixedTypes: ReadonlyMap<number, FieldType> = new Map([
  [Types.YEAR, { type: 'year', kind: 'integer', cell: smallIntegerCell(2, true) }],
  [Types.DATE, { type: 'date', kind: 'date', cell: dateCell }],
  [Types.TIME, { type: 'time', kind: 'time', cell: timeCell }],
  [Types.DATETIME, { type: 'datetime', kind: 'timestamp', cell: datetimeCell }],
  [Types.TIMESTAMP, { type: 'timestamp', kind: 'timestamptz', cell: timestampCell }],
  [Types.JSON, json],
  [Types.NULL, { type: 'null', kind: 'undeclared', cell: textCell }],
  [Types.VECTOR, { type: 'vector', kind: 'binary', cell: bytesCell }],
]);

function typeOf(field: Field): FieldType {
  const { columnType, extendedFormat, extendedTypeName } = field;
  if (extendedFormat === 'json') return json;
  if (columnType === Types.GEOMETRY) return { type: extendedTypeName ?? 'geometry', kind: 'binary', cell: bytesCell };
  if (extendedTypeName !== undefined) return typeOfMariaDb(field, extendedTypeName);
  return fixedTypes.get(columnType) ?? numberType(field) ?? stringType(field);
}

/** A type of MariaDB. */
function typeOfMariaDb({ characterSet }: Field, type: string): FieldType {
  const isBinary = characterSet === binaryCharacterSet;
  const kind: ColumnKind = type === 'uuid' ? 'uuid' : isBinary ? 'binary' : 'other';
  return { type, kind, cell: isBinary ? bytesCell : textCell };
}

function numberType(field: Field): FieldType | undefined {
  const { columnLength, flags } = field;
  const unsigned = (flags & Flag.unsigned) !== 0;
  const suffix = unsigned ? ' unsigned' : '';
  const integer = (type: string, width: 1 | 2 | 4): FieldType => {
    // the width of an expression depends on the bound values, so the maximum is assumed
    const name = field.orgTable === '' ? 'bigint' : type;
    return { type: name + suffix, kind: 'integer', cell: smallIntegerCell(width, unsigned) };
  };
  switch (field.columnType) {
    case Types.TINY:
      return integer(columnLength === 1 ? 'tinyint(1)' : 'tinyint', 1);
    case Types.SHORT:
      return integer('smallint', 2);
    case Types.INT24:
      return integer('mediumint', 4);
    case Types.LONG:
      return integer('int', 4);
    case Types.LONGLONG:
      return { type: `bigint${suffix}`, kind: 'integer', cell: largeIntegerCell(unsigned) };
    case Types.DECIMAL:
    case Types.NEWDECIMAL:
      return { type: decimalType(field, unsigned) + suffix, kind: 'decimal', cell: decimalCell };
    case Types.FLOAT:
      return { type: `float${suffix}`, kind: 'float', cell: floatCell };
    case Types.DOUBLE:
      return { type: `double${suffix}`, kind: 'float', cell: doubleCell };
    case Types.BIT:
      if (columnLength === 1) return { type: 'bit(1)', kind: 'boolean', cell: yesNoCell };
      if ((flags & Flag.binary) !== 0) throw ambiguousBitsError(field);
      return { type: `bit(${columnLength})`, kind: 'integer', cell: bitsCell };
    default:
      return undefined;
  }
}

/** Bytes or digits, which cannot be distinguished: 0x34 may be 52 or 4. An error is better than a wrong number. */
const ambiguousBitsError = ({ name, columnLength }: Field): ConnectorError =>
  new ConnectorError(
    'invalid',
    `MariaDB does not say how it sends BIT(${columnLength}) in the expression ${name}. Write it as a number: … + 0.`,
  );

function decimalType({ columnLength, decimals }: Field, unsigned: boolean): string {
  const precision = columnLength - (decimals > 0 ? 1 : 0) - (unsigned ? 0 : 1);
  return `decimal(${precision},${decimals})`;
}

function stringType({ columnType, flags, characterSet }: Field): FieldType {
  if ((flags & Flag.enum) !== 0 || columnType === Types.ENUM) return { type: 'enum', kind: 'text', cell: textCell };
  if ((flags & Flag.set) !== 0 || columnType === Types.SET) return { type: 'set', kind: 'text', cell: textCell };
  const isBlob = columnType >= Types.TINY_BLOB && columnType <= Types.BLOB;
  const isFixed = columnType === Types.STRING;
  if (characterSet === binaryCharacterSet) {
    return { type: isBlob ? 'blob' : isFixed ? 'binary' : 'varbinary', kind: 'binary', cell: bytesCell };
  }
  return { type: isBlob ? 'text' : isFixed ? 'char' : 'varchar', kind: 'text', cell: textCell };
}
