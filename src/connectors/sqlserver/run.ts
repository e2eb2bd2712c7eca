import type { Column } from '../../results/column.ts';
import type { RowStream } from '../../results/row-stream.ts';
import { readQueue } from '../batches.ts';
import { ConnectorError, type RunOptions, type Statement } from '../connector.ts';
import { requireWritable } from '../refused-epilogue.ts';
import { RunDeadline } from '../run-deadline.ts';
import type { RunPool } from '../run-pool.ts';
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

export async function run(
  database: Database,
  statement: Statement,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (statement.epilogue !== undefined) requireWritable(database);
  const main = renderParameters(statement.sql, statement.parameters);
  const epilogue = statement.epilogue === undefined ? undefined : renderParameters(statement.epilogue, statement.parameters);
  const deadline = new RunDeadline(signal, options.timeoutMs);
  const session = await database.pool.acquire(deadline);
  const execution = new Run(database, session, deadline, main, epilogue);
  try {
    return await execution.start();
  } catch (error) {
    await execution.close();
    throw engineError('failed', error);
  }
}

const begin = 'SET LOCK_TIMEOUT 5000; SET XACT_ABORT ON; SET IMPLICIT_TRANSACTIONS OFF; BEGIN TRANSACTION';
const rollBack = 'SELECT @@TRANCOUNT AS open_transactions; IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION';
const commit = 'SELECT @@TRANCOUNT AS open_transactions; IF @@TRANCOUNT = 1 COMMIT TRANSACTION';
const count = 'SELECT @@TRANCOUNT AS open_transactions';

/** One execution, from acquiring a connection to releasing it. */
class Run {
  readonly #database: Database;
  readonly #session: Session;
  readonly #deadline: RunDeadline;
  readonly #main: RenderedSql;
  readonly #epilogue: RenderedSql | undefined;
  #rows: ResultRows | undefined;
  #whole = false;
  #closing: Promise<void> | undefined;

  constructor(database: Database, session: Session, deadline: RunDeadline, main: RenderedSql, epilogue: RenderedSql | undefined) {
    this.#database = database;
    this.#session = session;
    this.#deadline = deadline;
    this.#main = main;
    this.#epilogue = epilogue;
    deadline.onStop = () => void this.close();
  }

  /** Resolves when the first rows are received, or the end of an empty result. */
  async start(): Promise<RowStream> {
    const session = this.#session;
    const deadline = this.#deadline;
    const described = await deadline.during(this.#database.descriptions.query(session, this.#main));
    const epilogue = this.#epilogue;
    if (epilogue !== undefined) await deadline.during(checkEpilogue(session, epilogue));
    await deadline.during(session.rows(begin));
    const rows = new ResultRows(session);
    this.#rows = rows;
    session.run(this.#main.sql, this.#main.parameters, rows).then(
      () => rows.end(),
      (error) => rows.fail(error),
    );
    await deadline.during(rows.ready() ?? Promise.resolve());
    const columns = this.#agreed(described, rows.columns);
    const source = {
      deadline,
      complete: () => this.#complete(),
      errorOf: (error: unknown) => engineError('failed', error),
      close: () => this.close(),
    };
    return { columns, batches: () => readQueue(rows, source), close: source.close };
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** The types as the server described them, unless they have changed since. */
  #agreed(described: readonly Column[], actual: readonly Column[] | undefined): readonly Column[] {
    if (actual === undefined) throw new ConnectorError('failed', 'The statement returned no result.');
    const agree =
      described.length === actual.length &&
      described.every(({ name, kind }, index) => name === actual[index]?.name && kind === actual[index].kind);
    if (agree) return described;
    this.#database.descriptions.forget(this.#main);
    return actual;
  }

  async #complete(): Promise<void> {
    const session = this.#session;
    const epilogue = this.#epilogue;
    if (epilogue !== undefined) {
      this.#mustBeOne(await this.#deadline.during(session.rows(count)));
      await this.#deadline.during(session.run(epilogue.sql, epilogue.parameters));
    }
    if (this.#deadline.stopped !== undefined) throw this.#deadline.stopped;
    this.#deadline.end(); // a commit must not be interrupted
    this.#mustBeOne(await session.rows(epilogue === undefined ? rollBack : commit));
    this.#whole = true;
  }

  /** Otherwise the statement has ended the transaction, or begun another one. */
  #mustBeOne(rows: readonly (readonly unknown[])[]): void {
    if (rows[0]?.[0] === 1) return;
    this.#session.destroy();
    throw new ConnectorError('failed', 'The statement meddled with the transaction that it ran in.');
  }

  async #finish(): Promise<void> {
    const session = this.#session;
    this.#rows?.discard();
    if (session.isWorking) {
      this.#deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
      await session.cancel();
    }
    if (!this.#whole) await session.rollBack();
    // the reader does not wait for the cleanup: its rows are complete
    void session.reset().then(() => this.#database.pool.release(session, this.#deadline));
  }
}
