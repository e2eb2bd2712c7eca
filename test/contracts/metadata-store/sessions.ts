import { expect, it } from 'vitest';
import type { MetadataStore, Session } from '../../../src/store/metadata-store.ts';
import { addUser, hour, now, expectKind, sessionOf } from './fixtures.ts';

export function sessionContract(store: () => MetadataStore): void {
  const find = async ({ hash }: Session) => (await store().principals.bySessionHash(hash))?.session ?? null;

  it('is found until it is deleted', async () => {
    const user = await addUser(store(), 'ann');
    const session = sessionOf(user.id);
    await store().sessions.insert(session);
    expect(await find(session)).toEqual(session);
    await store().sessions.delete(session.hash);
    expect(await find(session)).toBeNull();
  });

  it('refuses a duplicate session and one without a user', async () => {
    const user = await addUser(store(), 'ann');
    const session = sessionOf(user.id);
    await store().sessions.insert(session);
    await expect(store().sessions.insert(session)).rejects.toEqual(expectKind('taken'));
    await expect(store().sessions.insert(sessionOf('nobody'))).rejects.toEqual(expectKind('stale'));
  });

  it('keeps the most recently used sessions of a user', async () => {
    const [ann, bob] = [await addUser(store(), 'ann'), await addUser(store(), 'bob')];
    const sessions = Array.from({ length: 5 }, (_, n) => ({ ...sessionOf(ann.id), lastUsedAt: now + n }));
    const ofBob = sessionOf(bob.id);
    for (const session of [...sessions, ofBob]) await store().sessions.insert(session);
    await store().sessions.deleteAllBut(ann.id, 2);
    const left = await Promise.all([...sessions, ofBob].map(async (session) => (await find(session)) !== null));
    expect(left).toEqual([false, false, false, true, true, true]);
  });

  it('stores its last use', async () => {
    const user = await addUser(store(), 'ann');
    const session = sessionOf(user.id);
    await store().sessions.insert(session);
    await store().sessions.touch(session.hash, now + 5);
    await store().sessions.touch(session.hash, now + 3);
    await store().sessions.touch('none', now);
    expect(await find(session)).toEqual({ ...session, lastUsedAt: now + 5 });
  });

  it('deletes all sessions of one user', async () => {
    const ann = await addUser(store(), 'ann');
    const bob = await addUser(store(), 'bob');
    const sessions = [sessionOf(ann.id), sessionOf(ann.id)];
    const other = sessionOf(bob.id);
    for (const session of [...sessions, other]) await store().sessions.insert(session);
    await store().sessions.deleteForUser(ann.id);
    expect(await Promise.all(sessions.map(find))).toEqual([null, null]);
    expect(await find(other)).toEqual(other);
  });

  it('deletes sessions that are idle or too old', async () => {
    const user = await addUser(store(), 'ann');
    const idle = sessionOf(user.id, { lastUsedAt: now - 8 * hour - 1, createdAt: now - 9 * hour });
    const old = sessionOf(user.id, { lastUsedAt: now, createdAt: now - 24 * hour - 1 });
    const live = sessionOf(user.id, { lastUsedAt: now - 8 * hour, createdAt: now - 24 * hour });
    for (const session of [idle, old, live]) await store().sessions.insert(session);
    await store().sessions.deleteUnusedSince(now - 8 * hour, now - 24 * hour);
    expect(await Promise.all([idle, old, live].map(find))).toEqual([null, null, live]);
  });
}
