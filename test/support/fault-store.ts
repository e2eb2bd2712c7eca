import { createDatabase } from './postgres.ts';
import type { Environment } from './process.ts';

/** TEST_METADATA=postgres runs a fault on PostgreSQL metadata; else it is SQLite's turn. */
export const onPostgres = process.env.TEST_METADATA === 'postgres';
export const storeName = onPostgres ? 'PostgreSQL' : 'SQLite';

/** Settings for one fresh store of that kind. */
export async function freshStore(): Promise<Environment> {
  return onPostgres ? { SLUICE_METADATA_URL: await createDatabase() } : {};
}
