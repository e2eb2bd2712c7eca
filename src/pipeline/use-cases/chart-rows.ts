import { hash } from 'node:crypto';
import type { QueryDefinition } from '../../catalog/query.ts';
import type { ChartColumn, ChartRow } from '../../charts/built-chart.ts';
import { classifyColumns } from '../../charts/classify.ts';
import { type ChartColumnNames, columnsOf } from '../../core/chart-config.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { ByteWriter } from '../../results/byte-writer.ts';
import { labelColumns, observeValues } from '../../results/columns.ts';
import { createJsonRowEncoder } from '../../results/encode/json-rows.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';

/** The data of a chart: only its own columns, so that viewers see no more of the result than the chart shows. */
export interface ChartRows {
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly ChartRow[];
  readonly more: boolean; // the result has more rows
  readonly bytes: number;
  readonly digest: string; // of the rows
}

const MAX_BYTES = 8 << 20;

/** Reads the first rows of a result, and one more to know whether there are others. Always closes the stream. */
export async function takeChartRows(
  stream: RowStream,
  definition: QueryDefinition,
  chart: ChartColumnNames,
  rowsMax: number,
): Promise<Result<ChartRows>> {
  try {
    const labelled = labelColumns(stream.columns, definition.columns);
    const names = columnsOf(chart);
    const missing = names.find((name) => !labelled.some(({ label }) => label === name));
    if (missing !== undefined) return failed({ kind: 'StateConflict', reason: `The query no longer has the column ${missing}.` });
    const wanted = labelled.flatMap(({ label }, index) => (names.includes(label) ? [index] : []));

    const most = Math.min(rowsMax, definition.maxRows ?? rowsMax);
    const observer = observeValues(stream.columns);
    const { encodeRow } = createJsonRowEncoder(wanted.flatMap((index) => labelled[index] ?? []));
    const out = new ByteWriter();
    let count = 0;
    let more = false;
    for await (const batch of stream.batches()) {
      const narrow = selectColumns(batch, wanted);
      for (let row = 0; row < batch.length && !more; row++) {
        more = count === most || out.length > MAX_BYTES;
        if (more) continue;
        out.ascii(count === 0 ? '[' : ',');
        encodeRow(narrow, row, out);
        observer.look(batch, row);
        count++;
      }
      if (more) break;
    }
    out.ascii(count === 0 ? '[]' : ']');
    const bytes = out.take();
    const columns = classifyColumns(labelled, definition.columns, observer.seen())
      .filter((_, index) => wanted.includes(index))
      .map(({ label, class: columnClass, nature }) => ({ name: label, class: columnClass, nature }));
    return succeeded({
      columns,
      rows: JSON.parse(Buffer.from(bytes).toString()),
      more,
      bytes: bytes.length,
      digest: hash('sha256', bytes),
    });
  } finally {
    await stream.close().catch(() => undefined); // the rows that were read stay valid
  }
}

/** A batch with only these columns. */
const selectColumns = (batch: RowBatch, columns: readonly number[]): RowBatch => {
  const sourceColumn = (column: number): number => columns[column] ?? 0;
  return {
    length: batch.length,
    writeJson: (row, column, out) => batch.writeJson(row, sourceColumn(column), out),
    writeText: (row, column, out) => batch.writeText(row, sourceColumn(column), out),
    value: (row, column) => batch.value(row, sourceColumn(column)),
  };
};
