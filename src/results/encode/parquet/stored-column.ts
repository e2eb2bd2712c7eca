import type { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { ColumnKind, LabeledColumn } from '../../../core/column.ts';
import {
  binaryValues,
  booleanValues,
  dateValues,
  decimalValues,
  floatValues,
  integerValues,
  jsonValues,
  momentValues,
  textValues,
  type ValueWriter,
} from './value-writers.ts';

/** Structures of the format, as named by the library. */
type FileMetaData = Parameters<typeof writeMetadata>[1];
export type SchemaElement = FileMetaData['schema'][number];
export type RowGroup = FileMetaData['row_groups'][number];
export type ColumnChunk = RowGroup['columns'][number];

/** How the cells of a column are stored in the file. */
export interface StoredColumn {
  readonly label: string;
  readonly element: SchemaElement;
  readonly write: ValueWriter;
}

/**
 * Chooses the type in the file by the kind and the declared type. A type without a precision, or wider than every type of the format,
 * is stored as text: nothing is rounded.
 */
export function toStoredColumn(column: LabeledColumn): StoredColumn {
  const { element, write } = storages[column.kind]?.(column.type) ?? text;
  return { label: column.label, element: { name: column.label, repetition_type: 'OPTIONAL', ...element }, write };
}

interface Storage {
  readonly element: Omit<SchemaElement, 'name'>;
  readonly write: ValueWriter;
}

const text: Storage = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  write: textValues,
};

/** By the kind of a column; others are text. */
const storages: Partial<Record<ColumnKind, (type: string) => Storage>> = {
  integer: integerStorage,
  decimal: decimalStorage,
  float: () => ({ element: { type: 'DOUBLE' }, write: floatValues }),
  boolean: () => ({ element: { type: 'BOOLEAN' }, write: booleanValues }),
  date: () => ({ element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }, write: dateValues }),
  timestamp: (type) => momentStorage(type, false),
  timestamptz: (type) => momentStorage(type, true),
  json: () => ({ element: { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } }, write: jsonValues }),
  binary: () => ({ element: { type: 'BYTE_ARRAY' }, write: binaryValues }),
};

/** 64 bits for all that fit: an `INTEGER` has 32 bits in one engine and 64 in another. */
function integerStorage(type: string): Storage {
  if (/uhugeint|bignum|int256|uint128/i.test(type)) return text;
  if (/hugeint|int128/i.test(type)) return decimal(38, 0); // DuckDB's type for sums of integers
  if (/ubigint|uint64|bigint unsigned|^bit\b/i.test(type)) {
    return { element: { type: 'INT64', converted_type: 'UINT_64' }, write: integerValues(0n, 2n ** 64n - 1n) };
  }
  return { element: { type: 'INT64' }, write: integerValues(-(2n ** 63n), 2n ** 63n - 1n) };
}

function decimalStorage(type: string): Storage {
  if (/^money$/i.test(type)) return decimal(19, 4);
  if (/^smallmoney$/i.test(type)) return decimal(10, 4);
  const [, precision, scale = '0'] = /\b(?:decimal|numeric|number|dec)\s*\((\d+)(?:,\s*(\d+))?\)/i.exec(type) ?? [];
  const digits = Math.max(Number(precision), Number(scale));
  return digits >= 1 && digits <= 38 ? decimal(digits, Number(scale)) : text;
}

function decimal(precision: number, scale: number): Storage {
  const described = { converted_type: 'DECIMAL', precision, scale, logical_type: { type: 'DECIMAL', precision, scale } } as const;
  if (precision <= 18) return { element: { type: 'INT64', ...described }, write: decimalValues(precision, scale, 8) };
  return {
    element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, ...described },
    write: decimalValues(precision, scale, 16),
  };
}

/** Microseconds end in 294247. Nanoseconds end in 2262, so only types with the same limit are stored in them. */
function momentStorage(type: string, isAdjustedToUTC: boolean): Storage {
  if (/^timestamp_ns$|datetime64\((?:7|8|9)\b/i.test(type)) {
    const logical_type = { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'NANOS' } as const;
    return { element: { type: 'INT64', logical_type }, write: momentValues('nanos') };
  }
  if (/\((?:7|8|9|1[0-2])\)/.test(type)) return text; // datetime2(7), timestamp(12)
  const logical_type = { type: 'TIMESTAMP', isAdjustedToUTC, unit: 'MICROS' } as const;
  const converted = isAdjustedToUTC ? ({ converted_type: 'TIMESTAMP_MICROS' } as const) : {}; // which always means UTC
  return { element: { type: 'INT64', ...converted, logical_type }, write: momentValues('micros') };
}
