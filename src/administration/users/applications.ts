import type { Principal } from '../../access/principal.ts';
import type { User, UserKind } from '../../access/user.ts';
import { failed, fieldInvalid, type FieldProblem, type Result, succeeded } from '../../core/errors.ts';
import type { MetadataStore, Repositories } from '../../store/metadata-store.ts';
import { findMissingPrivilegeToSignInAs, findMissingPrivilegeToTakeOver } from './grant-rules.ts';

/** The fields that persons and applications do not share. */
interface OwnFields {
  readonly password?: string | undefined;
  readonly email?: string | undefined;
  readonly owner?: string | null | undefined;
}

/** Fields that a kind of account does not have. */
export function kindProblems(kind: UserKind, { password, email, owner }: OwnFields): readonly FieldProblem[] {
  if (kind === 'person') return owner == null ? [] : [{ field: 'owner', message: 'Only an application has an owner.' }];
  return [
    ...(password === undefined
      ? []
      : [{ field: 'password', message: 'An application has no password. Create an API key for it.' }]),
    ...(email ? [{ field: 'email', message: 'An application has no e-mail address. Name an owner.' }] : []),
    ...(owner === null ? [ownerNeeded] : []),
  ];
}

export function missingFields(kind: UserKind, { password, owner }: OwnFields): readonly FieldProblem[] {
  if (kind === 'application') return owner === undefined ? [ownerNeeded] : [];
  return password === undefined ? [{ field: 'password', message: 'Required.' }] : [];
}

const ownerNeeded = { field: 'owner', message: 'Name the user whom others can ask about the application.' };

export type Owner = Pick<User, 'id' | 'username'>;
export const ownedBy = (owner: Owner | undefined) => (owner === undefined ? {} : { ownerId: owner.id });

export async function findOwner(
  { principals }: Repositories,
  name: string | null | undefined,
): Promise<Result<Owner | undefined>> {
  if (name == null) return succeeded(undefined);
  const user = (await principals.byUsername(name))?.user;
  if (user?.kind === 'person') return succeeded(user);
  return failed(fieldInvalid('owner', 'There is no person with this user name.'));
}

export const noUser = failed({ kind: 'NotFound', what: 'user with this id' });

/** The user, if the actor may manage the user's keys. */
export async function findReachableUser(store: MetadataStore, actor: Principal, userId: string): Promise<Result<User>> {
  const user = await store.users.get(userId);
  if (user === null) return noUser;
  const context = { roles: await store.roles.listAll(), guardedRoleIds: await store.roles.listNamedByQueries() };
  return findMissingPrivilegeToTakeOver(actor, user, context) ?? succeeded(user);
}

export async function findReachableApplication(store: MetadataStore, actor: Principal, userId: string): Promise<Result<User>> {
  const user = await findReachableUser(store, actor, userId);
  return user.ok && user.value.kind !== 'application' ? notAnApplication : user;
}

const notAnApplication = failed({
  kind: 'StateConflict',
  reason: 'This is a person. Only an application has credentials that others create.',
});

/** The application, if the actor may get credentials that show what it sees. */
export async function findApplicationToActAs(store: MetadataStore, actor: Principal, userId: string): Promise<Result<User>> {
  const user = await findReachableApplication(store, actor, userId);
  if (!user.ok) return user;
  const context = {
    roles: await store.roles.listAll(),
    guardedRoleIds: await store.roles.listNamedByQueries(),
    boundSources: await store.queries.listBoundSources(),
  };
  return findMissingPrivilegeToSignInAs(actor, user.value, context) ?? user;
}
