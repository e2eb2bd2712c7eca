import type { Column } from '../results/column.ts';
import type { RowBatch, RowStream } from '../results/row-stream.ts';
import type { BoundValue } from '../sql-value.ts';
import { RunLimit } from './active-runs.ts';
import { type Connector, ConnectorError, type ConnectorErrorKind, type SchemaTree, unbound } from './connector.ts';
import { RunDeadline, shortWorkMs } from './run-deadline.ts';

/** An engine with an HTTP interface: a query is one or more requests, there are no sessions and no transactions. */
export interface HttpEngine<Requests extends Cancellable, Rendered> {
  readonly name: string;
  render(sql: string, parameters: readonly BoundValue[]): Rendered;
  /** The client of one execution. */
  requests(): Requests;
  describe(requests: Requests, rendered: Rendered): Promise<readonly Column[]>;
  /** Resolves as soon as the columns are known. */
  start(requests: Requests, rendered: Rendered, deadline: RunDeadline): Promise<StartedRows>;
  schema(requests: Requests): Promise<SchemaTree>;
  warnings(requests: Requests): Promise<readonly string[]>;
  error(kind: ConnectorErrorKind, cause: unknown, rendered?: Rendered): ConnectorError;
  close(): Promise<void> | void;
}

interface Cancellable {
  /** Ends the running query and prevents others. Never rejects. */
  cancel(): Promise<void>;
}

export interface StartedRows {
  readonly columns: readonly Column[];
  /** The next batch; undefined at the end. */
  next(): Promise<RowBatch | undefined>;
}

export function httpConnector<Requests extends Cancellable, Rendered>(
  engine: HttpEngine<Requests, Rendered>,
  connections: number,
): Connector {
  const limit = new RunLimit(connections);
  let closing: Promise<void> | undefined;

  /** For short work that leaves nothing open. */
  async function during<T>(signal: AbortSignal, work: (requests: Requests) => Promise<T>): Promise<T> {
    const deadline = new RunDeadline(signal, shortWorkMs);
    await limit.begin(deadline);
    const requests = engine.requests();
    deadline.onStop = () => void requests.cancel();
    try {
      return await deadline.during(work(requests));
    } catch (error) {
      await requests.cancel();
      throw deadline.stopped ?? engine.error('invalid', error);
    } finally {
      limit.end(deadline);
    }
  }

  return {
    describe: (sql, parameters, signal) =>
      during(signal, async (requests) => engine.describe(requests, engine.render(sql, parameters.map(unbound)))),
    async checkEpilogue() {
      throw noTransactions(engine.name);
    },
    async run({ sql, parameters, epilogue }, { timeoutMs }, signal) {
      if (epilogue !== undefined) throw noTransactions(engine.name);
      return run(engine, engine.render(sql, parameters), limit, new RunDeadline(signal, timeoutMs));
    },
    schema: (signal) => during(signal, (requests) => engine.schema(requests)).catch(rethrow),
    ping: (signal) => during(signal, (requests) => engine.warnings(requests)).catch(rethrow),
    close() {
      closing ??= limit.close().then(() => engine.close());
      return closing;
    },
  };
}

/** One execution, from its first request to the end of its result. */
async function run<Requests extends Cancellable, Rendered>(
  engine: HttpEngine<Requests, Rendered>,
  rendered: Rendered,
  limit: RunLimit,
  deadline: RunDeadline,
): Promise<RowStream> {
  await limit.begin(deadline);
  const requests = engine.requests();
  const errorOf = (error: unknown): ConnectorError => deadline.stopped ?? engine.error('failed', error, rendered);
  let isWhole = false;
  let closing: Promise<void> | undefined;

  async function finish(): Promise<void> {
    if (!isWhole) {
      deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
      await requests.cancel();
    }
    limit.end(deadline);
  }

  function close(): Promise<void> {
    deadline.onStop = () => {};
    closing ??= finish();
    return closing;
  }

  async function* batches({ next }: StartedRows): AsyncIterable<RowBatch> {
    try {
      for (;;) {
        if (deadline.stopped !== undefined) throw deadline.stopped;
        const batch = await next();
        if (batch === undefined) {
          isWhole = true;
          return;
        }
        yield batch;
      }
    } catch (error) {
      throw errorOf(error);
    } finally {
      await close();
    }
  }

  deadline.onStop = () => void close();
  try {
    if (deadline.stopped !== undefined) throw deadline.stopped;
    const rows = await engine.start(requests, rendered, deadline);
    return { columns: rows.columns, batches: () => batches(rows), close };
  } catch (error) {
    const reason = errorOf(error);
    await close();
    throw reason;
  }
}

const noTransactions = (engine: string): ConnectorError =>
  new ConnectorError('invalid', `${engine} has no transactions that an Epilogue could be part of.`);

/** Internal statements never fail because of an author. */
function rethrow(error: unknown): never {
  if (!(error instanceof ConnectorError) || error.kind !== 'invalid') throw error;
  throw new ConnectorError('failed', error.message, { cause: error });
}
