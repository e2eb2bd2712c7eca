import type { Column } from '../../results/column.ts';
import { ConnectorError } from '../connector.ts';
import type { EngineProcess } from '../embedded/engine-process.ts';
import { frameTypes } from '../embedded/frames.ts';
import { columnOf } from './columns.ts';
import { engineError, offendingToken } from './engine-error.ts';
import type { DeclaredColumn, FailureReport, FileToOpen, Purpose, Request } from './protocol.ts';
import type { StatementText } from './statement-text.ts';

type SqliteProcess = EngineProcess<Request>;

export async function describe(process: SqliteProcess, file: FileToOpen, text: StatementText): Promise<readonly Column[]> {
  return (await prepare(process, file, 'select', text)).map(columnOf);
}

/** Preparing takes no lock, so the file is not opened for writing. */
export async function checkEpilogue(process: SqliteProcess, file: FileToOpen, text: StatementText): Promise<void> {
  await prepare(process, file, 'epilogue', text);
}

async function prepare(
  process: SqliteProcess,
  file: FileToOpen,
  purpose: Purpose,
  text: StatementText,
): Promise<readonly DeclaredColumn[]> {
  const response = await ask<DeclaredColumn[]>(process, { type: 'describe', file, purpose, sql: text.sql });
  if ('failure' in response) throw await locatedError(process, file, response.failure, purpose, text);
  return response.reply;
}

/** One request with one response. */
export async function ask<T>(
  process: SqliteProcess,
  request: Request,
): Promise<{ readonly reply: T } | { readonly failure: FailureReport }> {
  const channel = process.open();
  channel.send(request);
  const { type, payload } = await channel.next();
  const content = JSON.parse(payload.toString());
  if (type === frameTypes.reply) return { reply: content };
  if (type === frameTypes.failure) return { failure: content };
  throw new ConnectorError('failed', `A frame of type ${type} came out of turn.`);
}

const mostProbes = 50;

/**
 * The error with its position. SQLite reads from left to right, so of several equal tokens the error is at the first one where the
 * text up to that token fails with the same message.
 */
export async function locatedError(
  process: SqliteProcess,
  file: FileToOpen,
  report: FailureReport,
  purpose: Purpose,
  text: StatementText,
): Promise<ConnectorError> {
  const offending = offendingToken(report);
  if (offending === undefined) return engineError(report, text);
  for (const token of text.tokens.filter((each) => each.text === offending).slice(0, mostProbes)) {
    const probe = await ask(process, { type: 'describe', file, purpose, sql: text.sql.slice(0, token.end) });
    if ('failure' in probe && probe.failure.message === report.message) return engineError(report, text, token.start);
  }
  return engineError(report, text);
}
