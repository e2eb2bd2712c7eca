import type { CopiedRow } from '../metadata-copy.ts';
import { StoreError } from '../metadata-store.ts';
import { migrations } from './migrations/index.ts';
import type { Tables } from './schema.ts';

/**
 * Every table, referenced ones first, except `migrations`, `executions`, `leases` and `guesses`, which belong to the running service,
 * `catalog_generation`, which triggers increment, and `audit_blocks`, which is derived from `audit`.
 */
export const copiedTables = [
  'users',
  'roles',
  'user_roles',
  'api_keys',
  'api_key_rows',
  'sessions',
  'databases',
  'queries',
  'query_versions',
  'query_roles',
  'query_tags',
  'embeds',
  'settings',
  'audit',
] as const satisfies readonly (keyof Tables)[];

export const knownMigrations: readonly string[] = migrations.map(({ name }) => name);

export function tableOf(name: string): string {
  if (copiedTables.some((table) => table === name)) return name;
  throw new StoreError('unavailable', `The backup has a table ${JSON.stringify(name)} that this version does not know.`);
}

/** Column names go into SQL as they are. */
export function columnsOf({ row }: CopiedRow): readonly string[] {
  const columns = Object.keys(row);
  if (columns.length > 0 && columns.every((column) => /^[a-z][a-z0-9_]*$/.test(column))) return columns;
  throw new StoreError('unavailable', 'The backup has a row with columns that no version wrote.');
}

export const alreadyUsed = (): StoreError =>
  new StoreError(
    'in-use',
    'The metadata store is in use already. Restore into an empty one: another data folder, or an empty database.',
  );
