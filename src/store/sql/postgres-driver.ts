import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { preparedName } from './prepared-query.ts';
import { isServerError, storeErrorOf } from './store-errors.ts';
import { withoutNul } from './text.ts';

export function postgresDriver(pool: Pool): Omit<Driver, 'destroy'> {
  const states = new WeakMap<DatabaseConnection, ConnectionState>();
  const stateOf = (connection: DatabaseConnection): ConnectionState => {
    const state = states.get(connection);
    if (!state) throw new Error('This connection belongs to another driver.');
    return state;
  };

  return {
    init: async () => undefined,
    async acquireConnection() {
      const state: ConnectionState = { client: await connect(pool), broken: false, failure: null };
      const connection = connectionOf(state);
      states.set(connection, state);
      return connection;
    },
    async beginTransaction(connection, { isolationLevel = 'read committed', accessMode = 'read write' }) {
      await execute(stateOf(connection), `start transaction isolation level ${isolationLevel} ${accessMode}`);
    },
    // PostgreSQL silently turns the commit of a failed transaction into a rollback: report the failure instead
    async commitTransaction(connection) {
      const state = stateOf(connection);
      if (state.failure !== null) throw state.failure;
      await execute(state, 'commit');
    },
    async rollbackTransaction(connection) {
      const state = stateOf(connection);
      if (!state.broken) await execute(state, 'rollback');
    },
    async releaseConnection(connection) {
      const { client, broken } = stateOf(connection);
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

interface ConnectionState {
  readonly client: PoolClient;
  broken: boolean; // the connection, not the statement
  failure: unknown; // of the first statement that failed
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw storeErrorOf(error, 'connect');
  }
}

function connectionOf(state: ConnectionState): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery) {
      const { rows, rowCount, command } = await execute(state, query.sql, query.parameters, preparedName(query));
      const changed = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
      return { rows: rows as R[], ...(changed && { numAffectedRows: BigInt(rowCount ?? 0) }) };
    },
    streamQuery() {
      throw new Error('The metadata store does not stream.');
    },
  };
}

async function execute(state: ConnectionState, text: string, parameters: readonly unknown[] = [], name?: string) {
  try {
    return await state.client.query({ text, values: [...withoutNul(parameters)], ...(name !== undefined && { name }) });
  } catch (error) {
    state.broken ||= !isServerError(error);
    const failure = storeErrorOf(error, text);
    state.failure ??= failure;
    throw failure;
  }
}
