import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { openPostgresStore } from '../../../src/store/sql/postgres.ts';
import { openSqliteStore } from '../../../src/store/sql/sqlite.ts';
import { createDatabase, execute } from '../databases/postgres.ts';
import type { TestService } from './service.ts';

/** TEST_METADATA=postgres has every service of a run keep its metadata in PostgreSQL, where a suite does not say otherwise; else it is SQLite. */
export const onPostgres = process.env.TEST_METADATA === 'postgres';
export const storeName = onPostgres ? 'PostgreSQL' : 'SQLite';

/** Settings for one fresh store of that kind. */
export async function freshStore(): Promise<Readonly<Record<string, string>>> {
  return onPostgres ? { SLUICE_METADATA_URL: await createDatabase() } : {};
}

/** The metadata of a running service, of either kind, for what no call can bring about. */
export const openStoreOf = ({ folder, metadataUrl }: TestService): Promise<MetadataStore> =>
  metadataUrl === null ? openSqliteStore(join(folder, 'metadata.sqlite')) : openPostgresStore(metadataUrl);

/** One statement that both kinds understand. */
export async function executeInStoreOf({ folder, metadataUrl }: TestService, statement: string): Promise<void> {
  if (metadataUrl !== null) {
    await execute(metadataUrl, statement);
    return;
  }
  const store = new DatabaseSync(join(folder, 'metadata.sqlite'), { timeout: 5_000 });
  store.exec(statement);
  store.close();
}
