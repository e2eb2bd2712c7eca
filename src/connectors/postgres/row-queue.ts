import type { ByteCell } from './cells.ts';
import { WireBatch } from './wire-batch.ts';
import type { RowListener } from './wire.ts';

const roomForBytes = 512 << 10;

/** Rows on their way from the wire to the reader; the wire waits while it is full. */
export class RowQueue implements RowListener {
  readonly #command: number; // of the exchange
  readonly #cells: readonly ByteCell[];
  readonly #roomAgain: () => void;
  readonly #otherRows: () => void;
  readonly #batches: WireBatch[] = [];
  #lent: WireBatch | undefined; // valid until the next one is asked for
  #bytes = 0;
  #waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  #settling: PromiseWithResolvers<void> | undefined;
  #over: { readonly error?: unknown } | undefined;
  #discarding = false;

  constructor(command: number, cells: readonly ByteCell[], told: { roomAgain(): void; otherRows(): void }) {
    this.#command = command;
    this.#cells = cells;
    this.#roomAgain = told.roomAgain;
    this.#otherRows = told.otherRows;
  }

  take(bytes: Buffer, starts: readonly number[], command: number): boolean {
    if (command !== this.#command) this.#otherRows();
    if (this.#discarding || command !== this.#command) return true;
    const batch = new WireBatch(bytes, starts, this.#cells);
    this.#batches.push(batch);
    this.#bytes += batch.size;
    this.#wake();
    return this.#bytes < roomForBytes;
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

  /** Resolves when the database is done with them, however that ended. */
  settled(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.#settling ??= Promise.withResolvers<void>();
    return this.#settling.promise;
  }

  /** Nobody reads any more. */
  discard(): void {
    this.#discarding = true;
    this.#batches.length = 0;
  }

  /** Resolves when there is something to read, or the end; nothing to wait for when it is there. Throws what broke the rows. */
  ready(): Promise<void> | undefined {
    if (this.#batches.length > 0) return undefined;
    if (this.#over === undefined) return this.#wait();
    if ('error' in this.#over) throw this.#over.error;
    return undefined;
  }

  /** All rows, where none is still to come and none was read before. */
  takeWhole(): readonly WireBatch[] | undefined {
    if (this.#over === undefined || 'error' in this.#over || this.#lent !== undefined) return undefined;
    if (this.#bytes >= roomForBytes) this.#roomAgain();
    this.#bytes = 0;
    return this.#batches.splice(0);
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
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
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
