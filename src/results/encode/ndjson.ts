import { ByteWriter } from '../byte-writer.ts';
import { createJsonRowEncoder } from './json-rows.ts';
import type { RowFormat } from './row-format.ts';
import { writtenRows } from './written-rows.ts';

/** One row object per line; batches write the JSON of a cell without line breaks. */
export const ndjson: RowFormat = {
  name: 'ndjson',
  mimeType: 'application/x-ndjson',
  extension: 'ndjson',
  async *encode(columns, batches, { maxCellBytes, onRows }) {
    const { encodeRow } = createJsonRowEncoder(columns, maxCellBytes);
    const out = new ByteWriter();
    yield* writtenRows(
      batches,
      out,
      (batch, row) => {
        encodeRow(batch, row, out);
        out.reserve(1);
        out.byte(lineFeed);
      },
      onRows,
    );
    yield out.take();
  },
};

const lineFeed = 10;
