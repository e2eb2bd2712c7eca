import { DuckDBLogicalType } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import type { Column, ColumnKind } from '../../../core/column.ts';
import { bindNull, type ParameterType } from '../../connector.ts';
import { engineError } from './engine-error.ts';
import { type RenderedSql, renderParameters } from './parameters.ts';
import { prepare } from './prepare.ts';
import type { Session } from './session.ts';

/** The columns of a query, without running it. */
export async function describe(session: Session, sql: string, parameters: readonly ParameterType[]): Promise<readonly Column[]> {
  const rendered = renderParameters(sql, parameters.map(bindNull));
  const statement = await prepare(session, 'select', rendered);
  const indexes = Array.from({ length: duckdb.prepared_statement_column_count(statement) }, (_, index) => index);
  const unknown = indexes.some((index) => duckdb.prepared_statement_column_type(statement, index) === duckdb.Type.INVALID);
  if (unknown) return describeBound(session, rendered);
  return indexes.map((index) =>
    columnOf(
      duckdb.prepared_statement_column_name(statement, index),
      duckdb.prepared_statement_column_logical_type(statement, index),
    ),
  );
}

/** Where the columns depend on the values (`range(@n)`), DuckDB needs bound values to describe them. */
async function describeBound(session: Session, { sql, values }: RenderedSql): Promise<readonly Column[]> {
  try {
    const rows = await session.runOnce(`DESCRIBE ${sql}`, values);
    return rows.map(([name, type]) => ({ name: String(name), type: String(type), kind: kindOf(String(type)) }));
  } catch (error) {
    throw engineError('invalid', error);
  }
}

export function columnOf(name: string, type: duckdb.LogicalType): Column {
  const spelling = duckdb.logical_type_get_alias(type) === 'JSON' ? 'JSON' : DuckDBLogicalType.create(type).asType().toString();
  return { name, type: spelling, kind: kindOf(spelling) };
}

/** By the type as DuckDB spells it. */
function kindOf(type: string): ColumnKind {
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
