import { ByteWriter } from '../../../results/byte-writer.ts';
import { ConnectorError } from '../../connector.ts';
import { cellTags, mostRowBytes } from '../frames.ts';

const fewCells = 256; // most results are small
const fewBytes = 1 << 14;
const mostBytes = 1 << 18;
const mostKeptBytes = 1 << 20;

/** Writes a cell as JSON and returns its tag, see `cellTags`. */
export type WriteCell<Row> = (row: Row, column: number, out: ByteWriter) => number;

/** Encodes rows as EncodedBatch reads them, so that the service only copies bytes. */
export class BatchEncoder<Row> {
  rows = 0;
  cells = 0;
  #columns = 0;
  #write: WriteCell<Row> = () => cellTags.null;
  #out = new ByteWriter(fewBytes);
  #tags = new Uint8Array(fewCells);
  #ends = new Uint32Array(fewCells);

  /** The rows of another result follow. Its buffers are used again, unless a large row has made them large. */
  begin(columns: number, write: WriteCell<Row>): this {
    this.#columns = columns;
    this.#write = write;
    this.#clear();
    if (this.#out.bytes.length > mostKeptBytes) this.#out = new ByteWriter(fewBytes);
    return this;
  }

  get isFull(): boolean {
    return this.#out.length >= mostBytes;
  }

  add(row: Row): void {
    const out = this.#out;
    const start = out.length;
    let cell = this.cells;
    if (cell + this.#columns > this.#tags.length) this.#makeRoom(cell + this.#columns);
    for (let column = 0; column < this.#columns; column++) {
      this.#tags[cell] = this.#write(row, column, out);
      this.#ends[cell++] = out.length;
      if (out.length - start > mostRowBytes) {
        throw new ConnectorError('failed', `A row takes more than ${mostRowBytes >> 20} MiB.`);
      }
    }
    this.cells = cell;
    this.rows++;
  }

  /** The batch so far, to be sent before the next row is added. */
  take(): readonly Uint8Array[] {
    const parts = [
      new Uint8Array(Uint32Array.of(this.rows).buffer),
      new Uint8Array(this.#ends.buffer, 0, this.cells * 4),
      this.#tags.subarray(0, this.cells),
      this.#out.view(),
    ];
    this.#clear();
    return parts;
  }

  #clear(): void {
    this.rows = 0;
    this.cells = 0;
    this.#out.clear();
  }

  #makeRoom(cells: number): void {
    const room = Math.max(cells, this.#tags.length * 4);
    const [tags, ends] = [new Uint8Array(room), new Uint32Array(room)];
    tags.set(this.#tags);
    ends.set(this.#ends);
    [this.#tags, this.#ends] = [tags, ends];
  }
}
