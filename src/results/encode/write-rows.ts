import { setImmediate } from 'node:timers/promises';
import type { ByteWriter } from '../byte-writer.ts';
import type { RowBatch } from '../row-stream.ts';

const sliceBytes = 128 << 10;

type WriteRow = (batch: RowBatch, row: number, out: ByteWriter) => void;

/** Writes rows and yields the bytes in slices; other calls run between two slices. */
export async function* writeRows(
  batches: AsyncIterable<RowBatch>,
  out: ByteWriter,
  writeRow: WriteRow,
  onRows: (count: number) => void,
): AsyncGenerator<Uint8Array, void> {
  let rows = 0;
  for await (const batch of batches) {
    for (let row = 0; row < batch.length; row++) {
      writeRow(batch, row, out);
      if (out.length < sliceBytes) continue;
      yield out.take();
      await setImmediate();
    }
    rows += batch.length;
    onRows(rows);
  }
}
