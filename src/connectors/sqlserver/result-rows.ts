import type { Column } from '../../results/column.ts';
import { ConnectorError } from '../connector.ts';
import { RowQueue } from '../row-queue.ts';
import type { ByteCell } from '../text-cells.ts';
import { cellOf } from './cells.ts';
import { columnOfWire, type WireColumn } from './columns.ts';
import type { RowSink } from './row-parser.ts';
import { WireBatch } from './wire-batch.ts';

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

  take(bytes: Buffer, places: readonly number[]): void {
    if (!this.push(new WireBatch(bytes, places, this.#cells))) this.#pause();
  }
}
