import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { passwordProblem, type Passwords } from '../../access/password.ts';
import type { Principal } from '../../access/principal.ts';
import { attributeProblems, type User, type UserAttributes, type UserKind } from '../../access/user.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { failed, fieldInvalid, type FieldProblem, type Result, succeeded } from '../../core/errors.ts';
import { transact } from '../../pipeline/steps/store-failure.ts';
import type { ListRequest, Repositories } from '../../store/metadata-store.ts';
import { type AdministrationParts, type AuditNote, differencesOf, type IfMatch } from '../change.ts';
import { isoTime, parseIsoTime } from '../iso-time.ts';
import { lineProblem, usernameProblem } from '../name-problem.ts';
import { findOwner, kindProblems, missingFields, noUser, type Owner, ownedBy } from './applications.ts';
import {
  administratorNeeded,
  isAdministrator,
  lastAdministrator,
  leavesNoAdministrator,
  findMissingPrivilege,
  findMissingPrivilegeToTakeOver,
  userRights,
  type IdentityContext,
  lockedFields,
  findMissingPrivilegeForIdentity,
  findMissingPrivilegeToSignInAs,
} from './grant-rules.ts';
import { type Directory, readDirectory, rolesByName, scopeByName, userView } from './user-view.ts';

export interface UserFields {
  readonly username: string;
  readonly password: string;
  readonly fullName: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly databases: readonly string[];
  readonly attributes: UserAttributes;
  readonly owner: string | null; // user name
  readonly expiresAt: string | null;
  readonly disabled: boolean;
}
/** Fields left out stay unchanged. */
export type UserChange = { readonly [K in keyof UserFields]?: UserFields[K] | undefined };
export type NewUser = UserChange & Pick<UserFields, 'username'> & { readonly kind?: UserKind | undefined };
/** A password and attributes left out stay unchanged; other fields left out are cleared. */
export type UserReplacement = UserChange & Pick<UserFields, 'username'>;

export type Users = ReturnType<typeof createUsers>;

export interface UserParts extends AdministrationParts {
  readonly passwords: Passwords;
  /** The attributes that the OpenID Connect provider fills in at each sign-in of its users. */
  readonly providerAttributes: ReadonlySet<string>;
}

/** Callers must have checked the permission `users.manage`. */
export function createUsers({ store, passwords, providerAttributes, now }: UserParts) {
  const change = async (actor: Principal, id: string, input: UserChange, ifMatch: IfMatch, note: AuditNote) => {
    const known = await store.users.get(id);
    if (known === null) return noUser;
    note.parameters = { user: known.username };
    const problems = [...fieldProblems(input, await readDirectory(store)), ...kindProblems(known.kind, input)];
    if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });
    note.parameters = { user: known.username, wanted: omitPassword(input) };
    if (input.password !== undefined && known.externalId !== null) return failed(fieldInvalid('password', passwordElsewhere));
    // otherwise a stolen session would be enough to take over the account for good
    if (input.password !== undefined && actor.userId === id) return failed(fieldInvalid('password', ownPassword));
    // hashing is slow: do it outside of the transaction
    const passwordHash = input.password === undefined ? null : await passwords.hash(input.password);

    return transact(store, nameTaken, async (repositories) => {
      const found = await findReachable(repositories, actor, id, ifMatch, await readDirectory(repositories));
      if (!found.ok) return found;
      const before = found.value;
      const owner = await findOwner(repositories, input.owner);
      if (!owner.ok) return owner;
      const directory = await readIdentities(repositories, owner.value);
      const wanted = applyChange({ ...before, ...ownedBy(owner.value) }, input, directory, providerAttributes);
      if (!wanted.ok) return wanted;
      const after = passwordHash === null ? wanted.value : { ...wanted.value, passwordHash };

      const setsPassword = after.passwordHash !== before.passwordHash;
      const takesOver = setsPassword || after.email !== before.email || !isDeepStrictEqual(after.attributes, before.attributes);
      const refusal =
        findMissingPrivilege(actor, after, directory) ??
        (takesOver ? findMissingPrivilegeToTakeOver(actor, before, directory) : null) ??
        (setsPassword ? findMissingPrivilegeToSignInAs(actor, before, directory) : null);
      if (refusal !== null) return refusal;
      if (actor.userId === id && !isAdministrator(actor) && !haveSameRights(before, after)) return administratorNeeded;
      const identity = findMissingPrivilegeForIdentity(actor, before, after, directory);
      if (identity !== null) return identity;
      if (await leavesNoAdministrator(repositories.users, directory.roles, before, after, now())) return lastAdministrator;

      const renewed = setsPassword || !haveSameRights(before, after);
      const stored: User = {
        ...after,
        version: before.version + 1,
        credentialVersion: before.credentialVersion + (renewed ? 1 : 0),
      };
      await repositories.users.update(stored);
      if (renewed) await repositories.sessions.deleteForUser(id);
      if (stored.disabled) await repositories.oauth.deleteGrantsOf(id);
      note.parameters = { user: before.username, changed: differences(before, stored, directory) };
      return succeeded(await viewOf(repositories, actor, stored, directory));
    });
  };

  return {
    async list(actor: Principal, request: ListRequest) {
      const [page, directory] = await Promise.all([store.users.list(request), readIdentities(store)]);
      const lastUses = await readLastUses(store, page.items);
      return succeeded({ ...page, items: page.items.map((user) => buildUserView(actor, user, directory, lastUses)) });
    },
    async get(actor: Principal, id: string) {
      const user = await store.users.get(id);
      return user === null ? noUser : succeeded(await viewOf(store, actor, user, await readIdentities(store)));
    },
    async create(actor: Principal, input: NewUser, note: AuditNote) {
      const { kind = 'person', password } = input;
      const problems = [
        ...fieldProblems(input, await readDirectory(store)),
        ...kindProblems(kind, input),
        ...missingFields(kind, input),
      ];
      if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });
      const { username, ...more } = omitPassword(input);
      note.parameters = { user: username, ...more };
      const passwordHash = password === undefined ? null : await passwords.hash(password);
      const blank = { ...createUser(input.username, now()), kind, passwordHash };
      return transact(store, nameTaken, async (repositories) => {
        const owner = await findOwner(repositories, input.owner);
        if (!owner.ok) return owner;
        const directory = await readIdentities(repositories, owner.value);
        const wanted = applyChange({ ...blank, ...ownedBy(owner.value) }, input, directory, providerAttributes);
        if (!wanted.ok) return wanted;
        const refusal =
          findMissingPrivilege(actor, wanted.value, directory) ??
          findMissingPrivilegeForIdentity(actor, null, wanted.value, directory);
        if (refusal !== null) return refusal;
        await repositories.users.insert(wanted.value);
        return succeeded(buildUserView(actor, wanted.value, directory, new Map()));
      });
    },
    replace: (actor: Principal, id: string, input: UserReplacement, ifMatch: IfMatch, note: AuditNote) =>
      change(actor, id, { ...emptyFields, ...definedFields(input) }, ifMatch, note),
    change,
    remove: (actor: Principal, id: string, ifMatch: IfMatch, note: AuditNote) =>
      store.transaction(async (repositories) => {
        const directory = await readDirectory(repositories);
        const known = await repositories.users.get(id);
        if (known !== null) note.parameters = { user: known.username };
        const found = await findReachable(repositories, actor, id, ifMatch, directory);
        if (!found.ok) return found;
        if (await leavesNoAdministrator(repositories.users, directory.roles, found.value, null, now())) return lastAdministrator;
        if (actor.userId === id) return failed({ kind: 'StateConflict', reason: 'You cannot delete your own account.' });
        await repositories.sessions.deleteForUser(id);
        await repositories.users.delete(id);
        return succeeded(null);
      }),
  };
}

type Identities = Directory & IdentityContext;

/** `owner` is one that is about to be stored. */
const readIdentities = async (repositories: Repositories, owner?: Owner): Promise<Identities> => {
  const directory = await readDirectory(repositories);
  const owners = owner === undefined ? directory.owners : new Map([...directory.owners, [owner.id, owner.username]]);
  return { ...directory, owners, boundSources: await repositories.queries.listBoundSources() };
};

async function readLastUses({ apiKeys, viewers }: Repositories, users: readonly User[]): Promise<ReadonlyMap<string, number>> {
  const ids = users.filter(({ kind }) => kind === 'application').map(({ id }) => id);
  const [ofKeys, ofViewers] = [await apiKeys.readLastUses(ids), await viewers.readLastUses(ids)];
  return new Map(
    ids.map((id) => [id, Math.max(ofKeys.get(id) ?? 0, ofViewers.get(id) ?? 0)] as const).filter(([, at]) => at > 0),
  );
}

const viewOf = async (repositories: Repositories, actor: Principal, user: User, directory: Identities) =>
  buildUserView(actor, user, directory, await readLastUses(repositories, [user]));

/** A user with what the caller may do with it. */
const buildUserView = (actor: Principal, user: User, directory: Identities, lastUses: ReadonlyMap<string, number>) => ({
  ...userView(user, directory),
  lastUsedAt: isoTime(lastUses.get(user.id) ?? null),
  ...userRights(actor, user, directory),
  lockedFields: lockedFields(actor, user.id, directory),
});

export const passwordElsewhere = 'This account signs in through OpenID Connect and has no password here.';

const ownPassword =
  'This is your own account. Change your password under My Account, or with PUT /api/v1/account/password, which requires the current password.';

const nameTaken = { taken: 'Another user has this user name; user names are not case-sensitive.' };
const emptyFields = { fullName: '', email: '', roles: [], databases: [], expiresAt: null, disabled: false };

/** A user without rights. */
export const createUser = (username: string, createdAt: number): User => ({
  id: randomUUID(),
  kind: 'person',
  ownerId: null,
  signing: null,
  username,
  fullName: '',
  email: '',
  passwordHash: null,
  externalId: null,
  credentialVersion: 1,
  roleIds: [],
  databaseScope: [],
  attributes: {},
  expiresAt: null,
  disabled: false,
  version: 1,
  createdAt,
});

/** The user, if the actor may change it and its version matches. */
async function findReachable({ users }: Repositories, actor: Principal, id: string, ifMatch: IfMatch, directory: Directory) {
  const user = await users.get(id);
  if (user === null) return noUser;
  const refusal = findMissingPrivilege(actor, user, directory);
  if (refusal !== null) return refusal;
  if (ifMatch !== undefined && ifMatch !== user.version) return failed({ kind: 'VersionConflict' });
  return succeeded(user);
}

/** The user with the fields of the input, except for the password. */
function applyChange(user: User, input: UserChange, directory: Directory, providerAttributes: ReadonlySet<string>): Result<User> {
  const roles = input.roles === undefined ? { value: user.roleIds, problems: [] } : rolesByName(input.roles, directory);
  const scope =
    input.databases === undefined ? { value: user.databaseScope, problems: [] } : scopeByName(input.databases, directory);
  const attributes = changeAttributes(user, input.attributes, providerAttributes);
  const problems = [...roles.problems, ...scope.problems, ...attributes.problems];
  if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });
  const { username, fullName, email, disabled } = input;
  return succeeded({
    ...user,
    ...definedFields({ username, fullName, email, disabled }),
    roleIds: roles.value,
    databaseScope: scope.value,
    attributes: attributes.value,
    expiresAt: input.expiresAt === undefined ? user.expiresAt : parseExpiry(input.expiresAt),
  });
}

/** Attributes from the provider stay as they are: the next sign-in would overwrite a change. */
function changeAttributes(
  { attributes: before, externalId }: User,
  wanted: UserAttributes | undefined,
  providerAttributes: ReadonlySet<string>,
): { readonly value: UserAttributes; readonly problems: readonly FieldProblem[] } {
  if (wanted === undefined) return { value: before, problems: [] };
  const isProvided = ([name]: readonly [string, unknown]): boolean => externalId !== null && providerAttributes.has(name);
  const provided = Object.fromEntries(Object.entries(before).filter(isProvided));
  const problems = Object.entries(wanted)
    .filter((entry) => isProvided(entry) && !isDeepStrictEqual(provided[entry[0]], entry[1]))
    .map(([name]) => ({ field: `attributes.${name}`, message: 'It comes from OpenID Connect and cannot be changed here.' }));
  return { value: { ...wanted, ...provided }, problems };
}

const parseExpiry = (text: string | null): number | null => (text === null ? null : parseIsoTime(text, 'end'));

function fieldProblems(input: UserChange, directory: Directory): readonly FieldProblem[] {
  const { password, fullName, email, expiresAt, roles = [], databases = [], attributes = {} } = input;
  const found: readonly (readonly [string, string | null])[] = [
    ['username', input.username === undefined ? null : usernameProblem(input.username)],
    ['password', password === undefined ? null : passwordProblem(password)],
    ['fullName', fullName === undefined ? null : lineProblem(fullName, 200)],
    ['email', email === undefined ? null : emailProblem(email)],
    ['expiresAt', typeof expiresAt === 'string' && parseExpiry(expiresAt) === null ? 'Expected an ISO 8601 date or time.' : null],
  ];
  const problems = found.flatMap(([field, message]) => (message === null ? [] : [{ field, message }]));
  return [
    ...problems,
    ...rolesByName(roles, directory).problems,
    ...scopeByName(databases, directory).problems,
    ...attributeProblems(attributes),
  ];
}

export function emailProblem(email: string): string | null {
  if (email !== '' && !/^[^\s@]+@[^\s@]+$/.test(email)) return 'Expected an email address.';
  return lineProblem(email, 254);
}

/** Whether two versions of a user have equal rights; a change ends sessions and remembered credentials. */
export function haveSameRights(one: User, other: User): boolean {
  return (
    haveSameMembers(one.roleIds, other.roleIds) &&
    haveSameMembers(one.databaseScope, other.databaseScope) &&
    one.expiresAt === other.expiresAt &&
    one.disabled === other.disabled
  );
}

const haveSameMembers = (one: Iterable<string>, other: Iterable<string>): boolean =>
  [...one].sort().join() === [...other].sort().join();

function omitPassword({ password, ...rest }: UserChange): Record<string, unknown> {
  return definedFields({ ...rest, password: password === undefined ? undefined : 'set' });
}

/** Changed fields with old and new value, for the audit trail; for the password only that it changed. */
export function differences(before: User, after: User, directory: Directory): Record<string, unknown> {
  const { version, ...from } = userView(before, directory);
  const password = before.passwordHash === after.passwordHash ? {} : { password: 'set' };
  return { ...differencesOf(from, userView(after, directory)), ...password };
}
