import type { Column } from '../../results/column.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
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
  const rows = new Run(database, session, deadline, main, epilogue);
  try {
    await rows.start();
    return rows;
  } catch (error) {
    await rows.close();
    throw engineError('failed', error);
  }
}

const begin = 'SET LOCK_TIMEOUT 5000; SET XACT_ABORT ON; SET IMPLICIT_TRANSACTIONS OFF; BEGIN TRANSACTION';
const rollBack = 'SELECT @@TRANCOUNT AS open_transactions; IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION';
const commit = 'SELECT @@TRANCOUNT AS open_transactions; IF @@TRANCOUNT = 1 COMMIT TRANSACTION';
const count = 'SELECT @@TRANCOUNT AS open_transactions';

/** One execution, from acquiring a connection to releasing it. */
class Run implements RowStream {
  columns: readonly Column[] = [];

  readonly #database: Database;
  readonly #session: Session;
  readonly #deadline: RunDeadline;
  readonly #main: RenderedSql;
  readonly #epilogue: RenderedSql | undefined;
  #rows: ResultRows | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #working = false;
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
  async start(): Promise<void> {
    const session = this.#session;
    const described = await this.#during(this.#database.descriptions.query(session, this.#main));
    const epilogue = this.#epilogue;
    if (epilogue !== undefined) await this.#during(checkEpilogue(session, epilogue));
    await this.#during(session.rows(begin));
    const rows = new ResultRows(session);
    this.#rows = rows;
    this.#track(session.run(this.#main.sql, this.#main.parameters, rows)).then(
      () => rows.end(),
      (error) => rows.fail(error),
    );
    const first = rows.ready();
    if (first !== undefined) await this.#deadline.during(first);
    this.columns = this.#agreed(described, rows.columns);
  }

  async *batches(): AsyncIterable<RowBatch> {
    const rows = this.#rows;
    if (rows === undefined) throw this.#deadline.stopped ?? new Error('The rows can be read once.');
    this.#rows = undefined;
    try {
      for (;;) {
        const next = rows.next();
        const batch = next instanceof Promise ? await this.#deadline.during(next) : next;
        if (this.#deadline.stopped !== undefined) throw this.#deadline.stopped;
        if (batch === undefined) break;
        yield batch;
      }
      await this.#complete();
    } catch (error) {
      throw engineError('failed', this.#deadline.stopped ?? error); // stopped work fails with various errors
    } finally {
      await this.close();
    }
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
      this.#mustBeOne(await this.#during(session.rows(count)));
      await this.#during(session.run(epilogue.sql, epilogue.parameters));
    }
    if (this.#deadline.stopped !== undefined) throw this.#deadline.stopped;
    this.#deadline.end(); // a commit must not be interrupted
    this.#mustBeOne(await this.#track(session.rows(epilogue === undefined ? rollBack : commit)));
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
    if (this.#working) {
      this.#deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
      await session.cancel(this.#work);
    }
    if (!this.#whole) await session.rollBack();
    // the reader does not wait for the cleanup: its rows are complete
    void session.reset().then(() => this.#database.pool.release(session, this.#deadline));
  }

  #during<T>(work: Promise<T>): Promise<T> {
    return this.#deadline.during(this.#track(work));
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#working = true;
    this.#work = work;
    const settled = (): void => {
      if (this.#work === work) this.#working = false;
    };
    work.then(settled, settled);
    return work;
  }
}
