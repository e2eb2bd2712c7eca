import { sqlTokens } from '../../catalog/sql-tokens.ts';
import type { Column } from '../../core/column.ts';
import { type ParameterType, bindNull } from '../connector.ts';
import { onlySelect, refusal } from '../statements/refusals.ts';
import { columnOf, columnsOf } from './columns.ts';
import { dialect } from './dialect.ts';
import type { PreparedStatement } from './driver.ts';
import { engineError } from './engine-error.ts';
import { type RenderedSql, renderParameters } from './parameters.ts';
import type { Session } from './session.ts';

/** Preparing returns the columns without running the statement. */
export async function describe(session: Session, sql: string, parameters: readonly ParameterType[]): Promise<readonly Column[]> {
  const columnsWith = async (bareText?: string): Promise<readonly Column[]> => {
    const { columns } = await prepareSelect(session, renderParameters(sql, parameters.map(bindNull), bareText));
    return columnsOf(columns.map(columnOf));
  };
  const columns = await columnsWith();
  if (columns.every(({ kind }) => kind !== 'undeclared')) return columns;
  // a text parameter has no type before it is bound; an empty string has one
  const typed = await columnsWith("''");
  return columns.map((column, index) => ({ ...(typed[index] ?? column), name: column.name }));
}

/** The statement of an earlier run of the session. */
export function findPrepared(session: Session, { sql, values }: RenderedSql): PreparedStatement | undefined {
  const statement = session.findPrepared(sql);
  return statement?.parameters.length === values.length ? statement : undefined; // otherwise a question mark is the author's
}

/** Prepares an author's SQL, which must be one SELECT. Throws `invalid`. */
export async function prepareSelect(session: Session, rendered: RenderedSql): Promise<PreparedStatement> {
  // The read-only transaction stops writes, but some statements end it first (ANALYZE TABLE) or are not writes (SHUTDOWN).
  if (!queryWords.has(readFirstWord(rendered.source))) throw refusal(onlySelect);
  const statement = await prepare(session, rendered);
  if (statement.columns.length === 0) throw refusal(onlySelect); // SELECT … INTO OUTFILE
  return statement;
}

/** Prepares an Epilogue, which must be one statement that changes rows. Throws `invalid`. */
export async function prepareEpilogue(session: Session, rendered: RenderedSql): Promise<PreparedStatement> {
  if (!changeWords.has(readFirstWord(rendered.source))) {
    throw refusal('An Epilogue is one INSERT, UPDATE, DELETE or REPLACE statement.');
  }
  return prepare(session, rendered);
}

async function prepare(session: Session, rendered: RenderedSql): Promise<PreparedStatement> {
  try {
    const statement = await session.prepare(rendered.sql);
    if (statement.parameters.length === rendered.values.length) return statement;
  } catch (error) {
    throw engineError('invalid', error, rendered);
  }
  throw refusal('A question mark stands for no parameter here: write @Name.');
}

const queryWords: ReadonlySet<string> = new Set(['select', 'with', 'values', 'table', '(']);
const changeWords: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'replace']);

function readFirstWord(sql: string): string {
  const tokens = sqlTokens(sql, dialect);
  const [first] = tokens;
  if (first === undefined) throw refusal('There is no statement in this text.');
  let end = 0;
  for (const token of [...tokens, { start: sql.length, end: sql.length }]) {
    // some servers execute the text of such comments
    if (/\/\*M?!/.test(sql.slice(end, token.start))) {
      throw refusal('Comments that the server executes, /*! … */, cannot be used here.');
    }
    end = token.end;
  }
  return first.text.toLowerCase();
}
