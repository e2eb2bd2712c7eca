import { ConnectorError, type ConnectorErrorKind, type Position } from '../connector.ts';
import { describeForeignResponse, messageOf, shortenText } from '../error-text.ts';
import { offsetAt } from '../statements/marked-sql.ts';
import type { RenderedSql } from './parameters.ts';
import { BrokenResultError, serverError } from './result-reader.ts';

/** The line where the author's text begins in every statement. */
const linesBefore = 1;

/** Converts an error of the client or the server. `kind` is used unless the error itself determines it. */
export function engineError(kind: ConnectorErrorKind, cause: unknown, rendered?: RenderedSql): ConnectorError {
  if (cause instanceof ConnectorError) return cause;
  const text = messageOf(cause);
  const code = codeOf(cause, text);
  if (code === undefined) {
    const lost = kind === 'invalid' && !(cause instanceof BrokenResultError);
    const message = isOwnText(cause) ? shortenText(text) : describeForeignResponse('ClickHouse');
    return new ConnectorError(lost ? 'unavailable' : kind, message, { cause });
  }
  const message = clean(text) || 'The database gave no reason.';
  const position = rendered === undefined ? undefined : positionOf(text, rendered);
  return new ConnectorError(kindOf(kind, code), message, { cause, position });
}

function codeOf(cause: unknown, text: string): number | undefined {
  if (cause instanceof Error && 'type' in cause && 'code' in cause) return Number(cause.code);
  const [, code] = serverError.exec(text) ?? [];
  return code === undefined ? undefined : Number(code);
}

/** Whether the text is by Node.js, the client or us, rather than what the server sent. */
const isOwnText = (cause: unknown): boolean =>
  cause instanceof BrokenResultError || (cause instanceof Error && ('code' in cause || textsOfClient.has(cause.message)));

const textsOfClient = new Set(['Timeout error.', 'The user aborted a request.']);

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
  return shortenText(
    text
      .replace(/^[\s\S]*?DB::Exception: /, '')
      .replace(/, e\.what\(\) = [\s\S]*$/, '')
      .replace(/(?<!\s)\s*\(version [^()]*\)\s*$/, ''),
  );
}

function positionOf(text: string, rendered: RenderedSql): Position | undefined {
  const [, line, column] = /\(line (\d+), col (\d+)\)/.exec(text) ?? [];
  if (line === undefined) return undefined;
  return rendered.positionOf(offsetAt(rendered.sql, { line: Number(line) - linesBefore, column: Number(column) }));
}
