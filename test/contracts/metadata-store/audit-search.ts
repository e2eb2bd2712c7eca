import { expect, it } from 'vitest';
import type { AuditEntry, AuditFilter } from '../../../src/audit/audit-entry.ts';
import { createRandom, type Random } from '../../support/faults/random.ts';
import { addUser, auditEntry, now, walk } from './fixtures.ts';
import type { OpenedStore } from './metadata-store-contract.ts';

const ENTRIES = 4_000;
const SEARCHES = 30;

export function auditSearchContract(opened: () => OpenedStore): void {
  const audit = () => opened().store.audit;
  const find = async (filter: AuditFilter, limit = 100) =>
    (await walk((cursor) => audit().list(filter, { limit, ...cursor }))).map(({ requestId }) => requestId);
  it('finds the entries that match, whatever the text, the filter and the page', async () => {
    const chance = createRandom(22);
    const zoe = await addUser(opened().store, 'zk', { fullName: 'Zoë Ωmega-Kowalska 100%' });
    const entries = Array.from({ length: ENTRIES }, (_, n) => randomEntry(chance, n, zoe.id));
    await audit().append(entries);
    const searches = [
      { action: 'user.create' },
      { action: 'user.create', search: '192.0.2.1', from: now + 2_000 },
      { action: 'key.revoke' },
      ...Array.from({ length: SEARCHES }, () => randomFilter(chance, entries)),
    ];
    const expected = searches.map((filter) => expectedFor(filter, entries, zoe.id));
    expect(expected.filter((ids) => ids.length > 0).length).toBeGreaterThan(SEARCHES / 3); // else it would prove nothing

    for (const [index, filter] of searches.entries()) {
      const ids = expected[index] ?? [];
      expect(await find(filter, ids.length > 100 ? 1000 : 7), JSON.stringify(filter)).toEqual(ids);
    }
  });

  it('continues after entries were deleted', async () => {
    await audit().append(Array.from({ length: ENTRIES }, (_, n) => auditEntry({ requestId: `old-${n}`, at: now + n })));
    await audit().deleteBefore(now + 1_000, 2_000);
    await audit().delete((await audit().listOldest(now + 1_500, { limit: 500 })).map(({ seq }) => seq));
    expect(await find({ search: 'old-1501' })).toEqual(['old-1501']);
    expect(await find({ search: 'old-1499' })).toEqual([]);
    await audit().deleteBefore(now + ENTRIES, ENTRIES); // all of them
    await audit().append(Array.from({ length: 3_000 }, (_, n) => auditEntry({ requestId: `new-${n}`, at: now + ENTRIES + n })));
    expect(await find({ search: 'new-1501' })).toEqual(['new-1501']);
    expect(await find({ search: 'old-' })).toEqual([]);
  });
}

const names = [
  'Zoë',
  'zk',
  'ÅNGSTRÖM',
  'bob_1',
  'bob%1',
  'ΟΔΥΣΣΕΥΣ',
  'a\\b',
  'ﬁne',
  '😀 smile',
  'N\0L',
  'İstanbul',
  '日本語話者',
];
const clients = ['curl/8.0', 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101', '100%', '%_\\', null];

function randomEntry(chance: Random, n: number, userId: string): AuditEntry {
  const hex = () => Array.from({ length: 8 }, () => chance.below(16).toString(16)).join('');
  return auditEntry({
    requestId: `${hex()}-${hex()}-${n}`,
    // in about the order of their numbers, with ties and with some that took long
    at: now + Math.floor(n / 3) * 10 - (chance.maybe(0.02) ? chance.below(20_000) : chance.below(30)),
    userId: chance.maybe(0.01) ? userId : chance.maybe(0.5) ? 'u1' : null,
    user: chance.maybe(0.05) ? chance.pick(names) : chance.maybe(0.5) ? 'someone' : null,
    query: chance.maybe(0.01) ? `QD_Rare_${chance.below(20)}` : 'QD_Sales',
    outcome: chance.maybe(0.2) ? 'failed' : 'ok',
    action: n % 50 === 0 ? 'user.create' : 'query.execute',
    address: `192.0.2.${chance.below(256)}`,
    client: chance.pick(clients),
  });
}

/** Often a piece of an entry, else something near it. */
function randomFilter(chance: Random, entries: readonly AuditEntry[]): AuditFilter {
  const entry = chance.pick(entries);
  const text = chance.pick([
    entry.requestId,
    chance.pick(names),
    entry.query ?? '',
    entry.address,
    'kowalska 1',
    'ω',
    '100%',
    '_',
    'zz',
  ]);
  const start = chance.below(Math.max(1, text.length - 2));
  const piece = text.slice(start, start + 1 + chance.below(12));
  const cased = chance.pick([
    piece,
    piece.toUpperCase(),
    piece.toLowerCase(),
    `${piece}${chance.pick(['', '', '%', '_', '\\', 'x'])}`,
  ]);
  return {
    search: cased === '' ? 'never' : cased,
    ...(chance.maybe(0.2) && { outcome: 'failed' as const }),
    ...(chance.maybe(0.1) && { user: 'SOMEONE' }),
    ...(chance.maybe(0.1) && { query: 'QD_Sales' }),
    ...(chance.maybe(0.2) && { from: now + chance.below(8_000) }),
    ...(chance.maybe(0.2) && { to: now + 5_000 + chance.below(8_000) }),
  };
}

const fold = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('\0', '\ufffd').toWellFormed();

function expectedFor(filter: AuditFilter, entries: readonly AuditEntry[], named: string): string[] {
  const search = fold(filter.search ?? '');
  const byName = fold('zk\nZoë Ωmega-Kowalska 100%').includes(search);
  return entries
    .map((entry, seq) => ({ entry, seq }))
    .filter(
      ({ entry }) =>
        (textOf(entry).includes(search) || (byName && entry.userId === named)) &&
        (filter.action === undefined || entry.action === filter.action) &&
        (filter.outcome === undefined || entry.outcome === filter.outcome) &&
        (filter.user === undefined || entry.user?.toLowerCase() === filter.user.toLowerCase()) &&
        (filter.query === undefined || entry.query === filter.query) &&
        (filter.from === undefined || entry.at >= filter.from) &&
        (filter.to === undefined || entry.at < filter.to),
    )
    .toSorted((a, b) => b.entry.at - a.entry.at || b.seq - a.seq)
    .map(({ entry }) => entry.requestId);
}

const textOf = ({ requestId, user, apiKey, action, query, error, address, client }: AuditEntry): string =>
  fold([requestId, user, apiKey, action, query, error, address, client].filter((part) => part !== null).join('\n'));
