import type { StatementSync } from 'node:sqlite';
import { ConnectorError } from '../../connector.ts';
import { positionAt } from '../../statements/marked-sql.ts';
import { engineError, textOf } from './engine-error.ts';
import type { Purpose } from './guard.ts';
import type { GuardedDatabase } from './open-file.ts';
import type { StatementText } from './statement-text.ts';

/** Compiles a statement, and `use`s it while its errors count as those of the text. Throws `invalid`, with the position of the error. */
export function prepare<T>(
  open: GuardedDatabase,
  purpose: Purpose,
  text: StatementText,
  use: (statement: StatementSync) => T,
): T {
  try {
    return use(compile(open, purpose, text.sql));
  } catch (error) {
    const offset = offsetOf(open, purpose, text, textOf(error));
    throw engineError('invalid', error, offset === undefined ? undefined : positionAt(text.sql, offset));
  }
}

export function compile({ database, guard }: GuardedDatabase, purpose: Purpose, sql: string): StatementSync {
  return guard.enter(purpose, () => {
    const statement = database.prepare(sql);
    // SQLite ignores text after the first statement; this is the text up to its semicolon
    if (statement.sourceSQL !== sql) throw new ConnectorError('invalid', 'Write one statement.');
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
