import { administratorRole, type Permission } from '../../access/permission.ts';
import { has, isInScope, type Principal } from '../../access/principal.ts';
import type { DatabaseScope, Role, User } from '../../access/user.ts';
import { type Failure, failed } from '../../core/errors.ts';
import type { Repositories } from '../../store/metadata-store.ts';

export const isAdministrator = (actor: Principal): boolean => actor.roleNames.includes(administratorRole);

export type Denied = { readonly ok: false; readonly failure: Failure };
export const permissionDenied = (permission: Permission): Denied => failed({ kind: 'PermissionDenied', permission });
const roleNeeded = (role: string): Denied => failed({ kind: 'PermissionDenied', role });
export const administratorNeeded = roleNeeded(administratorRole);

/** The refusal if the actor lacks one of these permissions. */
export function findMissingPermission(actor: Principal, wanted: readonly Permission[]): Denied | null {
  const refusal = wanted.find((permission) => !has(actor, permission));
  return refusal === undefined ? null : permissionDenied(refusal);
}

/** Whether a permission is limited to the holder's database scope. */
export const isScoped = (permission: Permission): boolean => permission.startsWith('queries.');

/** Such an actor must not grant wider scopes than its own, for example to an account that it creates. */
export const isLimitedByScope = (actor: Principal): boolean =>
  actor.databaseScope !== '*' && !isAdministrator(actor) && actor.permissions.some(isScoped);

/** The data that grants are checked against. */
export interface GrantContext {
  readonly roles: readonly Role[];
  readonly guardedRoleIds: ReadonlySet<string>; // roles named by a query
}

/**
 * Nobody can grant rights that they lack, or change an account that has such rights. A role named by a query grants access to
 * that query, so only its holders and Administrators can grant it. Scopes are checked only for actors whose own rights are
 * limited by scope: a Security Administrator has none and may set any scope (which grants nothing by itself), while a user
 * manager who reads some databases cannot open others for an account.
 */
export function findMissingPrivilege(
  actor: Principal,
  user: Pick<User, 'roleIds' | 'databaseScope'>,
  context: GrantContext,
): Denied | null {
  const theirRoles = context.roles.filter((role) => user.roleIds.includes(role.id));
  const theirs = theirRoles.flatMap((role) => role.permissions);
  const refusal = findMissingPermission(actor, theirs) ?? findMissingGuardedRole(actor, theirRoles, context.guardedRoleIds);
  if (refusal !== null) return refusal;
  return isLimitedByScope(actor) && !covers(actor, user.databaseScope) ? administratorNeeded : null;
}

/**
 * The refusal if control over the account's password, e-mail address or keys would give the actor rights that they lack. The
 * scope is checked by itself, because the account may get a role that reads data later.
 */
export function findMissingPrivilegeToTakeOver(actor: Principal, user: User, context: GrantContext): Denied | null {
  const refusal = findMissingPrivilege(actor, user, context);
  if (refusal !== null) return refusal;
  return isAdministrator(actor) || covers(actor, user.databaseScope) ? null : administratorNeeded;
}

/** The refusal if one of these roles is named by a query and the actor does not hold it. */
export function findMissingGuardedRole(
  actor: Principal,
  roles: readonly Role[],
  guardedRoleIds: ReadonlySet<string>,
): Denied | null {
  if (isAdministrator(actor)) return null;
  const foreign = roles.find(({ id }) => guardedRoleIds.has(id) && !actor.roleIds.includes(id));
  return foreign === undefined ? null : roleNeeded(foreign.name);
}

/** What a caller with `users.manage` may do with an account. */
export interface UserRights {
  readonly canEdit: boolean;
  readonly canEditRights: boolean; // roles, databases, expiry
  readonly canDelete: boolean;
}

export function userRights(actor: Principal, user: User, context: GrantContext): UserRights {
  const canEdit = findMissingPrivilege(actor, user, context) === null;
  const isOwn = actor.userId === user.id;
  return { canEdit, canEditRights: canEdit && (!isOwn || isAdministrator(actor)), canDelete: canEdit && !isOwn };
}

/** What a caller with `users.manage` may do with a role. */
export interface RoleRights {
  readonly canGrant: boolean;
  readonly canEdit: boolean;
}

export function roleRights(
  actor: Principal,
  role: Role,
  { guardedRoleIds, boundSources }: Pick<GrantContext, 'guardedRoleIds'> & { readonly boundSources: ReadonlySet<string> },
): RoleRights {
  const refusal = findMissingPermission(actor, role.permissions) ?? findMissingGuardedRole(actor, [role], guardedRoleIds);
  const isFree = isAdministrator(actor) || !boundSources.has('user.roles');
  return { canGrant: refusal === null && isFree, canEdit: refusal === null && !role.builtIn };
}

const covers = (actor: Principal, scope: DatabaseScope): boolean =>
  scope === '*' ? actor.databaseScope === '*' : scope.every((id) => isInScope(actor, id));

/**
 * At least one local account must remain Administrator, independent of the OpenID Connect provider. Call within the writing
 * transaction, so that two administrators cannot demote each other concurrently. `after` is null if the user is deleted.
 */
export async function leavesNoAdministrator(
  users: Repositories['users'],
  roles: readonly Role[],
  before: User,
  after: User | null,
  now: number,
): Promise<boolean> {
  const role = roles.find((each) => each.name === administratorRole);
  if (role === undefined) return false;
  const heldUntil = administersUntil(before, role, now);
  const willHoldUntil = after === null ? now : administersUntil(after, role, now);
  if (willHoldUntil >= heldUntil) return false;
  return (await users.countOthersWithRole(role.id, before.id, willHoldUntil)) === 0;
}

export const lastAdministrator = failed({
  kind: 'StateConflict',
  reason:
    'This is the last Administrator with a local account, which cannot be disabled, demoted, deleted or given an expiry. Make another user Administrator first.',
});

function administersUntil(user: User, role: Role, now: number): number {
  if (user.externalId !== null || user.disabled || !user.roleIds.includes(role.id)) return now;
  return Math.max(now, user.expiresAt ?? Number.POSITIVE_INFINITY);
}
