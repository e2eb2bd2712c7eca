import { ConnectorError, type ConnectorErrorKind, type Position } from '../../connector.ts';

/** Converts an error of SQLite. `kind` is used unless the file cannot be used. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, position?: Position): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  const isUnreachable = unreachable.has((codeOf(cause) ?? 0) & 0xff);
  const message = textOf(cause).split('\n', 1)[0]?.trim() || 'The database gave no reason.';
  return new ConnectorError(isUnreachable ? 'unavailable' : kind, message, { position });
}

// READONLY, BUSY, LOCKED, IOERR, CORRUPT, CANTOPEN, PROTOCOL, NOTADB
const unreachable: ReadonlySet<number> = new Set([5, 6, 8, 10, 11, 14, 15, 26]);

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** SQLite's extended result code. */
export const codeOf = (error: unknown): number | null =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
