import type { RowStream } from '../../results/row-stream.ts';
import { readQueue } from '../batches.ts';
import { ConnectorError, type RunOptions, type Statement } from '../connector.ts';
import { requireWritable } from '../refused-epilogue.ts';
import { RunDeadline } from '../run-deadline.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { type RenderedSql, renderParameters } from './parameters.ts';
import { prepareEpilogue, prepareSelect } from './prepare.ts';
import type { Session } from './session.ts';

export async function run(
  database: Database,
  statement: Statement,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (statement.epilogue !== undefined) requireWritable(database);
  const execution = new Run(database, statement, new RunDeadline(signal, options.timeoutMs));
  try {
    return await execution.start();
  } catch (error) {
    await execution.close();
    throw engineError('failed', error);
  }
}

/** One execution, from acquiring a connection to releasing it. */
class Run {
  readonly #database: Database;
  readonly #deadline: RunDeadline;
  readonly #main: RenderedSql;
  readonly #epilogue: RenderedSql | undefined;
  #session: Session | undefined;
  #whole = false;
  #ending: Promise<void> | undefined;

  constructor(database: Database, { sql, parameters, epilogue }: Statement, deadline: RunDeadline) {
    this.#database = database;
    this.#deadline = deadline;
    this.#main = renderParameters(sql, parameters);
    this.#epilogue = epilogue === undefined ? undefined : renderParameters(epilogue, parameters);
  }

  async start(): Promise<RowStream> {
    const deadline = this.#deadline;
    const epilogue = this.#epilogue;
    const session = await this.#database.begin(deadline, epilogue === undefined ? 'READ ONLY' : 'READ WRITE');
    this.#session = session;
    deadline.onStop = () => void this.#end(); // also while the reader pauses
    const statement = await deadline.during(prepareSelect(session, this.#main));
    if (epilogue !== undefined) await deadline.during(prepareEpilogue(session, epilogue));
    const rows = session.execute(statement, this.#main.values);
    const columns = columnsOf(await deadline.during(rows.columns));
    const source = {
      deadline,
      complete: () => this.#complete(),
      errorOf: (error: unknown) => engineError('failed', error),
      close: () => this.close(),
    };
    return { columns, batches: () => readQueue(rows, source), close: source.close };
  }

  async close(): Promise<void> {
    if (!this.#whole) this.#deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
    const ended = this.#end();
    if (!this.#whole) await ended; // the reader of a complete result does not wait for the cleanup
  }

  async #complete(): Promise<void> {
    const session = this.#session;
    const epilogue = this.#epilogue;
    if (session !== undefined && epilogue !== undefined) {
      const statement = await this.#deadline.during(prepareEpilogue(session, epilogue));
      const rows = session.execute(statement, epilogue.values);
      rows.discard(); // of RETURNING
      await this.#deadline.during(rows.ready() ?? Promise.resolve());
    }
    this.#deadline.end(); // a commit must not be interrupted
    if (epilogue !== undefined) await session?.rows('COMMIT');
    this.#whole = true;
  }

  #end(): Promise<void> {
    this.#ending ??= this.#session === undefined ? Promise.resolve() : this.#database.end(this.#session, this.#deadline);
    return this.#ending;
  }
}
