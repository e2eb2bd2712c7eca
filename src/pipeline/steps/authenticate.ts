import { apiKeyHash, apiKeyState } from '../../access/api-key.ts';
import type { CredentialMemory, ShownCredential } from '../../access/credential-memory.ts';
import { embedExpired, type EmbedTokens } from '../../access/embed.ts';
import type { GuessLimit } from '../../access/guess-limit.ts';
import type { Passwords } from '../../access/password.ts';
import type { Authentication, Credential, Principal } from '../../access/principal.ts';
import { sessionExpired, sessionHash } from '../../access/session.ts';
import { type CredentialOwner, failed, type Failure, type Result, succeeded } from '../../core/errors.ts';
import type { ApiKey, MetadataStore, Standing } from '../../store/metadata-store.ts';
import type { GuessDelay, SharedGuesses } from '../limits/guesses.ts';

export type Authenticate = (credential: Credential, address: string) => Promise<Result<Principal>>;

export interface AuthenticateParts {
  readonly store: Pick<MetadataStore, 'principals' | 'sessions'>;
  readonly passwords: Passwords;
  readonly memory: CredentialMemory;
  readonly guesses: GuessLimit;
  readonly sharedGuesses: SharedGuesses;
  readonly guessDelay: GuessDelay;
  readonly keyUsed: (keyId: string) => void;
  readonly now: () => number;
}

/** Credential → principal, read from the store on every call, so that a change of rights takes effect immediately. */
export function createAuthenticate(parts: AuthenticateParts): Authenticate {
  return async (credential, address) => {
    switch (credential.kind) {
      case 'none':
        return failed({ kind: 'CredentialMissing' });
      case 'unreadable':
      case 'embed': // see createAuthenticateEmbed
        return failed({ kind: 'CredentialInvalid' });
      case 'key':
        return byKey(parts, credential.key);
      case 'session':
        return bySession(parts, credential.sessionId);
      case 'basic':
        return byPassword(parts, credential.username, credential.password, address);
    }
  };
}

async function byKey({ store, now, keyUsed }: AuthenticateParts, text: string): Promise<Result<Principal>> {
  const hash = apiKeyHash(text);
  const found = hash === null ? null : await store.principals.byKeyHash(hash);
  if (found === null) return failed({ kind: 'CredentialInvalid' });
  const { key } = found;
  const state = apiKeyState(key, now());
  const owner = { userId: found.user.id, username: found.user.username, keyName: key.name };
  if (state === 'revoked') return failed({ kind: 'CredentialRevoked', owner });
  if (state === 'expired') return failed({ kind: 'CredentialExpired', owner });
  const principal = principalOf(found, keyAuthentication(key), now());
  if (principal.ok) keyUsed(key.id);
  return principal;
}

const TOUCH_SESSION_MS = 60_000;

async function bySession({ store, now }: AuthenticateParts, id: string): Promise<Result<Principal>> {
  const found = await store.principals.bySessionHash(sessionHash(id));
  if (found === null) return failed({ kind: 'CredentialInvalid' });
  const { session, user } = found;
  if (sessionExpired(session, now()) || session.credentialVersion !== user.credentialVersion)
    return failed({ kind: 'CredentialExpired', owner: ownerOf(user) });
  if (now() - session.lastUsedAt > TOUCH_SESSION_MS) await store.sessions.touch(session.hash, now());
  return principalOf(found, { kind: 'session', sessionId: id }, now());
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

const ownerOf = ({ id, username }: Standing['user']): CredentialOwner => ({ userId: id, username, keyName: null });

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
    const owner = { ...ownerOf(user), keyName: authentication.kind === 'key' ? authentication.keyName : null };
    return failed({ kind: user.disabled ? 'CredentialRevoked' : 'CredentialExpired', owner });
  }
  return succeeded({
    userId: user.id,
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
}

/** The issuer with its current rights; null if the account or the key is no longer valid. */
export type FindIssuer = (issuer: Issuer) => Promise<Principal | null>;

export function createFindIssuer(store: Pick<MetadataStore, 'principals' | 'apiKeys'>, now: () => number): FindIssuer {
  return async ({ userId, keyId }) => {
    const standing = await store.principals.byUserId(userId);
    const authentication: Authentication | null =
      keyId === null ? { kind: 'basic' } : await findKeyAuthentication(store, userId, keyId, now());
    if (standing === null || authentication === null) return null;
    const principal = principalOf(standing, authentication, now());
    return principal.ok ? principal.value : null;
  };
}

async function findKeyAuthentication({ apiKeys }: Pick<MetadataStore, 'apiKeys'>, userId: string, keyId: string, now: number) {
  const key = await apiKeys.get(keyId);
  return key !== null && key.userId === userId && apiKeyState(key, now) === 'active' ? keyAuthentication(key) : null;
}

function keyAuthentication({ id: keyId, name: keyName, expiresAt, queries, limits, tools }: ApiKey): Authentication {
  const key = { kind: 'key', keyId, keyName, expiresAt, queries, limits } as const;
  return tools === 'typed' ? { ...key, hasTypedTools: true } : key;
}

/**
 * An embed token as a credential: the issuer with its current rights, restricted to one query. The embed is read on every view, so a token
 * that was regenerated, revoked or has expired is rejected by every process.
 */
export function createAuthenticateEmbed({
  tokens,
  store,
  findIssuer,
  now,
}: Pick<AuthenticateParts, 'now'> & {
  tokens: EmbedTokens;
  store: Pick<MetadataStore, 'embeds'>;
  findIssuer: FindIssuer;
}): Authenticate {
  return async (credential) => {
    if (credential.kind !== 'embed') return failed({ kind: 'CredentialMissing' });
    const signed = tokens.read(credential.token);
    if (signed === null) return failed({ kind: 'CredentialInvalid' });
    const embed = await store.embeds.get(signed.id);
    if (embed === null) return failed({ kind: 'CredentialRevoked' });
    // not bound to the key that it was issued with: keys are replaced every few weeks, embedded charts are not
    const issuer = await findIssuer({ userId: embed.userId, keyId: null });
    const owner = issuer === null ? {} : { owner: { userId: issuer.userId, username: issuer.username, keyName: null } };
    if (embed.stamp !== signed.stamp) return failed({ kind: 'CredentialRevoked', ...owner });
    if (embedExpired(embed, now())) return failed({ kind: 'CredentialExpired', ...owner });
    if (issuer === null) return failed({ kind: 'QueryNotAccessible' });
    const permissions = issuer.permissions.filter((each) => each === 'queries.run');
    return succeeded({ ...issuer, permissions, authentication: { kind: 'embed', embed } });
  };
}
