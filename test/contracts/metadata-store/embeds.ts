import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { DataLink, Embed } from '../../../src/access/share.ts';
import { chartConfigDefaults } from '../../../src/core/chart-config.ts';
import { addUser, expectKind, hour, now, walk } from './fixtures.ts';
import type { OpenedStore } from './metadata-store-contract.ts';

export const embedOf = (userId: string, changes: Partial<Embed> = {}): Embed => ({
  id: randomUUID(),
  userId,
  queryName: 'QD_Sales_Demo',
  parameters: [],
  open: [],
  viewer: 'issuer',
  chart: { ...chartConfigDefaults, chartType: 'bar', labelColumn: 'Region', dataColumn: 'Revenue' },
  stamp: 'stamp-1',
  days: 7,
  createdAt: now,
  issuedAt: now,
  expiresAt: now + hour,
  views: 0,
  lastViewedAt: null,
  ...changes,
});

export const linkOf = (userId: string, changes: Partial<DataLink> = {}): DataLink => {
  const { chart: _chart, viewer: _viewer, ...share } = embedOf(userId);
  return { ...share, name: 'Sales', format: 'csv', open: ['@Region'], asIssuer: false, ...changes };
};

/** Data links are stored like embeds; only what differs is tested. */
export function linkContract(opened: () => OpenedStore): void {
  const store = () => opened().store;

  it('returns every stored field, and is deleted with its user', async () => {
    const user = await addUser(store(), 'ann');
    const link = linkOf(user.id, { name: '<b>Täglich 📈</b>', parameters: 'v1.sealed', open: [], asIssuer: true });
    await store().links.insert(link);
    expect(await store().links.get(link.id)).toEqual(link);
    expect(await store().embeds.get(link.id)).toBeNull();
    await store().users.delete(user.id);
    expect(await store().links.get(link.id)).toBeNull();
  });

  it('finds by technical name and name, counts per user, and keeps tokens and uses', async () => {
    const [ann, bob] = [await addUser(store(), 'ann'), await addUser(store(), 'bob')];
    const [sales, stock] = [linkOf(ann.id), linkOf(bob.id, { name: 'Stock', queryName: 'QD_Stock_Demo' })];
    for (const link of [sales, stock]) await store().links.insert(link);
    const found = await store().links.list({ limit: 10, search: 'STOCK' });
    expect(found.items).toEqual([stock]);
    expect(await store().links.countOf(ann.id)).toBe(1);
    const issue = { stamp: 'stamp-2', days: null, issuedAt: now + 5, expiresAt: null };
    expect(await store().links.reissue(sales.id, issue)).toBe(true);
    await store().links.addViews([{ id: sales.id, count: 2, at: now + 9 }]);
    expect(await store().links.get(sales.id)).toEqual({ ...sales, ...issue, views: 2, lastViewedAt: now + 9 });
    expect(await store().links.delete(sales.id)).toBe(true);
    await store().links.deleteExpiredBefore(now + 2 * hour);
    expect((await store().links.list({ limit: 10 })).items).toEqual([]);
  });
}

export function embedContract(opened: () => OpenedStore): void {
  const store = () => opened().store;

  it('returns every stored field', async () => {
    const user = await addUser(store(), 'ann');
    const embed = embedOf(user.id, {
      parameters: [{ ParameterName: '@Région', Value: "O'Neil \ufffd 📈", DataType: 'nvarchar(50)' }],
      days: null,
      expiresAt: null,
      views: 12,
      lastViewedAt: now + 1,
    });
    const titled = { ...embed, chart: { ...embed.chart, title: '<b>"Täglich" 📈</b>', chartHeight: 250 } };
    await store().embeds.insert(titled);
    expect(await store().embeds.get(titled.id)).toEqual(titled);
    expect(await store().embeds.get('none')).toBeNull();
    await expect(store().embeds.insert(titled)).rejects.toEqual(expectKind('taken'));
  });

  it('refuses an embed without a user, and deletes embeds with their user', async () => {
    await expect(store().embeds.insert(embedOf('nobody'))).rejects.toEqual(expectKind('stale'));
    const user = await addUser(store(), 'ann');
    const embed = embedOf(user.id);
    await store().embeds.insert(embed);
    await store().users.delete(user.id);
    expect(await store().embeds.get(embed.id)).toBeNull();
  });

  it('lists newest first in pages, of one user or of all', async () => {
    const [ann, bob] = [await addUser(store(), 'ann'), await addUser(store(), 'bob')];
    const made = [0, 1, 2, 3, 4, 4].map((at, index) => embedOf(index % 2 ? ann.id : bob.id, { createdAt: now + at }));
    for (const embed of made) await store().embeds.insert(embed);
    const newestFirst = made.toSorted((a, b) => b.createdAt - a.createdAt || (b.id > a.id ? 1 : -1));
    expect(await walk((cursor) => store().embeds.list({ limit: 2, ...cursor }))).toEqual(newestFirst);
    const ofAnn = newestFirst.filter(({ userId }) => userId === ann.id);
    expect(await walk((cursor) => store().embeds.list({ limit: 1, userId: ann.id, ...cursor }))).toEqual(ofAnn);
    await expect(store().embeds.list({ limit: 10, cursor: 'nonsense' })).rejects.toMatchObject({ kind: 'bad-cursor' });
  });

  it('finds by technical name and title, ignoring case', async () => {
    const user = await addUser(store(), 'ann');
    const sales = embedOf(user.id);
    const stock = embedOf(user.id, { queryName: 'QD_Stock_Demo', chart: { ...sales.chart, title: '100% of Everything' } });
    for (const embed of [sales, stock]) await store().embeds.insert(embed);
    const find = async (search: string) => (await store().embeds.list({ limit: 10, search })).items.map(({ id }) => id);
    expect(await find('qd_sales')).toEqual([sales.id]);
    expect(await find('100% of every')).toEqual([stock.id]);
    expect(await find('0_of')).toEqual([]);
  });

  it('reissues with another stamp and lifetime, immediately visible to another process', async () => {
    const other = await opened().openAgain();
    const user = await addUser(store(), 'ann');
    const embed = embedOf(user.id);
    await store().embeds.insert(embed);
    const issue = { stamp: 'stamp-2', days: null, issuedAt: now + 5, expiresAt: null };
    expect(await store().embeds.reissue(embed.id, issue)).toBe(true);
    expect(await other.embeds.get(embed.id)).toEqual({ ...embed, ...issue });
    expect(await store().embeds.reissue('none', issue)).toBe(false);
  });

  it('deletes once', async () => {
    const user = await addUser(store(), 'ann');
    const embed = embedOf(user.id);
    await store().embeds.insert(embed);
    expect(await store().embeds.delete(embed.id)).toBe(true);
    expect(await store().embeds.delete(embed.id)).toBe(false);
    expect(await store().embeds.get(embed.id)).toBeNull();
  });

  it('deletes those that expired before a time, but none without expiry', async () => {
    const user = await addUser(store(), 'ann');
    const old = embedOf(user.id, { expiresAt: now - 1 });
    const kept = [embedOf(user.id, { expiresAt: now }), embedOf(user.id, { days: null, expiresAt: null })];
    for (const embed of [old, ...kept]) await store().embeds.insert(embed);
    await store().embeds.deleteExpiredBefore(now);
    expect(await store().embeds.get(old.id)).toBeNull();
    for (const { id } of kept) expect(await store().embeds.get(id)).not.toBeNull();
  });

  it('replaces parameters, also encrypted ones', async () => {
    const user = await addUser(store(), 'ann');
    const embed = embedOf(user.id, { parameters: [{ ParameterName: '@A', Value: '1' }] });
    await store().embeds.insert(embed);
    await store().embeds.keepParameters(embed.id, 'v1.sealed');
    expect(await store().embeds.get(embed.id)).toEqual({ ...embed, parameters: 'v1.sealed' });
  });

  it('returns the default of an option that is newer than the embed', async () => {
    const user = await addUser(store(), 'ann');
    const embed = embedOf(user.id);
    const { patterns: _, ...before } = embed.chart;
    await store().embeds.insert({ ...embed, chart: JSON.parse(JSON.stringify(before)) });
    expect((await store().embeds.get(embed.id))?.chart).toEqual(embed.chart);
  });

  it('adds up views of several processes and keeps the latest time', async () => {
    const other = await opened().openAgain();
    const user = await addUser(store(), 'ann');
    const [one, two] = [embedOf(user.id), embedOf(user.id)];
    for (const embed of [one, two]) await store().embeds.insert(embed);
    const round = [
      { id: one.id, count: 2, at: now + 9 },
      { id: two.id, count: 1, at: now + 3 },
      { id: 'none', count: 1, at: now },
    ];
    await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? store() : other).embeds.addViews(round)));
    await store().embeds.addViews([{ id: one.id, count: 1, at: now + 4 }]);
    await store().embeds.addViews([]);
    expect(await store().embeds.get(one.id)).toMatchObject({ views: 21, lastViewedAt: now + 9 });
    expect(await store().embeds.get(two.id)).toMatchObject({ views: 10, lastViewedAt: now + 3 });
  });
}
