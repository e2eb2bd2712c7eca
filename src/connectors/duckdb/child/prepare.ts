import duckdb from '@duckdb/node-bindings';
import { ConnectorError } from '../../connector.ts';
import { engineError } from './engine-error.ts';
import { findForbiddenFunction, refuseForbiddenFunctions } from './forbidden-functions.ts';
import type { RenderedSql } from './parameters.ts';
import type { Session } from './session.ts';

const { StatementType } = duckdb;

/** Prepares an author's SQL, which must be one SELECT: other statements are not prepared. Throws `invalid`. */
export async function prepareSelect(session: Session, rendered: RenderedSql): Promise<duckdb.PreparedStatement> {
  try {
    return await session.prepare('select', rendered.sql, async () => {
      const extracted = await extractOne(session, rendered.sql);
      await refuseAllButPlainSelect(session, rendered.sql);
      const statement = await duckdb.prepare_extracted_statement(session.connection, extracted, 0);
      if (duckdb.prepared_statement_type(statement) !== StatementType.SELECT) throw onlySelectError();
      return statement;
    });
  } catch (error) {
    throw engineError('invalid', error, rendered);
  }
}

/** Prepares an Epilogue, which must be one statement that changes rows. Throws `invalid`. */
export async function prepareEpilogue(session: Session, rendered: RenderedSql): Promise<duckdb.PreparedStatement> {
  try {
    return await session.prepare('epilogue', rendered.sql, async () => {
      const extracted = await extractOne(session, rendered.sql);
      refuseForbiddenFunctions(rendered.sql);
      const statement = await duckdb.prepare_extracted_statement(session.connection, extracted, 0);
      if (changesRows.has(duckdb.prepared_statement_type(statement))) return statement;
      throw new ConnectorError('invalid', 'An Epilogue is one INSERT, UPDATE, DELETE or MERGE statement.');
    });
  } catch (error) {
    throw engineError('invalid', error, rendered);
  }
}

const changesRows: ReadonlySet<duckdb.StatementType> = new Set([
  StatementType.INSERT,
  StatementType.UPDATE,
  StatementType.DELETE,
  StatementType.MERGE_INTO,
]);

const onlySelectError = (): ConnectorError =>
  new ConnectorError(
    'invalid',
    'Only a SELECT statement can be run here. A statement that changes rows belongs in the Epilogue.',
  );

async function extractOne(session: Session, sql: string): Promise<duckdb.ExtractedStatements> {
  const { extracted_statements: statements, statement_count: count } = await duckdb.extract_statements(session.connection, sql);
  if (count === 1) return statements;
  if (count === 0) throw new ConnectorError('invalid', parseError(statements) ?? 'There is no statement in this text.');
  const advice = /\bpivot\b/i.test(sql) ? ' A PIVOT counts as two unless it lists its values: ON column IN (…).' : '';
  throw new ConnectorError('invalid', `Write one statement, these are ${count}.${advice}`);
}

function parseError(statements: duckdb.ExtractedStatements): never | undefined {
  let message: string;
  try {
    message = duckdb.extract_statements_error(statements);
  } catch {
    return undefined; // there is no error for an empty text
  }
  throw new Error(message);
}

/**
 * Checks the syntax tree, because the type of a prepared statement is not enough: PRAGMA becomes a SELECT, and a SELECT may call table
 * functions that change the engine (a log file that cannot be written fails every later statement).
 */
async function refuseAllButPlainSelect(session: Session, sql: string): Promise<void> {
  const [[tree] = []] = await session.rows(serialize, [sql]);
  if (typeof tree !== 'object' || tree === null || !('statements' in tree)) throw onlySelectError();
  const forbidden = findForbiddenFunction(tree.statements);
  if (forbidden !== undefined) throw new ConnectorError('invalid', `The function ${forbidden} is not available in queries.`);
}

const serialize = 'SELECT json_serialize_sql(CAST($1 AS VARCHAR), skip_null := true, skip_empty := true, skip_default := true)';
