import { isDeepStrictEqual } from 'node:util';
import { identityOf, type Principal } from '../../access/principal.ts';
import type { Role, User } from '../../access/user.ts';
import { type CallerIdentity, callerFields, callerValues } from '../../catalog/caller-identity.ts';
import { failed } from '../../core/errors.ts';
import { type Denied, type GrantContext, isAdministrator } from './grant-rules.ts';

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
  return foreign === undefined ? null : deny(`${rowsDependOn(foreign)} Ask an Administrator to set the password of this user.`);
}

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
