import { positionAt, sqlTokens } from '../../catalog/sql-tokens.ts';
import { ConnectorError, type ConnectorErrorKind, type Position } from '../connector.ts';
import { messageOf, joinLines } from '../error-text.ts';
import { offsetAt } from '../statements/marked-sql.ts';
import { dialect } from './dialect.ts';

/** Converts an error of the driver or the server. `kind` is used unless the error itself determines it. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, source?: string): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  const report = reportOf(cause);
  if (report === undefined) return new ConnectorError(kind === 'invalid' ? 'unavailable' : kind, messageOf(cause), { cause });
  const position = source === undefined ? undefined : positionOf(report, source);
  return new ConnectorError(kindOf(kind, report), joinLines(report.message), { cause, position });
}

/** An error of the server, not of the connection. */
interface Report {
  readonly message: string;
  readonly number: number;
  readonly severity: number;
  readonly line: number;
}

function reportOf(cause: unknown): Report | undefined {
  const causes: unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  const reports = causes.flatMap((error) => readReport(error) ?? []);
  // that the columns cannot be determined is a consequence; the cause is another error in the list
  return reports.find(({ number }) => number < 11_500 || number > 11_550) ?? reports[0];
}

function readReport(error: unknown): Report | undefined {
  if (!(error instanceof Error) || !('number' in error) || typeof error.number !== 'number') return undefined;
  const severity = 'class' in error && typeof error.class === 'number' ? error.class : 16;
  const line = 'lineNumber' in error && typeof error.lineNumber === 'number' ? error.lineNumber : 0;
  return { message: error.message, number: error.number, severity, line };
}

const lockTimeOut = 1222;
const deadlock = 1205;

function kindOf(kind: ConnectorErrorKind, { number, severity }: Report): ConnectorErrorKind {
  if (kind !== 'invalid') return kind;
  if (number === lockTimeOut || number === deadlock) return 'failed';
  return severity >= 17 ? 'unavailable' : 'invalid'; // from 17 on the server has a problem
}

const named = /['"]([^'"]+)['"]/;

/**
 * The server reports a line: of the error, or where the statement begins. The message names the word, so its first occurrence from
 * there on gives the column.
 */
function positionOf({ line, message }: Report, source: string): Position | undefined {
  if (line < 1 || line > source.split('\n').length) return undefined;
  const from = offsetAt(source, { line, column: 1 });
  const word = named.exec(message)?.[1]?.toLowerCase();
  const token = sqlTokens(source, dialect).find(({ start, text }) => start >= from && stripQuotes(text) === word);
  return token === undefined ? { line, column: 1 } : positionAt(source, token.start);
}

const stripQuotes = (text: string): string => text.replace(/^["[]|["\]]$/g, '').toLowerCase();
