import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { StoreError } from '../metadata-store.ts';
import { withoutNul } from './parameters.ts';
import { patienceMs } from './sqlite-database.ts';
import { isBusy, storeErrorOf } from './store-errors.ts';

const retryMs = 25;
const cachedStatements = 200;

export interface SqliteDriver extends Driver {
  /** Outside of every transaction. */
  run<R>(query: CompiledQuery<R>): Promise<QueryResult<R>>;
}

/**
 * One connection for all. A statement runs at once unless a transaction is open; then it waits for its end. Where another process
 * holds the lock we try again later rather than wait inside SQLite, which would stop the event loop. `used` is told of every statement.
 */
export function sqliteDriver(database: DatabaseSync, used: () => void = () => undefined): SqliteDriver {
  const mutex = new Semaphore(1);
  const runStatement = statementRunner(database);
  const run: typeof runStatement = (query) => {
    used();
    return runStatement(query);
  };
  let owner: DatabaseConnection | null = null; // whose transaction is open
  let failure: unknown = null; // of a statement inside it

  async function alone<T>(statement: string, act: () => T, keepMutex = false): Promise<T> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      if (!(await mutex.acquireWithin(deadline - performance.now()))) {
        throw new StoreError('unavailable', 'The metadata store was busy for too long.');
      }
      let kept = false;
      try {
        const result = act();
        kept = keepMutex;
        return result;
      } catch (error) {
        if (!isBusy(error) || performance.now() + retryMs > deadline) throw storeErrorOf(error, statement);
      } finally {
        if (!kept) mutex.release();
      }
      await sleep(retryMs);
    }
  }

  function inside<R>(query: CompiledQuery): QueryResult<R> {
    try {
      return run<R>(query);
    } catch (error) {
      failure ??= storeErrorOf(error, query.sql);
      throw failure;
    }
  }

  const connect = (): DatabaseConnection => ({
    async executeQuery<R>(query: CompiledQuery) {
      if (owner === this) return inside<R>(query);
      return alone(query.sql, () => run<R>(query));
    },
    streamQuery() {
      throw new Error('The metadata store does not stream.');
    },
  });

  return {
    run: <R>(query: CompiledQuery<R>) => alone(query.sql, () => run<R>(query)),
    init: async () => undefined,
    acquireConnection: async () => connect(),
    async beginTransaction(connection) {
      await alone('begin', () => database.exec('begin immediate'), true);
      owner = connection;
      failure = null;
    },
    // as in PostgreSQL: a transaction in which a statement failed does not commit
    async commitTransaction() {
      if (failure !== null) throw failure;
      try {
        database.exec('commit');
      } catch (error) {
        throw storeErrorOf(error, 'commit');
      }
    },
    async rollbackTransaction() {
      if (database.isTransaction) database.exec('rollback');
    },
    async releaseConnection(connection) {
      if (owner !== connection) return;
      owner = null;
      mutex.release();
    },
    async destroy() {
      // a transaction that does not end is rolled back by closing
      await mutex.acquireWithin(patienceMs);
      database.close();
    },
  };
}

function statementRunner(database: DatabaseSync): <R>(query: CompiledQuery) => QueryResult<R> {
  const cache = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  function prepare(sql: string) {
    const known = cache.get(sql);
    if (known) {
      cache.delete(sql); // and set again below: the least recently used is the first
      cache.set(sql, known);
      return known;
    }
    const statement = database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    cache.set(sql, prepared);
    const oldest = cache.size > cachedStatements ? cache.keys().next().value : undefined;
    if (oldest !== undefined) cache.delete(oldest);
    return prepared;
  }

  return <R>({ sql, parameters }: CompiledQuery) => {
    const { statement, returnsRows } = prepare(sql);
    const values = withoutNul(parameters) as SQLInputValue[]; // what cannot be bound throws
    if (returnsRows) return { rows: statement.all(...values) as R[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
  };
}
