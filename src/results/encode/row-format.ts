import type { LabelledColumn } from '../column.ts';
import type { RowBatch } from '../row-stream.ts';

/** A file format: rows in, bytes out, with constant memory. One file per format beside this one. */
export interface RowFormat {
  readonly name: string; // as in `format=…`
  readonly mimeType: string;
  readonly extension: string;
  /** Pulls batches only as fast as its bytes are taken. What the batches throw it throws on: a file is never ended neatly after a failure. */
  encode(columns: readonly LabelledColumn[], batches: AsyncIterable<RowBatch>, options: FormatOptions): AsyncIterable<Uint8Array>;
}

export interface FormatOptions {
  readonly title: string; // display name of the query: the sheet's name
  readonly guardFormulas: boolean; // CSV: cells that start like a formula get a leading apostrophe
  readonly maxCellBytes: number;
  readonly onRows: (count: number) => void; // rows so far, about once a batch
}
