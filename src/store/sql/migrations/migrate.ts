import { sql, type Transaction } from 'kysely';
import { StoreError } from '../../metadata-store.ts';
import type { Db, Tables } from '../db.ts';
import { migrations } from './index.ts';
import { type SqlKind, statementsOf } from './migration.ts';

/** Applies all migrations, and closes the store if one fails. Several processes may open one store at the same moment. */
export async function migrateOrClose(db: Db, kind: SqlKind): Promise<Db> {
  try {
    await migrate(db, kind);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function migrate(db: Db, kind: SqlKind): Promise<void> {
  // not serializable: after waiting for the lock, the changes of its previous holder must be visible
  return db.transaction().execute(async (transaction) => {
    await lock(transaction, kind);
    await sql`create table if not exists migrations (name text primary key, at bigint not null)`.execute(transaction);
    const done = await namesOf(transaction);
    refuseNewer(done);
    for (const migration of migrations.filter(({ name }) => !done.has(name))) {
      for (const statement of statementsOf(migration, kind)) await sql.raw(statement).execute(transaction);
      await transaction.insertInto('migrations').values({ name: migration.name, at: Date.now() }).execute();
    }
  });
}

// SQLite transactions begin with the write lock
async function lock(transaction: Transaction<Tables>, kind: SqlKind): Promise<void> {
  if (kind === 'sqlite') return;
  // another process may be migrating for a long time
  await sql`set local statement_timeout = 0`.execute(transaction);
  await sql`set local lock_timeout = 0`.execute(transaction);
  await sql`select pg_advisory_xact_lock(${advisoryLock})`.execute(transaction);
}

const advisoryLock = 7_305_117; // any number, the same in every version

async function namesOf(transaction: Transaction<Tables>): Promise<Set<string>> {
  const rows = await transaction.selectFrom('migrations').select('name').execute();
  return new Set(rows.map((row) => row.name));
}

function refuseNewer(done: ReadonlySet<string>): void {
  const unknown = [...done].filter((name) => !migrations.some((migration) => migration.name === name));
  if (unknown.length === 0) return;
  throw new StoreError(
    'unavailable',
    `The metadata store was written by a newer version (${unknown.join(', ')}). Start that version, or restore a backup from before it.`,
  );
}
