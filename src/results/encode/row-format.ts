import type { LabelledColumn } from '../../core/column.ts';
import type { RowBatch } from '../row-stream.ts';

/** A file format: rows in, bytes out, with constant memory. One file per format beside this one. */
export interface RowFormat {
  readonly name: string; // as in `format=…`
  readonly mimeType: string;
  readonly extension: string;
  /** Reads batches only as fast as its bytes are consumed. Rethrows errors of the batches: a file is never completed after a failure. */
  encode(columns: readonly LabelledColumn[], batches: AsyncIterable<RowBatch>, options: FormatOptions): AsyncIterable<Uint8Array>;
}

export interface FormatOptions {
  readonly title: string; // display name of the query; becomes the name of the sheet
  readonly guardFormulas: boolean; // CSV: cells that start like a formula get an apostrophe
  readonly maxCellBytes: number;
  readonly onRows: (count: number) => void; // rows so far, about once a batch
}

/** A result that a format cannot represent. The message names the column and the remedy. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}
