import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { preparedNameOf } from '../db.ts';
import { removeNul } from '../statements/normalize-text.ts';
import { isServerError, storeErrorOf } from '../statements/store-errors.ts';

export const postgresDialect = (pool: Pool): Dialect => ({
  createDriver: () => postgresDriver(pool),
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
});

function postgresDriver(pool: Pool): Driver {
  return {
    destroy: () => pool.end(),
    init: async () => undefined,
    async acquireConnection() {
      try {
        return new PostgresConnection(await pool.connect());
      } catch (error) {
        throw storeErrorOf(error, 'connect');
      }
    },
    async beginTransaction(connection, { isolationLevel = 'read committed', accessMode = 'read write' }) {
      await requireOwn(connection).execute(`start transaction isolation level ${isolationLevel} ${accessMode}`);
    },
    // PostgreSQL silently turns the commit of a failed transaction into a rollback: report the failure instead
    async commitTransaction(connection) {
      const { failure } = requireOwn(connection);
      if (failure !== null) throw failure;
      await requireOwn(connection).execute('commit');
    },
    async rollbackTransaction(connection) {
      if (!requireOwn(connection).broken) await requireOwn(connection).execute('rollback');
    },
    async releaseConnection(connection) {
      const { client, broken } = requireOwn(connection);
      client.release(broken);
    },
  };
}

/** Runs a prepared statement outside of transactions and without Kysely. */
export async function runPrepared(pool: Pool, name: string, text: string, values: unknown[] = []) {
  try {
    return await pool.query({ name, text, values });
  } catch (error) {
    throw storeErrorOf(error, text);
  }
}

function requireOwn(connection: DatabaseConnection): PostgresConnection {
  if (connection instanceof PostgresConnection) return connection;
  throw new Error('This connection belongs to another driver.');
}

class PostgresConnection implements DatabaseConnection {
  readonly client: PoolClient;
  broken = false; // the connection cannot be used again
  failure: unknown = null; // of the first statement that failed

  constructor(client: PoolClient) {
    this.client = client;
  }

  async executeQuery<R>(query: CompiledQuery) {
    const { rows, rowCount, command } = await this.execute(query.sql, query.parameters, preparedNameOf(query));
    const changed = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
    return { rows: rows as R[], ...(changed && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  }

  streamQuery(): never {
    throw new Error('The metadata store does not stream.');
  }

  async execute(text: string, parameters: readonly unknown[] = [], name?: string) {
    try {
      return await this.client.query({ text, values: [...removeNul(parameters)], ...(name !== undefined && { name }) });
    } catch (error) {
      this.broken ||= !isServerError(error);
      const failure = storeErrorOf(error, text);
      this.failure ??= failure;
      throw failure;
    }
  }
}

const int8 = 20; // bigint columns are times and counts, far below 2^53

export function openPool(url: string, options: PoolConfig): Pool {
  const pool = new Pool({
    connectionString: url,
    idleTimeoutMillis: 300_000, // opening one takes longer than most calls, so they are kept for the next burst
    // a call may wait for a connection and then for a lock, and must respond within 5 s
    connectionTimeoutMillis: 2_000,
    lock_timeout: 2_000,
    statement_timeout: 10_000,
    query_timeout: 15_000, // if the server vanished without closing the connection
    keepAlive: true,
    application_name: 'sluice',
    types: { getTypeParser: (id, format) => (id === int8 ? Number : types.getTypeParser(id, format)) },
    ...options,
  });
  // a lost connection fails its statement, not the process
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
