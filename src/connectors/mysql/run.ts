import { once } from '../../core/concurrency/once.ts';
import { type RowStream, streamWholeRows } from '../../results/row-stream.ts';
import { ConnectorError, type RunOptions, type Statement } from '../connector.ts';
import { streamQueue } from '../runs/row-queue.ts';
import { RunDeadline } from '../runs/run-deadline.ts';
import { requireWritable } from '../statements/refusals.ts';
import { columnsOfRun } from './columns.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { renderParameters } from './parameters.ts';
import { viewSearchOf } from './plain-statement.ts';
import { findPrepared, prepareEpilogue, prepareSelect } from './prepare.ts';

/** One execution, from acquiring a connection to releasing it. */
export async function run(
  database: Database,
  statement: Statement,
  { timeoutMs }: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (statement.epilogue !== undefined) requireWritable(database);
  const main = renderParameters(statement.sql, statement.parameters);
  const epilogue = statement.epilogue === undefined ? undefined : renderParameters(statement.epilogue, statement.parameters);
  const deadline = new RunDeadline(signal, timeoutMs);
  const viewSearch = epilogue === undefined ? viewSearchOf(main.sql) : undefined;
  const plain = viewSearch === undefined ? undefined : { sql: main.sql, viewSearch };
  const session = await database.begin(deadline, epilogue === undefined ? 'READ ONLY' : 'READ WRITE', plain !== undefined);
  let isWhole = false;
  const end = once(() => database.end(session, deadline, isWhole ? plain : undefined));

  async function complete(): Promise<void> {
    if (epilogue !== undefined) {
      const change = await deadline.runWithin(prepareEpilogue(session, epilogue));
      const rows = session.execute(change, epilogue.values);
      rows.discard(); // of RETURNING
      await deadline.runWithin(rows.whenReady() ?? Promise.resolve());
    }
    deadline.end(); // a commit must not be interrupted
    if (epilogue !== undefined) await session.rows('COMMIT');
    isWhole = true;
  }

  async function close(): Promise<void> {
    if (!isWhole) deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
    const ended = end();
    if (!isWhole) await ended; // the reader of a complete result does not wait for the cleanup
  }

  const errorOf = (error: unknown): ConnectorError => engineError('failed', error);
  deadline.onStop = () => void end(); // also while the reader pauses
  try {
    const select = findPrepared(session, main) ?? (await deadline.runWithin(prepareSelect(session, main)));
    if (epilogue !== undefined) await deadline.runWithin(prepareEpilogue(session, epilogue)); // before the first row
    const rows = session.execute(select, main.values);
    const columns = columnsOfRun(select, await deadline.runWithin(rows.columns));
    const whole = epilogue === undefined && deadline.stopped === undefined ? rows.takeWhole() : undefined;
    if (whole !== undefined) {
      isWhole = true;
      void end();
      return streamWholeRows(columns, whole);
    }
    return streamQueue(columns, rows, { deadline, complete, errorOf, close });
  } catch (error) {
    await close();
    throw errorOf(error);
  }
}
