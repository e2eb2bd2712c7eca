import duckdb from '@duckdb/node-bindings';
import type { Column } from '../../../core/column.ts';
import type { ByteWriter } from '../../../results/byte-writer.ts';
import { ConnectorError, type Statement } from '../../connector.ts';
import { BatchEncoder } from '../../embedded/child/batch-encoder.ts';
import { byteLength, cellTags } from '../../embedded/frames.ts';
import { cellReader } from './cells/cell-reader.ts';
import { cellsOf, type WriteCell } from './cells/vector-data.ts';
import { type Database, runInterruptible } from './database.ts';
import { columnOf } from './describe.ts';
import { engineError } from './engine-error.ts';
import { bindValues, type RenderedSql, renderParameters } from './parameters.ts';
import { prepare } from './prepare.ts';
import { columnsOf, type Session } from './session.ts';

/** Receives a result. What waits for the service rejects when the run is stopped. */
export interface ResultReceiver {
  columns(columns: readonly Column[]): void;
  /** Resolves when the batch is sent; its parts may be overwritten then. */
  batch(parts: readonly Uint8Array[]): Promise<void>;
  /** Resolves when all rows were read. */
  rowsRead(): Promise<void>;
  /** Resolves when the run can no longer be stopped. */
  mayCommit(): Promise<void>;
}

export function run(database: Database, statement: Statement, receiver: ResultReceiver, signal: AbortSignal): Promise<void> {
  return database.use(signal, (session) => new Run(database, session, statement, receiver, signal).run());
}

const largeChunk = 1 << 20; // bytes; usual ones have a tenth
const vectorSize = 2048; // rows of a full chunk; a shorter one is usually the last

/** One execution on a connection. */
class Run {
  readonly #session: Session;
  readonly #receiver: ResultReceiver;
  readonly #signal: AbortSignal;
  readonly #main: RenderedSql;
  readonly #epilogue: RenderedSql | undefined;
  readonly #writable: boolean;
  #chunk: duckdb.DataChunk | null = null; // held while its cells are written: they may refer to its memory
  #inTransaction = false;

  constructor(database: Database, session: Session, statement: Statement, receiver: ResultReceiver, signal: AbortSignal) {
    const { sql, parameters, epilogue } = statement;
    this.#session = session;
    this.#receiver = receiver;
    this.#signal = signal;
    this.#main = renderParameters(sql, parameters);
    this.#epilogue = epilogue === undefined ? undefined : renderParameters(epilogue, parameters);
    this.#writable = database.writable;
  }

  async run(): Promise<void> {
    try {
      await this.#sendRows(await this.#start());
      await this.#complete();
      if (this.#inTransaction) await this.#reset();
    } catch (error) {
      this.#session.forget('select', this.#main.sql);
      await this.#reset();
      throw engineError('failed', error);
    }
  }

  async #start(): Promise<duckdb.Result> {
    const session = this.#session;
    await this.#begin(); // before preparing: an older plan may miss rows that others commit in between
    const statement = await this.#runInterruptible(() => prepare(session, 'select', this.#main));
    const epilogue = this.#epilogue;
    if (epilogue !== undefined) await this.#runInterruptible(() => prepare(session, 'epilogue', epilogue));
    bindValues(statement, this.#main.values);
    return this.#runInterruptible(() => duckdb.execute_prepared_streaming(statement));
  }

  async #sendRows(result: duckdb.Result): Promise<void> {
    const columns = columnsOf(result);
    this.#receiver.columns(columns.map(({ name, type }) => columnOf(name, type)));
    const readers = columns.map(({ type }) => cellReader(type));
    let writers: readonly WriteCell[] = [];
    const write = (row: number, column: number, out: ByteWriter): number => writers[column]?.(row, out) ?? cellTags.null;
    const encoder = new BatchEncoder<number>().begin(readers.length, write);
    let rows = 0;
    let bytes = largeChunk; // of the last chunk; the first one may be large
    let next = this.#fetch(result);
    try {
      for (;;) {
        this.#chunk = await next;
        const length = this.#chunk === null ? 0 : duckdb.data_chunk_get_size(this.#chunk);
        if (this.#chunk === null || length === 0) break;
        const isAhead = length < vectorSize || bytes < largeChunk;
        if (isAhead) next = this.#fetch(result); // DuckDB computes the next chunk meanwhile
        bytes = 0;
        writers = cellsOf(this.#chunk, length, readers);
        for (let row = 0; row < length; row++) {
          encoder.add(row);
          if (!encoder.isFull && row < length - 1) continue;
          const parts = encoder.take();
          bytes += byteLength(parts);
          await this.#receiver.batch(parts);
        }
        rows += length;
        duckdb.data_chunk_reset(this.#chunk); // frees its texts; the object itself waits for the garbage collector
        noteUnreferenced(bytes);
        if (!isAhead) next = this.#fetch(result);
      }
    } catch (error) {
      this.#session.interrupt(); // it may compute the next chunk
      await next.catch(() => {});
      throw error;
    }
    // A failed stream ends like a complete one. Only the result type distinguishes them, and only before the next fetch.
    if (duckdb.result_return_type(result) !== duckdb.ResultType.QUERY_RESULT) throw await this.#explainBroken(rows);
  }

  #fetch(result: duckdb.Result): Promise<duckdb.DataChunk | null> {
    const chunk = this.#runInterruptible(() => duckdb.fetch_chunk(result));
    chunk.catch(() => {}); // it is awaited later
    return chunk;
  }

  async #complete(): Promise<void> {
    const epilogue = this.#epilogue;
    if (epilogue === undefined) return;
    await this.#receiver.rowsRead(); // while a reader pauses, the Epilogue must not hold rows that others want to change
    const statement = await this.#runInterruptible(() => prepare(this.#session, 'epilogue', epilogue));
    bindValues(statement, epilogue.values);
    await this.#runInterruptible(() => duckdb.execute_prepared(statement));
    await this.#receiver.mayCommit();
    await this.#session.execute('COMMIT'); // must not be interrupted
    this.#inTransaction = false;
  }

  async #begin(): Promise<void> {
    if (!this.#writable) return;
    const transaction = this.#epilogue === undefined ? 'BEGIN TRANSACTION READ ONLY' : 'BEGIN TRANSACTION';
    this.#inTransaction = true;
    await this.#runInterruptible(() => this.#session.execute(transaction));
  }

  /** The stream does not report its error; running the statement again does, if there is time. */
  async #explainBroken(rows: number): Promise<unknown> {
    try {
      await this.#reset();
      await this.#begin();
      await this.#runInterruptible(() => this.#session.runOnce(`EXPLAIN ANALYZE ${this.#main.sql}`, this.#main.values));
      // it succeeds now: the process was out of memory, for example
      return new ConnectorError('unavailable', `The query broke after ${rows} rows, and not when it was run again.`);
    } catch (error) {
      return error;
    }
  }

  /** Ends the open transaction, or the open stream, which the next statement closes. */
  async #reset(): Promise<void> {
    const statement = this.#inTransaction ? 'ROLLBACK' : 'SELECT 1';
    this.#inTransaction = false;
    await this.#session.execute(statement).catch(() => {}); // the transaction has ended already
  }

  #runInterruptible<T>(work: () => Promise<T>): Promise<T> {
    return runInterruptible(this.#session, this.#signal, work);
  }
}

/**
 * DuckDB frees a chunk when its JavaScript object is collected, but V8 does not know of the memory behind it: many short results would keep
 * hundreds of megabytes. So garbage is collected by the bytes of all runs, and some time after the last one. The process has `--expose-gc`.
 */
const collectAfterBytes = 16 << 20;
const collectAllAfterMs = 3000;

let bytes = 0; // since the last minor collection
let timer: NodeJS.Timeout | undefined;

/** A chunk is no longer used, of which this many bytes were sent. */
function noteUnreferenced(sent: number): void {
  timer ??= setTimeout(collectAll, collectAllAfterMs).unref();
  bytes += sent;
  if (bytes < collectAfterBytes) return;
  bytes = 0;
  globalThis.gc?.({ type: 'minor', execution: 'sync' }); // takes a millisecond
}

/** Chunks that waited for a reader have survived minor collections. */
function collectAll(): void {
  timer = undefined;
  bytes = 0;
  globalThis.gc?.({ type: 'major', execution: 'sync' });
}
