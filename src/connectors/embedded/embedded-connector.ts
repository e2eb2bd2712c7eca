import { LRUCache } from 'lru-cache';
import type { Column } from '../../core/column.ts';
import { once } from '../../core/concurrency/once.ts';
import { type RowBatch, type RowStream, streamWholeRows } from '../../results/row-stream.ts';
import { type Connector, ConnectorError, type SchemaTree, type Statement } from '../connector.ts';
import { type QuickBatch, QuickBatches } from '../runs/quick-batches.ts';
import { RunDeadline, shortWorkMs } from '../runs/run-deadline.ts';
import type { RunPool } from '../runs/run-pool.ts';
import { requireWritable } from '../statements/refusals.ts';
import { type Channel, type EngineProcess, errorOf } from './engine-process.ts';
import { creditFor, EncodedBatch, type EngineRequest, frameTypes, type RunRequest } from './frames.ts';

/** The processes of one database. */
export interface Processes {
  /** Begins a run, which ends with `release`. */
  acquire(deadline: RunDeadline): EngineProcess | Promise<EngineProcess>;
  /** Stops the request where it is not finished, and ends the run. */
  release(process: EngineProcess, channel: Channel, deadline: RunDeadline): Promise<void>;
  close(): Promise<void>;
  /** Where each process handles one request after the other. */
  readonly batches?: QuickBatches<EngineProcess, Statement>;
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
      const batches = mayBeBatched(statement) ? processes.batches : undefined;
      const joined = batches?.join(statement, timeoutMs, signal);
      const batched = joined === undefined ? undefined : await joined;
      if (batched !== undefined && !signal.aborted) return batched; // if the caller left, the separate run fails as cancelled
      const deadline = new RunDeadline(signal, timeoutMs);
      const process = await processes.acquire(deadline);
      const channel = process.open();
      const release = (): Promise<void> => processes.release(process, channel, deadline);
      const rows = await startRun({ type: 'run', statement, timeoutMs }, channel, deadline, release);
      if (rows.tookMs === undefined) batches?.quick.recordSlowRun(statement.sql);
      else batches?.quick.recordRun(statement.sql, rows.tookMs);
      return rows;
    },
    schema: (signal) => ask<SchemaTree>({ type: 'schema' }, signal),
    async ping(signal) {
      await ask({ type: 'ping' }, signal);
      return writable ? [writeWarning] : [];
    },
    close: once(() => processes.close()),
  };
}

/** Runs of one process in batches. */
export const createBatches = (pool: RunPool<EngineProcess>): QuickBatches<EngineProcess, Statement> =>
  new QuickBatches({ pool, quickMs: 5, keyOf: ({ sql }) => sql, exchange });

const lateMs = 1000; // on a busy machine a batch is late although none of its members is slow

/** A process that does not complete an abandoned batch is killed: it handles one request at a time, and blocks on it. */
async function exchange(batch: QuickBatch<Statement>, process: EngineProcess): Promise<number> {
  let killing: NodeJS.Timeout | undefined;
  batch.stop = () => {
    killing = setTimeout(() => process.kill(), lateMs).unref();
  };
  const { timeoutMs, members } = batch;
  const responses = members.map(async ({ main, resolve }) => {
    const channel = process.open();
    channel.send({ type: 'run', statement: main, timeoutMs, isBatched: true });
    await channel.whenReceived(Number.POSITIVE_INFINITY).catch(() => {}); // the process has ended
    const rows = takeWhole(channel);
    resolve(rows);
    return rows?.tookMs ?? 0;
  });
  process.flush();
  const tookMs = await Promise.all(responses);
  clearTimeout(killing);
  return tookMs.reduce((sum, each) => sum + each, 0);
}

const longestBatched = 1 << 14;

const mayBeBatched = ({ sql, parameters, epilogue }: Statement): boolean =>
  epilogue === undefined && parameters.reduce((sum, { value }) => sum + (value?.length ?? 0), sql.length) <= longestBatched;

interface WholeRows extends RowStream {
  readonly tookMs: number;
}

/** A result that was received completely. */
function takeWhole(channel: Channel): WholeRows | undefined {
  const frames = channel.takeWhole();
  const [first] = frames;
  const last = frames.at(-1);
  if (first?.type !== frameTypes.columns || last?.type !== frameTypes.end) return undefined;
  const columns = columnsOf(first.payload);
  const batches = frames.slice(1, -1).map(({ payload }) => new EncodedBatch(payload, columns.length));
  return { ...streamWholeRows(columns, batches), tookMs: Number(last.payload.toString()) };
}

const knownColumns = new LRUCache<string, readonly Column[]>({
  max: 1000,
  maxSize: 1 << 20,
  sizeCalculation: (_, { length }) => length,
  memoMethod: (text) => JSON.parse(text), // written by our own code
});

/** The same array for the same columns, because labels and keys are cached by it. */
const columnsOf = (json: Buffer): readonly Column[] => knownColumns.memo(json.toString());

/** One execution in a process, from its request to the return of the process. */
async function startRun(
  request: RunRequest,
  channel: Channel,
  deadline: RunDeadline,
  release: () => Promise<void>,
): Promise<RowStream & { readonly tookMs?: number }> {
  let isClosed = false;
  const close = once((): Promise<void> => {
    isClosed = true;
    deadline.onStop = () => {};
    return release();
  });

  async function received(frames: number): Promise<void> {
    if (deadline.stopped !== undefined) throw deadline.stopped;
    if (isClosed) throw new ConnectorError('cancelled', 'The rows were closed.');
    await deadline.runWithin(channel.whenReceived(frames));
  }

  async function* batches(columns: number): AsyncIterable<RowBatch> {
    try {
      for (;;) {
        await received(1);
        const { type, payload } = channel.take();
        switch (type) {
          case frameTypes.batch: {
            const batch = new EncodedBatch(payload, columns);
            yield batch;
            channel.send({ type: 'more', credit: creditFor(payload.length) });
            batch.release();
            continue;
          }
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
    await received(2); // the columns, and the first rows, the end or an error
    const whole = takeWhole(channel);
    if (whole !== undefined) {
      void close();
      return whole;
    }
    const { type, payload } = channel.take();
    if (type !== frameTypes.columns) throw errorOf(JSON.parse(payload.toString()));
    const columns = columnsOf(payload);
    return { columns, batches: () => batches(columns.length), close };
  } catch (error) {
    await close();
    throw error;
  }
}
