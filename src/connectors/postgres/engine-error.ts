import { ConnectorError, type ConnectorErrorKind, type Position } from '../connector.ts';
import { joinLines, messageOf } from '../error-text.ts';
import type { RenderedSql } from './parameters.ts';
import { LostConnectionError, ServerError } from './wire.ts';

/** Converts an error of the driver or the server. `kind` is used unless the error itself determines it. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, rendered?: RenderedSql): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  if (!(cause instanceof ServerError)) {
    const kindBeforeRun = cause instanceof LostConnectionError ? 'unavailable' : 'failed';
    return new ConnectorError(kind === 'invalid' ? kindBeforeRun : kind, messageOf(cause), { cause });
  }
  const message = joinLines(cause.hint === undefined ? cause.message : `${cause.message}. ${cause.hint}`);
  return new ConnectorError(kindOf(kind, cause), message, { cause, position: positionOf(cause, rendered) });
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

function positionOf({ position }: ServerError, rendered: RenderedSql | undefined): Position | undefined {
  if (position === undefined || rendered === undefined) return undefined;
  // the server counts characters, we count UTF-16 units
  return rendered.positionOf([...rendered.sql].slice(0, position - 1).join('').length);
}
