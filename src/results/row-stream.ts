import type { SqlValue } from '../sql-value.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { Column } from './column.ts';

/** Rows as the driver holds them; nothing is decoded until someone asks. Valid until the next batch is asked for. */
export interface RowBatch {
  readonly length: number;
  writeJson(row: number, column: number, out: ByteWriter): void; // pages, snapshots, json, ndjson
  writeText(row: number, column: number, out: ByteWriter): void; // csv; writes nothing for NULL
  value(row: number, column: number): SqlValue; // charts, xlsx, parquet
  /**
   * Where the driver can do better than cell by cell: all cells of a row, each behind its key. False, and nothing counts of what was
   * written, where it cannot do so for this row, or where a cell takes more than `maxCellBytes`.
   */
  writeJsonRow?(row: number, keys: readonly Uint8Array[], maxCellBytes: number, out: ByteWriter): boolean;
}

export interface RowStream {
  readonly columns: readonly Column[]; // known even where there are no rows
  /** Throws ConnectorError; ends only when the result is whole (and the Epilogue, if any, committed). To be called once. */
  batches(): AsyncIterable<RowBatch>;
  /**
   * All rows, where they had come before anybody asked for one: nothing runs in the database any more, and nothing is left to be closed.
   * They are read either here, without waiting, or by `batches`.
   */
  readonly whole?: readonly RowBatch[];
  close(): Promise<void>; // idempotent; cancels in the database when the rows are not read to the end
}
