import { expect, it } from 'vitest';
import { addUser, hour, keyOf, now, expectKind } from './fixtures.ts';
import type { OpenedStore } from './metadata-store-contract.ts';

export function keyContract(opened: () => OpenedStore): void {
  const store = () => opened().store;

  it('returns every stored field', async () => {
    const user = await addUser(store(), 'ann');
    const key = keyOf(user.id, {
      name: 'Täglich 📈',
      queries: ['QD_a', 'QD_b'],
      limits: { rowsPerDay: 5 },
      expiresAt: now + hour,
    });
    expect(await store().apiKeys.insert(key, 5, now)).toBe(true);
    expect(await store().apiKeys.get(key.id)).toEqual(key);
    expect(await store().apiKeys.get('none')).toBeNull();
  });

  it('lists all keys of a user, newest first, including revoked and expired ones', async () => {
    const user = await addUser(store(), 'ann');
    const other = await addUser(store(), 'bob');
    const old = keyOf(user.id, { createdAt: now - 2, expiresAt: now - 1 });
    const revoked = keyOf(user.id, { createdAt: now - 1 });
    const fresh = keyOf(user.id, { createdAt: now });
    for (const key of [revoked, old, fresh, keyOf(other.id)]) await store().apiKeys.insert(key, 5, now);
    await store().apiKeys.revoke(revoked.id, now);
    const listed = await store().apiKeys.listForUser(user.id);
    expect(listed).toEqual([fresh, { ...revoked, revokedAt: now }, old]);
  });

  it('lists active keys that expire in a period, of one user or of all', async () => {
    const [ann, bob] = [await addUser(store(), 'ann'), await addUser(store(), 'bob')];
    const ending = (userId: string, name: string, hours: number) => keyOf(userId, { name, expiresAt: now + hours * hour });
    const revoked = ending(ann.id, 'revoked', 1);
    const others = [ending(ann.id, 'late', 9), ending(ann.id, 'over', 0), keyOf(ann.id, { name: 'never' })];
    const keys = [ending(ann.id, 'second', 2), ending(bob.id, 'first', 1), revoked, ...others];
    for (const key of keys) await store().apiKeys.insert(key, 9, now);
    await store().apiKeys.revoke(revoked.id, now);
    const request = { after: now, until: now + 5 * hour, limit: 10 };
    const all = await store().apiKeys.listEnding(request);
    expect(all.map(({ name, username, expiresAt }) => [name, username, expiresAt])).toEqual([
      ['first', 'bob', now + hour],
      ['second', 'ann', now + 2 * hour],
    ]);
    expect(await store().apiKeys.listEnding({ ...request, userId: ann.id })).toMatchObject([{ name: 'second' }]);
    expect(await store().apiKeys.listEnding({ ...request, limit: 1 })).toMatchObject([{ name: 'first' }]);
  });

  it('refuses a second key of the same hash or id', async () => {
    const user = await addUser(store(), 'ann');
    const key = keyOf(user.id);
    await store().apiKeys.insert(key, 5, now);
    await expect(store().apiKeys.insert(keyOf(user.id, { hash: key.hash }), 5, now)).rejects.toEqual(expectKind('taken'));
    await expect(store().apiKeys.insert(keyOf(user.id, { id: key.id }), 5, now)).rejects.toEqual(expectKind('taken'));
  });

  it('refuses a key without a user', async () => {
    await expect(store().apiKeys.insert(keyOf('nobody'), 5, now)).rejects.toEqual(expectKind('stale'));
  });

  it.each(['in one process', 'in two'])('accepts five of 20 keys created in parallel %s', async (where) => {
    const other = where === 'in two' ? await opened().openAgain() : store();
    for (let round = 0; round < 3; round++) {
      const user = await addUser(store(), `ann${round}`);
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? store() : other).apiKeys.insert(keyOf(user.id), 5, now)),
      );
      expect(made.filter(Boolean)).toHaveLength(5);
      expect(await store().apiKeys.listForUser(user.id)).toHaveLength(5);
    }
  });

  it('accepts five of 20 parallel transactions that each create a key', async () => {
    const user = await addUser(store(), 'ann');
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, () => store().transaction((inside) => inside.apiKeys.insert(keyOf(user.id), 5, now))),
    );
    const keys = made.filter((result) => result.status === 'fulfilled' && result.value);
    expect(keys.length).toBe((await store().apiKeys.listForUser(user.id)).length);
    expect(keys.length).toBe(5);
  });

  it('counts the slots of each user separately', async () => {
    const ann = await addUser(store(), 'ann');
    const bob = await addUser(store(), 'bob');
    expect(await store().apiKeys.insert(keyOf(ann.id), 1, now)).toBe(true);
    expect(await store().apiKeys.insert(keyOf(bob.id), 1, now)).toBe(true);
    expect(await store().apiKeys.insert(keyOf(ann.id), 1, now)).toBe(false);
  });

  it('frees the slot of a revoked key, once', async () => {
    const user = await addUser(store(), 'ann');
    const key = keyOf(user.id);
    await store().apiKeys.insert(key, 1, now);
    expect(await store().apiKeys.insert(keyOf(user.id), 1, now)).toBe(false);
    expect(await store().apiKeys.revoke(key.id, now + 1)).toBe(true);
    expect(await store().apiKeys.revoke(key.id, now + 2)).toBe(false);
    expect(await store().apiKeys.revoke('none', now)).toBe(false);
    expect(await store().apiKeys.get(key.id)).toMatchObject({ revokedAt: now + 1 });
    expect(await store().apiKeys.insert(keyOf(user.id), 1, now)).toBe(true);
    expect(await store().apiKeys.insert(keyOf(user.id), 1, now)).toBe(false);
  });

  it('frees the slot of a key at the moment it expires', async () => {
    const user = await addUser(store(), 'ann');
    await store().apiKeys.insert(keyOf(user.id, { expiresAt: now + hour }), 1, now);
    expect(await store().apiKeys.insert(keyOf(user.id), 1, now + hour - 1)).toBe(false);
    expect(await store().apiKeys.insert(keyOf(user.id), 1, now + hour)).toBe(true);
    expect(await store().apiKeys.listForUser(user.id)).toHaveLength(2);
  });

  it('adds up the rows of a day across processes, and restarts on the next day', async () => {
    const other = await opened().openAgain();
    const user = await addUser(store(), 'ann');
    const [one, two, none] = [keyOf(user.id), keyOf(user.id), keyOf(user.id)];
    for (const key of [one, two, none]) await store().apiKeys.insert(key, 5, now);
    const ids = [one.id, two.id, none.id];
    await store().apiKeys.addRows(7, []);
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? store() : other).apiKeys.addRows(7, [
          { id: two.id, rows: 5_000_000_000 },
          { id: 'gone', rows: 1 },
          { id: one.id, rows: 3 },
        ]),
      ),
    );
    expect(await other.apiKeys.rowsOn(7, ids)).toEqual(
      new Map([
        [one.id, 30],
        [two.id, 50_000_000_000],
      ]),
    );
    await other.apiKeys.addRows(8, [{ id: one.id, rows: 2 }]);
    await store().apiKeys.addRows(7, [{ id: one.id, rows: 100 }]); // from a process whose clock is behind
    expect(await store().apiKeys.rowsOn(8, ids)).toEqual(new Map([[one.id, 2]]));
    expect(await store().apiKeys.rowsOn(8, [])).toEqual(new Map());
    await store().users.delete(user.id);
    expect(await store().apiKeys.rowsOn(8, ids)).toEqual(new Map());
  });

  it('renames a key, and returns its new name with the next credential', async () => {
    const user = await addUser(store(), 'ann');
    const key = keyOf(user.id, { name: 'Laptop' });
    await store().apiKeys.insert(key, 5, now);
    expect((await store().principals.byKeyHash(key.hash))?.key.name).toBe('Laptop');
    await (await opened().openAgain()).apiKeys.rename(key.id, 'Büro 📈');
    expect(await store().apiKeys.get(key.id)).toEqual({ ...key, name: 'Büro 📈' });
    expect((await store().principals.byKeyHash(key.hash))?.key.name).toBe('Büro 📈');
    await store().apiKeys.rename('none', 'x');
  });

  it('stores the last use, never an earlier one', async () => {
    const user = await addUser(store(), 'ann');
    const [one, two] = [keyOf(user.id), keyOf(user.id)];
    await store().apiKeys.insert(one, 5, now);
    await store().apiKeys.insert(two, 5, now);
    await store().apiKeys.touch([]);
    await store().apiKeys.touch([
      { id: two.id, at: now + 5 },
      { id: one.id, at: now + 9 },
      { id: one.id, at: now + 7 },
      { id: 'none', at: now },
    ]);
    await store().apiKeys.touch([{ id: two.id, at: now + 1 }]);
    expect(await store().apiKeys.get(one.id)).toMatchObject({ lastUsedAt: now + 9 });
    expect(await store().apiKeys.get(two.id)).toMatchObject({ lastUsedAt: now + 5 });
  });
}
