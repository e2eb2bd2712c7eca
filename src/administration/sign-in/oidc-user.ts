import type { Person } from '../../access/oidc.ts';
import type { DatabaseScope, User, UserAttributes } from '../../access/user.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { Repositories } from '../../store/metadata-store.ts';
import { lineProblem, usernameProblem } from '../name-problem.ts';
import { type Directory, readDirectory, rolesByName, scopeByName } from '../users/user-view.ts';
import { createUser, differences, emailProblem, haveSameRights } from '../users/users.ts';

export interface ProvisionedUser {
  readonly user: Result<User>;
  readonly note: Readonly<Record<string, unknown>>; // for the audit trail
}

/**
 * Finds or creates the user for an identity at the provider and updates it from the claims. Matched by issuer and subject only:
 * a user name proves nothing. Call within a transaction.
 */
export async function provisionOidcUser(repositories: Repositories, person: Person, now: number): Promise<ProvisionedUser> {
  const directory = await readDirectory(repositories);
  const known = await repositories.users.byExternalId(person.externalId);
  const unknown = findUnknownNames(person, directory);
  const note = unknown.length === 0 ? {} : { unknown };
  if (known !== null) return updateUser(repositories, known, withProviderFields(known, person, directory), directory, note);
  const user = withProviderFields({ ...createUser(person.username, now), externalId: person.externalId }, person, directory);
  const refusal = await refusalOf(repositories, user);
  if (refusal !== null) return { user: refusal, note };
  await repositories.users.insert(user);
  return { user: succeeded(user), note: { ...note, created: true } };
}

async function updateUser(
  { users, sessions }: Repositories,
  before: User,
  wanted: User,
  directory: Directory,
  note: ProvisionedUser['note'],
): Promise<ProvisionedUser> {
  const changed = differences(before, wanted, directory);
  const renewed = !haveSameRights(before, wanted);
  // the ids of a scope may differ although the names are equal
  if (Object.keys(changed).length === 0 && !renewed) return { user: succeeded(before), note };
  const after: User = {
    ...wanted,
    version: before.version + 1,
    credentialVersion: before.credentialVersion + (renewed ? 1 : 0),
  };
  await users.update(after);
  if (renewed) await sessions.deleteForUser(before.id);
  return { user: succeeded(after), note: { ...note, changed } };
}

async function refusalOf({ principals }: Repositories, { username, roleIds }: User) {
  const problem = usernameProblem(username);
  if (problem !== null) return failed({ kind: 'IdentityInvalid', cause: new Error(`The user name: ${problem}`) });
  if (roleIds.length === 0) return failed({ kind: 'NoRole' });
  const taken = (await principals.byUsername(username)) !== null;
  return taken ? failed({ kind: 'NameTaken', reason: 'Another account here has the same user name.' }) : null;
}

/** Keeps the user name, which an administrator may have changed. */
function withProviderFields(user: User, person: Person, directory: Directory): User {
  const { fullName, email, roles, databases } = person;
  const scope: DatabaseScope = databases === null ? user.databaseScope : scopeByName(databases, directory).value;
  return {
    ...user,
    fullName: lineProblem(fullName, 200) === null ? fullName : '',
    email: emailProblem(email) === null ? email : '',
    roleIds: rolesByName(roles, directory).value,
    databaseScope: scope,
    attributes: { ...omitNames(user.attributes, person.attributeNames), ...person.attributes },
  };
}

const omitNames = (attributes: UserAttributes, names: readonly string[]): UserAttributes =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => !names.includes(name)));

/** Names in the settings that do not exist grant nothing; they are recorded in the audit entry. */
function findUnknownNames({ roles, databases }: Person, directory: Directory): readonly string[] {
  const isNamed = (among: readonly { readonly name: string }[]) => (name: string) => among.some((each) => each.name === name);
  return [
    ...roles.filter((name) => !isNamed(directory.roles)(name)),
    ...(databases ?? []).filter((name) => name !== '*' && !isNamed(directory.databases)(name)),
  ];
}
