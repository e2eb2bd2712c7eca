import { ByteWriter } from '../byte-writer.ts';
import { createJsonRowEncoder } from './json-rows.ts';
import type { RowFormat } from './row-format.ts';
import { writtenRows } from './written-rows.ts';

/** One array of row objects, one per line. */
export const json: RowFormat = {
  name: 'json',
  mimeType: 'application/json',
  extension: 'json',
  async *encode(columns, batches, { maxCellBytes, onRows }) {
    const { encodeRow } = createJsonRowEncoder(columns, maxCellBytes);
    const out = new ByteWriter();
    out.ascii('[');
    let between = '';
    yield* writtenRows(
      batches,
      out,
      (batch, row) => {
        out.ascii(between);
        encodeRow(batch, row, out);
        between = ',\n';
      },
      onRows,
    );
    out.ascii(']');
    yield out.take();
  },
};
