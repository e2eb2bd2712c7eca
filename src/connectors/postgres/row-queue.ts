import type { ByteCell } from './cells.ts';
import type { RowSink } from './wire.ts';
import { WireBatch } from './wire-batch.ts';

const roomForBytes = 512 << 10;

/** Rows on their way from the wire to the reader; the wire waits while it is full. */
export class RowQueue implements RowSink {
  readonly command: number;
  readonly #cells: readonly ByteCell[];
  readonly #roomAgain: () => void;
  readonly #batches: WireBatch[] = [];
  #lent: WireBatch | undefined; // valid until the next one is asked for
  #bytes = 0;
  #waiting: (() => void) | undefined;
  #over: { readonly error?: unknown } | undefined;
  #discarding = false;

  constructor(command: number, cells: readonly ByteCell[], roomAgain: () => void) {
    this.command = command;
    this.#cells = cells;
    this.#roomAgain = roomAgain;
  }

  take(bytes: Buffer, starts: readonly number[]): boolean {
    if (this.#discarding) return true;
    const batch = new WireBatch(bytes, starts, this.#cells);
    this.#batches.push(batch);
    this.#bytes += batch.size;
    this.#wake();
    return this.#bytes < roomForBytes;
  }

  end(): void {
    this.#over ??= {};
    this.#wake();
  }

  fail(error: unknown): void {
    this.#over ??= { error };
    this.#wake();
  }

  /** Nobody reads any more. */
  discard(): void {
    this.#discarding = true;
    this.#batches.length = 0;
  }

  /** Resolves when there is something to read, or the end; nothing to wait for when it is there. Throws what broke the rows. */
  ready(): Promise<void> | undefined {
    if (this.#batches.length > 0) return undefined;
    if (this.#over === undefined) return this.#wait().then(() => this.ready());
    if ('error' in this.#over) throw this.#over.error;
    return undefined;
  }

  /** The next batch; undefined at the end. */
  next(): WireBatch | undefined | Promise<WireBatch | undefined> {
    const waiting = this.ready();
    return waiting === undefined ? this.#shift() : waiting.then(() => this.#shift());
  }

  #shift(): WireBatch | undefined {
    const batch = this.#batches.shift();
    // a notice among the rows of one read makes two batches of them, which are queued together
    if (batch === undefined || this.#lent?.sharesBytesWith(batch) !== true) this.#lent?.free();
    this.#lent = batch;
    if (batch === undefined) return undefined;
    const wasFull = this.#bytes >= roomForBytes;
    this.#bytes -= batch.size;
    if (wasFull && this.#bytes < roomForBytes) this.#roomAgain();
    return batch;
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }
}
