import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { Pool, types } from 'pg';
import type { MetadataStore } from '../metadata-store.ts';
import { migrate } from './migrate.ts';
import { postgresDriver } from './postgres-driver.ts';
import type { Tables } from './schema.ts';
import { sqlStore } from './store.ts';

export async function openPostgresStore(url: string): Promise<MetadataStore> {
  const pool = openPool(url);
  const db = new Kysely<Tables>({
    dialect: {
      createDriver: () => postgresDriver(pool),
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    },
  });
  try {
    await migrate(db, 'postgres');
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return sqlStore(db);
}

const int8 = 20; // our bigints are times and counts, far below 2^53

function openPool(url: string): Pool {
  const pool = new Pool({
    connectionString: url,
    max: 10,
    idleTimeoutMillis: 300_000, // to open one takes longer than most calls: a burst after a pause finds them open
    // first for one of the connections, then for a lock: a call is answered within 5 s all the same
    connectionTimeoutMillis: 2_000,
    lock_timeout: 2_000,
    statement_timeout: 10_000,
    query_timeout: 15_000, // where the server is gone without a word
    keepAlive: true,
    application_name: 'sluice',
    types: { getTypeParser: (id, format) => (id === int8 ? Number : types.getTypeParser(id, format)) },
  });
  // a lost connection fails the statement that meets it, never the process
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
