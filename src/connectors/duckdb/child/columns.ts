import { DuckDBLogicalType } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import type { Column, ColumnKind } from '../../../core/column.ts';

export function columnOf(name: string, type: duckdb.LogicalType): Column {
  const spelling = duckdb.logical_type_get_alias(type) === 'JSON' ? 'JSON' : DuckDBLogicalType.create(type).asType().toString();
  return { name, type: spelling, kind: kindOf(spelling) };
}

/** By the type as DuckDB spells it. */
export function kindOf(type: string): ColumnKind {
  return kinds.find(([pattern]) => pattern.test(type))?.[1] ?? 'other';
}

const kinds: readonly (readonly [RegExp, ColumnKind])[] = [
  [/\]$|^(STRUCT|MAP)\(|^JSON$/, 'json'],
  [/^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|BIGNUM)$/, 'integer'],
  [/^DECIMAL\(/, 'decimal'],
  [/^(FLOAT|DOUBLE)$/, 'float'],
  [/^BOOLEAN$/, 'boolean'],
  [/^DATE$/, 'date'],
  [/^TIME(_NS| WITH TIME ZONE)?$/, 'time'],
  [/^TIMESTAMP WITH TIME ZONE$/, 'timestamptz'],
  [/^TIMESTAMP(_S|_MS|_NS)?$/, 'timestamp'],
  [/^INTERVAL$/, 'interval'],
  [/^VARCHAR$|^ENUM\(/, 'text'],
  [/^UUID$/, 'uuid'],
  [/^BLOB$/, 'binary'],
];
