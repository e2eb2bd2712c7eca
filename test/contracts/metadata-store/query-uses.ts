import { beforeEach, expect, it } from 'vitest';
import type { Query } from '../../../src/catalog/query.ts';
import { addUser, now, queryNamed } from './fixtures.ts';
import type { OpenedStore } from './metadata-store-contract.ts';

export function queryUseContract(opened: () => OpenedStore): void {
  const store = () => opened().store;
  let ann: string;
  let bob: string;
  let sales: Query;
  let stock: Query;
  beforeEach(async () => {
    ann = (await addUser(store(), 'ann')).id;
    bob = (await addUser(store(), 'bob')).id;
    [sales, stock] = [queryNamed('Sales'), queryNamed('Stock')];
    for (const query of [sales, stock]) await store().queries.insert(query);
  });
  const use = async (userId: string, { id }: Query) => (await store().queryUses.readUses(userId, [id])).get(id);
  const none = { isFavorite: false, lastUsedAt: null, lastRunAt: null };

  it('keeps the favorites of each user apart, added and removed any number of times', async () => {
    for (const at of [now, now + 1]) await store().queryUses.addFavorite(ann, sales.id, at);
    expect(await use(ann, sales)).toEqual({ ...none, isFavorite: true });
    expect(await use(bob, sales)).toEqual(none);
    await store().queryUses.removeFavorite(bob, sales.id);
    expect((await store().catalog.list({ limit: 10, favoriteOf: ann })).items).toEqual([sales]);
    expect((await store().catalog.list({ limit: 10, favoriteOf: bob })).items).toEqual([]);
    for (const id of [sales.id, sales.id, 'none']) await store().queryUses.removeFavorite(ann, id);
    expect(await use(ann, sales)).toEqual(none);
  });

  it('keeps the latest run of a query by anyone and by each user, over several processes', async () => {
    const other = await opened().openAgain();
    const round = [
      { queryId: stock.id, userId: null, at: now + 9 },
      { queryId: sales.id, userId: bob, at: now + 2 },
      { queryId: sales.id, userId: ann, at: now + 5 },
    ];
    await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 ? store() : other).queryUses.noteRuns(round)));
    await store().queryUses.noteRuns([{ queryId: sales.id, userId: bob, at: now + 1 }]);
    await store().queryUses.noteRuns([]);
    expect(await use(ann, sales)).toEqual({ ...none, lastUsedAt: now + 5, lastRunAt: now + 5 });
    expect(await use(bob, sales)).toEqual({ ...none, lastUsedAt: now + 2, lastRunAt: now + 5 });
    expect(await store().queryUses.readUses(bob, [sales.id, stock.id])).toEqual(
      new Map([
        [sales.id, { ...none, lastUsedAt: now + 2, lastRunAt: now + 5 }],
        [stock.id, { ...none, lastRunAt: now + 9 }],
      ]),
    );
    expect((await store().catalog.list({ limit: 10, usedBy: bob })).items).toEqual([sales]);
  });

  it('counts runs over several processes, lists the most used first, and keeps the last answer to a model', async () => {
    const other = await opened().openAgain();
    const answer = { bytes: 300, tokens: 100 };
    await Promise.all([
      store().queryUses.noteRuns([{ queryId: sales.id, userId: ann, at: now, count: 2 }]),
      other.queryUses.noteRuns([{ queryId: sales.id, userId: null, at: now + 1 }]),
    ]);
    await other.queryUses.noteRuns([{ queryId: stock.id, userId: null, at: now, count: 4, answer }]);
    await store().queryUses.noteRuns([{ queryId: sales.id, userId: null, at: now, answer: { bytes: 9, tokens: 3 } }]);
    await store().queryUses.noteRuns([{ queryId: stock.id, userId: null, at: now }]);
    expect(await store().queryUses.readRunCounts()).toEqual(
      new Map([
        [sales.id, 4],
        [stock.id, 5],
      ]),
    );
    const byRuns = { by: 'runs', descending: true } as const;
    expect((await store().catalog.list({ limit: 2, order: byRuns })).items).toEqual([stock, sales]);
    expect([...(await store().queryUses.readAnswers(10))]).toEqual([
      [stock.queryName, answer],
      [sales.queryName, { bytes: 9, tokens: 3 }],
    ]);
    expect((await store().queryUses.readAnswers(1)).size).toBe(1);
  });

  it('records the other runs if a user or a query no longer exists, and deletes what belongs to a deleted user', async () => {
    await store().queryUses.addFavorite(ann, sales.id, now);
    await store().queryUses.noteRuns([{ queryId: sales.id, userId: ann, at: now }]);
    await store().users.delete(ann);
    await store().queryUses.noteRuns([
      { queryId: 'none', userId: bob, at: now },
      { queryId: sales.id, userId: ann, at: now + 1 },
      { queryId: stock.id, userId: bob, at: now + 2 },
    ]);
    expect(await use(ann, sales)).toEqual({ ...none, lastRunAt: now + 1 });
    expect(await use(bob, stock)).toEqual({ ...none, lastUsedAt: now + 2, lastRunAt: now + 2 });
  });
}
