import { setImmediate } from 'node:timers/promises';
import type { LabeledColumn } from '../../core/column.ts';
import { FailureError, fieldInvalid } from '../../core/errors.ts';
import type { FileFormat } from '../../core/file-format.ts';
import type { ByteWriter } from '../byte-writer.ts';
import type { RowBatch } from '../row-stream.ts';

/** A file format: rows in, bytes out, with constant memory. One file per format beside this one. */
export interface RowFormat {
  readonly name: FileFormat; // as in `format=…`, and the extension of its files
  readonly mimeType: string;
  readonly isText: boolean; // worth compressing; the others are compressed already
  /** Reads batches only as fast as its bytes are consumed. Rethrows errors of the batches: a file is never completed after a failure. */
  encode(columns: readonly LabeledColumn[], batches: AsyncIterable<RowBatch>, options: FormatOptions): AsyncIterable<Uint8Array>;
}

export interface FormatOptions {
  readonly title: string; // display name of the query; becomes the name of the sheet
  readonly guardFormulas: boolean; // CSV: cells that start like a formula get an apostrophe
  readonly maxCellBytes: number;
}

/** For a result that a format cannot represent. The message names the column and the remedy. */
export const formatRefused = (message: string): FailureError => new FailureError(fieldInvalid('format', message));

const sliceBytes = 128 << 10;

/** Writes rows and yields the bytes in slices; other calls run between two slices. */
export async function* writeRows(
  batches: AsyncIterable<RowBatch>,
  out: ByteWriter,
  writeRow: (batch: RowBatch, row: number, out: ByteWriter) => void,
): AsyncGenerator<Uint8Array, void> {
  for await (const batch of batches) {
    for (let row = 0; row < batch.length; row++) {
      writeRow(batch, row, out);
      if (out.length < sliceBytes) continue;
      yield out.take();
      await setImmediate();
    }
  }
}
