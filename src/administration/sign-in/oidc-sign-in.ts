import { type Attempts, type ClaimRules, type Person, personOf } from '../../access/oidc.ts';
import type { DatabaseScope, User } from '../../access/user.ts';
import { failureTable, failed, type Result, succeeded } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { AuditCall, AuditDraft } from '../../pipeline/steps/audit-call.ts';
import { principalOf } from '../../pipeline/steps/authenticate.ts';
import { catchStoreErrors } from '../../pipeline/steps/store-failure.ts';
import type { Repositories } from '../../store/metadata-store.ts';
import { createBoundedWork, type BoundedWork } from '../bounded-work.ts';
import type { AdministrationParts } from '../change.ts';
import { lineProblem, usernameProblem } from '../name-problem.ts';
import { type Directory, readDirectory, rolesByName, scopeByName } from '../users/user-view.ts';
import { differences, emailProblem, createUser, haveSameRights } from '../users/users.ts';
import type { OidcProvider } from './oidc-provider.ts';
import { startSession } from './sign-in.ts';

export interface OidcSignInParts extends AdministrationParts {
  readonly name: string; // shown on the button
  readonly issuer: string;
  readonly provider: OidcProvider;
  readonly rules: ClaimRules;
  readonly attempts: Attempts;
  readonly auditCall: AuditCall;
}

export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

interface Callback {
  readonly callbackUrl: URL;
  readonly attempt: string | undefined;
  readonly previous: string | undefined; // session id
}

/** Callbacks are unauthenticated and can be forged, so only a few are verified with the provider at a time. */
const VERIFIED_AT_ONCE = 16;
const MAX_WAITING = 64;

export function createOidcSignIn(signInParts: OidcSignInParts) {
  const parts = { ...signInParts, bounded: createBoundedWork(VERIFIED_AT_ONCE, MAX_WAITING) };
  const { name, issuer, provider, attempts, auditCall, now } = parts;
  return {
    name,
    /** The URL to redirect the browser to, and the sealed attempt for its cookie. `next` is a path of this service. */
    async begin(
      call: Call,
      { next, redirectUri }: { next: string; redirectUri: string },
    ): Promise<Result<{ url: string; attempt: string }>> {
      const request = await provider.createAuthorizationRequest(redirectUri);
      if (request.ok) {
        const attempt = attempts.seal({ ...request.value.checks, next, at: now() });
        return succeeded({ url: request.value.url, attempt });
      }
      return auditCall(call, 'session.sign-in', async (draft) => {
        draft.parameters = { provider: issuer, problem: failureTable[request.failure.kind].code };
        return request;
      });
    },
    /** Starts the same session as a password sign-in, if the callback belongs to an attempt of this browser. */
    finish: (call: Call, callback: Callback) =>
      auditCall(call, 'session.sign-in', async (draft) => {
        draft.status = 302;
        draft.parameters = { provider: issuer };
        const signedIn = await catchStoreErrors(() => finish(parts, callback, draft));
        if (!signedIn.ok) draft.parameters = { ...draft.parameters, problem: failureTable[signedIn.failure.kind].code };
        return signedIn;
      }),
  };
}

async function finish(
  { bounded, provider, rules, attempts, store, now }: OidcSignInParts & { bounded: BoundedWork },
  { callbackUrl, attempt: sealed, previous }: Callback,
  draft: AuditDraft,
): Promise<Result<{ sessionId: string; next: string }>> {
  const attempt = sealed === undefined ? null : attempts.open(sealed, now());
  if (attempt === null || callbackUrl.searchParams.get('state') !== attempt.state) return failed({ kind: 'SignInExpired' });
  const identity = await bounded(() => provider.fetchIdentity(callbackUrl, attempt));
  if (!identity.ok) return identity;
  const person = personOf(identity.value.externalId, identity.value.claims, rules);
  draft.triedUser = person.username;

  const { user, note } = await store.transaction((repositories) => provisionOidcUser(repositories, person, now()));
  draft.parameters = { ...draft.parameters, ...note };
  if (!user.ok) return user;
  const record = await store.principals.byUserId(user.value.id);
  if (record === null) return failed({ kind: 'CredentialInvalid' }); // deleted concurrently
  const principal = principalOf(record, { kind: 'basic' }, now());
  if (!principal.ok) return principal;
  draft.principal = principal.value;
  if (record.user.roleIds.length === 0) return failed({ kind: 'NoRole' });
  const sessionId = await startSession(store, record.user, previous, now());
  return succeeded({ sessionId, next: attempt.next });
}

interface ProvisionedUser {
  readonly user: Result<User>;
  readonly note: Readonly<Record<string, unknown>>; // for the audit trail
}

/**
 * Finds or creates the user for an identity at the provider and updates it from the claims. The user is found by issuer and
 * subject, never by user name. Call within a transaction.
 */
async function provisionOidcUser(repositories: Repositories, person: Person, now: number): Promise<ProvisionedUser> {
  const directory = await readDirectory(repositories);
  const known = await repositories.users.byExternalId(person.externalId);
  const unknown = findUnknownNames(person, directory);
  const note = unknown.length === 0 ? {} : { unknown };
  if (known !== null) return updateUser(repositories, known, withProviderFields(known, person, directory), directory, note);
  const user = withProviderFields({ ...createUser(person.username, now), externalId: person.externalId }, person, directory);
  const refusal = await findRefusal(repositories, user);
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
  // `differences` compares names; a recreated database has the same name and another id
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

async function findRefusal({ principals }: Repositories, { username, roleIds }: User) {
  const problem = usernameProblem(username);
  if (problem !== null) return failed({ kind: 'IdentityInvalid', cause: new Error(`The user name: ${problem}`) });
  if (roleIds.length === 0) return failed({ kind: 'NoRole' });
  const isTaken = (await principals.byUsername(username)) !== null;
  return isTaken ? failed({ kind: 'NameTaken', reason: 'Another account here has the same user name.' }) : null;
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
    attributes: {
      ...Object.fromEntries(Object.entries(user.attributes).filter(([name]) => !person.attributeNames.includes(name))),
      ...person.attributes,
    },
  };
}

/** Names in the settings that do not exist grant nothing; they are recorded in the audit entry. */
function findUnknownNames({ roles, databases }: Person, directory: Directory): readonly string[] {
  const isNamed = (among: readonly { readonly name: string }[]) => (name: string) => among.some((each) => each.name === name);
  return [
    ...roles.filter((name) => !isNamed(directory.roles)(name)),
    ...(databases ?? []).filter((name) => name !== '*' && !isNamed(directory.databases)(name)),
  ];
}
