import { setImmediate } from 'node:timers/promises';
import { ByteWriter as ThriftWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { LabeledColumn } from '../../../core/column.ts';
import type { FailureError } from '../../../core/errors.ts';
import type { RowBatch } from '../../row-stream.ts';
import { refuseLargeCell } from '../json-rows.ts';
import { type FormatOptions, formatRefused } from '../row-format.ts';
import { ColumnPages } from './column-pages.ts';
import { type RowGroup, type StoredColumn, toStoredColumn } from './stored-column.ts';

/** Only one row group is in memory. Readers process row groups in parallel; DuckDB writes groups of the same size. */
const defaultLimits = { rows: 122_880, bytes: 16 << 20 };
const sliceBytes = 128 << 10;

const magic = Buffer.from('PAR1');

/**
 * The library writes the structures of the file. Pages are written here, because the library's writer needs every value of a row group
 * as an object and compresses a whole group in one call.
 */
export async function* writeParquet(
  columns: readonly LabeledColumn[],
  batches: AsyncIterable<RowBatch>,
  { maxCellBytes }: FormatOptions,
  limits = defaultLimits,
): AsyncGenerator<Uint8Array, void> {
  const stored = columns.map(toStoredColumn);
  const chunks = stored.map((column) => new ColumnPages(column));
  const groups: RowGroup[] = [];
  let groupRows = 0;
  let offset = magic.length;
  let rows = 0;
  yield magic;

  async function* endGroup(): AsyncGenerator<Uint8Array, void> {
    const group: RowGroup = { columns: [], total_byte_size: 0n, num_rows: BigInt(groupRows) };
    for (const each of chunks) {
      const { pages, chunk } = each.takeChunk(offset);
      group.columns.push(chunk);
      group.total_byte_size += chunk.meta_data?.total_uncompressed_size ?? 0n;
      offset += pages.length;
      for (let at = 0; at < pages.length; at += sliceBytes) yield Buffer.from(pages.subarray(at, at + sliceBytes));
      await setImmediate();
    }
    groups.push(group);
    groupRows = 0;
  }

  try {
    for await (const batch of batches) {
      for (let row = 0; row < batch.length; row++) {
        let closed = false;
        for (let column = 0; column < chunks.length; column++) {
          const chunk = chunks[column];
          if (chunk === undefined) continue;
          const before = chunk.size;
          if (chunk.add(batch, row, column) === 'unfit') throw unfitError(columns[column]);
          if (chunk.size - before > maxCellBytes) refuseLargeCell(batch, row, column, columns, maxCellBytes);
          if (!chunk.isPageFull) continue;
          chunk.closePage();
          closed = true;
        }
        groupRows++;
        // many columns may use much memory before one of them fills a page
        if (!closed && groupRows < limits.rows && groupRows % 256 !== 0) continue;
        await setImmediate(); // yields to other calls
        if (groupRows >= limits.rows || bytesIn(chunks) >= limits.bytes) yield* endGroup();
      }
      rows += batch.length;
    }
    if (groupRows > 0) yield* endGroup();
    yield footer(stored, groups, rows);
  } finally {
    for (const each of chunks) each.free();
  }
}

const bytesIn = (chunks: readonly ColumnPages[]): number => chunks.reduce((sum, { size }) => sum + size, 0);

function footer(columns: readonly StoredColumn[], groups: RowGroup[], rows: number): Buffer {
  const writer = new ThriftWriter();
  writeMetadata(writer, {
    version: 2,
    created_by: 'sluice',
    schema: [{ name: 'rows', num_children: columns.length }, ...columns.map(({ element }) => element)],
    num_rows: BigInt(rows),
    row_groups: groups,
    metadata_length: 0, // required by the type, but not written
  });
  return Buffer.concat([writer.getBytes(), magic]);
}

const unfitError = (column: LabeledColumn | undefined): FailureError =>
  formatRefused(
    `The column "${column?.label}" is declared ${column?.type} but holds a value of another type, and a column of a Parquet file ` +
      'has one type. Cast it to text in the query, or export another format.',
  );
