import type { Connection } from 'mysql2';
import type { SqlValue } from '../../core/sql-value.ts';
import type { ByteWriter } from '../../results/byte-writer.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import { cellAt } from '../cells/text-cells.ts';
import { RowQueue } from '../runs/row-queue.ts';
import { type Cell, endOf, startOf } from './cells.ts';
import { type ColumnReader, columnOf } from './columns.ts';
import type { Execution, Field, Packet } from './driver.ts';

/** The result of one statement as it is received. */
export class ResultRows extends RowQueue<BinaryBatch> {
  readonly #connection: Connection;
  readonly #columns = Promise.withResolvers<readonly ColumnReader[]>();
  #cells: readonly Cell[] = [];
  #buffers: Buffer[] = []; // row `i` is in `buffers[i]` from offset `starts[i]`
  #starts: number[] = [];
  #bytes = 0;

  constructor(execution: Execution, connection: Connection) {
    super(() => connection.resume());
    this.#connection = connection;
    this.#columns.promise.catch(() => {}); // there may be no listener
    const keep = (packet: Packet): void => this.#keep(packet);
    execution.buildParserFromFields = () => RowParser.bind(null, keep);
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

/** The driver creates one for each result. A class for each result would keep its rows in memory until the next full collection of garbage. */
class RowParser {
  readonly next: (packet: Packet) => void;

  constructor(next: (packet: Packet) => void) {
    this.next = next;
  }
}

const nothing = Buffer.alloc(0);

/** Rows as received, in the binary protocol. Cells are decoded on demand. */
export class BinaryBatch implements RowBatch {
  readonly length: number;
  readonly size: number; // in bytes
  readonly #buffers: readonly Buffer[];
  readonly #offsets: readonly number[];
  readonly #cells: readonly Cell[];
  readonly #starts: Int32Array; // of the cells of one row; -1 is NULL
  readonly #ends: Int32Array;
  #located = -1;
  #bytes: Buffer = nothing;

  /** Row `i` is in `buffers[i]` from `offsets[i]` on. */
  constructor(buffers: readonly Buffer[], offsets: readonly number[], size: number, cells: readonly Cell[]) {
    this.length = offsets.length;
    this.size = size;
    this.#buffers = buffers;
    this.#offsets = offsets;
    this.#cells = cells;
    this.#starts = new Int32Array(cells.length);
    this.#ends = new Int32Array(cells.length);
  }

  writeJson(row: number, column: number, out: ByteWriter): void {
    const start = this.#startOf(row, column);
    if (start < 0) out.ascii('null');
    else cellAt(this.#cells, column).json(this.#bytes, start, this.#ends[column] ?? start, out);
  }

  writeText(row: number, column: number, out: ByteWriter): void {
    const start = this.#startOf(row, column);
    if (start >= 0) cellAt(this.#cells, column).text(this.#bytes, start, this.#ends[column] ?? start, out);
  }

  value(row: number, column: number): SqlValue {
    const start = this.#startOf(row, column);
    return start < 0 ? null : cellAt(this.#cells, column).value(this.#bytes, start, this.#ends[column] ?? start);
  }

  #startOf(row: number, column: number): number {
    if (row !== this.#located) this.#locate(row);
    return this.#starts[column] ?? -1;
  }

  /** A header, the NULL bitmap (its first two bits are unused), then the other cells. */
  #locate(row: number): void {
    const bytes = this.#buffers[row] ?? nothing;
    const bits = (this.#offsets[row] ?? 0) + 1;
    const count = this.#cells.length;
    let at = bits + ((count + 9) >> 3);
    for (let column = 0; column < count; column++) {
      const bit = column + 2;
      if (((bytes[bits + (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0) {
        this.#starts[column] = -1;
        continue;
      }
      const { width } = cellAt(this.#cells, column);
      this.#starts[column] = width === 'counted' ? startOf(bytes, at) : at;
      at = width === 'counted' ? endOf(bytes, at) : at + width;
      this.#ends[column] = at;
    }
    this.#bytes = bytes;
    this.#located = row;
  }
}
