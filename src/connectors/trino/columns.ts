import type { Column, ColumnKind } from '../../results/column.ts';
import type { TrinoColumn } from './query-page.ts';

export function columnsOf(columns: readonly TrinoColumn[]): readonly Column[] {
  return columns.map(({ name, type, typeSignature }) => ({ name, type, kind: kindOf(typeSignature.rawType) }));
}

export const kindOf = (rawType: string): ColumnKind => kinds.find(([, types]) => types.includes(rawType))?.[0] ?? 'other';

const kinds: readonly (readonly [ColumnKind, readonly string[]])[] = [
  ['integer', ['tinyint', 'smallint', 'integer', 'bigint']],
  ['decimal', ['decimal', 'number']],
  ['float', ['real', 'double']],
  ['boolean', ['boolean']],
  ['text', ['varchar', 'char']],
  ['json', ['json', 'array', 'map', 'row']],
  ['binary', ['varbinary']],
  ['date', ['date']],
  ['time', ['time', 'time with time zone']],
  ['timestamp', ['timestamp']],
  ['timestamptz', ['timestamp with time zone']],
  ['interval', ['interval day to second', 'interval year to month']],
  ['uuid', ['uuid']],
];
