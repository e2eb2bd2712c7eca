import { administratorRole, type Permission } from '../access/permission.ts';
import { has, inScope, type Principal } from '../access/principal.ts';
import type { DatabaseScope, Role, User } from '../access/user.ts';
import { type Failure, failed } from '../errors.ts';

export const isAdministrator = (actor: Principal): boolean => actor.roleNames.includes(administratorRole);

export const denied = (permission: string): { ok: false; failure: Failure } => failed({ kind: 'PermissionDenied', permission });

/** The first of these permissions that the actor lacks. */
export const lacking = (actor: Principal, wanted: readonly Permission[]): Permission | null =>
  wanted.find((permission) => !has(actor, permission)) ?? null;

export const readsData = (permission: Permission): boolean => permission === 'queries.run' || permission === 'queries.author';

/** A limited reader of data would reach further if they could give someone, say an account of their own making, a wider scope. */
export const isLimitedReader = (actor: Principal): boolean =>
  actor.databaseScope !== '*' && !isAdministrator(actor) && [...actor.permissions].some(readsData);

/**
 * Nobody gives rights beyond their own, nor touches an account that has such: by a new password they would be theirs.
 * A database scope counts only together with a permission that reads data. So a Security Administrator, who reads none, may
 * set scopes (alone they give nothing), while who manages users and reads some databases cannot open others for an account.
 * Returns what the actor lacks.
 */
export function beyond(actor: Principal, user: Pick<User, 'roleIds' | 'databaseScope'>, roles: readonly Role[]): string | null {
  const theirs = permissionsOf(user.roleIds, roles);
  const lacks = lacking(actor, theirs);
  if (lacks !== null) return lacks;
  return theirs.some(readsData) && isLimitedReader(actor) && !covers(actor, user.databaseScope) ? administratorRole : null;
}

function permissionsOf(roleIds: readonly string[], roles: readonly Role[]): readonly Permission[] {
  return roles.filter((role) => roleIds.includes(role.id)).flatMap((role) => role.permissions);
}

const covers = (actor: Principal, scope: DatabaseScope): boolean =>
  scope === '*' ? actor.databaseScope === '*' : scope.every((id) => inScope(actor, id));
