import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { openPostgresStore } from '../../../src/store/sql/postgres.ts';
import { openSqliteStore } from '../../../src/store/sql/sqlite.ts';
import { execute } from '../databases/postgres.ts';
import type { TestService } from './service.ts';

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
