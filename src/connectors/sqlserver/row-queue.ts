import type { Column } from '../../results/column.ts';
import { ConnectorError } from '../connector.ts';
import type { Cell } from './cell.ts';
import { cellOf } from './cells.ts';
import { columnOfWire, type WireColumn } from './columns.ts';
import type { RowSink } from './row-parser.ts';
import { WireBatch } from './wire-batch.ts';

const roomForBytes = 512 << 10;

/** Rows on their way from the wire to the reader; the wire waits while it is full. */
export class RowQueue implements RowSink {
  /** Of the result, once it has begun. */
  columns: readonly Column[] | undefined;
  readonly #flow: { pause(): void; resume(): void };
  #cells: readonly Cell[] = [];
  readonly #batches: WireBatch[] = [];
  #bytes = 0;
  #waiting: (() => void) | undefined;
  #over: { readonly error?: unknown } | undefined;
  #discarding = false;

  constructor(flow: { pause(): void; resume(): void }) {
    this.#flow = flow;
  }

  begin(columns: readonly WireColumn[]): void {
    if (this.columns !== undefined) {
      this.fail(new ConnectorError('failed', 'The statement returns more than one result.'));
      this.discard();
      return;
    }
    this.columns = columns.map(columnOfWire);
    this.#cells = columns.map(cellOf);
  }

  take(bytes: Buffer, places: readonly number[]): void {
    if (this.#discarding) return;
    const batch = new WireBatch(bytes, places, this.#cells);
    this.#batches.push(batch);
    this.#bytes += batch.size;
    this.#wake();
    if (this.#bytes >= roomForBytes) this.#flow.pause();
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
    if (batch === undefined) return undefined;
    const wasFull = this.#bytes >= roomForBytes;
    this.#bytes -= batch.size;
    if (wasFull && this.#bytes < roomForBytes) this.#flow.resume();
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
