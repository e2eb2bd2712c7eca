import { expect, it } from 'vitest';
import type { AccessToken, MetadataStore, OAuthArtifact, OAuthClient, OAuthGrant } from '../../../src/store/metadata-store.ts';
import { addUser, expectKind, hour, now } from './fixtures.ts';
import type { OpenedStore } from './metadata-store-contract.ts';

let made = 0;
const next = () => String(++made).padStart(4, '0');

const clientOf = (changes: Partial<OAuthClient> = {}): OAuthClient => ({
  id: `client-${next()}`,
  source: 'dynamic',
  name: 'Assistant',
  metadata: { redirect_uris: ['cursor://callback'], nested: { list: [1, null] } },
  secretHash: null,
  managed: null,
  createdAt: now,
  lastUsedAt: now,
  ...changes,
});
const grantOf = (userId: string, clientId: string, changes: Partial<OAuthGrant> = {}): OAuthGrant => ({
  id: `grant-${next()}`,
  ...{ userId, clientId, application: 'Assistant', queries: null, isManaged: false },
  ...{ createdAt: now, lastUsedAt: null, expiresAt: now + hour },
  ...changes,
});
const tokenOf = (grantId: string, changes: Partial<AccessToken> = {}): AccessToken => ({
  ...{ hash: `hash-${next()}`, grantId, createdAt: now, expiresAt: now + hour },
  ...changes,
});
const artifactOf = (changes: Partial<OAuthArtifact> = {}): OAuthArtifact => ({
  ...{
    kind: 'RefreshToken',
    hash: `hash-${next()}`,
    grantId: null,
    payload: { a: [1] },
    consumedAt: null,
    expiresAt: now + hour,
  },
  ...changes,
});

interface Access {
  readonly client: OAuthClient;
  readonly grant: OAuthGrant;
  readonly token: AccessToken;
  readonly artifact: OAuthArtifact;
}

export function oauthContract(opened: () => OpenedStore): void {
  const store = (): MetadataStore => opened().store;
  const oauth = () => store().oauth;
  const addAccess = async (userId: string, changes: Partial<OAuthClient> = {}): Promise<Access> => {
    const client = clientOf(changes);
    const grant = grantOf(userId, client.id);
    const [token, artifact] = [tokenOf(grant.id), artifactOf({ grantId: grant.id })];
    await oauth().insertClient(client);
    await oauth().insertGrant(grant);
    await oauth().insertToken(token);
    await oauth().putArtifact(artifact);
    return { client, grant, token, artifact };
  };
  const left = async ({ client, grant, token, artifact }: Access) => ({
    client: (await oauth().getClient(client.id)) !== null,
    grant: (await oauth().getGrant(grant.id)) !== null,
    token: (await oauth().getToken(token.hash)) !== null && (await store().principals.byTokenHash(token.hash)) !== null,
    artifact: (await oauth().getArtifact(artifact.kind, artifact.hash)) !== null,
  });
  const all = { client: true, grant: true, token: true, artifact: true };
  const none = { grant: false, token: false, artifact: false };

  it('returns what was stored', async () => {
    const ann = await addUser(store(), 'ann');
    const { client, grant, token, artifact } = await addAccess(ann.id, {
      managed: ['A'],
      secretHash: 'hash',
      source: 'registered',
    });
    expect(await oauth().getClient(client.id)).toEqual(client);
    expect(await oauth().listRegistered()).toEqual([client]);
    expect(await oauth().getGrant(grant.id)).toEqual(grant);
    expect(await oauth().listGrants(ann.id, now)).toEqual([grant]);
    expect([await oauth().hasGrants(client.id), await oauth().hasGrants('other')]).toEqual([true, false]);
    expect(await oauth().getToken(token.hash)).toEqual({ ...token, grant });
    expect(await store().principals.byTokenHash(token.hash)).toMatchObject({ grant, user: ann, expiresAt: token.expiresAt });
    expect(await oauth().getArtifact(artifact.kind, artifact.hash)).toEqual(artifact);
    expect(await oauth().getArtifact('AuthorizationCode', artifact.hash)).toBeNull();
  });

  it('ends access with its grant, its client and its user', async () => {
    const [ann, bob] = [await addUser(store(), 'ann'), await addUser(store(), 'bob')];
    const [byGrant, byClient, byUser, kept] = [
      await addAccess(ann.id),
      await addAccess(ann.id),
      await addAccess(bob.id),
      await addAccess(ann.id),
    ];
    expect([await oauth().deleteGrant(byGrant.grant.id), await oauth().deleteGrant(byGrant.grant.id)]).toEqual([true, false]);
    expect([await oauth().deleteClient(byClient.client.id), await oauth().deleteClient(byClient.client.id)]).toEqual([
      true,
      false,
    ]);
    await oauth().deleteGrantsOf(bob.id);
    expect(await left(byGrant)).toEqual({ ...none, client: true });
    expect(await left(byClient)).toEqual({ ...none, client: false });
    expect(await left(byUser)).toEqual({ ...none, client: true });
    expect(await left(kept)).toEqual(all);
  });

  it('forgets access in another store at once, also if it was read there before', async () => {
    const other = await opened().openAgain();
    const ann = await addUser(store(), 'ann');
    const [ended, kept] = [await addAccess(ann.id), await addAccess(ann.id)];
    const found = async (access: Access) => (await other.principals.byTokenHash(access.token.hash)) !== null;
    expect([await found(ended), await found(kept)]).toEqual([true, true]);
    await oauth().deleteGrant(ended.grant.id);
    expect([await found(ended), await found(kept)]).toEqual([false, true]);
    await oauth().deleteToken(kept.token.hash);
    expect(await found(kept)).toBe(false);
  });

  it('refuses tokens of a grant that has ended', async () => {
    await expect(oauth().insertToken(tokenOf('nothing'))).rejects.toEqual(expectKind('stale'));
    await expect(oauth().putArtifact(artifactOf({ grantId: 'nothing' }))).rejects.toEqual(expectKind('stale'));
    await expect(oauth().insertGrant(grantOf('nobody', 'client'))).rejects.toEqual(expectKind('stale'));
  });

  it('lets one of many add, use and delete an artifact, also over two stores', async () => {
    const other = (await opened().openAgain()).oauth;
    const artifact = artifactOf();
    const stores = [oauth(), other, oauth(), other, oauth(), other];
    const added = await Promise.all(stores.map((each) => each.addArtifact(artifact)));
    expect(added.filter(Boolean)).toHaveLength(1);
    const used = await Promise.all(stores.map((each) => each.consumeArtifact(artifact.kind, artifact.hash, now + 1)));
    expect(used.filter(Boolean)).toHaveLength(1);
    expect(await oauth().getArtifact(artifact.kind, artifact.hash)).toEqual({ ...artifact, consumedAt: now + 1 });
    expect(await oauth().consumeArtifact('other', artifact.hash, now)).toBe(false);
    const deleted = await Promise.all(stores.map((each) => each.deleteArtifact(artifact.kind, artifact.hash)));
    expect(deleted.filter(Boolean)).toHaveLength(1);
  });

  it('replaces and deletes artifacts', async () => {
    const ann = await addUser(store(), 'ann');
    const { grant } = await addAccess(ann.id);
    const [one, two, other] = [
      artifactOf({ grantId: grant.id }),
      artifactOf({ grantId: grant.id }),
      artifactOf({ kind: 'Code', grantId: grant.id }),
    ];
    for (const each of [one, two, other]) await oauth().putArtifact(each);
    await oauth().putArtifact({ ...one, payload: { b: 1 } });
    expect((await oauth().getArtifact(one.kind, one.hash))?.payload).toEqual({ b: 1 });
    await oauth().deleteArtifactsOf(one.kind, grant.id);
    const exist = async (each: OAuthArtifact) => (await oauth().getArtifact(each.kind, each.hash)) !== null;
    expect([await exist(one), await exist(two), await exist(other)]).toEqual([false, false, true]);
    await oauth().deleteArtifact(other.kind, other.hash);
    expect(await exist(other)).toBe(false);
  });

  it('limits artifacts of a kind, and deletes those that expire first', async () => {
    const artifacts = Array.from({ length: 5 }, (_, n) => artifactOf({ kind: 'Interaction', expiresAt: now + n }));
    const other = artifactOf({ expiresAt: now - 1 });
    for (const each of [...artifacts, other]) await oauth().putArtifact(each);
    await oauth().limitArtifacts('Interaction', 2);
    const exist = await Promise.all(
      [...artifacts, other].map(async (each) => (await oauth().getArtifact(each.kind, each.hash)) !== null),
    );
    expect(exist).toEqual([false, false, false, true, true, true]);
  });

  it('limits self-registered clients: deletes never used ones first, then the least recently used, never those with a grant', async () => {
    const ann = await addUser(store(), 'ann');
    const granted = await addAccess(ann.id, { createdAt: 0, lastUsedAt: 0 });
    const registered = clientOf({ source: 'registered', createdAt: 0, lastUsedAt: 0 });
    const used = [1, 2].map((at) => clientOf({ createdAt: 0, lastUsedAt: at }));
    const unused = [5, 6, 7].map((at) => clientOf({ createdAt: at, lastUsedAt: at }));
    const kept = clientOf({ createdAt: 4, lastUsedAt: 4 }); // of a process whose clock is behind
    for (const each of [registered, ...unused.toReversed(), ...used, kept]) await oauth().insertClient(each);
    const order = [...unused, ...used];
    const left = async (): Promise<number> => {
      const found = await Promise.all(order.map(({ id }) => oauth().getClient(id)));
      return order.length - found.findIndex((each) => each !== null);
    };
    for (const most of [6, 5, 4, 3]) {
      expect(await oauth().limitDynamic(most, kept.id)).toBe(true);
      expect([most, await left()]).toEqual([most, most - 2]);
    }
    expect([await oauth().limitDynamic(2, kept.id), await oauth().limitDynamic(1, kept.id)]).toEqual([true, false]);
    const rest = [granted.client, registered, kept].map(async ({ id }) => (await oauth().getClient(id)) !== null);
    expect(await Promise.all(rest)).toEqual([true, true, true]);
    expect(await oauth().limitDynamic(0, 'none')).toBe(false); // one has a grant
    expect(await oauth().getClient(kept.id)).toBeNull();
  });

  it('notes uses, and prolongs a grant without ever shortening it', async () => {
    const ann = await addUser(store(), 'ann');
    const { client, grant } = await addAccess(ann.id);
    await oauth().touchClient(client.id, now + 5);
    await oauth().touchGrants([
      { id: grant.id, at: now + 5 },
      { id: 'none', at: now },
    ]);
    await oauth().touchGrants([{ id: grant.id, at: now + 3 }]);
    expect((await oauth().getClient(client.id))?.lastUsedAt).toBe(now + 5);
    expect((await oauth().getGrant(grant.id))?.lastUsedAt).toBe(now + 5);
    expect([await oauth().prolongGrant(grant.id, now + 2 * hour), await oauth().prolongGrant(grant.id, now)]).toEqual([
      true,
      true,
    ]);
    expect((await oauth().getGrant(grant.id))?.expiresAt).toBe(now + 2 * hour);
    expect(await oauth().prolongGrant('none', now)).toBe(false);
  });

  it('lists valid grants of one user, newest first', async () => {
    const [ann, bob] = [await addUser(store(), 'ann'), await addUser(store(), 'bob')];
    const grants = [grantOf(ann.id, 'a', { createdAt: now - 2 }), grantOf(ann.id, 'b', { createdAt: now - 1 })];
    const others = [grantOf(bob.id, 'a'), grantOf(ann.id, 'a', { expiresAt: now })];
    for (const each of [...grants, ...others]) await oauth().insertGrant(each);
    expect(await oauth().listGrants(ann.id, now)).toEqual(grants.toReversed());
  });

  it('sweeps what has expired, and self-registered clients that nobody uses with their grants', async () => {
    const ann = await addUser(store(), 'ann');
    const old = await addAccess(ann.id, { lastUsedAt: now - 2 });
    const used = await addAccess(ann.id, { lastUsedAt: now - 1 });
    const registered = await addAccess(ann.id, { lastUsedAt: 0, source: 'registered' });
    const expired = grantOf(ann.id, used.client.id, { expiresAt: now });
    await oauth().insertGrant(expired);
    await oauth().insertToken(tokenOf(used.grant.id, { hash: 'old token', expiresAt: now }));
    await oauth().putArtifact(artifactOf({ hash: 'old artifact', expiresAt: now }));
    await oauth().sweep({ now, unusedSince: now - 1 });
    expect(await left(old)).toEqual({ ...none, client: false });
    expect([await left(used), await left(registered)]).toEqual([all, all]);
    expect(await oauth().getGrant(expired.id)).toBeNull();
    expect([await oauth().getToken('old token'), await oauth().getArtifact('RefreshToken', 'old artifact')]).toEqual([
      null,
      null,
    ]);
  });
}
