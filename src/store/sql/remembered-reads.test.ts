import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextEvent } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addUser } from '../../../test/contracts/metadata-store/fixtures.ts';
import type { ApiKey, MetadataStore } from '../metadata-store.ts';
import { openSqliteStore } from './sqlite.ts';

let folder: string;
let store: MetadataStore;
let other: MetadataStore; // as another process has it
let key: ApiKey;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-store-'));
  store = await openSqliteStore(join(folder, 'metadata.sqlite'));
  other = await openSqliteStore(join(folder, 'metadata.sqlite'));
  const { id: userId } = await addUser(store, 'ann');
  key = {
    id: 'aaaaaaaa',
    userId,
    name: 'mine',
    prefix: 'slc_aaaaaaaa',
    hash: 'hash',
    queries: null,
    limits: null,
    createdAt: 1,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
  };
  await store.apiKeys.insert(key, 5, 1);
});
afterEach(async () => {
  await store.close();
  await other.close();
  await rm(folder, { recursive: true });
});

/** As a later call does: it comes with an event of its own. */
const found = async () => {
  await nextEvent();
  return store.principals.byKeyHash('hash');
};

it('gives the same object while nothing changes, also when the use of a key or an audit entry is noted', async () => {
  const first = await found();
  await other.apiKeys.touch([{ id: key.id, at: 5 }]);
  await other.apiKeys.addRows(20_000, [{ id: key.id, rows: 5 }]);
  expect(await found()).toBe(first);
});

it('sees at once what another process has changed', async () => {
  const user = (await found())?.user;
  await other.apiKeys.revoke(key.id, 7);
  expect((await found())?.key.revokedAt).toBe(7);
  if (user) await other.users.update({ ...user, disabled: true, version: user.version + 1 });
  expect((await found())?.user.disabled).toBe(true);
  await other.users.delete(key.userId);
  expect(await found()).toBeNull();
});

it('sees what a person changes with a tool of SQLite', async () => {
  await found();
  const tool = new DatabaseSync(join(folder, 'metadata.sqlite'));
  tool.exec(`update api_keys set limits = '{"concurrent":1}'`);
  expect((await found())?.key.limits).toEqual({ concurrent: 1 });
  tool.exec('delete from api_keys');
  tool.close();
  expect(await found()).toBeNull();
});

it('sees at once what this process has changed, also within one event', async () => {
  await found();
  await store.apiKeys.revoke(key.id, 7);
  expect((await store.principals.byKeyHash('hash'))?.key.revokedAt).toBe(7);
  await store.transaction((inside) => inside.users.delete(key.userId));
  expect(await store.principals.byKeyHash('hash')).toBeNull();
});

it('forgets nothing and invents nothing where a transaction is rolled back and another takes its number', async () => {
  await found();
  const undone = store.transaction(async (inside) => {
    await inside.apiKeys.revoke(key.id, 7);
    void store.principals.byKeyHash('hash'); // waits for the end of the transaction
    throw new Error('changed my mind');
  });
  await expect(undone).rejects.toThrow('changed my mind');
  expect((await found())?.key.revokedAt).toBeNull();
  await other.apiKeys.revoke(key.id, 8);
  expect((await found())?.key.revokedAt).toBe(8);
});
