import { apiKeyState, hashApiKey } from '../../access/api-key.ts';
import type { CredentialMemory, ShownCredential } from '../../access/credential-memory.ts';
import type { GuessLimit } from '../../access/guess-limit.ts';
import { hashSecret } from '../../access/hash-secret.ts';
import type { Passwords } from '../../access/password.ts';
import { type Authentication, type Credential, embedBehind, type Principal } from '../../access/principal.ts';
import { isSessionExpired } from '../../access/session.ts';
import { type Share, isShareExpired, type ShareKind, type ShareTokens } from '../../access/share.ts';
import { ownerOf } from '../../access/user.ts';
import type { ViewerTokens } from '../../access/viewer-tokens.ts';
import { type Viewer, viewerId } from '../../access/viewer.ts';
import { accountOf } from '../../core/account-of.ts';
import {
  type CredentialOwner,
  failed,
  type Failure,
  fieldInvalid,
  isCredentialFailure,
  type Result,
  succeeded,
} from '../../core/errors.ts';
import type { ApiKey, MetadataStore, OAuthGrant, ShareRepository, Standing } from '../../store/metadata-store.ts';
import type { GuessDelay, SharedGuesses } from '../limits/guesses.ts';

export type Authenticate = (credential: Credential, address: string) => Promise<Result<Principal>>;

export interface AuthenticateParts {
  readonly store: Pick<MetadataStore, 'principals' | 'sessions' | 'viewers'>;
  readonly passwords: Passwords;
  readonly memory: CredentialMemory;
  readonly guesses: GuessLimit;
  readonly sharedGuesses: SharedGuesses;
  readonly guessDelay: GuessDelay;
  readonly viewerTokens: ViewerTokens;
  readonly keyUsed: (keyId: string) => void;
  readonly viewerUsed: (applicationAndSub: string) => void;
  readonly grantUsed: (grantId: string) => void;
  readonly now: () => number;
}

/** Credential → principal, read from the store on every call, so that a change of rights takes effect immediately. */
export function createAuthenticate(parts: AuthenticateParts): Authenticate {
  return async (credential, address) => {
    switch (credential.kind) {
      case 'none':
        return failed({ kind: 'CredentialMissing' });
      case 'unreadable':
      case 'embed': // see createAuthenticateShare
      case 'link':
        return failed({ kind: 'CredentialInvalid' });
      case 'key':
        return byKey(parts, credential.key);
      case 'viewer':
        return byViewer(parts, credential.token);
      case 'accessToken':
        return byAccessToken(parts, credential.token);
      case 'session':
        return bySession(parts, credential.sessionId);
      case 'basic':
        return byPassword(parts, credential.username, credential.password, address);
    }
  };
}

async function byKey({ store, now, keyUsed }: AuthenticateParts, text: string): Promise<Result<Principal>> {
  const hash = hashApiKey(text);
  const found = hash === null ? null : await store.principals.byKeyHash(hash);
  if (found === null) return failed({ kind: 'CredentialInvalid' });
  const { key } = found;
  const state = apiKeyState(key, now());
  const owner = { ...ownerOf(found.user), keyName: key.name };
  if (state === 'revoked') return failed({ kind: 'CredentialRevoked', owner });
  if (state === 'expired') return failed({ kind: 'CredentialExpired', owner });
  const principal = principalOf(found, keyAuthentication(key), now());
  if (principal.ok) keyUsed(key.id);
  return principal;
}

/** The rights are those of the user now; the grant may restrict the queries. */
async function byAccessToken({ store, now, grantUsed }: AuthenticateParts, token: string): Promise<Result<Principal>> {
  const found = await store.principals.byTokenHash(hashSecret(token));
  if (found === null) return failed({ kind: 'CredentialInvalid' });
  const { grant } = found;
  const authentication = grantAuthentication(grant);
  const owner = { ...ownerOf(found.user), application: grant.application };
  if (Math.min(found.expiresAt, grant.expiresAt) <= now()) return failed({ kind: 'CredentialExpired', owner });
  const principal = principalOf(found, authentication, now());
  if (principal.ok) grantUsed(grant.id);
  return principal;
}

const grantAuthentication = ({ id, application, queries, expiresAt }: OAuthGrant): Authentication => ({
  kind: 'grant',
  grantId: id,
  application,
  queries,
  expiresAt,
});

/** The rights are those of the application, cut to what a viewer may do. */
async function byViewer({ store, viewerTokens, viewerUsed, now }: AuthenticateParts, token: string): Promise<Result<Principal>> {
  const applicationId = viewerTokens.applicationIdOf(token);
  const found = applicationId === null ? null : await store.principals.byUserId(applicationId);
  if (found === null) return failed({ kind: 'CredentialInvalid', of: 'viewer' });
  const viewer = await viewerTokens.read(token, found.user);
  if (!viewer.ok) return viewer;
  const principal = await viewerPrincipal(store, found, viewer.value, now());
  if (!principal.ok) return isCredentialFailure(principal.failure) ? failed({ ...principal.failure, of: 'viewer' }) : principal;
  viewerUsed(`${found.user.id} ${viewer.value.sub}`);
  return principal;
}

async function viewerPrincipal(
  store: Pick<MetadataStore, 'viewers'>,
  application: Standing,
  viewer: Viewer,
  now: number,
): Promise<Result<Principal>> {
  const { id } = application.user;
  const owner = { ...ownerOf(application.user), viewer: viewer.sub };
  if (await store.viewers.isBlocked(id, viewer.sub)) return failed({ kind: 'CredentialRevoked', owner });
  const principal = principalOf(application, { kind: 'viewer', viewer }, now);
  if (!principal.ok) return principal;
  const permissions = principal.value.permissions.filter((each) => each === 'queries.run');
  return succeeded({ ...principal.value, userId: viewerId(id, viewer.sub), permissions });
}

const TOUCH_SESSION_MS = 60_000;

async function bySession({ store, now }: AuthenticateParts, id: string): Promise<Result<Principal>> {
  const found = await store.principals.bySessionHash(hashSecret(id));
  if (found === null) return failed({ kind: 'CredentialInvalid' });
  const { session, user } = found;
  if (isSessionExpired(session, now()) || session.credentialVersion !== user.credentialVersion)
    return failed({ kind: 'CredentialExpired', owner: ownerOf(user) });
  if (now() - session.lastUsedAt > TOUCH_SESSION_MS) await store.sessions.touch(session.hash, now());
  return principalOf(found, { kind: 'session' }, now());
}

async function byPassword(
  parts: AuthenticateParts,
  username: string,
  password: string,
  address: string,
): Promise<Result<Principal>> {
  const { store, memory, now } = parts;
  const found = await store.principals.byUsername(username);
  if (found !== null && memory.knows(found.user, password, now())) return principalOf(found, { kind: 'basic' }, now());

  // counted under the account's stored name: other spellings must not allow more attempts
  const shown = {
    username: found?.user.username ?? username,
    password,
    address,
    credentialVersion: found?.user.credentialVersion ?? 0,
  };
  const verified = await memory.verifyOnce(shown, () => verify(parts, shown, found?.user.passwordHash ?? null));
  if (!verified.ok) return found === null ? verified : failed(addOwner(verified.failure, ownerOf(found.user)));
  if (found === null) return failed({ kind: 'CredentialInvalid' });

  // the account may have changed while the hash ran
  const fresh = await store.principals.byUserId(found.user.id);
  if (fresh === null || fresh.user.passwordHash !== found.user.passwordHash)
    return failed({ kind: 'CredentialInvalid', owner: ownerOf(found.user) });
  memory.remember(fresh.user, password, now());
  return principalOf(fresh, { kind: 'basic' }, now());
}

async function verify(
  { passwords, guesses, sharedGuesses, guessDelay, now }: AuthenticateParts,
  { username, password, address }: ShownCredential,
  passwordHash: string | null,
): Promise<Result<null>> {
  // the local count last: nothing may be awaited between reading and incrementing it
  const [elsewhere, failures] = await Promise.all([
    sharedGuesses.waitSeconds(username, address, now()),
    sharedGuesses.failuresOf(username, now()),
  ]);
  const wait = Math.max(elsewhere, guesses.waitSeconds(username, address, now()));
  if (wait > 0) return failed({ kind: 'TooManyAttempts', retryAfterSeconds: wait });
  if (passwords.isBusy()) return failed({ kind: 'Overloaded', retryAfterSeconds: 1 });
  // counted before the slow hash, so that parallel attempts cannot exceed the limit
  guesses.recordAttempt(username, address, now());
  const delayMs = guesses.delayMs(username, address, now(), failures);
  if (delayMs > 0 && !(await guessDelay.wait(username, delayMs)))
    return failed({ kind: 'TooManyAttempts', retryAfterSeconds: Math.ceil(delayMs / 1000) });
  if (!(await passwords.verify(password, passwordHash))) {
    await sharedGuesses.recordFailure(username, address, now());
    return failed({ kind: 'CredentialInvalid' });
  }
  guesses.recordSuccess(username, address);
  return succeeded(null);
}

const addOwner = (failure: Failure, owner: CredentialOwner): Failure =>
  failure.kind === 'CredentialInvalid' || failure.kind === 'TooManyAttempts' ? { ...failure, owner } : failure;

/** The principal with its current rights. */
export function principalOf(
  { user, roleNames, permissions }: Standing,
  authentication: Authentication,
  now: number,
): Result<Principal> {
  const isExpired = user.expiresAt !== null && user.expiresAt <= now;
  if (user.disabled || isExpired) {
    const owner = {
      ...ownerOf(user),
      ...(authentication.kind === 'key' ? { keyName: authentication.keyName } : {}),
      ...(authentication.kind === 'viewer' ? { viewer: authentication.viewer.sub } : {}),
      ...(authentication.kind === 'grant' ? { application: authentication.application } : {}),
    };
    return failed({ kind: user.disabled ? 'CredentialRevoked' : 'CredentialExpired', owner });
  }
  return succeeded({
    userId: user.id,
    userKind: user.kind,
    username: user.username,
    fullName: user.fullName,
    email: user.email,
    roleIds: user.roleIds,
    roleNames,
    permissions,
    databaseScope: user.databaseScope,
    attributes: user.attributes,
    expiresAt: user.expiresAt,
    authentication,
  });
}

/** The user who issued something that others use without a credential, such as a link. */
export interface Issuer {
  readonly userId: string;
  readonly keyId: string | null; // the API key that was used
  readonly viewer?: Pick<Viewer, 'sub' | 'queries' | 'expiresAt'>; // for whom an application called
  readonly grantId?: string; // of the application that the user signed in from
}

/** The issuer with its current rights; null if the account or the key is no longer valid. */
export type FindIssuer = (issuer: Issuer) => Promise<Principal | null>;

export function createFindIssuer(
  store: Pick<MetadataStore, 'principals' | 'apiKeys' | 'viewers' | 'oauth'>,
  now: () => number,
): FindIssuer {
  return async ({ userId, keyId, viewer, grantId }) => {
    const standing = await store.principals.byUserId(accountOf(userId));
    if (viewer !== undefined) {
      if (standing === null || standing.user.signing === null || viewer.expiresAt <= now()) return null;
      const found = await viewerPrincipal(store, standing, { ...viewer, name: viewer.sub, attributes: {}, values: [] }, now());
      return found.ok ? found.value : null;
    }
    const authentication = await findAuthentication(store, { userId, keyId, grantId }, now());
    if (standing === null || authentication === null) return null;
    const principal = principalOf(standing, authentication, now());
    return principal.ok ? principal.value : null;
  };
}

async function findAuthentication(
  { apiKeys, oauth }: Pick<MetadataStore, 'apiKeys' | 'oauth'>,
  { userId, keyId, grantId }: Pick<Issuer, 'userId' | 'keyId'> & { readonly grantId: string | undefined },
  now: number,
): Promise<Authentication | null> {
  if (grantId !== undefined) {
    const grant = await oauth.getGrant(grantId);
    return grant !== null && grant.userId === userId && grant.expiresAt > now ? grantAuthentication(grant) : null;
  }
  if (keyId === null) return { kind: 'basic' };
  const key = await apiKeys.get(keyId);
  return key !== null && key.userId === userId && apiKeyState(key, now) === 'active' ? keyAuthentication(key) : null;
}

function keyAuthentication({ id: keyId, name: keyName, expiresAt, queries, limits, tools }: ApiKey): Authentication {
  const key = { kind: 'key', keyId, keyName, expiresAt, queries, limits } as const;
  return tools === 'typed' ? { ...key, hasTypedTools: true } : key;
}

interface ShareAuthenticationParts<S extends Share> extends Pick<AuthenticateParts, 'now'> {
  readonly kind: ShareKind;
  readonly tokens: ShareTokens;
  readonly shares: Pick<ShareRepository<S>, 'get'>;
  readonly authenticationOf: (share: S) => Authentication;
  readonly findIssuer: FindIssuer;
}

/**
 * The token of an embed or a data link as a credential: the issuer with its current rights, restricted to one query. The share is read on
 * every use, so a token that was regenerated, revoked or has expired is rejected by every process.
 */
export function createAuthenticateShare<S extends Share>(parts: ShareAuthenticationParts<S>): Authenticate {
  const { kind, tokens, shares, authenticationOf, findIssuer, now } = parts;
  return async (credential) => {
    if (credential.kind !== kind) return failed({ kind: 'CredentialMissing' });
    const signed = tokens.read(credential.token);
    if (signed === null) return failed({ kind: 'CredentialInvalid' });
    const share = await shares.get(signed.id);
    if (share === null) return failed({ kind: 'CredentialRevoked' });
    // not bound to the key that it was issued with: keys are replaced every few weeks, embedded charts are not
    const issuer = await findIssuer({ userId: share.userId, keyId: null });
    const owner = issuer === null ? {} : { owner: { ...issuer, keyName: null } };
    if (share.stamp !== signed.stamp) return failed({ kind: 'CredentialRevoked', ...owner });
    if (isShareExpired(share, now())) return failed({ kind: 'CredentialExpired', ...owner });
    if (issuer === null) return failed({ kind: 'QueryNotAccessible' });
    const permissions = issuer.permissions.filter((each) => each === 'queries.run');
    return succeeded({ ...issuer, permissions, authentication: authenticationOf(share) });
  };
}

/**
 * The same for embeds. A signed embed is viewed with the identity of a viewer for whom an application vouches, never with that of its
 * issuer, whose account only has to be valid.
 */
export function createAuthenticateEmbed(byShare: Authenticate, authenticate: Authenticate): Authenticate {
  return async (credential, address) => {
    const issuer = await byShare(credential, address);
    const embed = issuer.ok ? embedBehind(issuer.value) : null;
    if (!issuer.ok || embed === null || credential.kind !== 'embed') return issuer;
    const { viewer: token } = credential;
    if (embed.viewer === 'issuer') return token === null ? issuer : failed(fieldInvalid('viewer', NO_VIEWER));
    if (token === null) return failed({ kind: 'CredentialMissing', of: 'viewer' });
    const viewer = await authenticate({ kind: 'viewer', token }, address);
    if (!viewer.ok) return viewer;
    const { authentication } = viewer.value;
    if (authentication.kind !== 'viewer') return failed({ kind: 'CredentialInvalid', of: 'viewer' });
    return succeeded({ ...viewer.value, authentication: { ...authentication, embed } });
  };
}

const NO_VIEWER = 'This embed shows everybody the rows of its issuer. Leave it out, or let the embed be for signed viewers.';
