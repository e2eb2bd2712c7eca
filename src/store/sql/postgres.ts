import { type CompiledQuery, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { Pool, type PoolConfig, types } from 'pg';
import type { MetadataStore } from '../metadata-store.ts';
import { catalogGeneration } from './catalog-generation.ts';
import { preparedName, shortenHotPath } from './hot-query.ts';
import { migrate } from './migrate.ts';
import { appendAudit } from './postgres-audit.ts';
import { postgresDriver, runOnce } from './postgres-driver.ts';
import { type Generation, rememberedReads } from './remembered-reads.ts';
import type { Tables } from './schema.ts';
import { sqlStore } from './store.ts';

/**
 * What every call does has a connection for itself, so that it never waits for the searches of a person: one reads the generation, one
 * commits audit entries. Each does one thing at a time for all calls that wait for it.
 */
export async function openPostgresStore(url: string): Promise<MetadataStore> {
  const pool = openPool(url, { max: 8 });
  const generationPool = openPool(url, { max: 1, query_timeout: 4_000 });
  const auditPool = openPool(url, { max: 1 });
  const endAll = async (): Promise<void> => {
    await Promise.all([pool, generationPool, auditPool].map((each) => each.end()));
  };
  const db = new Kysely<Tables>({
    dialect: {
      createDriver: () => ({ ...postgresDriver(pool), destroy: endAll }),
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
  shortenHotPath(db, async <R>(query: CompiledQuery<R>) => {
    const { rows } = await runOnce(pool, { name: preparedName(query), text: query.sql, values: query.parameters });
    return { rows: rows as R[] };
  });
  const store = sqlStore(db, 'postgres');
  return {
    ...store,
    ...rememberedReads(store, postgresGeneration(generationPool)),
    audit: { ...store.audit, append: (entries) => appendAudit(auditPool, entries) },
  };
}

/**
 * A number of this process, which grows whenever the sum of the counters is another one than before. Also with a new connection: it may be
 * to another server, which took over and lost the last commits, and counts from there to the same sum once more.
 */
function postgresGeneration(pool: Pool): Generation {
  let generation = 0;
  let sum: unknown;
  pool.on('connect', () => {
    generation++;
  });
  return catalogGeneration(async () => {
    const { rows } = await runOnce(pool, { name: 'generation', text: 'select sum(value) as sum from catalog_generation' });
    if (rows[0]?.sum !== sum) generation++;
    sum = rows[0]?.sum;
    return generation;
  });
}

const int8 = 20; // our bigints are times and counts, far below 2^53

function openPool(url: string, options: PoolConfig): Pool {
  const pool = new Pool({
    connectionString: url,
    idleTimeoutMillis: 300_000, // to open one takes longer than most calls: a burst after a pause finds them open
    // first for one of the connections, then for a lock: a call is answered within 5 s all the same
    connectionTimeoutMillis: 2_000,
    lock_timeout: 2_000,
    statement_timeout: 10_000,
    query_timeout: 15_000, // where the server is gone without a word
    keepAlive: true,
    application_name: 'sluice',
    types: { getTypeParser: (id, format) => (id === int8 ? Number : types.getTypeParser(id, format)) },
    ...options,
  });
  // a lost connection fails the statement that meets it, never the process
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
