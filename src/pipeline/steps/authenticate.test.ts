import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectSuccess, failureOf, NOW, openPeople, PASSWORD, type People } from '../../../test/support/people/people.ts';
import { generateApiKey } from '../../access/api-key.ts';
import { createCredentialMemory } from '../../access/credential-memory.ts';
import { createGuessLimit } from '../../access/guess-limit.ts';
import { createKeyRing } from '../../access/key-ring.ts';
import type { Passwords } from '../../access/password.ts';
import { createSecretBox } from '../../access/secret-box.ts';
import { generateSessionId, SESSION_IDLE_MS } from '../../access/session.ts';
import { createViewerTokens } from '../../access/viewer-tokens.ts';
import { StoreError } from '../../store/metadata-store.ts';
import { createGuessDelay, createSharedGuesses } from '../limits/guesses.ts';
import { type Authenticate, type AuthenticateParts, createAuthenticate } from './authenticate.ts';

const ADDRESS = '10.0.0.1';
let people: People;
let now: number;
let used: string[];
let hashes: number;
let authenticate: Authenticate;

beforeAll(async () => {
  people = await openPeople();
});
afterAll(() => people.close());
beforeEach(() => {
  now = NOW;
  authenticate = opened();
});

function opened(changes: Partial<AuthenticateParts> = {}): Authenticate {
  used = [];
  hashes = 0;
  const counting: Passwords = {
    ...people.passwords,
    verify: (password, hash) => {
      hashes++;
      return people.passwords.verify(password, hash);
    },
  };
  return createAuthenticate({
    store: people.store,
    passwords: counting,
    memory: createCredentialMemory(),
    guesses: createGuessLimit(),
    sharedGuesses: createSharedGuesses(null),
    guessDelay: createGuessDelay(async () => undefined),
    viewerTokens: createViewerTokens({
      secrets: createSecretBox(createKeyRing(() => [Buffer.alloc(32)])),
      fetchKeys: async () => [],
      audience: () => '',
      now: () => now,
    }),
    viewerUsed: () => undefined,
    grantUsed: () => undefined,
    keyUsed: (id) => used.push(id),
    now: () => now,
    ...changes,
  });
}
const basic = (username: string, password = PASSWORD, address = ADDRESS) =>
  authenticate({ kind: 'basic', username, password }, address);

describe('a key', () => {
  async function keyOf(username: string, more: { expiresAt?: number; queries?: string[] } = {}) {
    const { userId } = await people.as(username);
    const { id, key, prefix, hash } = generateApiKey();
    const { expiresAt = null, queries = null } = more;
    const common = { limits: { concurrent: 3 }, tools: 'generic', createdAt: NOW, lastUsedAt: null, revokedAt: null } as const;
    await people.store.apiKeys.insert({ id, userId, name: 'nightly', prefix, hash, queries, expiresAt, ...common }, 5, NOW);
    return { id, key };
  }
  const show = (key: string) => authenticate({ kind: 'key', key }, ADDRESS);

  it('authenticates its user with the current rights, and its use is noted', async () => {
    await people.add('keyed', ['Query User'], { databaseScope: ['sales'] });
    const { id, key } = await keyOf('keyed', { queries: ['QD_A'], expiresAt: NOW + 1000 });
    expect(expectSuccess(await show(key))).toMatchObject({
      username: 'keyed',
      roleNames: ['Query User'],
      permissions: ['queries.run', 'embeds.create', 'links.create'],
      databaseScope: ['sales'],
      authentication: { kind: 'key', keyId: id, keyName: 'nightly', queries: ['QD_A'], limits: { concurrent: 3 } },
    });
    expect(used).toEqual([id]);
  });

  it('has a separate failure if it is expired, revoked, unknown or of a disabled user, and no use is noted', async () => {
    const user = await people.add('leaver', []);
    const { key: expired } = await keyOf('leaver', { expiresAt: NOW });
    expect(failureOf(await show(expired)).kind).toBe('CredentialExpired');
    const { id, key } = await keyOf('leaver');
    await people.store.users.update({ ...user, disabled: true, version: 2 });
    expect(failureOf(await show(key)).kind).toBe('CredentialRevoked');
    await people.store.users.update({ ...user, expiresAt: NOW, version: 3 });
    expect(failureOf(await show(key)).kind).toBe('CredentialExpired');
    await people.store.apiKeys.revoke(id, NOW);
    expect(failureOf(await show(key)).kind).toBe('CredentialRevoked');
    expect(failureOf(await show(generateApiKey().key)).kind).toBe('CredentialInvalid');
    expect(failureOf(await show('no key at all')).kind).toBe('CredentialInvalid');
    expect(used).toEqual([]);
  });
});

describe('a session', () => {
  async function sessionOf(username: string, lastUsedAt = NOW) {
    const { user } = (await people.store.principals.byUsername(username)) ?? {};
    if (user === undefined) throw new Error('nobody');
    const { id, hash } = generateSessionId();
    const { credentialVersion } = user;
    await people.store.sessions.insert({ hash, userId: user.id, credentialVersion, createdAt: lastUsedAt, lastUsedAt });
    return id;
  }
  const show = (sessionId: string) => authenticate({ kind: 'session', sessionId }, ADDRESS);

  it('authenticates its user, and each use extends it', async () => {
    const id = await sessionOf('admin');
    for (let hour = 7; hour <= 21; hour += 7) {
      now = NOW + hour * 3_600_000;
      expect(expectSuccess(await show(id)).authentication).toEqual({ kind: 'session' });
    }
    now = NOW + 24 * 3_600_000 + 1;
    expect(failureOf(await show(id)).kind).toBe('CredentialExpired');
  });

  it('ends when idle and when the credentials change', async () => {
    const idle = await sessionOf('admin', NOW - SESSION_IDLE_MS - 1);
    expect(failureOf(await show(idle)).kind).toBe('CredentialExpired');
    const user = await people.add('changer', []);
    const id = await sessionOf('changer');
    await people.store.users.update({ ...user, credentialVersion: 2, version: 2 });
    expect(failureOf(await show(id)).kind).toBe('CredentialExpired');
    expect(failureOf(await show('never issued')).kind).toBe('CredentialInvalid');
  });
});

describe('a password', () => {
  it('is hashed once a minute if it is sent with every call', async () => {
    for (let call = 0; call < 5; call++) expect(expectSuccess(await basic('ADMIN')).authentication).toEqual({ kind: 'basic' });
    expect(hashes).toBe(1);
    now += 60_000;
    expectSuccess(await basic('admin'));
    expect(hashes).toBe(2);
  });

  it('is rejected immediately after a change, although it was remembered', async () => {
    const user = await people.add('mover', []);
    expectSuccess(await basic('mover'));
    const passwordHash = await people.passwords.hash('another password');
    await people.store.users.update({ ...user, passwordHash, credentialVersion: 2, version: 2 });
    expect(failureOf(await basic('mover')).kind).toBe('CredentialInvalid');
    expectSuccess(await basic('mover', 'another password'));
  });

  it('is rejected if it changed while the hash ran', async () => {
    const user = await people.add('racer', []);
    const verify: Passwords['verify'] = async (password, hash) => {
      const right = await people.passwords.verify(password, hash);
      const passwordHash = await people.passwords.hash('another password');
      await people.store.users.update({ ...user, passwordHash, credentialVersion: 2, version: 2 });
      return right;
    };
    authenticate = opened({ passwords: { ...people.passwords, verify } });
    expect(failureOf(await basic('racer')).kind).toBe('CredentialInvalid');
  });

  it('of an unknown user costs a hash too', async () => {
    expect(failureOf(await basic('nobody')).kind).toBe('CredentialInvalid');
    expect(hashes).toBe(1);
  });

  it('reveals a disabled or expired account only with the correct password', async () => {
    await people.add('off', [], { disabled: true });
    await people.add('over', [], { expiresAt: NOW });
    expect(failureOf(await basic('off')).kind).toBe('CredentialRevoked');
    expect(failureOf(await basic('over')).kind).toBe('CredentialExpired');
    expect(failureOf(await basic('off', 'wrong')).kind).toBe('CredentialInvalid');
  });

  it('can be tried five times a minute, in parallel or in sequence, under all spellings of the name together', async () => {
    const spellings = ['admin', 'ADMIN', 'ａｄｍｉｎ', 'Ａdmin', 'aDmin', 'admiＮ', 'ＡＤＭＩＮ', 'Admin'];
    const guesses = await Promise.all(spellings.map((name, index) => basic(name, `guess ${index}`)));
    const kinds = guesses.map((each) => failureOf(each).kind);
    expect(kinds.filter((kind) => kind === 'CredentialInvalid')).toHaveLength(5);
    expect(kinds.filter((kind) => kind === 'TooManyAttempts')).toHaveLength(3);
    expect(failureOf(await basic('admin'))).toMatchObject({ kind: 'TooManyAttempts', retryAfterSeconds: 60 });
    expectSuccess(await basic('admin', PASSWORD, '10.0.0.2'));
    now += 60_000;
    expectSuccess(await basic('admin'));
  });

  it('is verified once for twenty concurrent first calls, which do not count as guesses', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => basic('admin')));
    for (const result of results) expectSuccess(result);
    expect(hashes).toBe(1);
  });

  it('is not checked while too many checks are waiting, which does not count as a guess', async () => {
    let busy = true;
    authenticate = opened({ passwords: { ...people.passwords, isBusy: () => busy } });
    for (let call = 0; call < 10; call++) expect(failureOf(await basic('admin')).kind).toBe('Overloaded');
    busy = false;
    expectSuccess(await basic('admin'));
  });
});

it('rejects missing and unreadable credentials', async () => {
  expect(failureOf(await authenticate({ kind: 'none' }, ADDRESS)).kind).toBe('CredentialMissing');
  expect(failureOf(await authenticate({ kind: 'unreadable' }, ADDRESS)).kind).toBe('CredentialInvalid');
});

it('rethrows the error of an unavailable store', async () => {
  const down = () => Promise.reject(new StoreError('unavailable', 'locked'));
  const principals = { byKeyHash: down, byTokenHash: down, bySessionHash: down, byUsername: down, byUserId: down };
  authenticate = opened({ store: { ...people.store, principals } });
  await expect(basic('admin')).rejects.toThrow(StoreError);
  await expect(authenticate({ kind: 'key', key: generateApiKey().key }, ADDRESS)).rejects.toThrow(StoreError);
});
