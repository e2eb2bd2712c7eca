import duckdb from '@duckdb/node-bindings';
import type { Column } from '../../../results/column.ts';
import type { RowBatch, RowStream } from '../../../results/row-stream.ts';
import { ConnectorError, type Statement } from '../../connector.ts';
import { cellReader } from './cells/cell-reader.ts';
import type { CellReader } from './cells/cells.ts';
import { VectorBatch } from './cells/vector-batch.ts';
import { chunkCollector } from './collect-chunks.ts';
import { columnOf } from './columns.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { InterruptingDeadline } from './interrupting-deadline.ts';
import { bindValues, type RenderedSql, renderParameters } from './parameters.ts';
import { prepareEpilogue, prepareSelect } from './prepare.ts';
import { columnsOf, type Session } from './session.ts';

/** What an Epilogue waits for. Both throw when the run is stopped. */
export interface EpilogueSteps {
  /** All rows were read. */
  rowsRead(): Promise<void>;
  /** The run can no longer be stopped. */
  mayCommit(): Promise<void>;
}

export async function run(
  database: Database,
  statement: Statement,
  steps: EpilogueSteps,
  signal: AbortSignal,
): Promise<RowStream> {
  const deadline = new InterruptingDeadline(signal);
  const session = await database.acquire(deadline);
  const rows = new Run(database, session, deadline, steps, statement);
  try {
    await rows.start();
    return rows;
  } catch (error) {
    await rows.close();
    throw engineError('failed', error);
  }
}

/** One execution, from acquiring a connection to releasing it. */
class Run implements RowStream {
  columns: readonly Column[] = [];

  readonly #database: Database;
  readonly #session: Session;
  readonly #deadline: InterruptingDeadline;
  readonly #steps: EpilogueSteps;
  readonly #main: RenderedSql;
  readonly #epilogue: RenderedSql | undefined;
  #readers: readonly CellReader[] = [];
  #result: duckdb.Result | undefined;
  #rows = 0;
  #work: Promise<unknown> = Promise.resolve();
  #inTransaction = false;
  #whole = false;
  #closing: Promise<void> | undefined;

  constructor(
    database: Database,
    session: Session,
    deadline: InterruptingDeadline,
    steps: EpilogueSteps,
    { sql, parameters, epilogue }: Statement,
  ) {
    this.#database = database;
    this.#session = session;
    this.#deadline = deadline;
    this.#steps = steps;
    this.#main = renderParameters(sql, parameters);
    this.#epilogue = epilogue === undefined ? undefined : renderParameters(epilogue, parameters);
    deadline.onIdleStop = () => void this.close();
  }

  async start(): Promise<void> {
    const session = this.#session;
    await this.#begin(); // before preparing: an older plan may miss rows that others commit in between
    const statement = await this.#during(() => prepareSelect(session, this.#main));
    const epilogue = this.#epilogue;
    if (epilogue !== undefined) await this.#during(() => prepareEpilogue(session, epilogue));
    bindValues(statement, this.#main.values);
    const result = await this.#during(() => duckdb.execute_prepared_streaming(statement));
    const columns = columnsOf(result);
    this.columns = columns.map(({ name, type }) => columnOf(name, type));
    this.#readers = columns.map(({ type }) => cellReader(type));
    this.#result = result;
  }

  async *batches(): AsyncIterable<RowBatch> {
    const result = this.#result;
    if (result === undefined) throw this.#deadline.stopped ?? new Error('The rows can be read once.');
    const fetch = () => this.#during(() => duckdb.fetch_chunk(result));
    try {
      let next = fetch();
      const passed = chunkCollector();
      for (;;) {
        const chunk = await next;
        if (this.#deadline.stopped !== undefined) throw this.#deadline.stopped;
        const length = chunk === null ? 0 : duckdb.data_chunk_get_size(chunk);
        if (chunk === null || length === 0) break;
        next = fetch(); // DuckDB computes the next chunk meanwhile
        this.#rows += length;
        yield new VectorBatch(chunk, length, this.#readers);
        passed();
      }
      // A failed stream ends like a complete one. Only the result type tells them apart, and only before the next fetch.
      if (duckdb.result_return_type(result) !== duckdb.ResultType.QUERY_RESULT) throw await this.#whyBroken();
      await this.#complete();
    } catch (error) {
      throw engineError('failed', error);
    } finally {
      await this.close();
    }
  }

  close(): Promise<void> {
    this.#deadline.onIdleStop = () => {}; // close itself may stop the run
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #begin(): Promise<void> {
    if (!this.#database.writable) return;
    const transaction = this.#epilogue === undefined ? 'BEGIN TRANSACTION READ ONLY' : 'BEGIN TRANSACTION';
    this.#inTransaction = true;
    await this.#during(() => this.#session.execute(transaction));
  }

  async #complete(): Promise<void> {
    const epilogue = this.#epilogue;
    if (epilogue !== undefined) {
      await this.#steps.rowsRead(); // while a reader pauses, the Epilogue must not hold rows that others want to change
      const statement = await this.#during(() => prepareEpilogue(this.#session, epilogue));
      bindValues(statement, epilogue.values);
      await this.#during(() => duckdb.execute_prepared(statement));
      await this.#steps.mayCommit();
    }
    if (this.#deadline.stopped !== undefined) throw this.#deadline.stopped;
    this.#deadline.end(); // a commit must not be interrupted
    const commit = async (): Promise<void> => {
      if (epilogue !== undefined) {
        await this.#session.execute('COMMIT');
        this.#inTransaction = false;
      }
      this.#whole = true;
    };
    this.#work = commit();
    await this.#work;
  }

  /** The stream does not report its error; running the statement again does, if there is time. */
  async #whyBroken(): Promise<unknown> {
    try {
      await this.#reset();
      await this.#begin();
      await this.#during(async () => {
        const statement = await duckdb.prepare(this.#session.connection, `EXPLAIN ANALYZE ${this.#main.sql}`);
        try {
          bindValues(statement, this.#main.values);
          await duckdb.execute_prepared(statement);
        } finally {
          duckdb.destroy_prepare_sync(statement);
        }
      });
      // it succeeds now: the process was out of memory, for example
      return new ConnectorError('unavailable', `The query broke after ${this.#rows} rows, and not when it was run again.`);
    } catch (error) {
      return error;
    }
  }

  async #finish(): Promise<void> {
    if (!this.#whole) this.#deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
    await this.#work.catch(() => {});
    this.#result = undefined;
    if (!this.#whole) this.#session.forget('select', this.#main.sql);
    if (!this.#whole || this.#inTransaction) await this.#reset();
    this.#database.release(this.#session, this.#deadline);
  }

  /** Ends the open transaction, or the open stream, which the next statement closes. */
  async #reset(): Promise<void> {
    const statement = this.#inTransaction ? 'ROLLBACK' : 'SELECT 1';
    this.#inTransaction = false;
    await this.#session.execute(statement).catch(() => {}); // the transaction has ended already
  }

  #during<T>(work: () => Promise<T>): Promise<T> {
    const promise = this.#deadline.work(work);
    promise.catch(() => {}); // the reader may be gone
    this.#work = promise;
    return promise;
  }
}
