import { ConnectorError, type ConnectorErrorKind, type Position } from '../connector.ts';
import { oneLine } from '../error-text.ts';
import { offsetAt } from '../marked-sql.ts';
import type { RenderedSql } from './parameters.ts';
import { BrokenResultError } from './result-reader.ts';

/** The line where the author's text begins in every statement. */
const linesBefore = 1;

/** Converts an error of the client or the server. `kind` is used unless the error itself determines it. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, rendered?: RenderedSql): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  const code = codeOf(cause, text);
  const message = clean(text) || 'The database gave no reason.';
  if (code === undefined) {
    const lost = kind === 'invalid' && !(cause instanceof BrokenResultError);
    return new ConnectorError(lost ? 'unavailable' : kind, message, { cause });
  }
  const position = rendered === undefined ? undefined : positionOf(text, rendered);
  return new ConnectorError(kindOf(kind, code), message, { cause, position });
}

function codeOf(cause: unknown, text: string): number | undefined {
  if (cause instanceof Error && 'type' in cause && 'code' in cause) return Number(cause.code);
  const [, code] = /Code: (\d+)/.exec(text) ?? [];
  return code === undefined ? undefined : Number(code);
}

function kindOf(kind: ConnectorErrorKind, code: number): ConnectorErrorKind {
  if (code === 159 || code === 160) return 'timeout';
  if (code === 394) return 'cancelled';
  if (refusesAccount.has(code)) return 'unavailable';
  if (refusesText.has(code)) return 'invalid';
  return kind;
}

/** Wrong user or password, unknown database, too many queries, shutting down. */
const refusesAccount = new Set([81, 192, 193, 194, 195, 202, 473, 516]);
/** Syntax, unknown names, missing privilege, read-only. */
const refusesText = new Set([46, 47, 60, 62, 164, 358, 497]);

function clean(text: string): string {
  return oneLine(
    text
      .replace(/^[\s\S]*?DB::Exception: /, '')
      .replace(/, e\.what\(\) = [\s\S]*$/, '')
      .replace(/\s*\(version [^)]*\)\s*$/, ''),
  );
}

function positionOf(text: string, rendered: RenderedSql): Position | undefined {
  const [, line, column] = /\(line (\d+), col (\d+)\)/.exec(text) ?? [];
  if (line === undefined) return undefined;
  return rendered.positionOf(offsetAt(rendered.sql, { line: Number(line) - linesBefore, column: Number(column) }));
}
