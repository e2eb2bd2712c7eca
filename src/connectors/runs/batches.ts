import type { Column } from '../../core/column.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import type { QueuedBatch, RowQueue } from './row-queue.ts';
import type { RunDeadline } from './run-deadline.ts';

interface BatchSource {
  readonly deadline: RunDeadline;
  /** The next batch; undefined when the result is complete. */
  next(): Promise<RowBatch | undefined> | RowBatch | undefined;
  errorOf(error: unknown): unknown;
  close(): Promise<void>;
}

/** Reads a result to its end and closes it. A stopped run fails with the reason of the stop, whatever else failed because of it. */
export async function* readBatches({ deadline, next, errorOf, close }: BatchSource): AsyncGenerator<RowBatch> {
  try {
    for (;;) {
      if (deadline.stopped !== undefined) throw deadline.stopped;
      const batch = await next();
      if (batch === undefined) return;
      yield batch;
    }
  } catch (error) {
    throw deadline.stopped ?? errorOf(error);
  } finally {
    await close();
  }
}

/** A result that is received in a queue; `complete` is called at its end. */
export function streamQueue<Batch extends QueuedBatch & RowBatch>(
  columns: readonly Column[],
  rows: RowQueue<Batch>,
  { complete, ...source }: Omit<BatchSource, 'next'> & { complete(): Promise<void> },
): RowStream {
  const next = async (): Promise<RowBatch | undefined> => {
    const waiting = rows.whenReady();
    if (waiting !== undefined) await source.deadline.runWithin(waiting);
    const batch = await rows.next();
    if (batch === undefined) await complete();
    return batch;
  };
  return { columns, batches: () => readBatches({ ...source, next }), close: source.close };
}
