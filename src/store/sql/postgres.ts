import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { Pool, type PoolConfig, types } from 'pg';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import type { MetadataCopy } from '../metadata-copy.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { addMonths, keepPartitions, validateStatement } from './audit-partitions.ts';
import { auditRowOf } from './audit-row.ts';
import { catalogGeneration, type Generation } from './catalog-generation.ts';
import { metadataCopy } from './copy.ts';
import { migrated } from './migrate.ts';
import { postgresDriver, runPrepared } from './postgres-driver.ts';
import { rememberedReads } from './remembered-reads.ts';
import { type Db, openDb } from './schema.ts';
import { isCheckViolation, isValueError, storeErrorOf } from './store-errors.ts';
import { sqlStore } from './store.ts';

/**
 * What every call needs has a separate connection, so that it never waits for searches in the UI: one reads the generation, one commits
 * audit entries. Each runs one statement at a time for all calls that wait for it.
 */
export async function openPostgresStore(url: string): Promise<MetadataStore> {
  const generationPool = openPool(url, { max: 1, query_timeout: 4_000 });
  const auditPool = openPool(url, { max: 1 });
  const db = await openPostgresDb(url, generationPool, auditPool);
  const store = sqlStore(db, 'postgres');
  return {
    ...store,
    ...rememberedReads(store, postgresGeneration(generationPool)),
    audit: {
      ...store.audit,
      append: (entries) => appendAudit(db, auditPool, entries),
      keepPartitions: (request) => keepPartitions(db, () => validateAudit(url), request),
    },
  };
}

export const openPostgresCopy = async (url: string): Promise<MetadataCopy> => metadataCopy(await openPostgresDb(url), 'postgres');

/** Closes the other pools as well when it is closed. */
function openPostgresDb(url: string, ...others: readonly Pool[]): Promise<Db> {
  const pool = openPool(url, { max: 8 });
  const destroy = async (): Promise<void> => {
    await Promise.all([pool, ...others].map((each) => each.end()));
  };
  const db = openDb({
    createDriver: () => ({ ...postgresDriver(pool), destroy }),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
  });
  return migrated(db, 'postgres');
}

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
  return catalogGeneration(async () => {
    const { rows } = await runPrepared(pool, 'generation', 'select sum(value) as sum from catalog_generation');
    if (rows[0]?.sum !== sum) generation++;
    sum = rows[0]?.sum;
    return generation;
  });
}

/** Commits all entries with one prepared statement, whose parameter is the rows as JSON. */
async function appendAudit(db: Db, pool: Pool, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(auditRowOf);
  const insertRows = () => runPrepared(pool, 'audit', insertOf(Object.keys(rows[0] ?? {})), [jsonOf(rows)]);
  try {
    await insertRows().catch(async (error: unknown) => {
      if (!isCheckViolation(error)) throw error;
      const times = entries.map(({ at }) => at);
      await addMonths(db, times); // by a clock that is far off, or housekeeping did not run for months
      await insertRows();
    });
  } catch (error) {
    if (isValueError(error)) throw new TypeError('An audit entry cannot be stored.', { cause: error }); // a defect, the store is available
    throw error;
  }
}

let insert: string | undefined;
const insertOf = (columns: readonly string[]): string =>
  (insert ??= `insert into audit (${columns.join()}) select ${columns.join()} from json_populate_recordset(null::audit, $1)`);

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

/** PostgreSQL rejects NUL and lone surrogates in text. JSON writes both as escapes, which few entries have. */
function jsonOf(rows: readonly object[]): string {
  const json = JSON.stringify(rows);
  if (!/\\u(0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
  );
}

const int8 = 20; // bigint columns are times and counts, far below 2^53

function openPool(url: string, options: PoolConfig): Pool {
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
