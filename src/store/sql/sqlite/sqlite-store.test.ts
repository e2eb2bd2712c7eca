import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addUser, auditEntry, expectKind, userNamed } from '../../../../test/contracts/metadata-store/fixtures.ts';
import type { MetadataStore } from '../../metadata-store.ts';
import { migrations } from '../migrations/index.ts';
import { openSqliteDatabase } from './driver.ts';
import { openSqliteStore, sqliteStoreOn } from './sqlite-store.ts';

describe('a metadata store in a SQLite file', () => {
  let folder: string;
  let file: string;
  let database: DatabaseSync;
  let store: MetadataStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-store-'));
    file = join(folder, 'metadata.sqlite');
    database = await openSqliteDatabase(file);
    store = await sqliteStoreOn(database);
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('is readable by its owner only, including its -wal and -shm files', async () => {
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      const { mode } = await stat(name);
      expect(mode & 0o777).toBe(0o600);
    }
  });

  it('has a write-ahead log, full synchronization, foreign keys and a short busy timeout', () => {
    expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(database.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
    expect(database.prepare('pragma foreign_keys').get()).toEqual({ foreign_keys: 1 });
    expect(database.prepare('pragma busy_timeout').get()).toEqual({ timeout: 5 });
  });

  it('is migrated once when opened several times at the same moment', async () => {
    const fresh = join(folder, 'fresh.sqlite');
    const stores = await Promise.all([1, 2, 3].map(() => openSqliteStore(fresh)));
    await Promise.all(stores.map((one) => one.close()));
    const plain = new DatabaseSync(fresh);
    expect(plain.prepare('select count(*) as count from migrations').get()).toEqual({ count: migrations.length });
    plain.close();
  });

  it('fails if the file cannot be opened or is not a SQLite database', async () => {
    await expect(openSqliteStore(join(folder, 'missing', 'metadata.sqlite'))).rejects.toEqual(expectKind('unavailable'));
    await expect(openSqliteStore(import.meta.filename)).rejects.toThrow(
      /sqlite-store\.test\.ts cannot be opened: file is not a database/,
    );
  });

  it('rejects every writer while another process holds the lock; reads and the event loop continue', async () => {
    await addUser(store, 'ann');
    const holder = new DatabaseSync(file);
    holder.exec('begin immediate');

    const started = performance.now();
    const writes = [
      store.users.insert(userNamed('bob')),
      store.settings.set('a', 1),
      store.audit.append([auditEntry()]),
      store.transaction((inside) => inside.settings.set('b', 2)),
    ].map((write) => expect(write).rejects.toEqual(expectKind('unavailable')));
    let ended = false;
    const all = Promise.all(writes).finally(() => {
      ended = true;
    });
    let reads = 0;
    while (!ended) {
      await sleep(10);
      expect(await store.users.count()).toBe(1);
      reads++;
    }
    await all;
    expect(performance.now() - started).toBeGreaterThan(3_490); // a timer may fire a little early
    expect(reads).toBeGreaterThan(5); // a wait that blocks the event loop leaves one or two

    holder.exec('rollback');
    holder.close();
    await store.settings.set('a', 1);
    expect(await store.settings.readAll()).toEqual({ a: 1 });
  });

  it('waits for a lock that is released in time', async () => {
    const holder = new DatabaseSync(file);
    holder.exec('begin immediate');
    const written = Promise.all([store.settings.set('a', 1), store.transaction((inside) => inside.settings.set('b', 2))]);
    await sleep(300);
    holder.exec('rollback');
    holder.close();
    await written;
    expect(await store.settings.readAll()).toEqual({ a: 1, b: 2 });
  });

  it('rejects callers instead of waiting forever for a transaction that does not end', async () => {
    const misused = store.transaction(async () => store.users.count()); // the store, where its repositories are meant
    await expect(misused).rejects.toEqual(expectKind('unavailable'));
    expect(await store.users.count()).toBe(0);
  });

  it('fails when the disk is full, keeps its data and continues when there is room', async () => {
    await store.audit.append([auditEntry()]);
    database.exec('pragma max_page_count = 1'); // as large as it is
    const large = Array.from({ length: 10 }, () => auditEntry({ client: 'x'.repeat(50_000) }));
    await expect(store.audit.append(large)).rejects.toEqual(expectKind('unavailable'));
    const work = store.transaction(async (inside) => {
      await inside.settings.set('a', 1);
      await inside.audit.append(large);
    });
    await expect(work).rejects.toEqual(expectKind('unavailable'));
    expect(await store.settings.readAll()).toEqual({});

    database.exec('pragma max_page_count = 1000000');
    await store.audit.append(large);
    const { items } = await store.audit.list({}, { limit: 50 });
    expect(items).toHaveLength(11);
  });

  it('reads a principal and a query by indexes alone', async () => {
    const statements: string[] = [];
    const prepare = database.prepare.bind(database);
    database.prepare = (sql) => {
      statements.push(sql);
      return prepare(sql);
    };
    await store.principals.byKeyHash('x');
    await store.principals.bySessionHash('x');
    await store.principals.byUsername('x');
    await store.principals.byUserId('x');
    await store.queries.byQueryName('x');
    expect(statements.shift()).toMatch(/catalog_generation/); // of one row
    expect(statements).toHaveLength(5); // one each
    for (const statement of statements) {
      const plan = prepare(`explain query plan ${statement}`).all('x');
      expect(plan.map(({ detail }) => String(detail)).filter((detail) => detail.startsWith('SCAN'))).toEqual([]);
    }
    await store.principals.byKeyHash('y');
    expect(statements).toHaveLength(5); // prepared once
  });
});
