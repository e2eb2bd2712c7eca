import { LRUCache } from 'lru-cache';
import { TYPES } from 'tedious';
import { type SqlToken, sqlTokens } from '../../catalog/sql-tokens.ts';
import type { Column } from '../../core/column.ts';
import { refusal } from '../statements/refusals.ts';
import { columnOf } from './cells.ts';
import { dialect } from './dialect.ts';
import { engineError } from './engine-error.ts';
import type { RenderedSql } from './parameters.ts';
import type { Session } from './session.ts';

const maxCached = 500;

/** The columns of statements by their text, cached for all connections of a database. */
export class Descriptions {
  readonly #cached = new LRUCache<string, readonly Column[]>({ max: maxCached });

  /** The columns of an author's SQL, which must be one query that only reads. Throws `invalid`. */
  async query(session: Session, rendered: RenderedSql): Promise<readonly Column[]> {
    const key = keyOf(rendered);
    const columns = this.#cached.get(key) ?? (await describeQuery(session, rendered));
    this.#cached.set(key, columns);
    return columns;
  }

  forget(rendered: RenderedSql): void {
    this.#cached.delete(keyOf(rendered));
  }
}

async function describeQuery(session: Session, rendered: RenderedSql): Promise<readonly Column[]> {
  refuseAllButQuery(rendered.source);
  const columns = await describe(session, rendered);
  if (columns.length === 0) throw refusal('Only a query that returns rows can be run here.');
  return columns;
}

/** Checks an Epilogue, which must be one statement that changes rows. Throws `invalid`. */
export async function checkEpilogue(session: Session, rendered: RenderedSql): Promise<void> {
  refuseAllButChange(rendered.source);
  await describe(session, rendered);
}

const keyOf = ({ declaration, sql }: RenderedSql): string => `${declaration}\n${sql}`;

async function describe(session: Session, { sql, declaration, source }: RenderedSql): Promise<readonly Column[]> {
  try {
    const rows = await session.call('sys.sp_describe_first_result_set', [
      { name: 'tsql', type: TYPES.NVarChar, value: sql, options: {} },
      { name: 'params', type: TYPES.NVarChar, value: declaration, options: {} },
      { name: 'browse_information_mode', type: TYPES.TinyInt, value: 0, options: {} },
    ]);
    return rows.map(([, , name, , , type, , , , , , , , userType]) =>
      columnOf(String(name ?? ''), String(type ?? userType ?? 'unknown')),
    );
  } catch (error) {
    throw engineError('invalid', error, source);
  }
}

/*
 * SQL Server runs every statement of a batch, separated or not, and has no read-only session. But its keywords are reserved:
 * outside of quotes they are never names. So the words of a text show what it can do, wherever they are. The transaction
 * around it, which is rolled back, and the privileges of the account are the second line of defense.
 */

/** Refuses what is not one query that reads. Throws `invalid`. */
export function refuseAllButQuery(sql: string): void {
  const words = readWords(sql);
  const [first] = words;
  if (first === undefined) throw refusal('There is no statement in this text.');
  if (!['SELECT', 'WITH', '('].includes(first.text)) throw refusal('Only a SELECT statement can be run here.');
  for (const [index, { text }] of words.entries()) {
    if (writers.has(text) && !isHint(words, index))
      throw refusal(`${text} cannot be used in a query. A statement that changes rows belongs in the Epilogue.`);
    if (never.has(text) && !isHarmless(words, index)) throw refusal(`${text} cannot be used in a query.`);
    if (text === 'INTO') throw refusal('SELECT … INTO cannot be run: it makes a table.');
  }
  const selects = words.filter(({ text, depth }, index) => text === 'SELECT' && depth === 0 && !continues(words, index));
  if (selects.length > 1) throw refusal('There is more than one statement in this text.');
}

/** Refuses what is not one statement that changes rows. Throws `invalid`. */
export function refuseAllButChange(sql: string): void {
  const words = readWords(sql);
  const [first] = words;
  if (first === undefined) throw refusal('There is no statement in this text.');
  const changes = words.filter(
    ({ text, depth }, index) => writers.has(text) && depth === 0 && words[index - 1]?.text !== 'THEN' && !isHint(words, index),
  );
  if (changes.length !== 1 || !(changes[0] === first || first.text === 'WITH')) {
    throw refusal('An Epilogue is one INSERT, UPDATE, DELETE or MERGE statement.');
  }
  const forbidden = words.find(({ text }, index) => never.has(text) && text !== 'SET' && !isHarmless(words, index));
  if (forbidden !== undefined) throw refusal(`${forbidden.text} cannot be used in an Epilogue.`);
}

interface Word {
  readonly text: string; // in capitals
  readonly depth: number; // of parentheses
}

const writers: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Reserved words that begin another statement, change data, or access something outside of the database. */
const never: ReadonlySet<string> = new Set(
  `ALTER BACKUP BEGIN BREAK BULK CHECKPOINT CLOSE COMMIT CONTINUE CREATE DBCC DEALLOCATE DECLARE DENY DROP DUMP EXEC EXECUTE FETCH
  GOTO GRANT IF KILL LOAD OPEN OPENDATASOURCE OPENQUERY OPENROWSET PRINT RAISERROR READTEXT RECONFIGURE RESTORE RETURN REVERT REVOKE
  ROLLBACK SAVE SET SETUSER SHUTDOWN TRIGGER TRUNCATE UPDATETEXT USE WAITFOR WHILE WRITETEXT`.split(/\s+/),
);

const digit = /^\p{N}/u;
const hidden = new RegExp(`(?:${[...writers, ...never, 'SELECT', 'INTO'].join('|')})$`);

/** Other line ends than \n and \r\n could end a comment where our tokenizer does not. */
const oddLineEnd = /\r(?!\n)|[\v\f\u0085\u2028\u2029]/;

function readWords(sql: string): Word[] {
  const tokens = sqlTokens(sql, dialect);
  if (oddLineEnd.test(outsideOfQuotes(sql, tokens)))
    throw refusal('End lines with a line feed; other line ends are not allowed.');
  const last = tokens.at(-1);
  const statement = last?.text === ';' ? tokens.slice(0, -1) : tokens;
  if (statement.some(({ text }) => text === ';')) throw refusal('There is more than one statement in this text.');
  const words: Word[] = [];
  let depth = 0;
  for (const { type, text } of statement) {
    if (text === ')') depth--;
    words.push({ text: type === 'word' ? wordIn(text) : type === 'symbol' ? text : `${type} ${text}`, depth });
    if (text === '(') depth++;
  }
  refuseSequence(words);
  return words;
}

/** The server reads `1DROP` as a number and a word. */
function wordIn(text: string): string {
  const capitals = text.toUpperCase();
  return digit.test(capitals) ? (hidden.exec(capitals)?.[0] ?? capitals) : capitals;
}

function outsideOfQuotes(sql: string, tokens: readonly SqlToken[]): string {
  let rest = '';
  let at = 0;
  for (const { type, start, end } of tokens) {
    if (type !== 'quoted') continue;
    rest += sql.slice(at, start);
    at = end;
  }
  return rest + sql.slice(at);
}

/** A rollback does not reset a sequence. */
function refuseSequence(words: readonly Word[]): void {
  const found = words.some(
    ({ text }, index) => text === 'NEXT' && words[index + 1]?.text === 'VALUE' && words[index + 2]?.text === 'FOR',
  );
  if (found) throw refusal('NEXT VALUE FOR cannot be used here: a rollback does not undo it.');
}

/** The MERGE of `INNER MERGE JOIN`, `OPTION (MERGE JOIN)` and `OPTION (MERGE UNION)` is not a statement. */
const isHint = (words: readonly Word[], index: number): boolean =>
  words[index]?.text === 'MERGE' && ['JOIN', 'UNION'].includes(words[index + 1]?.text ?? '');

/** `OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY` and `OPTION (USE HINT ('…'))`. */
function isHarmless(words: readonly Word[], index: number): boolean {
  const { text } = words[index] ?? { text: '' };
  const before = words[index - 1]?.text ?? '';
  const after = words[index + 1]?.text ?? '';
  if (text === 'FETCH') return ['ROW', 'ROWS'].includes(before) && ['NEXT', 'FIRST'].includes(after);
  if (text === 'USE') return ['(', ','].includes(before) && ['HINT', 'PLAN'].includes(after);
  return false;
}

/** After a set operator, or as the query of a WITH. */
function continues(words: readonly Word[], index: number): boolean {
  const before = words[index - 1]?.text ?? '';
  return ['UNION', 'EXCEPT', 'INTERSECT'].includes(before) || (before === 'ALL' && words[index - 2]?.text === 'UNION');
}
