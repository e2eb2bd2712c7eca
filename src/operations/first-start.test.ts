import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { demoQueries } from '../../demo/catalog.ts';
import { createPasswords } from '../access/password.ts';
import { seedRoles } from '../access/permission.ts';
import { readConfig } from '../config/config.ts';
import type { Connections } from '../connectors/connector.ts';
import { createConnections } from '../connectors/registry.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { openSqliteStore } from '../store/sql/sqlite/sqlite-store.ts';
import { type FirstStartParts, prepareFirstStart, generatePassword } from './first-start.ts';

let folder: string;
let store: MetadataStore;
let connections: Connections;
let made: string[];
const passwords = createPasswords();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'first-start-'));
  store = await openSqliteStore(join(folder, 'metadata.sqlite'));
  const file = inject('demoFile');
  const context = { fileFolders: [], trustedFiles: [file], dataFolder: folder, scratchFolder: folder, connections: 2 };
  connections = createConnections({ context, openSecrets: () => ({ file }) });
  made = [];
});
afterEach(async () => {
  await connections.closeAll();
  await store.close();
  await rm(folder, { recursive: true });
});

const parts = (environment: Record<string, string> = {}): FirstStartParts => ({
  config: readConfig(environment),
  store,
  passwords,
  connections,
  demo: {
    file: join(folder, 'demo.duckdb'),
    make: async (file) => {
      made.push(file);
      await writeFile(file, '');
    },
    queries: demoQueries.slice(0, 2),
  },
  now: () => 1000,
});
const withoutDemo = { SLUICE_DEMO: 'off' };

it('creates the seed roles and an administrator with a generated password', async () => {
  const { generatedPassword } = await prepareFirstStart(parts(withoutDemo));
  expect(generatedPassword).toMatch(/^[A-Za-z0-9]{20}$/);
  const admin = await store.principals.byUsername('admin');
  expect(admin).toMatchObject({ roleNames: ['Administrator'], user: { databaseScope: '*', disabled: false } });
  expect(await passwords.verify(generatedPassword ?? '', admin?.user.passwordHash ?? null)).toBe(true);
  expect((await store.roles.listAll()).map((role) => role.name).toSorted()).toEqual(
    seedRoles.map((role) => role.name).toSorted(),
  );
  expect(await prepareFirstStart(parts(withoutDemo))).toEqual({ generatedPassword: null, demoProblem: null });
  expect(await store.users.count()).toBe(1);
});

it('takes the password from the settings at the first start only', async () => {
  const first = await prepareFirstStart(parts({ ...withoutDemo, SLUICE_ADMIN_PASSWORD: 'the first of all' }));
  expect(first.generatedPassword).toBeNull();
  await prepareFirstStart(parts({ ...withoutDemo, SLUICE_ADMIN_PASSWORD: 'a later password' }));
  const hash = (await store.principals.byUsername('admin'))?.user.passwordHash ?? null;
  expect(await passwords.verify('the first of all', hash)).toBe(true);
  expect(await passwords.verify('a later password', hash)).toBe(false);
});

it('creates one administrator and one demo when replicas start concurrently', async () => {
  const started = await Promise.all([prepareFirstStart(parts()), prepareFirstStart(parts()), prepareFirstStart(parts())]);
  expect(started.filter((each) => each.generatedPassword !== null)).toHaveLength(1);
  expect(await store.users.count()).toBe(1);
  expect(await store.databases.listAll()).toHaveLength(1);
  expect((await store.catalog.list({ limit: 100 })).items).toHaveLength(2);
});

it('creates the demo catalog, Active, once', async () => {
  await prepareFirstStart(parts());
  expect(await store.databases.byName('Demo')).toMatchObject({ builtIn: true, writable: false });
  const { items } = await store.catalog.list({ limit: 100 });
  expect(items.map((query) => query.status)).toEqual(['Active', 'Active']);
  await prepareFirstStart(parts());
  expect((await store.catalog.list({ limit: 100 })).items).toEqual(items);
  expect(made).toHaveLength(1);
});

it('does not restore a deleted demo or its file', async () => {
  await prepareFirstStart(parts());
  const demo = await store.databases.byName('Demo');
  if (demo === null) throw new Error('no demo');
  await store.databases.update({ ...demo, deletedAt: 2000, version: 2 });
  await rm(join(folder, 'demo.duckdb'));
  await prepareFirstStart(parts());
  expect(await store.databases.byName('Demo')).toBeNull();
  expect(made).toHaveLength(1);
});

it('creates the file if a replica lacks it, even if the database was renamed', async () => {
  await prepareFirstStart(parts());
  const demo = await store.databases.byName('Demo');
  if (demo === null) throw new Error('no demo');
  await store.databases.update({ ...demo, name: 'Shop', version: 2 });
  await rm(join(folder, 'demo.duckdb'));
  await prepareFirstStart(parts());
  expect(made).toHaveLength(2);
  expect((await store.databases.listAll()).map((each) => each.name)).toEqual(['Shop']);
});

it('leaves another database named Demo alone', async () => {
  await prepareFirstStart(parts());
  const demo = await store.databases.byName('Demo');
  if (demo === null) throw new Error('no demo');
  const theirs = { ...demo, id: 'theirs', builtIn: false, description: 'ours' };
  await store.databases.update({ ...demo, deletedAt: 2000, version: 2 });
  await store.settings.set('demo.made', undefined);
  await store.databases.insert(theirs);
  const before = await store.catalog.list({ limit: 100 });
  await prepareFirstStart(parts());
  expect(await store.databases.listAll()).toEqual([theirs]);
  expect(await store.catalog.list({ limit: 100 })).toEqual(before);
});

it('generates passwords without look-alike characters', () => {
  const all = Array.from({ length: 200 }, generatePassword).join('');
  expect(all).toMatch(/^[A-Za-z0-9]+$/);
  expect(all).not.toMatch(/[O0Il1o]/);
});
