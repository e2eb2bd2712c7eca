import type { Column } from '../../results/column.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import { ConnectorError, type RunOptions, type Statement } from '../connector.ts';
import { noTransactions } from '../refused-epilogue.ts';
import { TextBatch, type TextCell } from '../text-cells.ts';
import { Watch } from '../watch.ts';
import { cellsOf } from './cells.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { type RenderedSql, renderParameters } from './parameters.ts';
import { prepare } from './prepare.ts';
import { Requests } from './request.ts';
import { ResultReader } from './result-reader.ts';

export async function run(
  database: Database,
  statement: Statement,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (statement.epilogue !== undefined) throw noTransactions('ClickHouse');
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

/** One execution, from its sending to the last byte of its result. */
class Run implements RowStream {
  columns: readonly Column[] = [];

  readonly #database: Database;
  readonly #watch: Watch;
  readonly #rendered: RenderedSql;
  readonly #timeoutMs: number;
  readonly #requests: Requests;
  #reader: ResultReader | undefined;
  #cells: readonly TextCell[] = [];
  #closing: Promise<void> | undefined;

  constructor(database: Database, watch: Watch, rendered: RenderedSql, timeoutMs: number) {
    this.#database = database;
    this.#watch = watch;
    this.#rendered = rendered;
    this.#timeoutMs = timeoutMs;
    this.#requests = new Requests(database.client);
    watch.onStop = () => void this.close();
    if (watch.stopped !== undefined) void this.close();
  }

  /** Resolves as soon as the columns are known, which is when the server has its first rows. */
  async start(): Promise<void> {
    const watch = this.#watch;
    const { sql, values } = this.#rendered;
    const { timeZone, settingsFor } = await watch.during(this.#database.facts());
    if (!this.#database.proven.has(sql)) await watch.during(prepare(this.#database, this.#requests, this.#rendered));
    const settings = settingsFor(this.#timeoutMs + patienceMs);
    const stream = await watch
      .during(this.#requests.send(`\n${sql}\nFORMAT JSONCompact`, { settings, values }))
      .catch(refusedAtTheDoor);
    const reader = new ResultReader(stream);
    await watch.during(reader.start());
    this.#reader = reader;
    this.#cells = cellsOf(reader.columns, timeZone);
    this.columns = columnsOf(reader.columns);
  }

  async *batches(): AsyncIterable<RowBatch> {
    const watch = this.#watch;
    try {
      for (;;) {
        const rows = await watch.during(this.#reader?.next() ?? Promise.resolve(undefined));
        if (rows === undefined) break;
        yield new TextBatch(rows, this.#cells);
      }
      this.#requests.ended();
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
    await this.#requests.cancel();
    this.#database.slots.give(this.#watch);
  }
}

/** How much longer than a query the server waits for a reader who pauses. */
const patienceMs = 15 * 60_000;

/** No line to the server before anything ran. */
function refusedAtTheDoor(error: unknown): never {
  const refused = error instanceof Error && 'code' in error && unreachable.has(String(error.code));
  if (refused) throw new ConnectorError('unavailable', error.message, { cause: error });
  throw error;
}

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT', 'EAI_AGAIN']);
