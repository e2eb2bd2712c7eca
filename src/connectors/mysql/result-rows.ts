import type { Connection } from 'mysql2';
import { RowQueue } from '../row-queue.ts';
import { type ColumnReader, columnOf } from './columns.ts';
import type { Execution, Field, Packet } from './driver.ts';
import { BinaryBatch } from './row-batch.ts';

/** The result of one statement as it is received. */
export class ResultRows extends RowQueue<BinaryBatch> {
  readonly #connection: Connection;
  readonly #columns = Promise.withResolvers<readonly ColumnReader[]>();
  #cells: readonly ColumnReader['cell'][] = [];
  #buffers: Buffer[] = []; // row `i` is in `buffers[i]` from offset `starts[i]`
  #starts: number[] = [];
  #bytes = 0;

  constructor(execution: Execution, connection: Connection) {
    super(() => connection.resume());
    this.#connection = connection;
    this.#columns.promise.catch(() => {}); // there may be no listener
    const keep = (packet: Packet): void => this.#keep(packet);
    execution.buildParserFromFields = () =>
      class {
        next = keep;
      };
    execution.once('fields', (fields) => this.#begin(fields));
    execution.on('error', (error) => this.fail(error));
    execution.once('end', () => {
      this.#flush();
      this.end();
    });
  }

  /** Known before the first row. */
  get columns(): Promise<readonly ColumnReader[]> {
    return this.#columns.promise;
  }

  override fail(error: unknown): void {
    const reason = error ?? new Error('The database gave no reason.');
    this.#columns.reject(reason);
    super.fail(reason);
  }

  #begin(fields: readonly Field[]): void {
    try {
      const columns = fields.map(columnOf);
      this.#cells = columns.map(({ cell }) => cell);
      this.#columns.resolve(columns);
    } catch (error) {
      this.#columns.reject(error); // the run ends the statement
    }
  }

  #keep({ buffer, offset, end }: Packet): void {
    // the driver passes all rows of a chunk synchronously; pausing within a chunk would cost a copy of each
    if (this.#starts.length === 0) queueMicrotask(() => this.#flush());
    this.#buffers.push(buffer);
    this.#starts.push(offset);
    this.#bytes += end - offset;
  }

  #flush(): void {
    if (this.#starts.length === 0) return;
    const batch = new BinaryBatch(this.#buffers, this.#starts, this.#bytes, this.#cells);
    this.#buffers = [];
    this.#starts = [];
    this.#bytes = 0;
    if (!this.push(batch)) this.#connection.pause();
  }
}
