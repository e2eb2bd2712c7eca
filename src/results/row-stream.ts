import type { Column } from '../core/column.ts';
import type { SqlValue } from '../core/sql-value.ts';
import type { ByteWriter } from './byte-writer.ts';

/** Rows in the representation of the driver, decoded on demand. Valid until the next batch is requested. */
export interface RowBatch {
  readonly length: number;
  writeJson(row: number, column: number, out: ByteWriter): void; // pages, snapshots, json, ndjson
  writeText(row: number, column: number, out: ByteWriter): void; // csv; writes nothing for NULL
  value(row: number, column: number): SqlValue; // charts, xlsx, parquet
  /**
   * Writes all cells of a row, each after its key, where that is faster than cell by cell. Returns false if it cannot write this row, or
   * if a cell takes more than `maxCellBytes`; the caller then discards the bytes.
   */
  writeJsonRow?(row: number, keys: readonly Uint8Array[], maxCellBytes: number, out: ByteWriter): boolean;
  /** The rows are not read again: frees their memory, where nothing else uses it. */
  release?(): void;
}

export interface RowStream {
  readonly columns: readonly Column[]; // known even if there are no rows
  /** Throws ConnectorError; ends only when the result is complete (and the Epilogue, if any, committed). Call it once. */
  batches(): AsyncIterable<RowBatch>;
  /**
   * All rows, if they arrived before the first was requested: nothing runs in the database any more, and nothing needs to be closed.
   * Callers read them either here, without waiting, or by `batches`.
   */
  readonly whole?: readonly RowBatch[];
  close(): Promise<void>; // idempotent; cancels the statement if the rows are not read to the end
}

/** A complete result as a stream. */
export const streamWholeRows = (columns: readonly Column[], whole: readonly RowBatch[]): RowStream => ({
  columns,
  whole,
  async *batches() {
    yield* whole;
  },
  close: async () => undefined,
});

export interface StreamObserver {
  readonly onBatch?: (batch: RowBatch) => void;
  /** The stream was read to its end, failed, or its reader stopped. */
  readonly onEnd?: () => void;
  /** The stream was closed, successfully or not. */
  readonly onClosed?: () => void;
}

/** The same stream with callbacks. Not a generator: for a small result, one costs more than all other steps. */
export function observeStream(rows: RowStream, { onBatch, onEnd, onClosed }: StreamObserver): RowStream {
  return {
    columns: rows.columns,
    batches() {
      const source = rows.batches()[Symbol.asyncIterator]();
      const onStep = (step: IteratorResult<RowBatch>): IteratorResult<RowBatch> => {
        if (step.done) onEnd?.();
        else onBatch?.(step.value);
        return step;
      };
      const onError = (error: unknown): never => {
        onEnd?.();
        throw error;
      };
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => source.next().then(onStep, onError),
          async return() {
            onEnd?.();
            await source.return?.();
            return { done: true, value: undefined };
          },
        }),
      };
    },
    async close() {
      try {
        await rows.close();
      } finally {
        onClosed?.();
      }
    },
  };
}
