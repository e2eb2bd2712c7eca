import type { Column, ColumnKind } from '../../results/column.ts';
import { ConnectorError } from '../connector.ts';
import { binaryCell, type Cell, decimalTextCell, jsonCell, textCell } from './cells.ts';
import { binaryCharacterSet, type Field, Flag, Type } from './driver.ts';
import { bigintCell, bitsCell, doubleCell, floatCell, smallIntegerCell, yesNoCell } from './number-cells.ts';
import { dateCell, datetimeCell, timeCell, timestampCell } from './time-cells.ts';

export interface ColumnReader extends Column {
  readonly cell: Cell;
}

export function columnOf(field: Field): ColumnReader {
  const { name, extendedFormat, extendedTypeName } = field;
  const made = (type: string, kind: ColumnKind, cell: Cell): ColumnReader => ({ name, type, kind, cell });
  if (extendedFormat === 'json') return made('json', 'json', jsonCell);
  if (extendedTypeName !== undefined && field.columnType !== Type.geometry) {
    const isBinary = field.characterSet === binaryCharacterSet;
    return made(
      extendedTypeName,
      extendedKinds[extendedTypeName] ?? (isBinary ? 'binary' : 'other'),
      isBinary ? binaryCell : textCell,
    );
  }
  const unsigned = (field.flags & Flag.unsigned) !== 0;
  const suffix = unsigned ? ' unsigned' : '';
  switch (field.columnType) {
    case Type.tiny:
      return made(
        integerType(field, field.columnLength === 1 ? 'tinyint(1)' : 'tinyint') + suffix,
        'integer',
        smallIntegerCell(1, unsigned),
      );
    case Type.short:
      return made(integerType(field, 'smallint') + suffix, 'integer', smallIntegerCell(2, unsigned));
    case Type.int24:
      return made(integerType(field, 'mediumint') + suffix, 'integer', smallIntegerCell(4, unsigned));
    case Type.long:
      return made(integerType(field, 'int') + suffix, 'integer', smallIntegerCell(4, unsigned));
    case Type.longlong:
      return made(`bigint${suffix}`, 'integer', bigintCell(unsigned));
    case Type.year:
      return made('year', 'integer', smallIntegerCell(2, true));
    case Type.decimal:
    case Type.oldDecimal:
      return made(decimalType(field, unsigned) + suffix, 'decimal', decimalTextCell);
    case Type.float:
      return made(`float${suffix}`, 'float', floatCell);
    case Type.double:
      return made(`double${suffix}`, 'float', doubleCell);
    case Type.bit:
      if (field.columnLength === 1) return made('bit(1)', 'boolean', yesNoCell);
      if ((field.flags & Flag.binary) !== 0) throw ambiguousBits(field);
      return made(`bit(${field.columnLength})`, 'integer', bitsCell);
    case Type.date:
      return made('date', 'date', dateCell);
    case Type.time:
      return made('time', 'time', timeCell);
    case Type.datetime:
      return made('datetime', 'timestamp', datetimeCell);
    case Type.timestamp:
      return made('timestamp', 'timestamptz', timestampCell);
    case Type.json:
      return made('json', 'json', jsonCell);
    case Type.null:
      return made('null', 'undeclared', textCell);
    case Type.geometry:
      return made(extendedTypeName ?? 'geometry', 'binary', binaryCell);
    case Type.vector:
      return made('vector', 'binary', binaryCell);
    default:
      return stringColumn(field, made);
  }
}

/** Bytes or digits, which cannot be told apart: 0x34 may be 52 or 4. An error is better than a wrong number. */
const ambiguousBits = ({ name, columnLength }: Field): ConnectorError =>
  new ConnectorError(
    'invalid',
    `MariaDB does not say how it sends BIT(${columnLength}) in the expression ${name}. Write it as a number: … + 0.`,
  );

const extendedKinds: Readonly<Record<string, ColumnKind>> = { uuid: 'uuid' };

/** The width of an expression depends on the bound values, so the maximum is assumed. */
const integerType = ({ orgTable }: Field, type: string): string => (orgTable === '' ? 'bigint' : type);

function decimalType({ columnLength, decimals }: Field, unsigned: boolean): string {
  const precision = columnLength - (decimals > 0 ? 1 : 0) - (unsigned ? 0 : 1);
  return `decimal(${precision},${decimals})`;
}

function stringColumn(field: Field, made: (type: string, kind: ColumnKind, cell: Cell) => ColumnReader): ColumnReader {
  const { columnType, flags, characterSet } = field;
  if ((flags & Flag.enum) !== 0 || columnType === Type.enum) return made('enum', 'text', textCell);
  if ((flags & Flag.set) !== 0 || columnType === Type.set) return made('set', 'text', textCell);
  const isBlob = columnType >= Type.tinyBlob && columnType <= Type.blob;
  if (characterSet === binaryCharacterSet) {
    return made(isBlob ? 'blob' : columnType === Type.string ? 'binary' : 'varbinary', 'binary', binaryCell);
  }
  return made(isBlob ? 'text' : columnType === Type.string ? 'char' : 'varchar', 'text', textCell);
}
