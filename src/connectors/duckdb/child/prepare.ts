import duckdb from '@duckdb/node-bindings';
import { type SqlToken, sqlTokens } from '../../../catalog/sql-tokens.ts';
import type { ConnectorError } from '../../connector.ts';
import { onlySelect, refusal } from '../../statements/refusals.ts';
import { dialect } from '../dialect.ts';
import { engineError } from './engine-error.ts';
import type { RenderedSql } from './parameters.ts';
import type { Session } from './session.ts';

const { StatementType } = duckdb;

/** What an author's statement may be, by its purpose. */
const rules = {
  select: {
    types: new Set([StatementType.SELECT]),
    advice: onlySelect,
    check: refuseAllButPlainSelect,
  },
  epilogue: {
    types: new Set([StatementType.INSERT, StatementType.UPDATE, StatementType.DELETE, StatementType.MERGE_INTO]),
    advice: 'An Epilogue is one INSERT, UPDATE, DELETE or MERGE statement.',
    check: refuseForbiddenFunctions,
  },
};

/** Prepares an author's SQL, which must be one statement of the purpose: others are not prepared. Throws `invalid`. */
export async function prepare(
  session: Session,
  purpose: keyof typeof rules,
  rendered: RenderedSql,
): Promise<duckdb.PreparedStatement> {
  const { types, advice, check } = rules[purpose];
  try {
    return await session.prepare(purpose, rendered.sql, async () => {
      const extracted = await extractOne(session, rendered.sql);
      await check(rendered.sql, session);
      const statement = await duckdb.prepare_extracted_statement(session.connection, extracted, 0);
      if (types.has(duckdb.prepared_statement_type(statement))) return statement;
      throw refusal(advice);
    });
  } catch (error) {
    throw engineError('invalid', error, rendered);
  }
}

async function extractOne(session: Session, sql: string): Promise<duckdb.ExtractedStatements> {
  const { extracted_statements: statements, statement_count: count } = await duckdb.extract_statements(session.connection, sql);
  if (count === 1) return statements;
  if (count === 0) throw refusal(parseError(statements) ?? 'There is no statement in this text.');
  const advice = /\bpivot\b/i.test(sql) ? ' A PIVOT counts as two unless it lists its values: ON column IN (…).' : '';
  throw refusal(`Write one statement, these are ${count}.${advice}`);
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
 * Checks the syntax tree, because the type of a prepared statement is not enough: PRAGMA becomes a SELECT, and a SELECT may call
 * forbidden table functions.
 */
async function refuseAllButPlainSelect(sql: string, session: Session): Promise<void> {
  const [[tree] = []] = await session.rows(serialize, [sql]);
  if (typeof tree !== 'object' || tree === null || !('statements' in tree)) throw refusal(onlySelect);
  const forbidden = findForbiddenFunction(tree.statements);
  if (forbidden !== undefined) throw refusal(`The function ${forbidden} is not available in queries.`);
}

const serialize = 'SELECT json_serialize_sql(CAST($1 AS VARCHAR), skip_null := true, skip_empty := true, skip_default := true)';

/**
 * Functions that authors must not call: they change the engine (a log file that cannot be written fails every later statement) or the session
 * of the next caller (setseed), run SQL that was not checked, or read memory by its address.
 */
const forbidden =
  /^(?:(?:enable|disable|force|truncate)_\w+|checkpoint|setseed|query|json_execute_serialized_sql|arrow_scan\w*)$/i;

const isForbidden = (name: string): boolean => forbidden.test(name);

/** By the nodes of a syntax tree. */
function findForbiddenFunction(tree: unknown): string | undefined {
  const pending: unknown[] = [tree];
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== 'object' || node === null) continue;
    if ('function_name' in node && typeof node.function_name === 'string' && isForbidden(node.function_name)) {
      return node.function_name;
    }
    pending.push(...Object.values(node));
  }
  return undefined;
}

/**
 * By the tokens of a text, for statements of which DuckDB gives no syntax tree. Text that DuckDB might divide into other tokens than we do is
 * refused. Throws `invalid`.
 */
function refuseForbiddenFunctions(sql: string): void {
  const odd = oddBlank.exec(sql)?.[0];
  if (odd !== undefined) throw unclearError(`the character U+${odd.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`);
  const tokens = sqlTokens(sql, dialect);
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    refuseUnclear(sql, token, next);
    const name = nameOf(token);
    if (name !== undefined && next?.text === '(' && isForbidden(name)) {
      throw refusal(`The function ${name} is not available in an Epilogue.`);
    }
  }
}

/** DuckDB reads some of them as spaces, others as letters. */
const oddBlank = /(?![ \t\r\n\f])[\s\0]/;

function refuseUnclear(sql: string, token: SqlToken, next: SqlToken | undefined): void {
  const { type, text, start, end } = token;
  if (type === 'quoted' && /[\p{L}\p{M}\p{N}_$&@'"]/u.test(sql.charAt(start - 1))) {
    throw unclearError(
      `${sql.charAt(start - 1)}${text.charAt(0)} (put a blank before the quote; strings with a prefix are not available)`,
    );
  }
  if (type === 'symbol' && !isAscii.test(text)) throw unclearError(`the character ${text} outside of quotes`);
  // a dollar sign that opens no string by our rules might open one in DuckDB
  if (text === '$' && !(next?.start === end && /^\d+$/.test(next.text))) throw unclearError('$');
  if (type === 'word' && /^\d/.test(text) && !isNumber.test(text)) throw unclearError(text);
}

const isAscii = /^[\x20-\x7e]*$/;
const isNumber = /^(?:\d[\d_]*(?:e\d*)?|0x[\da-f_]+|0b[01_]+|0o[0-7_]+)$/i;

function nameOf({ type, text }: SqlToken): string | undefined {
  if (type === 'word') return text;
  return type === 'quoted' && text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : undefined;
}

const unclearError = (what: string): ConnectorError => refusal(`An Epilogue cannot have ${what}.`);
