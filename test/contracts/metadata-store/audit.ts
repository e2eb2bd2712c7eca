import { expect, it } from 'vitest';
import type { AuditEntry, AuditFilter } from '../../../src/audit/audit-entry.ts';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { auditEntry, now, userNamed, walk } from './fixtures.ts';

export function auditContract(store: () => MetadataStore): void {
  const requests = async (filter: AuditFilter, limit = 50) =>
    (await walk((cursor) => store().audit.list(filter, { limit, ...cursor }))).map(({ requestId }) => requestId);

  it('returns every stored field and the entry number', async () => {
    const entry: AuditEntry = {
      at: now,
      requestId: 'r1',
      userId: 'u1',
      user: 'Änn 🦫',
      application: 'Assistant',
      apiKey: 'nightly',
      action: 'query.execute',
      query: 'QD_Orders',
      queryVersion: 3,
      parameters: { '@Region': 'N\0rth', '@From': null, '@List': [1, 'two'] },
      channel: 'mcp',
      outcome: 'failed',
      status: 500,
      error: 'query_timed_out',
      rows: 5_000_000_000,
      bytes: 9_007_199_254_740_991,
      durationMs: 60_000,
      address: '::1',
      client: 'Inspector/1.0 (日本)',
      kind: 'application',
      viewer: 'ana',
      cached: true,
    };
    await store().audit.append([entry, auditEntry({ requestId: 'r2' })]);
    const { items } = await store().audit.list({ requestId: 'r1' }, { limit: 5 });
    expect(items).toEqual([{ ...entry, seq: expect.any(Number) }]);
  });

  it('stores fractional milliseconds and unusual characters', async () => {
    await store().audit.append([auditEntry({ requestId: 'odd', user: 'a\0b\ud800', client: '\0', durationMs: 12.7 })]);
    const { items } = await store().audit.list({ requestId: 'odd' }, { limit: 5 });
    expect(items).toMatchObject([{ durationMs: 13, user: 'a\ufffdb\ufffd' }]);
  });

  it('appends zero, one and thousands of entries in one call', async () => {
    await store().audit.append([]);
    expect(await requests({})).toEqual([]);
    const entries = Array.from({ length: 3_001 }, (_, index) => auditEntry({ requestId: `r${index}`, at: now + index }));
    await store().audit.append(entries);
    expect(await requests({}, 1000)).toEqual(entries.map(({ requestId }) => requestId).toReversed());
  });

  it('appends all or none', async () => {
    const entries = Array.from({ length: 500 }, () => auditEntry());
    const broken = { ...auditEntry(), action: null } as unknown as AuditEntry; // refused by the database
    await expect(store().audit.append([...entries, broken])).rejects.toMatchObject({ name: 'StoreError' });
    expect(await requests({})).toEqual([]);
  });

  it('lists newest first, then by number, without duplicates or gaps', async () => {
    const at = [now, now, now + 1, now, now - 1, now, now + 1, now];
    await store().audit.append(at.map((time, index) => auditEntry({ at: time, requestId: `r${index}` })));
    const expected = ['r6', 'r2', 'r7', 'r5', 'r3', 'r1', 'r0', 'r4'];
    for (const limit of [1, 2, 3, 8, 50]) expect(await requests({}, limit)).toEqual(expected);
  });

  it('keeps that order when filtering by request', async () => {
    await store().audit.append([1, 2, 3, 4].map((status) => auditEntry({ requestId: 'same', status })));
    const { items } = await store().audit.list({ requestId: 'same' }, { limit: 10 });
    expect(items.map(({ status }) => status)).toEqual([4, 3, 2, 1]);
  });

  it('is not affected by entries added while paging', async () => {
    await store().audit.append(Array.from({ length: 4 }, (_, index) => auditEntry({ at: now + index, requestId: `r${index}` })));
    const first = await store().audit.list({}, { limit: 2 });
    await store().audit.append([auditEntry({ at: now + 9 })]);
    const second = await store().audit.list({}, { limit: 2, ...(first.nextCursor !== null && { cursor: first.nextCursor }) });
    expect(second.items.map(({ requestId }) => requestId)).toEqual(['r1', 'r0']);
    expect(second.nextCursor).toBeNull();
  });

  it('refuses an invalid cursor', async () => {
    await store().audit.append([auditEntry({ requestId: 'r1' })]);
    for (const cursor of ['', 'nonsense', 'WyJhIiwiYiJd', 'WzEuNSwyXQ']) {
      await expect(store().audit.list({}, { limit: 5, cursor })).rejects.toMatchObject({ kind: 'bad-cursor' });
    }
  });

  it('filters by each field, alone and combined', async () => {
    await store().audit.append([
      auditEntry({ requestId: 'a', at: now, user: 'Änn', query: 'QD_x', channel: 'rest', outcome: 'ok' }),
      auditEntry({ requestId: 'b', at: now + 1, user: 'bob', query: 'QD_x', channel: 'mcp', outcome: 'refused' }),
      auditEntry({ requestId: 'c', at: now + 2, user: 'änn', query: 'QD_y', channel: 'mcp', outcome: 'failed' }),
      auditEntry({
        requestId: 'd',
        at: now + 3,
        user: null,
        query: null,
        channel: 'management',
        outcome: 'ok',
        action: 'user.create',
      }),
    ]);
    expect(await requests({ from: now + 1 })).toEqual(['d', 'c', 'b']);
    expect(await requests({ to: now + 2 })).toEqual(['b', 'a']);
    expect(await requests({ from: now + 1, to: now + 3 })).toEqual(['c', 'b']);
    expect(await requests({ user: 'ÄNN' })).toEqual(['c', 'a']);
    expect(await requests({ user: 'än' })).toEqual([]);
    expect(await requests({ query: 'QD_x' })).toEqual(['b', 'a']);
    expect(await requests({ query: 'qd_x' })).toEqual([]);
    expect(await requests({ action: 'user.create' })).toEqual(['d']);
    expect(await requests({ action: 'query.execute', user: 'bob' })).toEqual(['b']);
    expect(await requests({ action: 'user' })).toEqual([]);
    expect(await requests({ channel: 'mcp' })).toEqual(['c', 'b']);
    expect(await requests({ outcome: 'ok' })).toEqual(['d', 'a']);
    expect(await requests({ requestId: 'c' })).toEqual(['c']);
    expect(await requests({ user: 'änn', channel: 'mcp', from: now }, 1)).toEqual(['c']);
  });

  it('searches user, key, action, query, error code, address, client and request id ignoring case', async () => {
    await store().audit.append([
      auditEntry({ requestId: 'REQ_1', user: 'Zoë', apiKey: 'Nightly', address: '10.0.0.7' }),
      auditEntry({ requestId: 'req2', action: 'user.create', query: 'QD_100%', error: 'query_failed', client: 'curl/8' }),
    ]);
    for (const search of ['zOË', 'nightLY', '10.0.0', 'eq_1']) expect(await requests({ search })).toEqual(['REQ_1']);
    for (const search of ['USER.c', '100%', 'Query_f', 'Curl', 'REQ2']) expect(await requests({ search })).toEqual(['req2']);
    expect(await requests({ search: 'q_2' })).toEqual([]);
  });

  it('searches the current full names of users', async () => {
    const zoe = userNamed('zk', { fullName: 'Zoë Kowalska' });
    await store().users.insert(zoe);
    await store().audit.append([
      auditEntry({ requestId: 'hers', user: 'zk', userId: zoe.id }),
      auditEntry({ requestId: 'tried', user: 'zk' }), // a failed sign-in has no user
      auditEntry({ requestId: 'others', user: 'bob', userId: 'u2' }),
    ]);
    expect(await requests({ search: 'kowalska' })).toEqual(['hers']);
    expect(await requests({ search: 'zk' })).toEqual(['tried', 'hers']);
    expect(await requests({ search: 'kowalska', outcome: 'failed' })).toEqual([]);
  });

  it('returns the oldest before a time in order, and deletes the named ones', async () => {
    const at = [3, 1, 2, 1, 4].map((each) => now + each);
    await store().audit.append(at.map((time, index) => auditEntry({ at: time, requestId: `r${index}` })));
    const first = await store().audit.listOldest(now + 4, { limit: 2 });
    expect(first.map(({ requestId }) => requestId)).toEqual(['r1', 'r3']);
    const behind = first[1];
    const rest = await store().audit.listOldest(now + 4, { limit: 50, ...(behind && { behind }) });
    expect(rest.map(({ requestId }) => requestId)).toEqual(['r2', 'r0']);
    await store().audit.delete([...first, ...rest].map(({ seq }) => seq));
    await store().audit.delete([]);
    expect(await requests({})).toEqual(['r4']);
  });

  it('deletes the oldest before a time, up to a limit', async () => {
    await store().audit.append([3, 1, 2, 0, 4].map((index) => auditEntry({ at: now + index, requestId: `r${index}` })));
    expect(await store().audit.deleteBefore(now + 3, 2)).toBe(2);
    expect(await requests({})).toEqual(['r4', 'r3', 'r2']);
    expect(await store().audit.deleteBefore(now + 3, 100)).toBe(1);
    expect(await store().audit.deleteBefore(now + 3, 100)).toBe(0);
    expect(await requests({})).toEqual(['r4', 'r3']);
  });
}
