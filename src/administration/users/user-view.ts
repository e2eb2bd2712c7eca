import type { DatabaseScope, Role, User } from '../../access/user.ts';
import type { FieldProblem } from '../../core/errors.ts';
import type { Repositories } from '../../store/metadata-store.ts';
import { isoTime } from '../iso-time.ts';

export interface Directory {
  readonly roles: readonly Role[];
  readonly guardedRoleIds: ReadonlySet<string>; // roles named by a query
  readonly databases: readonly { readonly id: string; readonly name: string }[];
  readonly owners: ReadonlyMap<string, string>; // names by id
}

export async function readDirectory(store: Pick<Repositories, 'roles' | 'databases' | 'users'>): Promise<Directory> {
  return {
    roles: await store.roles.listAll(),
    guardedRoleIds: await store.roles.listNamedByQueries(),
    databases: await store.databases.listAll(),
    owners: await store.users.readOwners(),
  };
}

/** A user as shown in the interface, with roles and databases by name. */
export const userView = (user: User, directory: Directory) => ({
  id: user.id,
  kind: user.kind,
  username: user.username,
  fullName: user.fullName,
  email: user.email,
  roles: roleNames(user.roleIds, directory),
  databases: databaseNames(user.databaseScope, directory),
  attributes: user.attributes,
  expiresAt: isoTime(user.expiresAt),
  disabled: user.disabled,
  external: user.externalId !== null, // signs in through OpenID Connect, which also provides name, roles and databases
  owner: directory.owners.get(user.ownerId ?? '') ?? null,
  createdAt: isoTime(user.createdAt),
  version: user.version,
});

const roleNames = (ids: readonly string[], { roles }: Directory): string[] =>
  roles.filter((role) => ids.includes(role.id)).map((role) => role.name);

/** Deleted databases are left out: they have no name that could be sent back. */
export const databaseNames = (scope: DatabaseScope, { databases }: Pick<Directory, 'databases'>): string[] =>
  scope === '*' ? ['*'] : databases.filter((database) => scope.includes(database.id)).map((database) => database.name);

type Found<T> = { readonly value: T; readonly problems: readonly FieldProblem[] };

export function rolesByName(names: readonly string[], { roles }: Directory): Found<readonly string[]> {
  return byName('roles', 'role', names, roles);
}

export function scopeByName(names: readonly string[], { databases }: Directory): Found<DatabaseScope> {
  if (!names.includes('*')) return byName('databases', 'database', names, databases);
  const alone = names.every((name) => name === '*');
  return { value: '*', problems: alone ? [] : [{ field: 'databases', message: 'Send "*" (all databases) on its own.' }] };
}

function byName(
  field: string,
  what: string,
  names: readonly string[],
  among: readonly { readonly id: string; readonly name: string }[],
): Found<readonly string[]> {
  const ids = new Set<string>();
  const problems: FieldProblem[] = [];
  for (const [index, name] of names.entries()) {
    const found = among.find((each) => each.name === name);
    if (found === undefined) problems.push({ field: `${field}.${index}`, message: `There is no ${what} with this name.` });
    else ids.add(found.id);
  }
  return { value: [...ids], problems };
}
