import { open as openFile } from 'node:fs/promises';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { Semaphore } from '../../../core/concurrency/semaphore.ts';
import { StoreError } from '../../metadata-store.ts';
import { removeNul } from '../statements/normalize-text.ts';
import { isBusy, patienceMs, storeErrorOf } from '../statements/store-errors.ts';

const RETRY_MS = 25;
const CACHED_STATEMENTS = 200;

export const sqliteDialect = (driver: Driver): Dialect => ({
  createDriver: () => driver,
  createAdapter: () => new ConcurrentAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
});

/** Kysely need not serialize callers: the driver does. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * One connection for all callers. A statement runs immediately unless a transaction is open; then it waits for its end. If another
 * process holds the lock, the driver retries later instead of waiting inside SQLite, which would block the event loop. `onStatement` is
 * called before every statement.
 */
export function sqliteDriver(database: DatabaseSync, onStatement: () => void = () => undefined): Driver {
  const mutex = new Semaphore(1);
  const runStatement = statementRunner(database);
  const run: typeof runStatement = (query) => {
    onStatement();
    return runStatement(query);
  };
  let owner: DatabaseConnection | null = null; // whose transaction is open
  let failure: unknown = null; // of a statement inside it

  async function runExclusively<T>(statement: string, act: () => T, keepMutex = false): Promise<T> {
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
        if (!isBusy(error) || performance.now() + RETRY_MS > deadline) throw storeErrorOf(error, statement);
      } finally {
        if (!kept) mutex.release();
      }
      await sleep(RETRY_MS);
    }
  }

  function runInTransaction<R>(query: CompiledQuery): QueryResult<R> {
    try {
      return run<R>(query);
    } catch (error) {
      failure ??= storeErrorOf(error, query.sql);
      throw failure;
    }
  }

  const connect = (): DatabaseConnection => ({
    async executeQuery<R>(query: CompiledQuery) {
      if (owner === this) return runInTransaction<R>(query);
      return runExclusively(query.sql, () => run<R>(query));
    },
    streamQuery() {
      throw new Error('The metadata store does not stream.');
    },
  });

  return {
    init: async () => undefined,
    acquireConnection: async () => connect(),
    async beginTransaction(connection, { accessMode }) {
      // one that only reads sees one moment and blocks no writer
      const begin = accessMode === 'read only' ? 'begin' : 'begin immediate';
      await runExclusively(begin, () => database.exec(begin), true);
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
      // closing rolls back a transaction that does not end
      await mutex.acquireWithin(patienceMs);
      database.close();
    },
  };
}

function statementRunner(database: DatabaseSync): <R>(query: CompiledQuery) => QueryResult<R> {
  const cache = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  function prepare(sql: string) {
    const known = cache.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    if (cache.size >= CACHED_STATEMENTS) cache.clear(); // lists of any length make many statements
    cache.set(sql, prepared);
    return prepared;
  }

  return <R>({ sql, parameters }: CompiledQuery) => {
    const { statement, returnsRows } = prepare(sql);
    const values = removeNul(parameters) as SQLInputValue[]; // throws for other types
    if (returnsRows) return { rows: statement.all(...values) as R[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
  };
}

const busyTimeoutMs = 5; // SQLite's wait blocks the event loop

export async function openSqliteDatabase(file: string): Promise<DatabaseSync> {
  try {
    await createPrivately(file);
    const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
    await configure(database);
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError('unavailable', `The metadata store ${file} cannot be opened: ${reason}`, { cause: error });
  }
}

// SQLite gives its -wal and -shm files the mode of the database
async function createPrivately(file: string): Promise<void> {
  const handle = await openFile(file, 'a', 0o600);
  await handle.close();
}

async function configure(database: DatabaseSync): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      // full: an audit entry that was committed survives a power cut
      return database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    } catch (error) {
      if (isBusy(error) && performance.now() < deadline) {
        await sleep(25);
        continue;
      }
      database.close();
      throw error;
    }
  }
}
