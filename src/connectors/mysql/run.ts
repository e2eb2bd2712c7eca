import type { Column } from '../../results/column.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import { ConnectorError, type RunOptions, type Statement } from '../connector.ts';
import { requireWritable } from '../refused-epilogue.ts';
import { RunDeadline } from '../run-deadline.ts';
import type { Cell } from './cells.ts';
import { columnOf } from './columns.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { type RenderedSql, renderParameters } from './parameters.ts';
import { prepareEpilogue, prepareSelect } from './prepare.ts';
import { BinaryBatch } from './row-batch.ts';
import type { RowReader } from './row-reader.ts';
import type { Session } from './session.ts';

export async function run(
  database: Database,
  statement: Statement,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (statement.epilogue !== undefined) requireWritable(database);
  const rows = new Run(database, statement, new RunDeadline(signal, options.timeoutMs));
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
  readonly #deadline: RunDeadline;
  readonly #main: RenderedSql;
  readonly #epilogue: RenderedSql | undefined;
  #session: Session | undefined;
  #cells: readonly Cell[] = [];
  #reader: RowReader | undefined;
  #whole = false;
  #ending: Promise<void> | undefined;

  constructor(database: Database, { sql, parameters, epilogue }: Statement, deadline: RunDeadline) {
    this.#database = database;
    this.#deadline = deadline;
    this.#main = renderParameters(sql, parameters);
    this.#epilogue = epilogue === undefined ? undefined : renderParameters(epilogue, parameters);
  }

  async start(): Promise<void> {
    const deadline = this.#deadline;
    const epilogue = this.#epilogue;
    const session = await this.#database.begin(deadline, epilogue === undefined ? 'READ ONLY' : 'READ WRITE');
    this.#session = session;
    deadline.onStop = () => void this.#end(); // also while the reader pauses
    const statement = await deadline.during(prepareSelect(session, this.#main));
    if (epilogue !== undefined) await deadline.during(prepareEpilogue(session, epilogue));
    this.#reader = session.execute(statement, this.#main.values);
    const columns = (await deadline.during(this.#reader.fields)).map(columnOf);
    this.columns = columns.map(({ name, type, kind }) => ({ name, type, kind }));
    this.#cells = columns.map(({ cell }) => cell);
  }

  async *batches(): AsyncIterable<RowBatch> {
    const reader = this.#reader;
    if (this.#deadline.stopped !== undefined) throw this.#deadline.stopped;
    if (reader === undefined) throw new Error('The rows can be read once.');
    this.#reader = undefined;
    try {
      for (;;) {
        const rows = await this.#deadline.during(reader.next());
        if (rows === undefined) break;
        yield new BinaryBatch(rows, this.#cells);
      }
      await this.#complete();
    } catch (error) {
      throw this.#deadline.stopped ?? engineError('failed', error);
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    if (!this.#whole) this.#deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
    const ended = this.#end();
    if (!this.#whole) await ended; // the reader of a complete result does not wait for the cleanup
  }

  async #complete(): Promise<void> {
    const session = this.#session;
    const epilogue = this.#epilogue;
    if (session === undefined) return;
    if (epilogue !== undefined) {
      const statement = await this.#deadline.during(prepareEpilogue(session, epilogue));
      const reader = session.execute(statement, epilogue.values);
      while ((await this.#deadline.during(reader.next())) !== undefined); // of RETURNING
    }
    this.#deadline.end(); // a commit must not be interrupted
    if (epilogue !== undefined) await session.rows('COMMIT');
    this.#whole = true;
  }

  #end(): Promise<void> {
    this.#ending ??= this.#session === undefined ? Promise.resolve() : this.#database.end(this.#session, this.#deadline);
    return this.#ending;
  }
}
