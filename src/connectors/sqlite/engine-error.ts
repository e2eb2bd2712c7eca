import { ConnectorError, type ConnectorErrorKind } from '../connector.ts';
import { positionAt } from '../statements/marked-sql.ts';
import type { FailureReport } from './protocol.ts';
import type { StatementText } from './statement-text.ts';

/** Converts the failure that a process reported. */
export function engineError(report: FailureReport, text?: StatementText, position?: number): ConnectorError {
  const kind = kindOf(report);
  const message = report.message.split('\n', 1)[0]?.trim() || 'The database gave no reason.';
  const at = position ?? (text === undefined || kind !== 'invalid' ? undefined : offsetOf(report.message, text));
  if (at === undefined || text === undefined)
    return new ConnectorError(kind, message, { isForAuthors: report.isForAuthors ?? false });
  return new ConnectorError(kind, message, { position: positionAt(text.sql, at) });
}

/** The token that a syntax error names. SQLite does not report its position. */
export function findOffendingToken(report: FailureReport): string | undefined {
  return /^near "(.+)": syntax error$/s.exec(report.message)?.[1];
}

function kindOf({ phase, code }: FailureReport): ConnectorErrorKind {
  if (phase === 'open' || (code !== null && unreachable.has(code & 0xff))) return 'unavailable';
  return phase === 'prepare' ? 'invalid' : 'failed';
}

// READONLY, BUSY, LOCKED, IOERR, CORRUPT, CANTOPEN, PROTOCOL, NOTADB
const unreachable: ReadonlySet<number> = new Set([5, 6, 8, 10, 11, 14, 15, 26]);

/** The position of the name in the message: its first occurrence. */
function offsetOf(message: string, { sql, tokens }: StatementText): number | undefined {
  const unread = /^unrecognized token: "(.*)"$/s.exec(message)?.[1];
  if (unread !== undefined) return sql.includes(unread) ? sql.indexOf(unread) : undefined;
  const named = /^(?:no such (?:column|table|function)|ambiguous column name): "?([^"\s]+)"?/.exec(message)?.[1];
  const name = named?.split('.').at(-1)?.toLowerCase();
  if (name === undefined) return undefined;
  return tokens.find(({ text }) => text.replace(/^["`[]|["`\]]$/g, '').toLowerCase() === name)?.start;
}
