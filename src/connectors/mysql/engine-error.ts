import { positionAt, sqlTokens } from '../../catalog/sql-tokens.ts';
import { ConnectorError, type ConnectorErrorKind, type Position } from '../connector.ts';
import { messageOf, joinLines } from '../error-text.ts';
import { offsetAt } from '../statements/marked-sql.ts';
import { dialect } from './dialect.ts';
import type { RenderedSql } from './parameters.ts';
import { LostConnectionError } from './session.ts';

/** Converts an error of the driver or the server. `kind` is used unless the error itself determines it. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, rendered?: RenderedSql): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  const report = reportOf(cause);
  const position = rendered === undefined ? undefined : positionOf(report, rendered);
  const message = joinLines(report.message) || 'The database gave no reason.';
  return new ConnectorError(kindOf(kind, cause, report), message, { cause, position });
}

interface Report {
  readonly number: number;
  readonly message: string;
  readonly fatal: boolean;
}

function reportOf(cause: unknown): Report {
  if (!(cause instanceof Error)) return { number: 0, message: String(cause), fatal: false };
  const { errno, sqlMessage, fatal } = cause as Error & { errno?: unknown; sqlMessage?: unknown; fatal?: unknown };
  return {
    number: typeof errno === 'number' ? errno : 0,
    message: typeof sqlMessage === 'string' ? sqlMessage : cause instanceof AggregateError ? messageOf(cause) : cause.message,
    fatal: fatal === true || cause instanceof LostConnectionError,
  };
}

function kindOf(kind: ConnectorErrorKind, cause: unknown, { number, fatal }: Report): ConnectorErrorKind {
  if (timeouts.has(number)) return 'timeout';
  if (number === readOnlyTransaction) return 'invalid';
  if (kind !== 'invalid') return kind;
  // before the run: the connection was lost, the server is not available, or the SQL is wrong
  if (fatal || unavailable.has(number)) return 'unavailable';
  return number === 0 || cause instanceof TypeError || busy.has(number) ? 'failed' : 'invalid';
}

const timeouts: ReadonlySet<number> = new Set([1969, 3024]); // max_statement_time, max_execution_time
const readOnlyTransaction = 1792;
const unavailable: ReadonlySet<number> = new Set([1040, 1053, 1203, 1226, 1927]); // too many connections, shutting down, killed
const busy: ReadonlySet<number> = new Set([1205, 1213, 1317]); // locks, interrupted

/** MySQL reports a line and the text found there, or only a name. */
function positionOf({ number, message }: Report, rendered: RenderedSql): Position | undefined {
  if (message.length > LONGEST) return undefined;
  if (number === syntaxError) return positionOfSyntaxError(message, rendered);
  return aboutNames.has(number) ? positionOfName(message, rendered.source) : undefined;
}

const LONGEST = 2000; // characters; the servers write at most 512 bytes
const syntaxError = 1064;
const aboutNames: ReadonlySet<number> = new Set([1054, 1146, 1305]); // column, table, function

function positionOfSyntaxError(message: string, { source, sql, positionOf }: RenderedSql): Position | undefined {
  const [, near = '', line = ''] = /near '([\s\S]*)' at line (\d+)$/.exec(message) ?? [];
  if (line === '') return undefined;
  if (near === '') return positionAt(source, source.trimEnd().length); // the text ends too early
  const lineStart = offsetAt(sql, { line: Number(line), column: 1 });
  const lineEnd = sql.indexOf('\n', lineStart);
  const found = sql.indexOf(near, lineStart);
  const inLine = found >= 0 && (lineEnd < 0 || found <= lineEnd);
  return positionOf(inLine ? found : lineStart);
}

/** The first occurrence of the last part of the first name that the message quotes. */
function positionOfName(message: string, source: string): Position | undefined {
  const [, name = ''] = /'?(?:[^\s'.]+\.)*([^\s'.]+)'? (?:in|doesn't exist|does not exist)/.exec(message) ?? [];
  const isSameName = (text: string): boolean => text.replace(/^`([\s\S]*)`$/, '$1').toLowerCase() === name.toLowerCase();
  const token = sqlTokens(source, dialect).find(({ type, text }) => (type === 'word' || type === 'quoted') && isSameName(text));
  return token === undefined ? undefined : positionAt(source, token.start);
}
