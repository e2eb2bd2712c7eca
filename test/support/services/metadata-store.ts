import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { openPostgresStore } from '../../../src/store/sql/postgres/postgres-store.ts';
import { openSqliteStore } from '../../../src/store/sql/sqlite/sqlite-store.ts';
import { createDatabase, execute } from '../databases/postgres.ts';
import { externalResults } from './s3-server.ts';
import type { TestService } from './service.ts';

/** TEST_METADATA=postgres selects PostgreSQL as the metadata store of all services unless a suite sets it; the default is SQLite. */
export const onPostgres = process.env.TEST_METADATA === 'postgres';
export const storeName = onPostgres ? 'PostgreSQL' : 'SQLite';

/** The settings of a new store of that kind, and of a new place for results in the object store of TEST_S3_URL. */
export async function createFreshStore(): Promise<Readonly<Record<string, string>>> {
  return { ...(onPostgres ? { SLUICE_METADATA_URL: await createDatabase() } : {}), ...externalResults() };
}

/** Opens the metadata store of a running service, for changes that no call can make. */
export const openStoreOf = ({ folder, metadataUrl }: TestService): Promise<MetadataStore> =>
  metadataUrl === null ? openSqliteStore(join(folder, 'metadata.sqlite')) : openPostgresStore(metadataUrl);

/** Runs a statement that works on both kinds of store. */
export async function executeInStoreOf({ folder, metadataUrl }: TestService, statement: string): Promise<void> {
  if (metadataUrl !== null) {
    await execute(metadataUrl, statement);
    return;
  }
  const store = new DatabaseSync(join(folder, 'metadata.sqlite'), { timeout: 5_000 });
  store.exec(statement);
  store.close();
}
