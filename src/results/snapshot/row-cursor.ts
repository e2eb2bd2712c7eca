import type { RowBatch, RowStream } from '../row-stream.ts';

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
      if (onIdle && !(await settlesWithin(next, idleMs))) await onIdle();
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

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const onSettled = () => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(onSettled, onSettled);
  });
}
