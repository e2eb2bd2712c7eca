import type { SqlValue } from '../../core/sql-value.ts';
import type { ByteWriter } from '../../results/byte-writer.ts';
import { blankControls } from '../../results/json-text.ts';
import type { RowBatch } from '../../results/row-stream.ts';

/** How to read the bytes of a cell, which are its JSON. */
export const cellTags = {
  null: 0,
  integer: 1,
  bigInteger: 2, // beyond 2^53, in quotes
  real: 3,
  plainText: 4, // without escapes
  escapedText: 5,
  boolean: 6,
  blob: 7, // base64, in quotes
  verbatim: 8, // text and value equal the JSON: decimals, nested values
  document: 9, // JSON as stored, maybe with line breaks
} as const;

/** No row is larger: the service holds a row in memory while it writes it. */
export const mostRowBytes = 128 << 20;

/** A batch as received from the process: the number of rows, the end of each cell, its tag, and the cells as JSON. */
export class EncodedBatch implements RowBatch {
  readonly length: number;
  readonly #columns: number;
  readonly #ends: Uint32Array;
  readonly #tags: Uint8Array;
  readonly #bytes: Buffer;

  /** The payload must start at offset 0 of its buffer, for alignment. */
  constructor(payload: Buffer, columns: number) {
    this.length = payload.readUInt32LE(0);
    this.#columns = columns;
    const cells = this.length * columns;
    this.#ends = new Uint32Array(payload.buffer, payload.byteOffset + 4, cells);
    this.#tags = payload.subarray(4 + cells * 4, 4 + cells * 5);
    this.#bytes = payload.subarray(4 + cells * 5);
  }

  writeJson(row: number, column: number, out: ByteWriter): void {
    const cell = row * this.#columns + column;
    const from = out.length;
    out.copyRange(this.#bytes, this.#start(cell), this.#ends[cell] ?? 0);
    if (this.#tags[cell] === cellTags.document) blankControls(out, from);
  }

  writeText(row: number, column: number, out: ByteWriter): void {
    const cell = row * this.#columns + column;
    const start = this.#start(cell);
    const end = this.#ends[cell] ?? 0;
    switch (this.#tags[cell]) {
      case cellTags.null:
        return;
      case cellTags.bigInteger:
      case cellTags.plainText:
      case cellTags.blob:
        out.copyRange(this.#bytes, start + 1, end - 1);
        return;
      case cellTags.escapedText:
        out.utf8(JSON.parse(this.#bytes.toString('utf8', start, end)));
        return;
      default:
        out.copyRange(this.#bytes, start, end);
    }
  }

  value(row: number, column: number): SqlValue {
    const cell = row * this.#columns + column;
    const start = this.#start(cell);
    const end = this.#ends[cell] ?? 0;
    switch (this.#tags[cell]) {
      case cellTags.null:
        return null;
      case cellTags.integer:
      case cellTags.real:
        return Number(this.#bytes.toString('latin1', start, end));
      case cellTags.bigInteger:
        return BigInt(this.#bytes.toString('latin1', start + 1, end - 1));
      case cellTags.plainText:
        return this.#bytes.toString('utf8', start + 1, end - 1);
      case cellTags.escapedText:
        return JSON.parse(this.#bytes.toString('utf8', start, end));
      case cellTags.boolean:
        return this.#bytes[start] === letterT;
      case cellTags.blob:
        return new Uint8Array(Buffer.from(this.#bytes.toString('latin1', start + 1, end - 1), 'base64'));
      default:
        return this.#bytes.toString('utf8', start, end);
    }
  }

  #start(cell: number): number {
    return cell === 0 ? 0 : (this.#ends[cell - 1] ?? 0);
  }
}

const letterT = 116;
