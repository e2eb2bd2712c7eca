import { administratorRole, type Permission } from '../../access/permission.ts';
import { has, inScope, type Principal } from '../../access/principal.ts';
import type { DatabaseScope, Role, User } from '../../access/user.ts';
import { type Failure, failed } from '../../errors.ts';

export const isAdministrator = (actor: Principal): boolean => actor.roleNames.includes(administratorRole);

type Denied = { readonly ok: false; readonly failure: Failure };
export const denied = (permission: Permission): Denied => failed({ kind: 'PermissionDenied', permission });
const roleNeeded = (role: string): Denied => failed({ kind: 'PermissionDenied', role });
export const administratorNeeded = roleNeeded(administratorRole);

/** Refused where the actor lacks one of these permissions. */
export function lacking(actor: Principal, wanted: readonly Permission[]): Denied | null {
  const lacks = wanted.find((permission) => !has(actor, permission));
  return lacks === undefined ? null : denied(lacks);
}

/** Whether a permission counts within the database scope of its holder. */
export const isScoped = (permission: Permission): boolean => permission.startsWith('queries.');

/** An account with rights in some databases would reach further if it could give someone, say an account that it made, a wider scope. */
export const isLimitedByScope = (actor: Principal): boolean =>
  actor.databaseScope !== '*' && !isAdministrator(actor) && [...actor.permissions].some(isScoped);

/** What the rank of an account is judged by. */
export interface Ranks {
  readonly roles: readonly Role[];
  readonly guardedRoleIds: ReadonlySet<string>; // those that some query names
}

/**
 * Nobody gives rights beyond their own, nor touches an account that has such. A role that some query names opens that query, whatever
 * its permissions: its holders and Administrators give it. A database scope counts for actors who have rights within one. So a Security
 * Administrator, who has none, may set scopes (alone they give nothing), while who manages users and reads some databases cannot open
 * others for an account.
 */
export function beyond(actor: Principal, user: Pick<User, 'roleIds' | 'databaseScope'>, ranks: Ranks): Denied | null {
  const theirRoles = ranks.roles.filter((role) => user.roleIds.includes(role.id));
  const theirs = theirRoles.flatMap((role) => role.permissions);
  const lacks = lacking(actor, theirs) ?? guarded(actor, theirRoles, ranks.guardedRoleIds);
  if (lacks !== null) return lacks;
  return isLimitedByScope(actor) && !covers(actor, user.databaseScope) ? administratorNeeded : null;
}

/**
 * Refused where the account would serve the actor beyond their own rights if its password, e-mail address or keys were theirs. Here the
 * scope counts by itself: a role that reads data may come to the account later.
 */
export function beyondTakingOver(actor: Principal, user: User, ranks: Ranks): Denied | null {
  const lacks = beyond(actor, user, ranks);
  if (lacks !== null) return lacks;
  return isAdministrator(actor) || covers(actor, user.databaseScope) ? null : administratorNeeded;
}

/** Refused where one of these roles is named by a query and the actor does not hold it. */
export function guarded(actor: Principal, roles: readonly Role[], guardedRoleIds: ReadonlySet<string>): Denied | null {
  if (isAdministrator(actor)) return null;
  const foreign = roles.find(({ id }) => guardedRoleIds.has(id) && !actor.roleIds.includes(id));
  return foreign === undefined ? null : roleNeeded(foreign.name);
}

const covers = (actor: Principal, scope: DatabaseScope): boolean =>
  scope === '*' ? actor.databaseScope === '*' : scope.every((id) => inScope(actor, id));
