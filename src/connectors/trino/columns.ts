import type { Column, ColumnKind } from '../../results/column.ts';
import type { TrinoColumn } from './query-page.ts';

export function columnsOf(columns: readonly TrinoColumn[]): readonly Column[] {
  return columns.map(({ name, type, typeSignature }) => ({ name, type, kind: kindOf(typeSignature.rawType) }));
}

export function kindOf(rawType: string): ColumnKind {
  return Object.hasOwn(kinds, rawType) ? (kinds[rawType] ?? 'other') : 'other';
}

const kinds: Readonly<Record<string, ColumnKind>> = {
  tinyint: 'integer',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  decimal: 'decimal',
  number: 'decimal',
  real: 'float',
  double: 'float',
  boolean: 'boolean',
  varchar: 'text',
  char: 'text',
  json: 'json',
  array: 'json',
  map: 'json',
  row: 'json',
  varbinary: 'binary',
  date: 'date',
  time: 'time',
  'time with time zone': 'time',
  timestamp: 'timestamp',
  'timestamp with time zone': 'timestamptz',
  'interval day to second': 'interval',
  'interval year to month': 'interval',
  uuid: 'uuid',
};
