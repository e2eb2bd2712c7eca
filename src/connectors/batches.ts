import type { RowBatch } from '../results/row-stream.ts';
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

/** The same for a queue of batches; `complete` is called at its end. */
export function readQueue<Batch extends QueuedBatch & RowBatch>(
  rows: RowQueue<Batch>,
  { complete, ...source }: Omit<BatchSource, 'next'> & { complete(): Promise<void> },
): AsyncGenerator<RowBatch> {
  const next = async (): Promise<RowBatch | undefined> => {
    const ready = rows.next();
    const batch = ready instanceof Promise ? await source.deadline.during(ready) : ready;
    if (batch === undefined) await complete();
    return batch;
  };
  return readBatches({ ...source, next });
}
