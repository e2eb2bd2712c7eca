import { ConnectorError, type ConnectorErrorKind } from '../connector.ts';
import { type RenderedSql, sourceOffset } from './parameters.ts';
import { LostConnectionError, ServerError } from './server-error.ts';

/** Converts an error of the driver or the server. `kind` is used unless the error itself tells the kind. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, rendered?: RenderedSql): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  if (cause instanceof LostConnectionError) {
    return new ConnectorError(kind === 'invalid' ? 'unavailable' : kind, oneLine(cause.message), { cause });
  }
  if (!(cause instanceof ServerError)) {
    const message = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    return new ConnectorError(kind === 'invalid' ? 'failed' : kind, oneLine(message), { cause });
  }
  const position = rendered === undefined ? undefined : positionOf(cause, rendered);
  const message = oneLine(cause.hint === undefined ? cause.message : `${cause.message}. ${cause.hint}`);
  return new ConnectorError(kindOf(kind, cause), message, { cause, ...(position === undefined ? {} : { position }) });
}

function kindOf(kind: ConnectorErrorKind, { code, message }: ServerError): ConnectorErrorKind {
  if (code === queryCancelled) return message.includes('timeout') ? 'timeout' : 'cancelled';
  if (code === readOnlyTransaction) return 'invalid';
  if (kind !== 'invalid') return kind;
  // before the run: the server is not available, or the SQL is wrong
  if (/^(08|28|53|57|58|XX)/.test(code)) return 'unavailable';
  return code.startsWith('55') ? 'failed' : 'invalid';
}

const queryCancelled = '57014';
const readOnlyTransaction = '25006';

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();

function positionOf({ position }: ServerError, rendered: RenderedSql): { line: number; column: number } | undefined {
  if (position === undefined) return undefined;
  // the server counts characters, we count UTF-16 units
  const offset = [...rendered.sql].slice(0, position - 1).join('').length;
  const lines = rendered.source.slice(0, sourceOffset(offset, rendered)).split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}
