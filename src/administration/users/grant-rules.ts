import { administratorRole, type Permission } from '../../access/permission.ts';
import { has, inScope, type Principal } from '../../access/principal.ts';
import type { DatabaseScope, Role, User } from '../../access/user.ts';
import { type Failure, failed } from '../../errors.ts';

export const isAdministrator = (actor: Principal): boolean => actor.roleNames.includes(administratorRole);

type Denied = { readonly ok: false; readonly failure: Failure };
export const permissionDenied = (permission: Permission): Denied => failed({ kind: 'PermissionDenied', permission });
const roleNeeded = (role: string): Denied => failed({ kind: 'PermissionDenied', role });
export const administratorNeeded = roleNeeded(administratorRole);

/** Refused where the actor lacks one of these permissions. */
export function missingPermission(actor: Principal, wanted: readonly Permission[]): Denied | null {
  const refusal = wanted.find((permission) => !has(actor, permission));
  return refusal === undefined ? null : permissionDenied(refusal);
}

/** Whether a permission counts within the database scope of its holder. */
export const isScoped = (permission: Permission): boolean => permission.startsWith('queries.');

/** An account with rights in some databases would reach further if it could give someone, say an account that it made, a wider scope. */
export const isLimitedByScope = (actor: Principal): boolean =>
  actor.databaseScope !== '*' && !isAdministrator(actor) && [...actor.permissions].some(isScoped);

/** What the rank of an account is judged by. */
export interface GrantContext {
  readonly roles: readonly Role[];
  readonly guardedRoleIds: ReadonlySet<string>; // those that some query names
}

/**
 * Nobody gives rights beyond their own, nor touches an account that has such. A role that some query names opens that query, whatever
 * its permissions: its holders and Administrators give it. A database scope counts for actors who have rights within one. So a Security
 * Administrator, who has none, may set scopes (alone they give nothing), while who manages users and reads some databases cannot open
 * others for an account.
 */
export function missingPrivilege(
  actor: Principal,
  user: Pick<User, 'roleIds' | 'databaseScope'>,
  context: GrantContext,
): Denied | null {
  const theirRoles = context.roles.filter((role) => user.roleIds.includes(role.id));
  const theirs = theirRoles.flatMap((role) => role.permissions);
  const refusal = missingPermission(actor, theirs) ?? missingGuardedRole(actor, theirRoles, context.guardedRoleIds);
  if (refusal !== null) return refusal;
  return isLimitedByScope(actor) && !covers(actor, user.databaseScope) ? administratorNeeded : null;
}

/**
 * Refused where the account would serve the actor beyond their own rights if its password, e-mail address or keys were theirs. Here the
 * scope counts by itself: a role that reads data may come to the account later.
 */
export function missingPrivilegeToTakeOver(actor: Principal, user: User, context: GrantContext): Denied | null {
  const refusal = missingPrivilege(actor, user, context);
  if (refusal !== null) return refusal;
  return isAdministrator(actor) || covers(actor, user.databaseScope) ? null : administratorNeeded;
}

/** Refused where one of these roles is named by a query and the actor does not hold it. */
export function missingGuardedRole(actor: Principal, roles: readonly Role[], guardedRoleIds: ReadonlySet<string>): Denied | null {
  if (isAdministrator(actor)) return null;
  const foreign = roles.find(({ id }) => guardedRoleIds.has(id) && !actor.roleIds.includes(id));
  return foreign === undefined ? null : roleNeeded(foreign.name);
}

const covers = (actor: Principal, scope: DatabaseScope): boolean =>
  scope === '*' ? actor.databaseScope === '*' : scope.every((id) => inScope(actor, id));
