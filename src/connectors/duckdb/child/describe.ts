import duckdb from '@duckdb/node-bindings';
import type { Column } from '../../../results/column.ts';
import type { ParameterType } from '../../connector.ts';
import { unbound } from '../../unbound.ts';
import { columnOf, kindOf } from './columns.ts';
import { engineError } from './engine-error.ts';
import { bindValues, type RenderedSql, renderParameters } from './parameters.ts';
import { prepareEpilogue, prepareSelect } from './prepare.ts';
import { readRows, type Session } from './session.ts';

export async function describe(session: Session, sql: string, parameters: readonly ParameterType[]): Promise<readonly Column[]> {
  const rendered = renderParameters(sql, parameters.map(unbound));
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

export async function checkEpilogue(session: Session, sql: string, parameters: readonly ParameterType[]): Promise<void> {
  await prepareEpilogue(session, renderParameters(sql, parameters.map(unbound)));
}

/** Where the columns depend on the values (`range(@n)`), DuckDB needs bound values to describe them. */
async function describeBound(session: Session, rendered: RenderedSql): Promise<readonly Column[]> {
  try {
    const statement = await duckdb.prepare(session.connection, `DESCRIBE ${rendered.sql}`);
    try {
      bindValues(statement, rendered.values);
      const rows = await readRows(await duckdb.execute_prepared(statement));
      return rows.map(([name, type]) => ({ name: String(name), type: String(type), kind: kindOf(String(type)) }));
    } finally {
      duckdb.destroy_prepare_sync(statement);
    }
  } catch (error) {
    throw engineError('invalid', error);
  }
}
