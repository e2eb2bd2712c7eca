import type { Column } from '../../results/column.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import { ConnectorError } from '../connector.ts';
import type { RunDeadline } from '../run-deadline.ts';
import type { Channel } from './channel.ts';
import { EncodedBatch } from './encoded-batch.ts';
import { creditFor, type Frame, frameTypes } from './frames.ts';

/** What differs between the engines; `content` is the JSON that the process sent. */
interface RunParts<Request extends object> {
  readonly channel: Channel<Request>;
  readonly deadline: RunDeadline;
  columnsOf(content: unknown): readonly Column[];
  errorOf(content: unknown): ConnectorError;
  /** Of a run that failed before its columns; left out: as `errorOf`. */
  startErrorOf?(content: unknown): Promise<ConnectorError>;
  /** Stops the request where it is not finished, and returns the process. */
  release(): Promise<void>;
}

/** One execution in a process, from its request to the return of the process. */
export class EngineRun<Request extends object> implements RowStream {
  columns: readonly Column[] = [];

  readonly #parts: RunParts<Request>;
  #closing: Promise<void> | undefined;

  constructor(parts: RunParts<Request>) {
    this.#parts = parts;
    parts.deadline.onStop = () => void this.close();
  }

  /** Closes the run where it fails. */
  async start(request: Request): Promise<this> {
    try {
      const { channel, columnsOf, errorOf, startErrorOf = errorOf } = this.#parts;
      channel.send(request);
      const { type, payload } = await this.#next();
      const content: unknown = JSON.parse(payload.toString());
      if (type !== frameTypes.columns) throw await startErrorOf(content);
      this.columns = columnsOf(content);
      return this;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async *batches(): AsyncIterable<RowBatch> {
    const { channel, deadline, errorOf } = this.#parts;
    try {
      for (;;) {
        const { type, payload } = await this.#next();
        switch (type) {
          case frameTypes.batch:
            yield new EncodedBatch(payload, this.columns.length);
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
      await this.close();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #next(): Promise<Frame> {
    const { channel, deadline } = this.#parts;
    if (deadline.stopped !== undefined) throw deadline.stopped;
    if (this.#closing !== undefined) throw new ConnectorError('cancelled', 'The rows were closed.');
    return await deadline.during(channel.next());
  }

  async #finish(): Promise<void> {
    this.#parts.deadline.onStop = () => {};
    await this.#parts.release();
  }
}
