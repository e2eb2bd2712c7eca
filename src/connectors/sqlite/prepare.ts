import type { ConnectorError } from '../connector.ts';
import type { EngineProcess } from '../embedded/engine-process.ts';
import { engineError, findOffendingToken } from './engine-error.ts';
import type { DeclaredColumn, FailureReport, FileToOpen, Purpose, Request } from './protocol.ts';
import type { StatementText } from './statement-text.ts';

type SqliteProcess = EngineProcess<Request>;

/** The columns of a statement. Preparing takes no lock, so the file is not opened for writing. */
export async function prepare(
  process: SqliteProcess,
  file: FileToOpen,
  purpose: Purpose,
  text: StatementText,
): Promise<readonly DeclaredColumn[]> {
  const request: Request = { type: 'describe', file, purpose, sql: text.sql };
  const response = await process.open().ask<DeclaredColumn[], FailureReport>(request);
  if ('failure' in response) throw await locateError(process, file, response.failure, purpose, text);
  return response.reply;
}

const mostProbes = 50;

/**
 * The error with its position. SQLite reads from left to right, so of several equal tokens the error is at the first one where the
 * text up to that token fails with the same message.
 */
export async function locateError(
  process: SqliteProcess,
  file: FileToOpen,
  report: FailureReport,
  purpose: Purpose,
  text: StatementText,
): Promise<ConnectorError> {
  const offending = findOffendingToken(report);
  if (offending === undefined) return engineError(report, text);
  for (const token of text.tokens.filter((each) => each.text === offending).slice(0, mostProbes)) {
    const request: Request = { type: 'describe', file, purpose, sql: text.sql.slice(0, token.end) };
    const probe = await process.open().ask<DeclaredColumn[], FailureReport>(request);
    if ('failure' in probe && probe.failure.message === report.message) return engineError(report, text, token.start);
  }
  return engineError(report, text);
}
