import type { RowBatch, RowStream } from '../row-stream.ts';

/** Walks a stream row by row, and can be left in the middle of a batch and taken up again. */
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

  /** On to the next batch that has rows; false when the result is whole. `onIdle` runs once where the database takes its time. */
  async advance(onIdle?: () => Promise<void>): Promise<boolean> {
    this.#iterator ??= this.#stream.batches()[Symbol.asyncIterator]();
    for (;;) {
      if (this.#stopped) throw this.#stopped;
      const next = this.#interruptible(this.#iterator.next());
      if (onIdle && !(await settlesWithin(next, idleMs))) await onIdle();
      const step = await next;
      if (step.done) return false;
      this.batch = step.value;
      this.row = 0;
      if (this.ready) return true;
    }
  }

  /** Makes the running and every further `advance` fail. */
  stop(error: Error): void {
    this.#stopped ??= error;
    this.#interrupt?.(this.#stopped);
  }

  /** Never fails: the rows that came are not worse for it. */
  async close(): Promise<void> {
    this.batch = noRows;
    this.row = 0;
    await this.#stream.close().catch(() => undefined);
    this.#iterator?.return?.().catch(() => undefined);
  }

  #interruptible<T>(promise: Promise<T>): Promise<T> {
    const either = new Promise<T>((resolve, reject) => {
      this.#interrupt = reject;
      promise.then(resolve, reject);
    });
    either.catch(() => undefined); // read later than it may fail
    return either;
  }
}

const idleMs = 20;

const noRows: RowBatch = { length: 0, writeJson: () => undefined, writeText: () => undefined, value: () => null };

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const settled = () => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settled, settled);
  });
}
