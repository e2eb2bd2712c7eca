import type { RowBatch, RowStream } from './row-stream.ts';

/** What a stream tells of itself while it is read. */
export interface Taps {
  readonly batch?: (batch: RowBatch) => void;
  /** It was read to its end, broke, or its reader left. */
  readonly over?: () => void;
  /** It was closed, whether or not that went well. */
  readonly closed?: () => void;
}

/** The same stream, tapped. By hand rather than by a generator: those cost a small result more than all else that is done to it. */
export function tapped(rows: RowStream, { batch, over, closed }: Taps): RowStream {
  return {
    columns: rows.columns,
    batches() {
      const source = rows.batches()[Symbol.asyncIterator]();
      const told = (step: IteratorResult<RowBatch>): IteratorResult<RowBatch> => {
        if (step.done) over?.();
        else batch?.(step.value);
        return step;
      };
      const broke = (error: unknown): never => {
        over?.();
        throw error;
      };
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => source.next().then(told, broke),
          async return() {
            over?.();
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
        closed?.();
      }
    },
  };
}
