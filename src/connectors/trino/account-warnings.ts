import { literal } from './parameters.ts';
import { type QueryClient, TrinoError } from './query-client.ts';
import type { TrinoSettings } from './settings.ts';

/** Warnings for the user who tests the connection. Few catalogs report privileges. */
export async function accountWarnings(
  query: QueryClient,
  { catalog, user }: TrinoSettings,
  writable: boolean,
): Promise<readonly string[]> {
  await query.rows("EXECUTE IMMEDIATE 'SELECT ?' USING 1"); // as every query with parameters does
  const warnings: string[] = [];
  if (writable) {
    warnings.push('Trino has no transactions: queries with an Epilogue cannot run, although this is marked writable.');
  }
  if (await canWrite(query, catalog, user)) warnings.push(`The account ${user} can write in the catalog ${catalog}.`);
  return warnings;
}

async function canWrite(query: QueryClient, catalog: string, user: string): Promise<boolean> {
  const privileges = `"${catalog.replaceAll('"', '""')}".information_schema.table_privileges`;
  try {
    const rows = await query.rows(
      `SELECT 1 FROM ${privileges} WHERE grantee = ${literal(user)} AND privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'OWNERSHIP') LIMIT 1`,
    );
    return rows.length > 0;
  } catch (error) {
    if (error instanceof TrinoError) return false; // the catalog does not support privileges
    throw error;
  }
}
