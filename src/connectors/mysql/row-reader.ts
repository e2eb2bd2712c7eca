import type { Connection } from 'mysql2';
import type { Execution, Field, Packet } from './driver.ts';

const fullAt = { rows: 4096, bytes: 512 * 1024 };

/** Rows as received: row `i` is in `buffers[i]` from offset `starts[i]`. */
export interface RawRows {
  readonly buffers: Buffer[];
  readonly starts: number[];
}

/** Reads up to one batch ahead of the reader, then pauses the connection. */
export class RowReader {
  readonly #connection: Connection;
  readonly #over: () => void;
  readonly #fields = Promise.withResolvers<readonly Field[]>();
  #rows: RawRows = { buffers: [], starts: [] };
  #bytes = 0;
  #waiting: { resolve(rows: RawRows | undefined): void; reject(error: unknown): void } | undefined;
  #atEndOfChunk = false;
  #paused = false;
  #ended = false;
  #error: unknown;

  /** `over` is called when the result has ended. */
  constructor(execution: Execution, connection: Connection, over: () => void) {
    this.#connection = connection;
    this.#over = over;
    this.#fields.promise.catch(() => {}); // there may be no listener
    const keep = (packet: Packet): void => this.#keep(packet);
    execution.buildParserFromFields = () =>
      class {
        next = keep;
      };
    execution.once('fields', (fields) => this.#fields.resolve(fields));
    execution.on('error', (error) => this.fail(error));
    execution.once('end', () => this.#end());
  }

  /** Known before the first row. */
  get fields(): Promise<readonly Field[]> {
    return this.#fields.promise;
  }

  /** The next rows; undefined at the end. */
  next(): Promise<RawRows | undefined> {
    if (this.#rows.starts.length > 0) return Promise.resolve(this.#take());
    if (this.#ended) return this.#error === undefined ? Promise.resolve(undefined) : Promise.reject(this.#error);
    this.#resume();
    const { promise, resolve, reject } = Promise.withResolvers<RawRows | undefined>();
    this.#waiting = { resolve, reject };
    return promise;
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    this.#error = error ?? new Error('The database gave no reason.');
    this.#fields.reject(this.#error);
    this.#rows = { buffers: [], starts: [] }; // they will not be read
    this.#end();
  }

  #keep(packet: Packet): void {
    this.#rows.buffers.push(packet.buffer);
    this.#rows.starts.push(packet.offset);
    this.#bytes += packet.end - packet.offset;
    if (this.#atEndOfChunk) return;
    this.#atEndOfChunk = true;
    // the driver passes all rows of a chunk synchronously; pausing within a chunk would cost a copy of each
    queueMicrotask(() => this.#endOfChunk());
  }

  #endOfChunk(): void {
    this.#atEndOfChunk = false;
    if (this.#waiting !== undefined && this.#rows.starts.length > 0) {
      const { resolve } = this.#waiting;
      this.#waiting = undefined;
      resolve(this.#take());
    } else if (!this.#ended && !this.#paused && (this.#rows.starts.length >= fullAt.rows || this.#bytes >= fullAt.bytes)) {
      this.#paused = true;
      this.#connection.pause();
    }
  }

  #take(): RawRows {
    const taken = this.#rows;
    this.#rows = { buffers: [], starts: [] };
    this.#bytes = 0;
    this.#resume();
    return taken;
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#connection.resume();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#over();
    if (this.#waiting === undefined) return;
    const { resolve, reject } = this.#waiting;
    this.#waiting = undefined;
    if (this.#error !== undefined) reject(this.#error);
    else resolve(this.#rows.starts.length > 0 ? this.#take() : undefined);
  }
}
