import { setImmediate as nextEvent } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import type { Role, User } from '../../../src/access/user.ts';
import type { Query } from '../../../src/catalog/query.ts';
import type { ApiKey, DatabaseRecord, MetadataStore } from '../../../src/store/metadata-store.ts';
import { addRole, addUser, auditEntry, databaseNamed, hour, keyOf, now, queryNamed } from './fixtures.ts';
import type { OpenedStore } from './metadata-store-contract.ts';

/** Reads may be cached, but a change takes effect with its response, in every process. */
export function rememberedReadContract(opened: () => OpenedStore): void {
  const store = () => opened().store;
  let other: MetadataStore; // as another process has it
  let role: Role;
  let user: User;
  let key: ApiKey;
  let database: DatabaseRecord;
  let query: Query;
  beforeEach(async () => {
    other = await opened().openAgain();
    role = await addRole(store(), 'Reader');
    user = await addUser(store(), 'ann', { roleIds: [role.id] });
    key = keyOf(user.id);
    database = databaseNamed('Sales');
    query = queryNamed('Orders', { status: 'Active' });
    await store().apiKeys.insert(key, 5, now);
    await store().databases.insert(database);
    await store().queries.insert(query);
    await find(); // remembered from here on
  });

  /** As a later call does: it comes with its own event. */
  const find = async (hash = key.hash) => {
    await nextEvent();
    const principal = await store().principals.byKeyHash(hash);
    return {
      principal,
      query: await store().queries.byQueryName(query.queryName),
      database: await store().databases.get(database.id),
    };
  };

  it('returns the same objects while nothing changes, also when uses, rows and audit entries are written', async () => {
    const first = await find();
    await other.apiKeys.touch([{ id: key.id, at: 5 }]);
    await other.apiKeys.addRows(20_000, [{ id: key.id, rows: 5 }]);
    await other.audit.append([auditEntry()]);
    await other.settings.set('a', 1);
    const second = await find();
    expect(second.principal).toBe(first.principal);
    expect(second.query).toBe(first.query);
    expect(second.database).toBe(first.database);
  });

  it('sees each change that another process has committed', async () => {
    await other.roles.update({ ...role, permissions: [], version: 2 });
    expect((await find()).principal?.permissions).toEqual([]);
    await other.users.update({ ...user, roleIds: [], version: 2 });
    expect((await find()).principal?.user.roleIds).toEqual([]);
    await other.users.update({ ...user, roleIds: [], disabled: true, version: 3 });
    expect((await find()).principal?.user.disabled).toBe(true);
    await other.databases.update({ ...database, disabled: true, version: 2 });
    expect((await find()).database?.disabled).toBe(true);
    await other.queries.update({ ...query, status: 'Draft', revision: 2 });
    expect((await find()).query?.status).toBe('Draft');
    await other.apiKeys.revoke(key.id, 7);
    expect((await find()).principal?.key.revokedAt).toBe(7);
    await other.users.delete(user.id);
    expect((await find()).principal).toBeNull();
  });

  it('sees changes that are made with a tool of the database', async () => {
    await opened().execute(`update api_keys set limits = '{"concurrent":1}'`);
    expect((await find()).principal?.key.limits).toEqual({ concurrent: 1 });
    await opened().execute('update databases set disabled = 1');
    expect((await find()).database?.disabled).toBe(true);
    await opened().execute('delete from api_keys');
    expect((await find()).principal).toBeNull();
  });

  it('sees the changes of this process at once, without another event in between', async () => {
    await store().apiKeys.revoke(key.id, 7);
    expect((await store().principals.byKeyHash(key.hash))?.key.revokedAt).toBe(7);
    await store().transaction((inside) => inside.users.delete(user.id));
    expect(await store().principals.byKeyHash(key.hash)).toBeNull();
  });

  it('sees a change of an open transaction when it is committed, not before', async () => {
    const changed = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const changing = other.transaction(async (inside) => {
      await inside.apiKeys.revoke(key.id, 7);
      changed.resolve();
      await commit.promise;
    });
    await changed.promise;
    for (let call = 0; call < 3; call++) expect((await find()).principal?.key.revokedAt).toBeNull();
    commit.resolve();
    await changing;
    expect((await find()).principal?.key.revokedAt).toBe(7);
  });

  it('ignores a transaction that is rolled back', async () => {
    for (const on of [store(), other]) {
      const undone = on.transaction(async (inside) => {
        await inside.apiKeys.revoke(key.id, 7);
        void store().principals.byKeyHash(key.hash); // in SQLite it waits for the end of the transaction
        throw new Error('changed my mind');
      });
      await expect(undone).rejects.toThrow('changed my mind');
      expect((await find()).principal?.key.revokedAt).toBeNull();
    }
    await other.apiKeys.revoke(key.id, 8);
    expect((await find()).principal?.key.revokedAt).toBe(8);
  });

  it('sees each of many changes that two processes make at once, while calls read all the time', async () => {
    const keys = Array.from({ length: 20 }, () => keyOf(user.id, { expiresAt: now + hour }));
    for (const each of keys) await store().apiKeys.insert(each, 50, now);
    let over = false;
    const reading = Array.from({ length: 4 }, async (_, index) => {
      for (let turn = index; !over; turn++) await find(keys[turn % keys.length]?.hash);
    });
    const revoked = keys.map(async ({ id, hash }, index) => {
      const by = index % 2 === 0 ? store() : other;
      await by.transaction((inside) => inside.apiKeys.revoke(id, 7));
      return (await store().principals.byKeyHash(hash))?.key.revokedAt;
    });
    const seen = await Promise.all(revoked);
    over = true;
    await Promise.all(reading);
    expect(seen).toEqual(keys.map(() => 7));
  });
}
