import { expect, it } from 'vitest';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { addRole, addUser, hour, keyOf, now, expectKind, sessionOf, userNamed, walk } from './fixtures.ts';

export function userContract(store: () => MetadataStore): void {
  it('returns every stored field', async () => {
    const first = await addRole(store(), 'Z first');
    const second = await addRole(store(), 'A second');
    const user = userNamed('Ändrö', {
      fullName: '安德烈 🦫 "quoted" \\ \' %',
      databaseScope: ['d2', 'd1'],
      attributes: { region: ['North', 'Süd'], tenant: "o'x" },
      roleIds: [first.id, second.id],
      expiresAt: now + hour,
      disabled: true,
      credentialVersion: 7,
      version: 3,
    });
    await store().users.insert(user);
    expect(await store().users.get(user.id)).toEqual(user);
    expect((await store().users.list({ limit: 10 })).items).toEqual([user]);
  });

  it('lists the names of all attributes', async () => {
    await addUser(store(), 'ann', { attributes: { region: 'North', tenant: ['a'] } });
    await addUser(store(), 'bob', { attributes: { region: 'South' } });
    await addUser(store(), 'eve');
    expect(await store().users.listAttributeNames()).toEqual(['region', 'tenant']);
  });

  it('finds no one for an unknown id', async () => {
    expect(await store().users.get('nobody')).toBeNull();
  });

  it.each([
    ['Ann', 'aNN'],
    ['ÄNDRÖ', 'ändrö'],
    ['Ann', 'Ａｎｎ'], // full-width letters
  ])('treats the names %s and %s as equal', async (one, other) => {
    await addUser(store(), one);
    await expect(store().users.insert(userNamed(other))).rejects.toEqual(expectKind('taken'));
    const third = await addUser(store(), 'third');
    await expect(store().users.update({ ...third, username: other, version: 2 })).rejects.toEqual(expectKind('taken'));
  });

  it('allows a user to change the case of their name', async () => {
    const user = await addUser(store(), 'ann');
    await store().users.update({ ...user, username: 'Ann', version: 2 });
    expect(await store().users.get(user.id)).toMatchObject({ username: 'Ann' });
  });

  it('replaces all fields, including roles and scope', async () => {
    const reader = await addRole(store(), 'Reader');
    const author = await addRole(store(), 'Author');
    const user = await addUser(store(), 'ann', { roleIds: [reader.id], databaseScope: ['d1'] });
    const changed = userNamed('Anna', {
      id: user.id,
      roleIds: [author.id, reader.id],
      databaseScope: '*',
      disabled: true,
      version: 2,
    });
    await store().users.update(changed);
    expect(await store().users.get(user.id)).toEqual(changed);
  });

  it('refuses an update of an outdated version or a deleted user', async () => {
    const user = await addUser(store(), 'ann');
    await store().users.update({ ...user, email: 'first@example.org', version: 2 });
    await expect(store().users.update({ ...user, email: 'second@example.org', version: 2 })).rejects.toEqual(expectKind('stale'));
    expect(await store().users.get(user.id)).toMatchObject({ email: 'first@example.org' });
    await store().users.delete(user.id);
    await expect(store().users.update({ ...user, version: 3 })).rejects.toEqual(expectKind('stale'));
  });

  it('accepts one of two parallel updates', async () => {
    const user = await addUser(store(), 'ann');
    const updates = ['a', 'b', 'c', 'd'].map((email) => store().users.update({ ...user, email, version: 2 }));
    const done = await Promise.allSettled(updates);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of done) if (result.status === 'rejected') expect(result.reason).toEqual(expectKind('stale'));
  });

  it('deletes a user with keys, sessions and roles', async () => {
    const role = await addRole(store(), 'Reader');
    const user = await addUser(store(), 'ann', { roleIds: [role.id] });
    const key = keyOf(user.id);
    const session = sessionOf(user.id);
    await store().apiKeys.insert(key, 5, now);
    await store().sessions.insert(session);
    await store().users.delete(user.id);
    expect(await store().users.get(user.id)).toBeNull();
    expect(await store().apiKeys.get(key.id)).toBeNull();
    expect(await store().principals.byKeyHash(key.hash)).toBeNull();
    expect(await store().principals.bySessionHash(session.hash)).toBeNull();
    await store().roles.delete(role.id); // no longer in use
    await store().users.delete(user.id); // and again
  });

  it('finds a user by external id, which is unique unless null', async () => {
    const externalId = 'https://id.example.org#Ab1';
    const ann = await addUser(store(), 'ann', { externalId, passwordHash: null });
    const bob = await addUser(store(), 'bob');
    await addUser(store(), 'cy');
    expect(await store().users.byExternalId(externalId)).toEqual(ann);
    expect((await store().principals.byUsername('ann'))?.user).toEqual(ann);
    expect(await store().users.byExternalId(externalId.toLowerCase())).toBeNull();
    expect(await store().users.byExternalId('')).toBeNull();
    await expect(store().users.insert(userNamed('dan', { externalId }))).rejects.toEqual(expectKind('taken'));
    await expect(store().users.update({ ...bob, externalId, version: 2 })).rejects.toEqual(expectKind('taken'));
  });

  it('counts others with a role who are enabled, not expired and have a local account', async () => {
    const role = await addRole(store(), 'Administrator');
    const another = await addRole(store(), 'Reader');
    const ann = await addUser(store(), 'ann', { roleIds: [role.id] });
    await addUser(store(), 'bob', { roleIds: [another.id, role.id], expiresAt: now + 1 });
    await addUser(store(), 'disabled', { roleIds: [role.id], disabled: true });
    await addUser(store(), 'expired', { roleIds: [role.id], expiresAt: now });
    await addUser(store(), 'reader', { roleIds: [another.id] });
    await addUser(store(), 'elsewhere', { roleIds: [role.id], externalId: 'https://id.example.org#1' });
    expect(await store().users.countOthersWithRole(role.id, ann.id, now)).toBe(1);
    expect(await store().users.countOthersWithRole(role.id, 'nobody', now)).toBe(2);
    expect(await store().users.count()).toBe(6);
  });

  it('lists by name ignoring case in pages, without duplicates or gaps', async () => {
    const roles = [await addRole(store(), 'One'), await addRole(store(), 'Two')];
    const names = ['b_x', 'B-y', 'a', 'Zoë', 'C', 'ä', '10', '9', 'bb', 'Ba'];
    for (const name of names) await addUser(store(), name, { roleIds: roles.map(({ id }) => id) });
    const listed = await walk((cursor) => store().users.list({ limit: 3, ...cursor }));
    const byCodePoint = names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    expect(listed.map(({ username }) => username)).toEqual(byCodePoint);
    expect(listed.every(({ roleIds }) => roleIds.length === 2)).toBe(true);
  });

  it('has no next page when the last one is exactly full', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await addUser(store(), name);
    const first = await store().users.list({ limit: 2 });
    expect(first.nextCursor).not.toBeNull();
    const second = await store().users.list({ limit: 2, ...(first.nextCursor !== null && { cursor: first.nextCursor }) });
    expect(second.items).toHaveLength(2);
    expect(second.nextCursor).toBeNull();
  });

  it.each(['', '!!!', 'bm90IGpzb24', 'WzEsMl0', 'W10', 'bnVsbA', '\0'])('refuses the invalid cursor "%s"', async (cursor) => {
    await addUser(store(), 'ann');
    await expect(store().users.list({ limit: 2, cursor })).rejects.toMatchObject({ kind: 'bad-cursor' });
  });

  it('searches user name and full name ignoring case, with literal wildcards', async () => {
    await addUser(store(), 'ann_x', { fullName: 'Ann 100% Ärzte' });
    await addUser(store(), 'bob', { fullName: 'Bob \\ Backslash' });
    const find = async (search: string) =>
      (await store().users.list({ limit: 10, search })).items.map(({ username }) => username);
    expect(await find('NN_')).toEqual(['ann_x']);
    expect(await find('o_b')).toEqual([]);
    expect(await find('0%')).toEqual(['ann_x']);
    expect(await find('b%b')).toEqual([]);
    expect(await find('\\')).toEqual(['bob']);
    expect(await find('äRZ')).toEqual(['ann_x']);
    expect(await find('\0')).toEqual([]);
    expect(await find('x'.repeat(200_000))).toEqual([]);
    expect(await find('')).toEqual(['ann_x', 'bob']);
  });
}
