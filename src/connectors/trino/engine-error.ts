import { ConnectorError, type ConnectorErrorKind } from '../connector.ts';
import { LostConnectionError } from './http-client.ts';
import { linesBefore, type RenderedSql } from './parameters.ts';
import { RefusedError, TrinoError } from './query-client.ts';
import type { TrinoFailure } from './query-page.ts';

/** Converts an error of the client or of Trino. `kind` is used unless the error itself tells the kind. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, rendered?: RenderedSql): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  if (cause instanceof TrinoError) return failureOf(kind, cause, rendered);
  const message = oneLine(cause instanceof Error && cause.message !== '' ? cause.message : String(cause));
  if (cause instanceof RefusedError) {
    const refusesUs = cause.status === 401 || cause.status === 403 || kind === 'invalid';
    return new ConnectorError(refusesUs ? 'unavailable' : kind, message, { cause });
  }
  const lost = cause instanceof LostConnectionError && kind === 'invalid';
  return new ConnectorError(lost ? 'unavailable' : kind === 'invalid' ? 'failed' : kind, message, { cause });
}

function failureOf(kind: ConnectorErrorKind, cause: TrinoError, rendered: RenderedSql | undefined): ConnectorError {
  const { failure } = cause;
  const { errorLocation } = failure;
  const position =
    rendered === undefined || errorLocation === undefined
      ? undefined
      : rendered.sourcePosition(errorLocation.lineNumber - linesBefore, errorLocation.columnNumber);
  // the line and column in the message refer to the rendered text
  const message = oneLine(failure.message.replace(/^line \d+:\d+: /, ''));
  return new ConnectorError(kindOf(kind, failure), message, { cause, ...(position === undefined ? {} : { position }) });
}

function kindOf(kind: ConnectorErrorKind, { errorName, errorType, errorLocation }: TrinoFailure): ConnectorErrorKind {
  if (errorName === 'USER_CANCELED') return 'cancelled';
  if (errorName === 'EXCEEDED_TIME_LIMIT') return 'timeout';
  // only errors in the text have a position
  if (errorType === 'USER_ERROR' && (errorLocation !== undefined || refusals.has(errorName))) return 'invalid';
  if (kind !== 'invalid') return kind;
  if (errorType === 'USER_ERROR') return 'invalid';
  return unready.has(errorName) ? 'unavailable' : 'failed';
}

const refusals = new Set(['PERMISSION_DENIED', 'READ_ONLY_VIOLATION', 'NOT_SUPPORTED', 'INVALID_PARAMETER_USAGE']);
const unready = new Set(['SERVER_STARTING_UP', 'SERVER_SHUTTING_DOWN', 'QUERY_QUEUE_FULL', 'NO_NODES_AVAILABLE']);

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();
