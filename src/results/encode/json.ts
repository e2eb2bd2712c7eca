import { ByteWriter } from '../byte-writer.ts';
import type { RowBatch } from '../row-stream.ts';
import { createJsonRowEncoder } from './json-rows.ts';
import { type RowFormat, writeRows } from './row-format.ts';

const jsonFormat = (
  name: 'json' | 'ndjson',
  mimeType: string,
  { start, between, lineEnd, end }: Record<'start' | 'between' | 'lineEnd' | 'end', string>,
): RowFormat => ({
  name,
  mimeType,
  isText: true,
  async *encode(columns, batches, { maxCellBytes }) {
    const { encodeRow } = createJsonRowEncoder(columns, maxCellBytes);
    const out = new ByteWriter();
    out.ascii(start);
    let before = '';
    const writeRow = (batch: RowBatch, row: number): void => {
      out.ascii(before);
      encodeRow(batch, row, out);
      out.ascii(lineEnd);
      before = between;
    };
    yield* writeRows(batches, out, writeRow);
    out.ascii(end);
    yield out.take();
  },
});

/** One array of row objects, one per line. */
export const json = jsonFormat('json', 'application/json', { start: '[', between: ',\n', lineEnd: '', end: ']' });

/** One row object per line; batches write the JSON of a cell without line breaks. */
export const ndjson = jsonFormat('ndjson', 'application/x-ndjson', { start: '', between: '', lineEnd: '\n', end: '' });
