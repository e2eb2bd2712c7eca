import type { Column } from '../../core/column.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import type { RunDeadline } from './run-deadline.ts';

const maxBytes = 512 << 10;

export interface QueuedBatch {
  readonly size: number;
  /** The reader is done with the batch; `next` is the batch that it reads now. */
  free?(next: this | undefined): void;
}

/** Batches of rows between the connection and the reader. Reading from the connection pauses while the queue is full. */
export class RowQueue<Batch extends QueuedBatch> {
  readonly #resume: () => void;
  readonly #batches: Batch[] = [];
  #current: Batch | undefined; // valid until the next one is read
  #bytes = 0;
  #waiting: PromiseWithResolvers<void> | undefined;
  #settling: PromiseWithResolvers<void> | undefined;
  #over: { readonly error?: unknown } | undefined;
  #discarding = false;

  /** `resume` is called when a full queue has room again. */
  constructor(resume: () => void) {
    this.#resume = resume;
  }

  /** Returns whether there is room for more. */
  push(batch: Batch): boolean {
    if (this.#discarding) return true;
    this.#batches.push(batch);
    this.#bytes += batch.size;
    this.#wake();
    return this.#bytes < maxBytes;
  }

  end(): void {
    this.#finish({});
  }

  fail(error: unknown): void {
    this.#finish({ error });
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** Resolves when the statement has ended or failed in the database. */
  whenSettled(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.#settling ??= Promise.withResolvers<void>();
    return this.#settling.promise;
  }

  /** Drops these rows and those to come. */
  discard(): void {
    this.#discarding = true;
    this.#batches.length = 0;
  }

  /** Resolves when there is a batch to read or the result has ended; undefined if that is already the case. Throws the error of the statement. */
  whenReady(): Promise<void> | undefined {
    if (this.#batches.length > 0) return undefined;
    if (this.#over === undefined) return this.#wait();
    if ('error' in this.#over) throw this.#over.error;
    return undefined;
  }

  /** All batches, where the result has ended and none was read before. */
  takeWhole(): readonly Batch[] | undefined {
    if (this.#over === undefined || 'error' in this.#over || this.#current !== undefined) return undefined;
    if (this.#bytes >= maxBytes) this.#resume();
    this.#bytes = 0;
    return this.#batches.splice(0);
  }

  /** The next batch; undefined at the end. */
  next(): Batch | undefined | Promise<Batch | undefined> {
    const waiting = this.whenReady();
    return waiting === undefined ? this.#shift() : waiting.then(() => this.#shift());
  }

  #shift(): Batch | undefined {
    const batch = this.#batches.shift();
    this.#current?.free?.(batch);
    this.#current = batch;
    if (batch === undefined) return undefined;
    const wasFull = this.#bytes >= maxBytes;
    this.#bytes -= batch.size;
    if (wasFull && this.#bytes < maxBytes) this.#resume();
    return batch;
  }

  #wait(): Promise<void> {
    this.#waiting = Promise.withResolvers<void>();
    return this.#waiting.promise;
  }

  #finish(how: { readonly error?: unknown }): void {
    this.#over ??= how;
    this.#wake();
    this.#settling?.resolve();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const isBroken = this.#batches.length === 0 && this.#over !== undefined && 'error' in this.#over;
    if (isBroken) waiting?.reject(this.#over?.error);
    else waiting?.resolve();
  }
}

interface BatchSource {
  readonly deadline: RunDeadline;
  /** The next batch; undefined when the result is complete. */
  next(): Promise<RowBatch | undefined> | RowBatch | undefined;
  errorOf(error: unknown): unknown;
  close(): Promise<void>;
}

/** Reads a result to its end and closes it. A stopped run fails with the reason of the stop, whatever else failed because of it. */
export async function* readBatches({ deadline, next, errorOf, close }: BatchSource): AsyncGenerator<RowBatch> {
  try {
    for (;;) {
      if (deadline.stopped !== undefined) throw deadline.stopped;
      const batch = await next();
      if (batch === undefined) return;
      yield batch;
    }
  } catch (error) {
    throw deadline.stopped ?? errorOf(error);
  } finally {
    await close();
  }
}

/** A result that is received in a queue; `complete` is called at its end. */
export function streamQueue<Batch extends QueuedBatch & RowBatch>(
  columns: readonly Column[],
  rows: RowQueue<Batch>,
  { complete, ...source }: Omit<BatchSource, 'next'> & { complete(): Promise<void> },
): RowStream {
  const next = async (): Promise<RowBatch | undefined> => {
    const waiting = rows.whenReady();
    if (waiting !== undefined) await source.deadline.runWithin(waiting);
    const batch = await rows.next();
    if (batch === undefined) await complete();
    return batch;
  };
  return { columns, batches: () => readBatches({ ...source, next }), close: source.close };
}
