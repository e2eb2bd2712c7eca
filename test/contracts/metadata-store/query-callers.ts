import { expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/audit/audit-entry.ts';
import type { MetadataStore, QueryCaller } from '../../../src/store/metadata-store.ts';
import { createRandom } from '../../support/faults/random.ts';
import { embedOf, linkOf } from './embeds.ts';
import { addUser, auditEntry, hour, keyOf, now } from './fixtures.ts';

const QUERY = 'QD_Verkäufe_Demo';
const run = (changes: Partial<AuditEntry> = {}): AuditEntry =>
  auditEntry({ query: QUERY, queryVersion: 1, user: 'ann', parameters: {}, rows: 10, ...changes });

/** Who received rows of a query. */
export function queryCallerContract(store: () => MetadataStore): void {
  const read = (since = now - 90 * 24 * hour) => store().audit.readCallers({ query: QUERY, since, now });
  const callersOf = async (...entries: readonly AuditEntry[]) => {
    await store().audit.append(entries);
    return (await read()).callers;
  };
  const caller = (changes: Partial<QueryCaller>): QueryCaller => ({
    ...{ user: 'ann', kind: 'person', apiKey: null, application: null, channel: 'rest', version: 1 },
    ...{ calls: 1, viewers: 0, lastAt: now },
    ...changes,
  });

  it('are counted by account, credential, application, channel and version', async () => {
    const callers = await callersOf(
      run({ at: now - 2 }),
      run({ at: now - 1, cached: true }),
      run({ rows: 0, channel: 'chart' }),
      run({ apiKey: 'nightly' }),
      run({ application: 'Assistant', channel: 'mcp', action: 'execute_query' }),
      run({ queryVersion: 2, parameters: { '@Region': '"continued":true}' } }),
      run({ user: 'bob' }),
      run({ query: 'QD_Verkäufe_Demo_2', user: 'carl' }),
    );
    expect(callers).toHaveLength(6);
    for (const expected of [
      caller({ calls: 2, lastAt: now - 1 }),
      caller({ channel: 'chart' }),
      caller({ apiKey: 'nightly' }),
      caller({ application: 'Assistant', channel: 'mcp' }),
      caller({ version: 2 }),
      caller({ user: 'bob' }),
    ])
      expect(callers).toContainEqual(expected);
  });

  it('count viewers of an application once, however often they call', async () => {
    const ofApplication = (viewer: string, at = now) => run({ user: 'portal', kind: 'application', viewer, at });
    const callers = await callersOf(
      ofApplication('v1'),
      ofApplication('v2', now - 5 * hour),
      ofApplication('v1', now - 40 * hour),
    );
    expect(callers).toEqual([caller({ user: 'portal', kind: 'application', calls: 3, viewers: 2 })]);
  });

  it('count executions, not pages, also where a tool takes codes beside parameters', async () => {
    const page = (action: string, changes: Partial<AuditEntry> = {}) => run({ action, ...changes });
    const callers = await callersOf(
      run(),
      page('query.next-page'),
      page('query.next-chunk', { parameters: null }),
      page('export.download', { parameters: null }),
      page('data.read', { status: 206 }),
      run({ channel: 'mcp', action: 'execute_query' }),
      page('execute_query_next_page', { channel: 'mcp', parameters: null }),
      page('resume_stream', { channel: 'mcp', parameters: null }),
      page('execute_query', { channel: 'mcp', parameters: null }),
      page('qd_verkaufe_demo', { channel: 'mcp', parameters: { '@Region': 'North', continued: true } }),
      page('query.next-page', { user: 'bob' }), // began before
    );
    expect(callers).toHaveLength(3);
    for (const expected of [caller({}), caller({ channel: 'mcp' }), caller({ user: 'bob' })])
      expect(callers).toContainEqual(expected);
  });

  it('are not those who received nothing, or nothing but its description', async () => {
    const callers = await callersOf(
      run({ outcome: 'refused', status: 400, rows: null }),
      run({ outcome: 'failed', status: 500, rows: null }),
      run({ outcome: 'cancelled', status: 500, rows: null, queryVersion: null }),
      run({ action: 'get_query_detail', channel: 'mcp', parameters: null, rows: null }),
      run({ action: 'query.choices', channel: 'ui' }),
      run({ action: 'embed.create', channel: 'embed', rows: null }),
      run({ action: 'query.update', channel: 'management', rows: null }),
      run({ outcome: 'cancelled', status: 500, rows: 3, channel: 'export', user: 'left early' }),
      run({ channel: 'mcp', action: 'export_query', rows: null, user: 'waits' }), // its rows follow with a code
    );
    expect(callers.map(({ user }) => user).toSorted()).toEqual(['left early', 'waits']);
  });

  it('are those since a time, each entry counted once in whatever partition it is', async () => {
    const chance = createRandom(7);
    const entries = Array.from({ length: 3_000 }, () => run({ at: now - chance.below(90 * 24) * hour }));
    const since = now - 60 * 24 * hour;
    await store().audit.append([...entries, run({ at: now + hour }), run({ at: since }), run({ at: since - 1 })]);
    const found = await read(since);
    expect(found.since).toBe(since);
    const expected = entries.filter(({ at }) => at >= since).length + 2;
    expect(found.callers).toEqual([caller({ calls: expected, lastAt: now + hour })]);
    expect((await read(now - hour)).since).toBe(now - hour);
  });
}

/** The objects that depend on a query. */
export function queryDependantContract(store: () => MetadataStore): void {
  const listFor = (queryName: string, limit = 100) => store().queries.listDependants(queryName, { now, limit });

  it('are embeds, data links and keys with typed tools that have not ended', async () => {
    const ann = await addUser(store(), 'ann');
    const { embeds, links, apiKeys } = store();
    const named = (queryName: string) => ({ queryName, chart: { ...embedOf(ann.id).chart, title: 'Täglich' } });
    const [embed, forever] = [embedOf(ann.id, named(QUERY)), embedOf(ann.id, { queryName: QUERY, expiresAt: null })];
    const pinned = linkOf(ann.id, { queryName: `${QUERY}@3`, name: 'Täglich' });
    const others = ['QD_Verkäufe_Dem', `${QUERY}_2`, `${QUERY}A`, 'QD_Verkäufe', `${QUERY.toLowerCase()}`];
    for (const each of [embed, forever, embedOf(ann.id, { queryName: QUERY, expiresAt: now })]) await embeds.insert(each);
    for (const queryName of others) await embeds.insert(embedOf(ann.id, { queryName }));
    for (const each of [pinned, linkOf(ann.id, { queryName: `${QUERY}@3`, expiresAt: now - 1 })]) await links.insert(each);
    const typed = { tools: 'typed' as const, queries: [...others, ...Array.from({ length: 34 }, (_, n) => `QD_${n}`), QUERY] };
    const key = keyOf(ann.id, typed);
    const ended = [{ revokedAt: now }, { expiresAt: now }, { tools: 'generic' as const }, { queries: others }];
    for (const each of [key, ...ended.map((changes) => keyOf(ann.id, { ...typed, ...changes }))])
      await apiKeys.insert(each, 9, now);

    const found = await listFor(QUERY);
    expect(found.count).toBe(4);
    expect(found.items.toSorted((a, b) => (a.kind + a.name < b.kind + b.name ? -1 : 1))).toEqual([
      { kind: 'embed', id: forever.id, name: '', owner: 'ann', queryName: QUERY },
      { kind: 'embed', id: embed.id, name: 'Täglich', owner: 'ann', queryName: QUERY },
      { kind: 'link', id: pinned.id, name: 'Täglich', owner: 'ann', queryName: `${QUERY}@3` },
      { kind: 'typedKey', id: key.id, name: key.name, owner: 'ann', queryName: QUERY },
    ]);
    expect(await listFor('QD_None')).toEqual({ items: [], count: 0 });
  });

  it('are listed up to a limit, and all counted', async () => {
    const ann = await addUser(store(), 'ann');
    for (let n = 0; n < 5; n++) await store().embeds.insert(embedOf(ann.id, { queryName: QUERY }));
    for (let n = 0; n < 3; n++) await store().links.insert(linkOf(ann.id, { queryName: QUERY }));
    const found = await listFor(QUERY, 6);
    expect(found.count).toBe(8);
    expect(found.items.map(({ kind }) => kind)).toEqual([...Array.from({ length: 5 }, () => 'embed'), 'link']);
    expect((await listFor(QUERY, 2)).items).toHaveLength(2);
  });
}
