import type { Column } from '../../core/column.ts';
import { once } from '../../core/concurrency/once.ts';
import type { RowStream } from '../../results/row-stream.ts';
import { ConnectorError, type RunOptions, type Statement } from '../connector.ts';
import { streamQueue } from '../runs/row-queue.ts';
import { RunDeadline } from '../runs/run-deadline.ts';
import type { RunPool } from '../runs/run-pool.ts';
import { requireWritable } from '../statements/refusals.ts';
import { checkEpilogue, type Descriptions } from './describe.ts';
import { engineError } from './engine-error.ts';
import { renderParameters } from './parameters.ts';
import { ResultRows } from './result-rows.ts';
import type { Session } from './session.ts';

export interface Database {
  readonly pool: RunPool<Session>;
  readonly descriptions: Descriptions;
  readonly writable: boolean;
}

const begin = 'SET LOCK_TIMEOUT 5000; SET XACT_ABORT ON; SET IMPLICIT_TRANSACTIONS OFF; BEGIN TRANSACTION';
const rollBack = 'SELECT @@TRANCOUNT AS open_transactions; IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION';
const commit = 'SELECT @@TRANCOUNT AS open_transactions; IF @@TRANCOUNT = 1 COMMIT TRANSACTION';
const count = 'SELECT @@TRANCOUNT AS open_transactions';

/** One execution, from acquiring a connection to releasing it. */
export async function run(
  { pool, descriptions, writable }: Database,
  statement: Statement,
  { timeoutMs }: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (statement.epilogue !== undefined) requireWritable({ writable });
  const main = renderParameters(statement.sql, statement.parameters);
  const epilogue = statement.epilogue === undefined ? undefined : renderParameters(statement.epilogue, statement.parameters);
  const deadline = new RunDeadline(signal, timeoutMs);
  const session = await pool.acquire(deadline);
  const rows = new ResultRows(session);
  let isWhole = false;

  async function complete(): Promise<void> {
    if (epilogue !== undefined) {
      requireOneTransaction(await deadline.runWithin(session.rows(count)));
      await deadline.runWithin(session.run(epilogue.sql, epilogue.parameters));
    }
    if (deadline.stopped !== undefined) throw deadline.stopped;
    deadline.end(); // a commit must not be interrupted
    requireOneTransaction(await session.rows(epilogue === undefined ? rollBack : commit));
    isWhole = true;
  }

  /** Otherwise the statement has ended the transaction, or begun another one. */
  function requireOneTransaction([counted]: readonly (readonly unknown[])[]): void {
    if (counted?.[0] === 1) return;
    session.destroy();
    throw new ConnectorError('failed', 'The statement meddled with the transaction that it ran in.');
  }

  const close = once(async (): Promise<void> => {
    rows.discard();
    if (session.isWorking) {
      deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
      await session.cancel();
    }
    if (!isWhole) await session.rollBack();
    // the reader does not wait for the cleanup: its rows are complete
    void session.reset().then(() => pool.release(session, deadline));
  });

  const errorOf = (error: unknown): ConnectorError => engineError('failed', error);
  deadline.onStop = () => void close();
  try {
    const described = await deadline.runWithin(descriptions.query(session, main));
    if (epilogue !== undefined) await deadline.runWithin(checkEpilogue(session, epilogue));
    await deadline.runWithin(session.rows(begin));
    session.run(main.sql, main.parameters, rows).then(
      () => rows.end(),
      (error) => rows.fail(error),
    );
    await deadline.runWithin(rows.whenReady() ?? Promise.resolve()); // the first rows, or the end of an empty result
    if (rows.columns === undefined) throw new ConnectorError('failed', 'The statement returned no result.');
    const isAsDescribed = agree(described, rows.columns);
    if (!isAsDescribed) descriptions.forget(main);
    return streamQueue(isAsDescribed ? described : rows.columns, rows, { deadline, complete, errorOf, close });
  } catch (error) {
    await close();
    throw errorOf(error);
  }
}

/** Whether the types are as the server described them; they may have changed since. */
const agree = (described: readonly Column[], actual: readonly Column[]): boolean =>
  described.length === actual.length &&
  described.every(({ name, kind }, index) => name === actual[index]?.name && kind === actual[index].kind);
