import { Pool, type PoolConfig, types } from 'pg';

const int8 = 20; // bigint columns are times and counts, far below 2^53

export function openPool(url: string, options: PoolConfig): Pool {
  const pool = new Pool({
    connectionString: url,
    idleTimeoutMillis: 300_000, // opening one takes longer than most calls, so keep them for the next burst
    // a call waits for a connection and then for a lock, and must still respond within 5 s
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
