import { createDatabase } from '../databases/postgres.ts';

/** TEST_METADATA=postgres has every service of a run keep its metadata in PostgreSQL, where a suite does not say otherwise; else it is SQLite. */
export const onPostgres = process.env.TEST_METADATA === 'postgres';
export const storeName = onPostgres ? 'PostgreSQL' : 'SQLite';

/** Settings for one fresh store of that kind. */
export async function freshStore(): Promise<Readonly<Record<string, string>>> {
  return onPostgres ? { SLUICE_METADATA_URL: await createDatabase() } : {};
}
