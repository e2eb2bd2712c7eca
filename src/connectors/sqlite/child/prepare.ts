import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { positionAt, type SqlToken, sqlTokens } from '../../../catalog/sql-tokens.ts';
import type { BoundValue } from '../../../core/sql-value.ts';
import { ConnectorError } from '../../connector.ts';
import { onlySelect, refusal } from '../../statements/refusals.ts';
import { dialect } from '../dialect.ts';
import { engineError, textOf } from './engine-error.ts';
import type { GuardedDatabase, Purpose } from './guard.ts';

/**
 * Compiles a statement, unless `compiled` is given, and passes it to `use`. Errors of both are errors in the text: throws `invalid`, with
 * the position.
 */
export function prepare<T>(
  open: GuardedDatabase,
  purpose: Purpose,
  text: StatementText,
  use: (statement: StatementSync) => T,
  compiled?: StatementSync,
): T {
  try {
    return use(compiled === undefined ? compile(open, purpose, text.sql) : open.guard.enter(purpose, () => compiled));
  } catch (error) {
    const offset = offsetOf(open, purpose, text, textOf(error));
    throw engineError('invalid', error, offset === undefined ? undefined : positionAt(text.sql, offset));
  }
}

export function compile({ database, guard }: GuardedDatabase, purpose: Purpose, sql: string): StatementSync {
  return guard.enter(purpose, () => {
    const statement = database.prepare(sql);
    // SQLite ignores text after the first statement; this is the text up to its semicolon
    if (statement.sourceSQL !== sql) throw refusal('Write one statement.');
    return statement;
  });
}

const mostProbes = 50;

/**
 * Where the error is. SQLite reports only the token of a syntax error. It reads from left to right, so of several equal tokens the
 * error is at the first one where the text up to that token fails with the same message.
 */
function offsetOf(open: GuardedDatabase, purpose: Purpose, text: StatementText, message: string): number | undefined {
  const offending = /^near "(.+)": syntax error$/s.exec(message)?.[1];
  if (offending === undefined) return offsetOfName(message, text);
  const tokens = text.tokens.filter((token) => token.text === offending).slice(0, mostProbes);
  return tokens.find(({ end }) => errorTextOf(open, purpose, text.sql.slice(0, end)) === message)?.start;
}

function errorTextOf(open: GuardedDatabase, purpose: Purpose, sql: string): string | undefined {
  try {
    compile(open, purpose, sql);
    return undefined;
  } catch (error) {
    return textOf(error);
  }
}

/** The first occurrence of the name in the message. */
function offsetOfName(message: string, { sql, tokens }: StatementText): number | undefined {
  const unread = /^unrecognized token: "(.*)"$/s.exec(message)?.[1];
  if (unread !== undefined) return sql.includes(unread) ? sql.indexOf(unread) : undefined;
  const named = /^(?:no such (?:column|table|function)|ambiguous column name): "?([^"\s]+)"?/.exec(message)?.[1];
  const name = named?.split('.').at(-1)?.toLowerCase();
  if (name === undefined) return undefined;
  return tokens.find(({ text }) => text.replace(/^["`[]|["`\]]$/g, '').toLowerCase() === name)?.start;
}

/** An author's text that is one statement. SQLite reads `@Name` itself, so nothing is replaced. */
export interface StatementText {
  readonly sql: string;
  readonly tokens: readonly SqlToken[];
  readonly variables: readonly string[]; // '@' included
}

/** A query. SQLite ensures that it only reads; the first word excludes EXPLAIN and PRAGMA, which also read. */
export function queryText(source: string): StatementText {
  const text = statementText(source);
  if (/^(select|with|values)$/i.test(text.tokens[0]?.text ?? '')) return text;
  throw refusal(onlySelect);
}

export function statementText(source: string): StatementText {
  const all = sqlTokens(source, dialect);
  const separator = all.findIndex((token) => token.text === ';');
  const tokens = separator < 0 ? all : all.slice(0, separator);
  if (tokens.length === 0) throw refusal('There is no statement in this text.');
  if (separator >= 0 && all.slice(separator).some((token) => token.text !== ';')) throw refusal('Write one statement.');
  const sql = separator < 0 ? source : source.slice(0, all[separator]?.start);
  if (sql.includes('\0')) throw refusal('SQLite reads no further than a NUL character.');
  return { sql, tokens, variables: variablesOf(tokens) };
}

function variablesOf(tokens: readonly SqlToken[]): readonly string[] {
  const odd = tokens.find(({ type, text }) => type === 'symbol' && /^[?:$#@]/.test(text));
  if (odd !== undefined) throw refusal(`Write a parameter as @Name, not with ${odd.text.charAt(0)}.`);
  return [...new Set(tokens.filter(({ type }) => type === 'variable').map(({ text }) => text))];
}

/** The values of all variables by name, '@' included: SQLite reads unbound ones as NULL, and those of a kept statement as before. */
export function valuesOf({ variables }: StatementText, parameters: readonly BoundValue[]): Record<string, SQLInputValue> {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const values: Record<string, SQLInputValue> = {};
  for (const name of variables) {
    const parameter = byName.get(name);
    if (parameter === undefined) throw refusal(`${name} is not declared.`);
    values[name] = inputValue(parameter);
  }
  return values;
}

/**
 * A parameter in the storage class that SQLite itself would give to the same literal. It has neither decimals nor dates: a decimal
 * becomes an integer or a floating-point number, and a moment the text that its date functions write, in UTC. Throws where digits would be lost.
 */
export function inputValue({ name, type, value }: BoundValue): SQLInputValue {
  if (value === null) return null;
  switch (type.name) {
    case 'integer':
    case 'decimal':
      if (isInt64(value)) return BigInt(value.replace(/\.0*$/, ''));
      if (countSignificantDigits(value) > DIGITS_OF_A_REAL) {
        throw new ConnectorError(
          'failed',
          `SQLite cannot hold all ${countSignificantDigits(value)} digits of the value of ${name}.`,
        );
      }
      return Number(value);
    case 'float':
      return Number(value);
    case 'bit':
      return value === 'true' ? 1n : 0n;
    case 'datetime':
    case 'datetimeoffset':
      return value.replace('T', ' ').replace(/Z$/, '');
    case 'binary':
      return Buffer.from(value, 'base64');
    default:
      return value;
  }
}

const DIGITS_OF_A_REAL = 15;

const countSignificantDigits = (text: string): number => text.replace(/[-.]/g, '').replace(/^0+/, '').length;

function isInt64(text: string): boolean {
  const [, whole] = /^(-?\d+)(?:\.0*)?$/.exec(text) ?? [];
  return whole !== undefined && BigInt.asIntN(64, BigInt(whole)) === BigInt(whole);
}
