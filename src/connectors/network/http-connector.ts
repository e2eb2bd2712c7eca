import { LRUCache } from 'lru-cache';
import type { SqlDialect } from '../../catalog/sql-dialect.ts';
import { sqlTokens, trimSemicolon } from '../../catalog/sql-tokens.ts';
import type { Column } from '../../core/column.ts';
import { once } from '../../core/concurrency/once.ts';
import type { BoundValue } from '../../core/sql-value.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import { bindNull, type Connector, ConnectorError, type ConnectorErrorKind, type SchemaTree } from '../connector.ts';
import { readBatches } from '../runs/row-queue.ts';
import { RunDeadline } from '../runs/run-deadline.ts';
import { RunPool } from '../runs/run-pool.ts';
import type { MarkedSql } from '../statements/marked-sql.ts';
import { refusal } from '../statements/refusals.ts';

/** An engine with an HTTP interface: a query is one or more requests, there are no sessions and no transactions. */
export interface HttpEngine<Requests extends Cancellable, Rendered extends MarkedSql> {
  readonly name: string;
  readonly dialect: SqlDialect;
  render(sql: string, parameters: readonly BoundValue[]): Rendered;
  /** The client of one execution. */
  requests(): Requests;
  /** The columns of a query, from a statement that has the text in parentheses, where the engine's grammar allows only a query. */
  describe(requests: Requests, rendered: Rendered): Promise<readonly Column[]>;
  /** Resolves as soon as the columns are known. */
  start(requests: Requests, rendered: Rendered, deadline: RunDeadline): Promise<StartedRows>;
  schema(requests: Requests): Promise<SchemaTree>;
  warnings(requests: Requests): Promise<readonly string[]>;
  error(kind: ConnectorErrorKind, cause: unknown, rendered?: Rendered): ConnectorError;
  close(): Promise<void> | void;
}

interface Cancellable {
  /** Ends the running query, if any, and prevents others. Never rejects. */
  cancel(): Promise<void>;
}

export interface StartedRows {
  readonly columns: readonly Column[];
  /** The next batch; undefined at the end. */
  next(): Promise<RowBatch | undefined>;
}

const maxProven = 500;

export function httpConnector<Requests extends Cancellable, Rendered extends MarkedSql>(
  engine: HttpEngine<Requests, Rendered>,
  connections: number,
): Connector {
  const proven = new LRUCache<string, true>({ max: maxProven }); // texts that the engine has accepted as queries
  // limits the executions; a client is used for one
  const pool = new RunPool<Requests>({
    max: connections,
    idleMs: 60_000,
    create: async () => engine.requests(),
    isUsable: () => false,
    stop: (requests) => requests.cancel(),
    end: (requests) => pool.remove(requests),
    destroy: (requests) => void requests.cancel().then(() => pool.remove(requests)),
  });

  const render = (sql: string, parameters: readonly BoundValue[]): Rendered =>
    engine.render(trimSemicolon(sql, engine.dialect), parameters);

  async function describe(requests: Requests, rendered: Rendered): Promise<readonly Column[]> {
    checkParentheses(rendered.source, engine.dialect);
    try {
      const columns = await engine.describe(requests, rendered);
      proven.set(rendered.sql, true);
      return columns;
    } catch (error) {
      throw engine.error('invalid', error, rendered);
    }
  }

  async function start(requests: Requests, rendered: Rendered, deadline: RunDeadline): Promise<StartedRows> {
    if (proven.get(rendered.sql) !== true) await deadline.runWithin(describe(requests, rendered));
    return engine.start(requests, rendered, deadline);
  }

  /** Internal statements never fail because of an author. */
  function throwInternalError(error: unknown): never {
    const { kind, message } = engine.error('invalid', error);
    throw new ConnectorError(kind === 'invalid' ? 'failed' : kind, message, { cause: error });
  }

  return {
    describe: (sql, parameters, signal) =>
      pool.use(signal, async (requests) => describe(requests, render(sql, parameters.map(bindNull)))),
    async checkEpilogue() {
      throw noTransactionsError(engine.name);
    },
    async run({ sql, parameters, epilogue }, { timeoutMs }, signal) {
      if (epilogue !== undefined) throw noTransactionsError(engine.name);
      const rendered = render(sql, parameters);
      const deadline = new RunDeadline(signal, timeoutMs);
      const requests = await pool.acquire(deadline);
      let isWhole = false;

      const close = once(async (): Promise<void> => {
        deadline.onStop = () => {}; // closing may stop the run
        if (!isWhole) {
          deadline.stop(new ConnectorError('cancelled', 'The rows were not read to the end.'));
          await requests.cancel();
        }
        pool.release(requests, deadline);
      });
      const errorOf = (error: unknown): ConnectorError => engine.error('failed', error, rendered);

      deadline.onStop = () => void close();
      try {
        const rows = await start(requests, rendered, deadline);
        const next = async (): Promise<RowBatch | undefined> => {
          const batch = await rows.next();
          isWhole = batch === undefined;
          return batch;
        };
        return {
          columns: rows.columns,
          batches: () => readBatches({ deadline, next, errorOf, close }),
          close,
        };
      } catch (error) {
        const reason = deadline.stopped ?? errorOf(error);
        await close();
        throw reason;
      }
    },
    schema: (signal) => pool.use(signal, (requests) => engine.schema(requests)).catch(throwInternalError),
    ping: (signal) => pool.use(signal, (requests) => engine.warnings(requests)).catch(throwInternalError),
    close: once(async () => {
      await pool.close();
      await engine.close();
    }),
  };
}

const noTransactionsError = (engine: string): ConnectorError =>
  refusal(`${engine} has no transactions that an Epilogue could be part of.`);

/** The text must not close the parenthesis that the connector writes before it. Throws `invalid`. */
function checkParentheses(source: string, dialect: SqlDialect): void {
  let depth = 0;
  for (const { type, text } of sqlTokens(source, dialect)) {
    if (type !== 'symbol') continue;
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (depth < 0) break;
  }
  if (depth !== 0) throw refusal('The parentheses of the query do not match.');
}
