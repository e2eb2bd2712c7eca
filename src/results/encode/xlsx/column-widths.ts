import { ByteWriter } from '../../byte-writer.ts';
import type { ColumnKind, LabelledColumn } from '../../column.ts';
import type { RowBatch } from '../../row-stream.ts';

const sampledRows = 50;
const narrowest = 8;
const widest = 60;

/** Widths in characters, estimated from the labels and the first rows: the file contains the widths before the rows. */
export function columnWidths(columns: readonly LabelledColumn[], sample?: RowBatch): readonly number[] {
  const scratch = new ByteWriter(1024);
  return columns.map(({ label, kind }, column) => {
    let width = Math.max(label.length + 1, momentWidths[kind] ?? 0); // bold
    const rows = momentWidths[kind] === undefined ? Math.min(sample?.length ?? 0, sampledRows) : 0;
    for (let row = 0; row < rows; row++) {
      scratch.clear();
      sample?.writeText(row, column, scratch);
      width = Math.max(width, scratch.length);
    }
    return Math.min(Math.max(width + 1, narrowest), widest);
  });
}

const momentWidths: Partial<Record<ColumnKind, number>> = { date: 11, timestamp: 19, timestamptz: 20 };
