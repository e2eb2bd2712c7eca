import { ConnectorError, type ConnectorErrorKind } from '../connector.ts';
import { messageOf, shortenText } from '../error-text.ts';
import { offsetAt } from '../statements/marked-sql.ts';
import { LostConnectionError } from './http-client.ts';
import { linesBefore, type RenderedSql } from './parameters.ts';
import { RefusedError, TrinoError, type TrinoFailure } from './query-client.ts';

/** Converts an error of the client or of Trino. `kind` is used unless the error itself determines it. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, rendered?: RenderedSql): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  if (cause instanceof TrinoError) return failureOf(kind, cause, rendered);
  return new ConnectorError(kindOfOther(kind, cause), messageOf(cause), { cause });
}

function kindOfOther(kind: ConnectorErrorKind, cause: unknown): ConnectorErrorKind {
  if (cause instanceof RefusedError && (cause.status === 401 || cause.status === 403)) return 'unavailable';
  if (kind !== 'invalid') return kind;
  return cause instanceof RefusedError || cause instanceof LostConnectionError ? 'unavailable' : 'failed';
}

function failureOf(kind: ConnectorErrorKind, cause: TrinoError, rendered: RenderedSql | undefined): ConnectorError {
  const { failure } = cause;
  const { lineNumber = 0, columnNumber: column = 0 } = failure.errorLocation ?? {};
  const line = lineNumber - linesBefore;
  const position = line < 1 ? undefined : rendered?.positionOf(offsetAt(rendered.sql, { line, column }));
  // the line and column in the message refer to the rendered text
  const message = shortenText(failure.message.replace(/^line \d+:\d+: /, ''));
  return new ConnectorError(kindOf(kind, failure), message, { cause, position });
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
