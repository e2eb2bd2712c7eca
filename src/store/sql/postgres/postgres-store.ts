import type { Pool } from 'pg';
import type { MetadataCopy } from '../../metadata-copy.ts';
import type { MetadataStore } from '../../metadata-store.ts';
import { keepPartitions, validateStatement } from '../audit/audit-partitions.ts';
import { postgresAuditWriter } from '../audit/audit-threads.ts';
import { cacheReads, createGeneration, type Generation } from '../catalog/cache-reads.ts';
import { metadataCopy } from '../copy.ts';
import { type Db, openDb } from '../db.ts';
import { migrateOrClose } from '../migrations/migrate.ts';
import { storeErrorOf } from '../statements/store-errors.ts';
import { sqlStore } from '../store.ts';
import { openPool, postgresDialect, runPrepared } from './driver.ts';

/**
 * The statements that every call needs have separate connections, so that they never wait for searches in the UI: one connection reads the
 * generation, and one in a thread commits audit entries. Each runs one statement at a time for all calls that wait for it.
 */
export async function openPostgresStore(url: string): Promise<MetadataStore> {
  const generationPool = openPool(url, { max: 1, query_timeout: 4_000 });
  const db = await openPostgresDb(url);
  const store = sqlStore(db, 'postgres');
  const writer = postgresAuditWriter(url);
  return {
    ...store,
    ...cacheReads(store, postgresGeneration(generationPool)),
    audit: {
      ...store.audit,
      append: writer.append,
      keepPartitions: (request) => keepPartitions(db, () => validateAudit(url), request),
    },
    close: async () => {
      await Promise.all([writer.close(), store.close()]);
      if (!generationPool.ending) await generationPool.end();
    },
  };
}

export const openPostgresCopy = async (url: string): Promise<MetadataCopy> => metadataCopy(await openPostgresDb(url), 'postgres');

const openPostgresDb = (url: string): Promise<Db> =>
  migrateOrClose(openDb(postgresDialect(openPool(url, { max: 8 }))), 'postgres');

/**
 * Increases when the sum of the counters changes, and with each new connection: after a failover the new server may have lost the last
 * commits, and may reach the same sum again by other changes.
 */
function postgresGeneration(pool: Pool): Generation {
  let generation = 0;
  let sum: unknown;
  pool.on('connect', () => {
    generation++;
  });
  return createGeneration(async () => {
    const { rows } = await runPrepared(pool, 'generation', 'select sum(value) as sum from catalog_generation');
    if (rows[0]?.sum !== sum) generation++;
    sum = rows[0]?.sum;
    return generation;
  });
}

/** Takes minutes for some hundred million entries, during which others read and write. */
async function validateAudit(url: string): Promise<void> {
  const pool = openPool(url, { max: 1, statement_timeout: 0, query_timeout: 0 });
  try {
    await pool.query(validateStatement);
  } catch (error) {
    throw storeErrorOf(error, validateStatement);
  } finally {
    await pool.end();
  }
}
