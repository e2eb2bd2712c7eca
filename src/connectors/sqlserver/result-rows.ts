import type { Column } from '../../core/column.ts';
import type { SqlValue } from '../../core/sql-value.ts';
import type { ByteWriter } from '../../results/byte-writer.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import type { ByteCell } from '../cells/byte-cells.ts';
import { cellAt } from '../cells/text-cells.ts';
import { ConnectorError } from '../connector.ts';
import { RowQueue } from '../runs/row-queue.ts';
import { cellOf, columnOfWire, type WireColumn } from './cells.ts';
import type { RowSink } from './row-connection.ts';

/** The result of one statement as it is received. */
export class ResultRows extends RowQueue<WireBatch> implements RowSink {
  /** Known when the result begins. */
  columns: readonly Column[] | undefined;
  readonly #pause: () => void;
  #cells: readonly ByteCell[] = [];

  constructor(flow: { pause(): void; resume(): void }) {
    super(() => flow.resume());
    this.#pause = () => flow.pause();
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

  take(bytes: Buffer, bounds: readonly number[]): void {
    if (!this.push(new WireBatch(bytes, bounds, this.#cells))) this.#pause();
  }
}

/** Rows as received. Cells are decoded on demand. */
export class WireBatch implements RowBatch {
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #bounds: readonly number[]; // the start and the end of each cell
  readonly #cells: readonly ByteCell[];

  constructor(bytes: Buffer, bounds: readonly number[], cells: readonly ByteCell[]) {
    this.length = bounds.length / 2 / cells.length;
    this.#bytes = bytes;
    this.#bounds = bounds;
    this.#cells = cells;
  }

  get size(): number {
    return this.#bytes.length;
  }

  writeJson(row: number, column: number, out: ByteWriter): void {
    const at = this.#index(row, column);
    const start = this.#bounds[at] ?? -1;
    if (start < 0) out.ascii('null');
    else cellAt(this.#cells, column).json(this.#bytes, start, this.#bounds[at + 1] ?? start, out);
  }

  writeText(row: number, column: number, out: ByteWriter): void {
    const at = this.#index(row, column);
    const start = this.#bounds[at] ?? -1;
    if (start >= 0) cellAt(this.#cells, column).text(this.#bytes, start, this.#bounds[at + 1] ?? start, out);
  }

  value(row: number, column: number): SqlValue {
    const at = this.#index(row, column);
    const start = this.#bounds[at] ?? -1;
    return start < 0 ? null : cellAt(this.#cells, column).value(this.#bytes, start, this.#bounds[at + 1] ?? start);
  }

  #index(row: number, column: number): number {
    return (row * this.#cells.length + column) * 2;
  }
}
