import { sqlTokens } from '../../catalog/sql-tokens.ts';
import { ConnectorError, type ConnectorErrorKind } from '../connector.ts';
import { type RenderedSql, sourceOffset } from './parameters.ts';
import { LostConnectionError } from './session.ts';

/** Converts an error of the driver or the server. `kind` is used unless the error itself tells the kind. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, rendered?: RenderedSql): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  const report = reportOf(cause);
  const position = rendered === undefined ? undefined : positionOf(report, rendered);
  const message = report.message.replace(/\s*\n\s*/g, ' ').trim() || 'The database gave no reason.';
  return new ConnectorError(kindOf(kind, cause, report), message, { cause, ...(position === undefined ? {} : { position }) });
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
    message: typeof sqlMessage === 'string' ? sqlMessage : cause.message,
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
function positionOf({ number, message }: Report, rendered: RenderedSql): { line: number; column: number } | undefined {
  const offset = number === syntaxError ? offsetOfSyntaxError(message, rendered) : offsetOfName(number, message, rendered);
  if (offset === undefined) return undefined;
  const lines = rendered.source.slice(0, offset).split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

const syntaxError = 1064;

function offsetOfSyntaxError(message: string, rendered: RenderedSql): number | undefined {
  const [, near = '', line = ''] = /near '([\s\S]*)' at line (\d+)$/.exec(message) ?? [];
  if (line === '') return undefined;
  const { sql } = rendered;
  let lineStart = 0;
  for (let left = Number(line) - 1; left > 0; left--) lineStart = sql.indexOf('\n', lineStart) + 1;
  if (near === '') return rendered.source.trimEnd().length; // the text ends too early
  const lineEnd = sql.indexOf('\n', lineStart);
  const found = sql.indexOf(near, lineStart);
  const inLine = found >= 0 && (lineEnd < 0 || found <= lineEnd);
  return sourceOffset(inLine ? found : lineStart, rendered);
}

/** The first occurrence of the last part of the first name that the message quotes. */
function offsetOfName(number: number, message: string, { source }: RenderedSql): number | undefined {
  if (!aboutNames.has(number)) return undefined;
  const [, name = ''] = /'?(?:[^\s'.]+\.)*([^\s'.]+)'? (?:in|doesn't exist|does not exist)/.exec(message) ?? [];
  const same = (text: string): boolean => text.replace(/^`([\s\S]*)`$/, '$1').toLowerCase() === name.toLowerCase();
  return sqlTokens(source, 'mysql').find(({ type, text }) => (type === 'word' || type === 'quoted') && same(text))?.start;
}

const aboutNames: ReadonlySet<number> = new Set([1054, 1146, 1305]); // column, table, function
