import type { DatabaseSync } from 'node:sqlite';
import { type Dialect, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { MetadataStore } from '../metadata-store.ts';
import { shortenHotPath } from './hot-query.ts';
import { migrate } from './migrate.ts';
import type { Tables } from './schema.ts';
import { openSqliteDatabase } from './sqlite-database.ts';
import { type SqliteDriver, sqliteDriver } from './sqlite-driver.ts';
import { sqlStore } from './store.ts';

export async function openSqliteStore(file: string): Promise<MetadataStore> {
  return sqliteStoreOn(await openSqliteDatabase(file));
}

/** On an open database, which the store then owns. */
export async function sqliteStoreOn(database: DatabaseSync): Promise<MetadataStore> {
  const driver = sqliteDriver(database);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(driver) });
  try {
    await migrate(db, 'sqlite');
  } catch (error) {
    await db.destroy();
    throw error;
  }
  shortenHotPath(db, driver.run);
  return sqlStore(db);
}

const sqliteDialect = (driver: SqliteDriver): Dialect => ({
  createDriver: () => driver,
  createAdapter: () => new ManyCallersAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
});

/** The driver itself lets callers take turns. */
class ManyCallersAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
