import type { RowBatch, RowStream } from './row-stream.ts';

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
