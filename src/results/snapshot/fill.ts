import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { endsWithin } from '../../core/concurrency/ends-within.ts';
import type { ValueObserver } from '../columns.ts';
import { MOST_BYTES_TO_SHOW, pageOverflows, type PageRequest } from '../result-page.ts';
import type { RowBatch, RowStream } from '../row-stream.ts';
import type { ShownRows } from '../shown-rows.ts';
import type { RowLog } from './row-log.ts';
import { bytesBound, type Stop } from './stop.ts';

/** Reads rows from a stream into a log. */
export interface Filling {
  readonly cursor: RowCursor;
  readonly log: RowLog;
  readonly maxRows: number;
  readonly rowsReason: () => string; // why there are no more rows than that
  readonly maxBytes: number;
}

/** The first page is in the memory of the log from `start` to `end`. `stop` is null if more rows are to be read. */
export interface FirstRows {
  readonly rowCount: number;
  readonly start: number;
  readonly end: number;
  readonly stop: Stop | null;
}

/**
 * Reads the page and one more row, which decides whether there is a continuation. Rows before the page are kept, too, because they
 * belong to the snapshot. Rethrows errors of the stream while the page lacks rows.
 */
export async function fillFirstPage(
  filling: Filling,
  request: PageRequest,
  shown: ShownRows | null,
  observer: ValueObserver,
  stopBy: (error: unknown) => Stop,
): Promise<FirstRows> {
  const { cursor, log } = filling;
  const maxBytes = shown === null ? request.maxPageBytes : MOST_BYTES_TO_SHOW;
  const page = { rowCount: 0, start: 0, end: 0 };
  let yieldedAt = 0;
  try {
    for (;;) {
      while (cursor.ready) {
        const index = log.rowCount;
        const start = log.byteCount;
        const { batch, row } = cursor;
        const bound = admit(filling);
        if (bound) return { ...page, stop: bound };
        if (index >= request.rowIndex) {
          if (index === request.rowIndex) page.start = start;
          else if (index >= request.rowIndex + request.rowSize || pageOverflows(page.start, log.byteCount, maxBytes)) {
            return { ...page, stop: null };
          }
          if (shown !== null && !log.show(start, shown)) return { ...page, stop: null };
          observer.look(batch, row);
          page.rowCount++;
          page.end = log.byteCount;
        } else if (log.pendingBytes >= (log.isFlushed ? chunkBytes : spillBytes)) {
          await log.flush();
        }
        if (log.byteCount - yieldedAt >= chunkBytes) {
          yieldedAt = log.byteCount;
          if (page.rowCount < request.rowSize) request.claim?.(page.end - page.start);
          await yieldToOthers();
        }
      }
      if (!(await cursor.advance())) return { ...page, stop: { state: 'complete' } };
    }
  } catch (error) {
    if (page.rowCount < request.rowSize) throw error;
    return { ...page, stop: stopBy(error) };
  }
}

export interface FillingRest {
  readonly now: () => number;
  readonly onFlush: () => void;
  /** Called after each piece. Returns null if the next one may be read at once. */
  readonly turn: () => Promise<void> | null;
}

/** Reads the rest into the storage. A chunk is written before the next is encoded, so a slow disk slows the database and fills no memory. */
export async function fillRest(filling: Filling, { now, onFlush, turn }: FillingRest): Promise<Stop> {
  const { cursor, log } = filling;
  let flushedAt = now();
  let turnAt = log.byteCount;
  const flush = async () => {
    await log.flush();
    flushedAt = now();
    onFlush();
  };
  const wait = async () => {
    turnAt = log.byteCount;
    const next = turn();
    if (!next) return;
    await flush(); // readers find these rows during the pause
    await next;
  };
  await flush();
  for (;;) {
    while (cursor.ready) {
      const bound = admit(filling);
      if (bound) return bound;
      if (log.pendingBytes >= chunkBytes) await flush();
      if (log.byteCount - turnAt >= pieceBytes) await wait();
    }
    if (now() - flushedAt >= flushEveryMs) await flush();
    if (!(await cursor.advance(flush))) return { state: 'complete' };
  }
}

/** Reads the remaining rows without storing them: an Epilogue runs only after the last row. */
export async function readToTheEnd(cursor: RowCursor): Promise<void> {
  while (await cursor.advance()) await yieldToOthers();
}

/** Appends the row of the cursor to the log, or returns the bound that forbids it. */
function admit({ cursor, log, maxRows, rowsReason, maxBytes }: Filling): Stop | null {
  if (log.rowCount >= maxRows) return { state: 'bounded', reason: rowsReason() };
  if (!log.append(cursor.batch, cursor.row)) return { state: 'bounded', reason: bytesBound(maxBytes) };
  cursor.row++;
  return null;
}

const chunkBytes = 1 << 18;
const pieceBytes = 1 << 16;
const spillBytes = 1 << 22;
const flushEveryMs = 100;

/** The position in a stream, row by row; another function can continue from it, even within a batch. */
export class RowCursor {
  batch: RowBatch = noRows;
  row = 0;
  readonly #stream: RowStream;
  #iterator: AsyncIterator<RowBatch> | null = null;
  #stopped: Error | null = null;
  #interrupt: ((error: Error) => void) | null = null;

  constructor(stream: RowStream) {
    this.#stream = stream;
  }

  /** Whether `batch` has a row at `row`. */
  get ready(): boolean {
    return this.row < this.batch.length;
  }

  /** Moves to the next batch that has rows; false when the result is complete. Calls `onIdle` once if the database is slow. */
  async advance(onIdle?: () => Promise<void>): Promise<boolean> {
    this.#iterator ??= this.#stream.batches()[Symbol.asyncIterator]();
    for (;;) {
      if (this.#stopped) throw this.#stopped;
      const next = this.#runInterruptible(this.#iterator.next());
      if (onIdle && !(await endsWithin(next, idleMs))) await onIdle();
      const step = await next;
      if (step.done) return false;
      this.batch = step.value;
      this.row = 0;
      if (this.ready) return true;
    }
  }

  /** Makes the running and every later `advance` fail. */
  stop(error: Error): void {
    this.#stopped ??= error;
    this.#interrupt?.(this.#stopped);
  }

  /** Never rejects: the rows that were read stay valid. */
  async close(): Promise<void> {
    this.batch = noRows;
    this.row = 0;
    await this.#stream.close().catch(() => undefined);
    this.#iterator?.return?.().catch(() => undefined);
  }

  #runInterruptible<T>(promise: Promise<T>): Promise<T> {
    const either = new Promise<T>((resolve, reject) => {
      this.#interrupt = reject;
      promise.then(resolve, reject);
    });
    either.catch(() => undefined); // it may reject before it is awaited
    return either;
  }
}

const idleMs = 20;

const noRows: RowBatch = { length: 0, writeJson: () => undefined, writeText: () => undefined, value: () => null };
