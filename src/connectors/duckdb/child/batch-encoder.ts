import { ByteWriter } from '../../../results/byte-writer.ts';
import type { Column } from '../../../results/column.ts';
import type { RowBatch } from '../../../results/row-stream.ts';
import { ConnectorError } from '../../connector.ts';
import { cellTags, mostRowBytes } from '../../embedded/encoded-batch.ts';

const mostBytes = 1 << 18;

/** Encodes the rows of a chunk so that the service only copies bytes. */
export class BatchEncoder {
  readonly #writers: readonly CellWriter[];
  readonly #out = new ByteWriter(1 << 14); // most results are small
  #ends = new Uint32Array(0);
  #tags = new Uint8Array(0);

  constructor(columns: readonly Column[]) {
    this.#writers = columns.map(writerFor);
  }

  /** As EncodedBatch reads them. Each must be sent before the next one is taken. */
  *encode(batch: RowBatch): Iterable<readonly Uint8Array[]> {
    const columns = this.#writers.length;
    if (this.#ends.length < batch.length * columns) {
      this.#ends = new Uint32Array(batch.length * columns);
      this.#tags = new Uint8Array(batch.length * columns);
    }
    for (let row = 0; row < batch.length;) {
      this.#out.clear();
      const first = row;
      while (row < batch.length && this.#out.length < mostBytes) this.#writeRow(batch, row, (row++ - first) * columns);
      const cells = (row - first) * columns;
      yield [
        new Uint8Array(Uint32Array.of(row - first).buffer),
        new Uint8Array(this.#ends.buffer, 0, cells * 4),
        this.#tags.subarray(0, cells),
        this.#out.view(),
      ];
    }
  }

  #writeRow(batch: RowBatch, row: number, cell: number): void {
    const out = this.#out;
    const writers = this.#writers;
    const start = out.length;
    for (let column = 0; column < writers.length; column++) {
      const write = writers[column] ?? writeString;
      this.#tags[cell] = write(batch, row, column, out);
      this.#ends[cell++] = out.length;
      if (out.length - start > mostRowBytes) {
        throw new ConnectorError('failed', `A row takes more than ${mostRowBytes >> 20} MiB.`);
      }
    }
  }
}

/** Writes a cell as JSON and returns its tag. */
type CellWriter = (batch: RowBatch, row: number, column: number, out: ByteWriter) => number;

function writerFor({ kind, type }: Column): CellWriter {
  switch (kind) {
    case 'integer':
      return tagged(cellTags.integer, cellTags.bigInteger);
    case 'decimal':
      // without decimals it is a whole number
      return type.endsWith(',0)') ? tagged(cellTags.integer, cellTags.bigInteger) : tagged(cellTags.verbatim, cellTags.plainText);
    case 'float':
      return tagged(cellTags.real, cellTags.plainText);
    case 'boolean':
      return tagged(cellTags.boolean, cellTags.plainText);
    case 'binary':
      return tagged(cellTags.verbatim, cellTags.blob);
    case 'json':
      return type === 'JSON' ? writeDocument : writeVerbatim;
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'interval':
    case 'uuid':
      return tagged(cellTags.verbatim, cellTags.plainText);
    default:
      return writeString;
  }
}

/** Tags by whether the JSON is in quotes. NULL and NaN are null. */
function tagged(bare: number, quoted: number): CellWriter {
  return (batch, row, column, out) => {
    const start = out.length;
    batch.writeJson(row, column, out);
    const first = out.bytes[start];
    if (first === quote) return quoted;
    return first === letterN ? cellTags.null : bare;
  };
}

const writeString: CellWriter = (batch, row, column, out) => {
  const start = out.length;
  batch.writeJson(row, column, out);
  return out.bytes[start] === quote ? stringTag(out, start) : cellTags.null;
};

/** A nested value is null only where the cell is NULL. */
const writeVerbatim: CellWriter = (batch, row, column, out) => {
  const start = out.length;
  batch.writeJson(row, column, out);
  return out.bytes[start] === letterN ? cellTags.null : cellTags.verbatim;
};

/** A document that is JSON has as many bytes in our JSON as in the database; one that is not is a string there, in quotes. */
const writeDocument: CellWriter = (batch, row, column, out) => {
  const start = out.length;
  batch.writeJson(row, column, out);
  const end = out.length;
  batch.writeText(row, column, out);
  const length = out.length - end;
  if (length === 0 && end - start === 4) return cellTags.null;
  const isJson = length === end - start;
  if (isJson) out.bytes.copyWithin(start, end, out.length);
  out.length = end;
  return isJson ? cellTags.document : stringTag(out, start);
};

function stringTag({ bytes, length }: ByteWriter, start: number): number {
  if (length - start > loopUpTo) {
    return bytes.subarray(start, length).includes(backslash) ? cellTags.escapedText : cellTags.plainText;
  }
  for (let at = start; at < length; at++) if (bytes[at] === backslash) return cellTags.escapedText;
  return cellTags.plainText;
}

const quote = 34;
const backslash = 92;
const letterN = 110;
const loopUpTo = 64; // above, one call is faster than the loop
