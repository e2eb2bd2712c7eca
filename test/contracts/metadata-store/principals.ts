import { expect, it } from 'vitest';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { addRole, addUser, keyOf, now, sessionOf } from './fixtures.ts';

export function principalContract(store: () => MetadataStore): void {
  it('finds user, roles in order and the union of permissions for every kind of credential', async () => {
    const author = await addRole(store(), 'Z author', { permissions: ['queries.run', 'queries.author'] });
    const auditor = await addRole(store(), 'A auditor', { permissions: ['audit.view', 'queries.run'] });
    const idle = await addRole(store(), 'M idle', { permissions: [] });
    const roleIds = [idle.id, author.id, auditor.id]; // neither by id nor by name
    const user = await addUser(store(), 'Änn', { roleIds, databaseScope: ['d1'] });
    await addUser(store(), 'bob', { roleIds: [auditor.id] });
    const key = keyOf(user.id, { queries: ['QD_Orders'], expiresAt: now });
    const session = sessionOf(user.id, { credentialVersion: 4 });
    await store().apiKeys.insert(key, 5, now - 1);
    await store().sessions.insert(session);

    const standing = { user, roleNames: ['M idle', 'Z author', 'A auditor'] };
    const found = [
      await store().principals.byKeyHash(key.hash),
      await store().principals.bySessionHash(session.hash),
      await store().principals.byUsername('äNN'),
      await store().principals.byUserId(user.id),
    ];
    for (const one of found) {
      expect(one).toMatchObject(standing);
      expect(one?.permissions.toSorted()).toEqual(['audit.view', 'queries.author', 'queries.run']);
    }
    expect(found[0]).toMatchObject({ key });
    expect(found[1]).toMatchObject({ session });
  });

  it('finds users without roles, disabled and expired ones, and revoked keys', async () => {
    const user = await addUser(store(), 'ann', { disabled: true, expiresAt: 1 });
    const key = keyOf(user.id);
    await store().apiKeys.insert(key, 5, now);
    await store().apiKeys.revoke(key.id, now);
    expect(await store().principals.byUserId(user.id)).toEqual({ user, roleNames: [], permissions: [] });
    expect(await store().principals.byKeyHash(key.hash)).toEqual({
      user,
      roleNames: [],
      permissions: [],
      key: { ...key, revokedAt: now },
    });
  });

  it('sees changes of user, role and key immediately', async () => {
    const role = await addRole(store(), 'Reader', { permissions: [] });
    const user = await addUser(store(), 'ann');
    const key = keyOf(user.id);
    await store().apiKeys.insert(key, 5, now);
    expect(await store().principals.byKeyHash(key.hash)).toMatchObject({ roleNames: [] });
    await store().users.update({ ...user, roleIds: [role.id], credentialVersion: 2, version: 2 });
    await store().roles.update({ ...role, name: 'Renamed', permissions: ['queries.run'], version: 2 });
    await store().apiKeys.revoke(key.id, now);
    expect(await store().principals.byKeyHash(key.hash)).toMatchObject({
      user: { credentialVersion: 2 },
      roleNames: ['Renamed'],
      permissions: ['queries.run'],
      key: { revokedAt: now },
    });
  });

  it('finds no one for unknown values of any characters', async () => {
    await addUser(store(), 'ann');
    for (const text of ['', 'ann\0', '\0', "' or 1=1 --", 'x'.repeat(100_000), '\ud800']) {
      expect(await store().principals.byKeyHash(text)).toBeNull();
      expect(await store().principals.bySessionHash(text)).toBeNull();
      expect(await store().principals.byUsername(text)).toBeNull();
      expect(await store().principals.byUserId(text)).toBeNull();
    }
  });

  it('reads its own writes inside a transaction', async () => {
    const seen = await store().transaction(async (inside) => {
      const user = await addUser({ ...store(), ...inside }, 'ann');
      return inside.principals.byUserId(user.id);
    });
    expect(seen).toMatchObject({ user: { username: 'ann' } });
  });
}
