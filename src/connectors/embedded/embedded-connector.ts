import type { Column } from '../../core/column.ts';
import { once } from '../../core/concurrency/once.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import { type Connector, ConnectorError, type SchemaTree } from '../connector.ts';
import { RunDeadline, shortWorkMs } from '../runs/run-deadline.ts';
import { requireWritable } from '../statements/refusals.ts';
import { type Channel, type EngineProcess, errorOf } from './engine-process.ts';
import { creditFor, EncodedBatch, type EngineRequest, type Frame, frameTypes } from './frames.ts';

/** The processes of one database. */
export interface Processes {
  /** Begins a run, which ends with `release`. */
  acquire(deadline: RunDeadline): EngineProcess | Promise<EngineProcess>;
  /** Stops the request where it is not finished, and ends the run. */
  release(process: EngineProcess, channel: Channel, deadline: RunDeadline): Promise<void>;
  close(): Promise<void>;
}

/** The connector of an engine that runs in child processes. `writeWarning` is for a person who tests a writable database. */
export function embeddedConnector(processes: Processes, writable: boolean, writeWarning: string): Connector {
  async function ask<T>(request: EngineRequest, signal: AbortSignal): Promise<T> {
    const deadline = new RunDeadline(signal, shortWorkMs);
    const process = await processes.acquire(deadline);
    const channel = process.open();
    try {
      return await deadline.runWithin(channel.ask<T>(request));
    } finally {
      await processes.release(process, channel, deadline);
    }
  }
  return {
    describe: (sql, parameters, signal) => ask<Column[]>({ type: 'describe', sql, parameters }, signal),
    async checkEpilogue(sql, parameters, signal) {
      requireWritable({ writable });
      await ask({ type: 'checkEpilogue', sql, parameters }, signal);
    },
    async run(statement, { timeoutMs }, signal) {
      if (statement.epilogue !== undefined) requireWritable({ writable });
      const deadline = new RunDeadline(signal, timeoutMs);
      const process = await processes.acquire(deadline);
      const channel = process.open();
      const release = (): Promise<void> => processes.release(process, channel, deadline);
      return startRun({ type: 'run', statement, timeoutMs }, channel, deadline, release);
    },
    schema: (signal) => ask<SchemaTree>({ type: 'schema' }, signal),
    async ping(signal) {
      await ask({ type: 'ping' }, signal);
      return writable ? [writeWarning] : [];
    },
    close: once(() => processes.close()),
  };
}

/** One execution in a process, from its request to the return of the process. */
async function startRun(
  request: EngineRequest,
  channel: Channel,
  deadline: RunDeadline,
  release: () => Promise<void>,
): Promise<RowStream> {
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
    const content = JSON.parse(payload.toString()); // written by our own code
    if (type !== frameTypes.columns) throw errorOf(content);
    const columns: readonly Column[] = content;
    return { columns, batches: () => batches(columns.length), close };
  } catch (error) {
    await close();
    throw error;
  }
}
