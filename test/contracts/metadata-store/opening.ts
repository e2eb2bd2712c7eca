import { expect, it } from 'vitest';
import type { Repositories } from '../../../src/store/metadata-store.ts';
import { copiedTables } from '../../../src/store/sql/copy.ts';
import { migrations } from '../../../src/store/sql/migrations/index.ts';
import { embedOf } from './embeds.ts';
import { createExecution } from './executions.ts';
import {
  addRole,
  addUser,
  auditEntry,
  databaseNamed,
  hour,
  keyOf,
  now,
  expectKind,
  queryNamed,
  sessionOf,
  versionOf,
} from './fixtures.ts';
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
    expect(await again.settings.readAll()).toEqual({ 'catalog.namePrefix': 'QD' });
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
      expect(await store.queries.listVersions(query.id)).toEqual([
        { ...query.current, version: 2 },
        { ...query.current, note: 'First' },
      ]);
    } finally {
      await execute('alter table query_versions drop column later');
    }
  });

  it('returns the same records after a newer version has added columns to every table', async () => {
    const { store, execute } = opened();
    const role = await addRole(store, 'Reader');
    const user = await addUser(store, 'ann', { roleIds: [role.id], externalId: 'https://company.example#ann' });
    const key = keyOf(user.id, { expiresAt: now + hour });
    const session = sessionOf(user.id);
    const embed = embedOf(user.id);
    const database = databaseNamed('Sales');
    const query = queryNamed('Orders', {
      id: 'orders',
      draft: { ...versionOf('orders', 'Orders', { version: 2 }), status: 'Draft' },
    });
    await store.apiKeys.insert(key, 5, now);
    await store.sessions.insert(session);
    await store.embeds.insert(embed);
    await store.databases.insert(database);
    await store.databases.noteTest(database.id, { at: now, problem: null });
    await store.queries.insert(query);
    await store.queryUses.noteRuns([{ queryId: query.id, userId: user.id, at: now }]);
    await store.settings.set('catalog.namePrefix', 'QD');
    await store.audit.append([auditEntry()]);
    await store.executions.report('p1', [createExecution('a')], { at: now, forgetBefore: 0 });

    const page = { limit: 10 };
    const everything = async (from: Repositories) => ({
      principals: [
        await from.principals.byKeyHash(key.hash),
        await from.principals.bySessionHash(session.hash),
        await from.principals.byUsername('ann'),
        await from.principals.byUserId(user.id),
      ],
      users: [await from.users.list(page), await from.users.get(user.id), await from.users.byExternalId(user.externalId ?? '')],
      roles: [await from.roles.list(page), await from.roles.listAll(), await from.roles.get(role.id)],
      apiKeys: [
        await from.apiKeys.listForUser(user.id),
        await from.apiKeys.get(key.id),
        await from.apiKeys.listEnding({ after: now, until: now + hour, limit: 10 }),
      ],
      embeds: [await from.embeds.list(page), await from.embeds.get(embed.id)],
      databases: [
        await from.databases.list(page),
        await from.databases.listAll(),
        await from.databases.get(database.id),
        await from.databases.byName('Sales'),
        await from.databases.readLastTests(),
      ],
      queries: [
        await from.queries.getMany([query.id]),
        await from.queries.get(query.id),
        await from.queries.byQueryName(query.queryName),
        await from.queries.byName(query.current.definition.name),
        await from.queries.listVersions(query.id),
      ],
      queryUses: [
        await from.queryUses.readUses(user.id, [query.id]),
        await from.queryUses.favorites(user.id),
        await from.queryUses.readLastUses(user.id),
        await from.queryUses.readLastRuns(),
      ],
      audit: [await from.audit.list({}, page), await from.audit.listOldest(now + 1, page)],
      settings: await from.settings.readAll(),
      executions: await from.executions.list(0),
    });
    // in a transaction, because the store itself remembers some reads
    const before = await store.transaction(everything);
    for (const table of [...copiedTables, 'executions', 'leases', 'guesses', 'catalog_generation']) {
      await execute(`alter table ${table} add column x_new integer not null default 1`);
    }
    expect(await store.transaction(everything)).toEqual(before);
    await store.audit.append([auditEntry()]);
  });

  it('applies each migration once', async () => {
    await opened().openAgain();
    await opened().execute(`delete from migrations where name = '${migrations[0]?.name}'`);
    // now it would be applied again to existing tables
    await expect(opened().openAgain()).rejects.toEqual(expectKind('unavailable'));
  });
}
