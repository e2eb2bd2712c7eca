import { has, inScope, type Principal } from '../../access/principal.ts';
import type { DatabaseRecord } from '../../store/metadata-store.ts';
import { isoTime } from '../iso-time.ts';

/** A database as shown to users who manage databases, without secrets. */
export type ManagedDatabaseView = Omit<DatabaseRecord, 'sealedSecrets' | 'createdAt' | 'deletedAt'> & {
  readonly createdAt: string;
};

/** A database as shown to users who run or write queries on it. */
export type DatabaseView = Pick<DatabaseRecord, 'id' | 'name' | 'kind' | 'description' | 'version'>;

export const managesDatabases = (actor: Principal): boolean => has(actor, 'databases.manage');

/** Visible to users who manage databases, and to users who run or write queries and have it in their scope. */
export function seesDatabase(actor: Principal, database: DatabaseRecord): boolean {
  if (database.deletedAt !== null) return false;
  return managesDatabases(actor) || (usesDatabases(actor) && inScope(actor, database.id));
}

export const usesDatabases = (actor: Principal): boolean => has(actor, 'queries.run') || has(actor, 'queries.author');

export function databaseView(actor: Principal, database: DatabaseRecord): DatabaseView | ManagedDatabaseView {
  const { id, name, kind, description, version } = database;
  return managesDatabases(actor) ? managedDatabaseView(database) : { id, name, kind, description, version };
}

export function managedDatabaseView({ sealedSecrets, deletedAt, ...database }: DatabaseRecord): ManagedDatabaseView {
  return { ...database, createdAt: isoTime(database.createdAt) };
}
