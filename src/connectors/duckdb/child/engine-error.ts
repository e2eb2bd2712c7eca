import { ConnectorError, type ConnectorErrorKind } from '../../connector.ts';
import type { RenderedSql } from './parameters.ts';

/** Converts an error of DuckDB. Connections report errors as JSON. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, rendered?: RenderedSql): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  const report = parseReport(cause instanceof Error ? cause.message : String(cause));
  const position = rendered === undefined ? undefined : positionOf(report, rendered);
  const message = report.message.split('\n', 1)[0]?.trim() || 'The database gave no reason.';
  if (report.type === 'Out of Memory') return new OutOfMemoryError('failed', `Out of memory: ${message}.`, { cause });
  const actualKind = brokenDatabase.has(report.type) ? 'unavailable' : kind;
  return new ConnectorError(actualKind, message, { cause, ...(position === undefined ? {} : { position }) });
}

/** All queries share the memory of the process, so another one may be the cause. */
export class OutOfMemoryError extends ConnectorError {}

const brokenDatabase: ReadonlySet<string> = new Set(['FATAL', 'IO', 'Connection']);

interface Report {
  readonly type: string;
  readonly message: string;
  readonly offset?: number;
}

function parseReport(text: string): Report {
  const json = text.slice(Math.max(text.indexOf('{"exception_type"'), 0));
  try {
    const fields: unknown = JSON.parse(json);
    if (typeof fields !== 'object' || fields === null) return { type: '', message: text };
    const { exception_type: type, exception_message: message, position } = fields as Record<string, unknown>;
    const offset = typeof position === 'string' ? Number(position) : undefined;
    return { type: String(type), message: String(message), ...(offset === undefined ? {} : { offset }) };
  } catch {
    return { type: '', message: text };
  }
}

function positionOf(report: Report, rendered: RenderedSql): { line: number; column: number } | undefined {
  if (report.offset === undefined) return undefined;
  // the parser counts characters, the later phases count bytes
  const before =
    report.type === 'Parser'
      ? [...rendered.sql].slice(0, report.offset).join('')
      : Buffer.from(rendered.sql).subarray(0, report.offset).toString();
  const lines = rendered.source.slice(0, offsetInSource(before.length, rendered)).split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

/** Maps an offset in the rendered text to the author's text. */
function offsetInSource(offset: number, { sql, replacements }: RenderedSql): number {
  let shift = 0;
  let searched = 0;
  for (const { name, text } of replacements) {
    const start = sql.indexOf(text, searched);
    if (start < 0 || start >= offset) break;
    const end = start + text.length;
    if (offset < end) return start - shift;
    shift += text.length - name.length;
    searched = end;
  }
  return offset - shift;
}
