import { has, inScope, type Principal } from '../../access/principal.ts';
import type { DatabaseRecord } from '../../store/metadata-store.ts';
import { isoTime } from '../iso-time.ts';

/** A database as shown to users who manage databases, without secrets. */
export interface ManagedDatabaseView extends DatabaseView {
  readonly connection: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly disabled: boolean;
  readonly writable: boolean;
  readonly builtIn: boolean;
  readonly createdAt: string;
}

/** A database as shown to users who run or write queries on it. */
export interface DatabaseView {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly description: string;
  readonly version: number;
}

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

export function managedDatabaseView(database: DatabaseRecord): ManagedDatabaseView {
  const { id, name, kind, description, version, connection, settings, disabled, writable, builtIn, createdAt } = database;
  return {
    id,
    name,
    kind,
    description,
    connection,
    settings,
    disabled,
    writable,
    builtIn,
    version,
    createdAt: isoTime(createdAt),
  };
}
