import { isDeepStrictEqual } from 'node:util';
import { administratorRole, type Permission } from '../../access/permission.ts';
import { has, isInScope, type Principal, identityOf } from '../../access/principal.ts';
import type { DatabaseScope, Role, User } from '../../access/user.ts';
import { attributeIn, type CallerIdentity, callerFields, callerValues } from '../../catalog/caller-identity.ts';
import { type Failure, failed } from '../../core/errors.ts';
import type { Repositories } from '../../store/metadata-store.ts';

export const isAdministrator = (actor: Principal): boolean => actor.roleNames.includes(administratorRole);

export type Denied = { readonly ok: false; readonly failure: Failure };
export const permissionDenied = (permission: Permission): Denied => failed({ kind: 'PermissionDenied', permission });
const roleNeeded = (role: string): Denied => failed({ kind: 'PermissionDenied', role });
export const administratorNeeded: Denied = failed({
  kind: 'PermissionDenied',
  reason: 'Only an Administrator may do this. Ask one.',
});

export function findMissingPermission(actor: Principal, wanted: readonly Permission[]): Denied | null {
  const refusal = wanted.find((permission) => !has(actor, permission));
  return refusal === undefined ? null : permissionDenied(refusal);
}

/** Whether a permission is limited to the holder's database scope. */
export const isScoped = (permission: Permission): boolean => permission.startsWith('queries.');

/** Such an actor must not grant wider scopes than its own, for example to an account that it creates. */
export const isLimitedByScope = (actor: Principal): boolean =>
  actor.databaseScope !== '*' && !isAdministrator(actor) && actor.permissions.some(isScoped);

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

/** What a caller with `users.manage` may do with an account; the rights are roles, databases and expiry. */
export function userRights(actor: Principal, user: User, context: GrantContext) {
  const canEdit = findMissingPrivilege(actor, user, context) === null;
  const isOwn = actor.userId === user.id;
  return { canEdit, canEditRights: canEdit && (!isOwn || isAdministrator(actor)), canDelete: canEdit && !isOwn };
}

/** What a caller with `users.manage` may do with a role. */
export function roleRights(
  actor: Principal,
  role: Role,
  { guardedRoleIds, boundSources }: Pick<GrantContext, 'guardedRoleIds'> & { readonly boundSources: ReadonlySet<string> },
) {
  const refusal = findMissingPermission(actor, role.permissions) ?? findMissingGuardedRole(actor, [role], guardedRoleIds);
  const isFree = isAdministrator(actor) || !boundSources.has('user.roles');
  return { canGrant: refusal === null && isFree, canEdit: refusal === null && !role.builtIn };
}

const covers = (actor: Principal, scope: DatabaseScope): boolean =>
  scope === '*' ? actor.databaseScope === '*' : scope.every((id) => isInScope(actor, id));

/**
 * At least one local account of a person must remain Administrator, independent of the OpenID Connect provider. Call within the writing
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
  if (user.kind === 'application' || user.externalId !== null || user.disabled || !user.roleIds.includes(role.id)) return now;
  return Math.max(now, user.expiresAt ?? Number.POSITIVE_INFINITY);
}

// The identity of a user decides which rows a query with bound parameters shows them. So only Administrators set the fields that
// an Active query is bound to, and other users do not change their own identity.

export interface IdentityContext extends GrantContext {
  readonly boundSources: ReadonlySet<string>; // of Active queries: `user.email`, `user.attributes.region`
}

/** The refusal if the actor may not give the account this identity. `before` is null for a new account. */
export function findMissingPrivilegeForIdentity(
  actor: Principal,
  before: User | null,
  after: User,
  context: IdentityContext,
): Denied | null {
  const isOwn = before?.id === actor.userId;
  if (isOwn && !isDeepStrictEqual(before.attributes, after.attributes)) return ownAttributes;
  if (isAdministrator(actor)) return null;
  const was = before === null ? nobody : identityOfUser(before, context);
  const changed = changedSources(was, identityOfUser(after, context));
  const [first] = changed;
  if (isOwn && first !== undefined) return denyOwnIdentity(first);
  const bound = changed.find((source) => context.boundSources.has(source) && isGranted(source));
  return bound === undefined ? null : administratorsOnly(bound);
}

/** The refusal if signing in as the user would show the actor rows that are bound to a value which they lack. */
export function findMissingPrivilegeToSignInAs(actor: Principal, user: User, context: IdentityContext): Denied | null {
  if (isAdministrator(actor)) return null;
  const [own, theirs] = [identityOf(actor), identityOfUser(user, context)];
  const foreign = [...context.boundSources].find((source) => {
    const values = callerValues(source, own);
    return callerValues(source, theirs).some((value) => !values.includes(value));
  });
  return foreign === undefined
    ? null
    : deny(`${rowsDependOn(foreign)} Ask an Administrator to set the password or create the key of this user.`);
}

/** The refusal if tokens that the actor could sign would show rows that are bound to any value. */
export function findMissingPrivilegeToVouch(actor: Principal, boundSources: ReadonlySet<string>): Denied | null {
  const claimed = [...boundSources].find((source) => viewerSources.includes(source) || attributeIn(source) !== null);
  if (isAdministrator(actor) || claimed === undefined) return null;
  return deny(`${rowsDependOn(claimed)} Ask an Administrator to set the signing keys of this application.`);
}

const viewerSources = ['user.id', 'user.name'];

/** The refusal if the actor may not choose the name of a role. `before` is null for a new role. */
export function findMissingPrivilegeForRoleName(
  actor: Principal,
  before: Role | null,
  name: string,
  boundSources: ReadonlySet<string>,
): Denied | null {
  if (before?.name === name || isAdministrator(actor) || !boundSources.has('user.roles')) return null;
  return deny(`${rowsDependOn('user.roles')} Ask an Administrator to create or rename the role.`);
}

/** The fields of an account that the actor may not change: `email`, `attributes`, `attributes.region`. */
export function lockedFields(actor: Principal, userId: string, { boundSources }: IdentityContext): readonly string[] {
  const isOwn = actor.userId === userId;
  if (isAdministrator(actor)) return isOwn ? ['attributes'] : [];
  const sources = isOwn ? [...callerFields, 'user.attributes'] : [...boundSources];
  return sources.filter(isGranted).map(fieldOf);
}

const nobody: CallerIdentity = { id: '', name: '', email: '', fullName: '', roles: [], attributes: {} };

const identityOfUser = (user: User, { roles }: GrantContext): CallerIdentity => ({
  id: user.id,
  name: user.username,
  email: user.email,
  fullName: user.fullName,
  roles: roles.filter(({ id }) => user.roleIds.includes(id)).map(({ name }) => name),
  attributes: user.attributes,
});

/** The sources that have another value. */
function changedSources(before: CallerIdentity, after: CallerIdentity): readonly string[] {
  const attributes = new Set([...Object.keys(before.attributes), ...Object.keys(after.attributes)]);
  const sources = [...callerFields, ...[...attributes].map((name) => `user.attributes.${name}`)];
  return sources.filter((source) => !isDeepStrictEqual(callerValues(source, before), callerValues(source, after)));
}

/** The id of an account is random and cannot be chosen. */
const isGranted = (source: string): boolean => source !== 'user.id';

const fieldOf = (source: string): string => (source === 'user.name' ? 'username' : source.replace(/^user\./, ''));

const deny = (reason: string): Denied => failed({ kind: 'PermissionDenied', reason });

const rowsDependOn = (source: string): string =>
  `An Active query is bound to ${source}, which decides the rows that a user sees.`;

const administratorsOnly = (source: string): Denied =>
  deny(`${rowsDependOn(source)} Only an Administrator may set ${fieldOf(source)}. Ask one, or leave the field out.`);

const ownAttributes = deny('Nobody may change their own attributes. Ask someone else who manages users.');

const denyOwnIdentity = (source: string): Denied =>
  deny(`This is your own account: you may not change its ${fieldOf(source)}. Ask someone else who manages users.`);
