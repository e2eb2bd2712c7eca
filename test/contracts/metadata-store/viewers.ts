import { expect, it } from 'vitest';
import { addUser, now } from './fixtures.ts';
import type { OpenedStore } from './metadata-store-contract.ts';

export function viewerContract(opened: () => OpenedStore): void {
  const viewers = () => opened().store.viewers;
  const addApplication = (name: string) => addUser(opened().store, name, { kind: 'application' });
  const uses = (userId: string, ...all: readonly (readonly [sub: string, at: number])[]) =>
    viewers().noteUses(all.map(([sub, at]) => ({ userId, sub, at, count: 2 })));
  const subs = async (...wanted: Parameters<ReturnType<typeof viewers>['list']>) =>
    (await viewers().list(...wanted)).items.map(({ sub }) => sub);

  it('lists those seen last, then blocked ones, each of one application', async () => {
    const [{ id }, other] = [await addApplication('portal'), await addApplication('other')];
    await uses(id, ['ana', now], ['bob', now + 2], ['carl', now + 1]);
    await uses(other.id, ['dora', now]);
    await viewers().block(id, 'mallory', now);
    await viewers().block(id, 'ana', now + 3);
    await viewers().block(other.id, 'bob', now);
    expect(await viewers().list(id, { limit: 10 })).toEqual({
      items: [
        { sub: 'bob', calls: 2, lastUsedAt: now + 2, blockedAt: null },
        { sub: 'carl', calls: 2, lastUsedAt: now + 1, blockedAt: null },
        { sub: 'ana', calls: 2, lastUsedAt: now, blockedAt: now + 3 },
        { sub: 'mallory', calls: 0, lastUsedAt: null, blockedAt: now },
      ],
      nextCursor: null,
    });
    expect(await viewers().get(id, 'ana')).toMatchObject({ sub: 'ana', calls: 2, blockedAt: now + 3 });
    expect(await viewers().get(id, 'mallory')).toMatchObject({ calls: 0, lastUsedAt: null, blockedAt: now });
    expect(await viewers().get(id, 'Ana')).toBeNull();
  });

  it('pages through all of them, also where many were seen at the same moment', async () => {
    const { id } = await addApplication('portal');
    await uses(id, ...['e', 'c', 'a', 'd', 'b'].map((sub) => [sub, now] as const), ['latest', now + 1]);
    for (const sub of ['z', 'x', 'y', 'c']) await viewers().block(id, sub, now);
    const all = ['latest', 'a', 'b', 'c', 'd', 'e', 'x', 'y', 'z'];
    for (const limit of [1, 2, 3, 6, 9]) {
      const found: string[][] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: Awaited<ReturnType<ReturnType<typeof viewers>['list']>> = await viewers().list(id, {
          limit,
          ...(cursor === '' ? {} : { cursor }),
        });
        found.push(page.items.map(({ sub }) => sub));
        cursor = page.nextCursor;
      }
      expect([limit, found.flat(), found.length]).toEqual([limit, all, Math.ceil(all.length / limit)]);
    }
    await expect(viewers().list(id, { limit: 1, cursor: 'x' })).rejects.toMatchObject({ kind: 'bad-cursor' });
  });

  it('finds those whose name has the text, however long ago they were seen', async () => {
    const { id } = await addApplication('portal');
    await uses(id, ['Ana@example.com', now], ['bob_1', now + 1], ['bobx1', now + 2], ['Ünï|100%', now + 3]);
    await viewers().block(id, 'banana', now);
    expect(await subs(id, { limit: 2, search: 'ana' })).toEqual(['Ana@example.com', 'banana']);
    expect(await subs(id, { limit: 10, search: 'B_1' })).toEqual(['bob_1']);
    expect(await subs(id, { limit: 10, search: 'Ünï|100%' })).toEqual(['Ünï|100%']);
    expect(await subs(id, { limit: 10, search: "%' or 1=1 --" })).toEqual([]);
  });
}
