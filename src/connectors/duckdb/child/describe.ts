import duckdb from '@duckdb/node-bindings';
import type { Column } from '../../../core/column.ts';
import { type ParameterType, bindNull } from '../../connector.ts';
import { columnOf, kindOf } from './columns.ts';
import { engineError } from './engine-error.ts';
import { type RenderedSql, renderParameters } from './parameters.ts';
import { prepareSelect } from './prepare.ts';
import type { Session } from './session.ts';

/** The columns of a query, without running it. */
export async function describe(session: Session, sql: string, parameters: readonly ParameterType[]): Promise<readonly Column[]> {
  const rendered = renderParameters(sql, parameters.map(bindNull));
  const statement = await prepareSelect(session, rendered);
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
