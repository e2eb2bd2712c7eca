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
import { type RenderedSql, renderParameters } from './parameters.ts';
import { ResultRows } from './result-rows.ts';
import type { Session } from './session.ts';

export interface Database {
  readonly pool: RunPool<Session>;
  readonly descriptions: Descriptions;
  readonly writable: boolean;
}

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
  let openAfter: unknown; // the transactions after the statement
  let isWhole = false;

  async function complete(): Promise<void> {
    if (deadline.stopped !== undefined) throw deadline.stopped;
    if (epilogue === undefined) requireOneTransaction(openAfter);
    else await commitEpilogue(epilogue);
    isWhole = true;
  }

  async function commitEpilogue(rendered: RenderedSql): Promise<void> {
    requireOneTransaction(await deadline.runWithin(countBy(count)));
    await deadline.runWithin(session.run(rendered));
    if (deadline.stopped !== undefined) throw deadline.stopped;
    deadline.end(); // a commit must not be interrupted
    requireOneTransaction(await countBy(commit));
  }

  const countBy = async (sql: string): Promise<unknown> => (await session.rows(sql))[0]?.[0];

  function requireOneTransaction(counted: unknown): void {
    if (counted === 1) return;
    session.destroy();
    throw new ConnectorError('failed', 'The statement ended its transaction or began another one.');
  }

  const close = once(async (): Promise<void> => {
    rows.discard();
    if (session.isWorking) {
      deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
      await session.cancel();
    }
    if (!isWhole) await session.rollBack();
    session.resetLater();
    // triggers may have left locks; the reader does not wait for the cleanup, since its rows are complete
    if (epilogue !== undefined) void session.reset().then(() => pool.release(session, deadline));
    else pool.release(session, deadline);
  });

  const errorOf = (error: unknown): ConnectorError => engineError('failed', error);
  deadline.onStop = () => void close();
  try {
    const described = await deadline.runWithin(descriptions.query(session, main));
    if (epilogue !== undefined) await deadline.runWithin(checkEpilogue(session, epilogue));
    if (epilogue !== undefined) await deadline.runWithin(session.begin());
    const ended = epilogue === undefined ? session.runOnce(main, rows) : session.run(main, rows);
    ended.then(
      (open) => {
        openAfter = open;
        rows.end();
      },
      (error) => rows.fail(error),
    );
    await deadline.runWithin(rows.whenReady() ?? Promise.resolve()); // the first rows, or the end of an empty result
    if (rows.columns === undefined) throw new ConnectorError('failed', 'The statement returned no result.');
    const isAsDescribed = areEqualColumns(described, rows.columns);
    if (!isAsDescribed) descriptions.forget(main);
    return streamQueue(isAsDescribed ? described : rows.columns, rows, { deadline, complete, errorOf, close });
  } catch (error) {
    await close();
    throw errorOf(error);
  }
}

/** Whether the types are as the server described them; they may have changed since. */
const areEqualColumns = (described: readonly Column[], actual: readonly Column[]): boolean =>
  described.length === actual.length &&
  described.every(({ name, kind }, index) => name === actual[index]?.name && kind === actual[index].kind);
