import { ConnectorError, type ConnectorErrorKind, type Position } from '../../connector.ts';
import type { RenderedSql } from './parameters.ts';

/** Converts an error of DuckDB. Connections report errors as JSON. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, rendered?: RenderedSql): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  const report = parseReport(cause instanceof Error ? cause.message : String(cause));
  const position = rendered === undefined ? undefined : positionOf(report, rendered);
  const message = report.message.split('\n', 1)[0]?.trim() || 'The database gave no reason.';
  if (report.type === 'Out of Memory') return new OutOfMemoryError('failed', `Out of memory: ${message}.`, { cause });
  const actualKind = brokenDatabase.has(report.type) ? 'unavailable' : kind;
  return new ConnectorError(actualKind, message, { cause, position });
}

/** All queries share the memory of the process, so another one may be the cause. */
export class OutOfMemoryError extends ConnectorError {}

const brokenDatabase: ReadonlySet<string> = new Set(['FATAL', 'IO', 'Connection']);

interface Report {
  readonly type: string;
  readonly message: string;
  readonly offset: number | undefined;
}

function parseReport(text: string): Report {
  const json = text.slice(Math.max(text.indexOf('{"exception_type"'), 0));
  try {
    const { exception_type: type, exception_message: message, position } = JSON.parse(json);
    return { type: String(type), message: String(message), offset: position === undefined ? undefined : Number(position) };
  } catch {
    return { type: '', message: text, offset: undefined };
  }
}

function positionOf({ type, offset }: Report, { sql, positionOf: inSource }: RenderedSql): Position | undefined {
  if (offset === undefined) return undefined;
  // the parser counts characters, the later phases count bytes
  const before = type === 'Parser' ? [...sql].slice(0, offset).join('') : Buffer.from(sql).subarray(0, offset).toString();
  return inSource(before.length);
}
