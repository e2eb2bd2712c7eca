import type { Column } from '../../results/column.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import { ConnectorError, type RunOptions, type Statement } from '../connector.ts';
import { noTransactions } from '../refused-epilogue.ts';
import { Watch } from '../watch.ts';
import { cellsOf, PageBatch } from './cells.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { LostConnectionError } from './http-client.ts';
import { type RenderedSql, renderParameters, statementText } from './parameters.ts';
import { prepare } from './prepare.ts';
import { QueryClient } from './query-client.ts';
import type { QueryPage, TrinoColumn } from './query-page.ts';

export async function run(
  database: Database,
  statement: Statement,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (statement.epilogue !== undefined) throw noTransactions('Trino');
  const rendered = renderParameters(statement.sql, statement.parameters);
  const watch = new Watch(signal, options.timeoutMs);
  await database.slots.take(watch);
  const rows = new Run(database, watch, rendered, options.timeoutMs);
  try {
    await rows.start();
    return rows;
  } catch (error) {
    const told = watch.stopped ?? engineError('failed', error, rendered);
    await rows.close();
    throw told;
  }
}

/** One execution, from its submission to its last page. */
class Run implements RowStream {
  columns: readonly Column[] = [];

  readonly #database: Database;
  readonly #watch: Watch;
  readonly #rendered: RenderedSql;
  readonly #timeoutMs: number;
  readonly #query: QueryClient;
  #columns: readonly TrinoColumn[] = [];
  #first: QueryPage | undefined;
  #closing: Promise<void> | undefined;

  constructor(database: Database, watch: Watch, rendered: RenderedSql, timeoutMs: number) {
    this.#database = database;
    this.#watch = watch;
    this.#rendered = rendered;
    this.#timeoutMs = timeoutMs;
    this.#query = new QueryClient(database.client);
    watch.onStop = () => void this.close();
    if (watch.stopped !== undefined) void this.close();
  }

  /** Resolves as soon as the columns are known. */
  async start(): Promise<void> {
    const { proven, headers } = this.#database;
    const watch = this.#watch;
    if (watch.stopped !== undefined) throw watch.stopped;
    if (!proven.has(this.#rendered.sql)) {
      await watch.during(prepare(this.#database, this.#query, this.#rendered));
    }
    let page: QueryPage | undefined = await watch
      .during(this.#query.submit(statementText(this.#rendered), headers(this.#timeoutMs + patienceMs)))
      .catch(refusedAtTheDoor);
    while (page?.columns === undefined) {
      page = await watch.during(this.#query.next());
      if (page === undefined) throw new ConnectorError('failed', 'The query ended without telling its columns.');
    }
    this.#first = page;
    this.#columns = page.columns;
    this.columns = columnsOf(page.columns);
  }

  async *batches(): AsyncIterable<RowBatch> {
    const watch = this.#watch;
    const cells = cellsOf(this.#columns);
    try {
      for (let page = this.#first; page !== undefined; page = await watch.during(this.#query.next())) {
        this.#first = undefined;
        if (watch.stopped !== undefined) throw watch.stopped;
        if (page.data !== undefined && page.data.length > 0) yield new PageBatch(page.data, cells);
        if (watch.stopped !== undefined) throw watch.stopped;
      }
    } catch (error) {
      throw watch.stopped ?? engineError('failed', error, this.#rendered);
    } finally {
      await this.close();
    }
  }

  close(): Promise<void> {
    this.#watch.onStop = () => {};
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    this.#watch.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
    await this.#query.cancel();
    this.#database.slots.give(this.#watch);
  }
}

/** How much longer than a query the server waits for a reader who pauses. */
const patienceMs = 15 * 60_000;

function refusedAtTheDoor(error: unknown): never {
  if (error instanceof LostConnectionError) throw new ConnectorError('unavailable', error.message, { cause: error });
  throw error;
}
