import { expect, it } from 'vitest';
import { migrations } from '../../../src/store/sql/migrations/index.ts';
import { addRole, addUser, auditEntry, databaseNamed, keyOf, now, ofKind, queryNamed, sessionOf } from './fixtures.ts';
import type { OpenedStore } from './metadata-store-contract.ts';

export function openingContract(opened: () => OpenedStore): void {
  it('keeps all data', async () => {
    const { store } = opened();
    const role = await addRole(store, 'Reader');
    const user = await addUser(store, 'ann', { roleIds: [role.id], databaseScope: ['d1'] });
    const key = keyOf(user.id);
    const session = sessionOf(user.id);
    const database = databaseNamed('Sales');
    const query = queryNamed('Orders', {}, { roleIds: [role.id] });
    await store.apiKeys.insert(key, 5, now);
    await store.sessions.insert(session);
    await store.databases.insert(database);
    await store.queries.insert(query);
    await store.settings.set('catalog.namePrefix', 'QD');
    await store.audit.append([auditEntry({ requestId: 'r1' })]);
    await store.close();

    const again = await opened().openAgain();
    expect(await again.principals.byKeyHash(key.hash)).toMatchObject({ user, key, roleNames: ['Reader'] });
    expect(await again.principals.bySessionHash(session.hash)).toMatchObject({ user, session });
    expect(await again.databases.byName('Sales')).toEqual(database);
    expect(await again.queries.byQueryName(query.queryName)).toEqual(query);
    expect(await again.settings.all()).toEqual({ 'catalog.namePrefix': 'QD' });
    const { items } = await again.audit.list({ requestId: 'r1' }, { limit: 10 });
    expect(items).toHaveLength(1);
  });

  it('responds to a ping', async () => {
    await expect(opened().store.ping()).resolves.toBeUndefined();
  });

  it('refuses a store that a newer version has migrated', async () => {
    await opened().execute("insert into migrations (name, at) values ('9999-from-the-future', 0)");
    await expect(opened().openAgain()).rejects.toThrow(/newer version \(9999-from-the-future\)/);
  });

  it('reads and writes versions of queries beside a release with other columns', async () => {
    const { store, execute } = opened();
    const query = queryNamed('Orders');
    await store.queries.insert(query);
    await execute(`insert into query_versions (query_id, version, definition, labels, created_at, created_by)
      select query_id, 2, definition, labels, created_at, created_by from query_versions where query_id = '${query.id}'`);
    await execute("alter table query_versions add column later text not null default 'x'");
    try {
      await store.queries.update({ ...query, current: { ...query.current, note: 'First' }, revision: 2 });
      expect(await store.queries.versions(query.id)).toEqual([
        { ...query.current, version: 2 },
        { ...query.current, note: 'First' },
      ]);
    } finally {
      await execute('alter table query_versions drop column later');
    }
  });

  it('applies each migration once', async () => {
    await opened().openAgain();
    await opened().execute(`delete from migrations where name = '${migrations[0]?.name}'`);
    // now it would be applied again to existing tables
    await expect(opened().openAgain()).rejects.toEqual(ofKind('unavailable'));
  });
}
