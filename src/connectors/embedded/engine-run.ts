import type { Column } from '../../core/column.ts';
import { once } from '../../core/concurrency/once.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import { ConnectorError } from '../connector.ts';
import type { RunDeadline } from '../runs/run-deadline.ts';
import type { Channel } from './engine-process.ts';
import { creditFor, EncodedBatch, type Frame, frameTypes } from './frames.ts';

/** What differs between the engines; `content` is the JSON that the process sent. */
interface RunParts<Request extends object> {
  readonly channel: Channel<Request>;
  readonly deadline: RunDeadline;
  columnsOf(content: unknown): readonly Column[];
  errorOf(content: unknown): ConnectorError;
  /** The error of a run that failed before its columns; default: `errorOf`. */
  startErrorOf?(content: unknown): Promise<ConnectorError>;
  /** Stops the request where it is not finished, and returns the process. */
  release(): Promise<void>;
}

/** One execution in a process, from its request to the return of the process. */
export async function engineRun<Request extends object>(request: Request, parts: RunParts<Request>): Promise<RowStream> {
  const { channel, deadline, columnsOf, errorOf, startErrorOf = errorOf, release } = parts;
  let isClosed = false;
  const close = once((): Promise<void> => {
    isClosed = true;
    deadline.onStop = () => {};
    return release();
  });

  async function next(): Promise<Frame> {
    if (deadline.stopped !== undefined) throw deadline.stopped;
    if (isClosed) throw new ConnectorError('cancelled', 'The rows were closed.');
    return await deadline.runWithin(channel.next());
  }

  async function* batches(columns: number): AsyncIterable<RowBatch> {
    try {
      for (;;) {
        const { type, payload } = await next();
        switch (type) {
          case frameTypes.batch:
            yield new EncodedBatch(payload, columns);
            channel.send({ type: 'more', credit: creditFor(payload.length) });
            continue;
          case frameTypes.epilogueRan:
            deadline.end(); // from here on the commit must not be interrupted
            channel.send({ type: 'commit' });
            continue;
          case frameTypes.end:
            return;
          default:
            throw errorOf(JSON.parse(payload.toString()));
        }
      }
    } finally {
      await close();
    }
  }

  deadline.onStop = () => void close();
  try {
    channel.send(request);
    const { type, payload } = await next();
    const content: unknown = JSON.parse(payload.toString());
    if (type !== frameTypes.columns) throw await startErrorOf(content);
    const columns = columnsOf(content);
    return { columns, batches: () => batches(columns.length), close };
  } catch (error) {
    await close();
    throw error;
  }
}
