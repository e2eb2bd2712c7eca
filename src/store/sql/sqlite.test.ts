import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addUser, auditEntry, ofKind, userNamed } from '../../../test/contracts/metadata-store/fixtures.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { migrations } from './migrations/index.ts';
import { openSqliteDatabase } from './sqlite-database.ts';
import { openSqliteCopy, openSqliteStore, sqliteStoreOn } from './sqlite.ts';

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

  it('has a write-ahead log, full synchronisation, foreign keys and a short busy timeout', () => {
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
    await expect(openSqliteStore(join(folder, 'missing', 'metadata.sqlite'))).rejects.toEqual(ofKind('unavailable'));
    await expect(openSqliteStore(import.meta.filename)).rejects.toThrow(
      /sqlite\.test\.ts cannot be opened: file is not a database/,
    );
  });

  it('rejects every writer within 5 s while another process holds the lock; reads and the event loop continue', async () => {
    await addUser(store, 'ann');
    const holder = new DatabaseSync(file);
    holder.exec('begin immediate');

    const started = performance.now();
    const writes = [
      store.users.insert(userNamed('bob')),
      store.settings.set('a', 1),
      store.audit.append([auditEntry()]),
      store.transaction((inside) => inside.settings.set('b', 2)),
    ].map((write) => expect(write).rejects.toEqual(ofKind('unavailable')));
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
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(performance.now() - started).toBeGreaterThan(3_490); // a timer may fire a little early
    expect(reads).toBeGreaterThan(10); // a wait that blocks the event loop leaves one or two

    holder.exec('rollback');
    holder.close();
    await store.settings.set('a', 1);
    expect(await store.settings.all()).toEqual({ a: 1 });
  });

  it('waits for a lock that is released in time', async () => {
    const holder = new DatabaseSync(file);
    holder.exec('begin immediate');
    const written = Promise.all([store.settings.set('a', 1), store.transaction((inside) => inside.settings.set('b', 2))]);
    await sleep(300);
    holder.exec('rollback');
    holder.close();
    await written;
    expect(await store.settings.all()).toEqual({ a: 1, b: 2 });
  });

  it('rejects callers instead of waiting forever for a transaction that does not end', async () => {
    const misused = store.transaction(async () => store.users.count()); // the store, where its repositories are meant
    await expect(misused).rejects.toEqual(ofKind('unavailable'));
    expect(await store.users.count()).toBe(0);
  });

  it('fails when the disk is full, keeps its data and continues when there is room', async () => {
    await store.audit.append([auditEntry()]);
    database.exec('pragma max_page_count = 1'); // as large as it is
    const large = Array.from({ length: 10 }, () => auditEntry({ client: 'x'.repeat(50_000) }));
    await expect(store.audit.append(large)).rejects.toEqual(ofKind('unavailable'));
    const work = store.transaction(async (inside) => {
      await inside.settings.set('a', 1);
      await inside.audit.append(large);
    });
    await expect(work).rejects.toEqual(ofKind('unavailable'));
    expect(await store.settings.all()).toEqual({});

    database.exec('pragma max_page_count = 1000000');
    await store.audit.append(large);
    const { items } = await store.audit.list({}, { limit: 50 });
    expect(items).toHaveLength(11);
  });

  it('searches the audit trail by the numbers of entries, whatever the filter', async () => {
    await store.audit.append(Array.from({ length: 3_000 }, (_, n) => auditEntry({ requestId: `r${n}`, user: 'ann' })));
    while (await store.audit.indexNext());
    const statements: string[] = [];
    const prepare = database.prepare.bind(database);
    database.prepare = (sql) => {
      statements.push(sql);
      return prepare(sql);
    };
    expect((await store.audit.list({ search: 'r17', user: 'ann', query: 'x', from: 5 }, { limit: 5 })).items).toEqual([]);
    expect((await store.audit.list({ search: 'r177', user: 'ann', from: 5 }, { limit: 5 })).items).toHaveLength(5);
    const [search] = statements.filter((statement) => statement.includes('json_each'));
    const plan = prepare(`explain query plan ${search}`)
      .all()
      .map(({ detail }) => String(detail));
    expect(plan.slice(0, 2)).toEqual([
      expect.stringMatching(/^SCAN range/),
      expect.stringMatching(/^SEARCH audit USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/),
    ]);
  });

  it('drops the index of deleted entries', async () => {
    const blocks = () => database.prepare('select min(block) as first, count(*) as count from audit_blocks').get();
    await store.audit.append(Array.from({ length: 1_300 }, (_, n) => auditEntry({ at: n })));
    while (await store.audit.indexNext());
    expect(blocks()).toEqual({ first: 0, count: 10 });
    await store.audit.deleteBefore(300, 2_000);
    expect(blocks()).toEqual({ first: 2, count: 8 });
    await store.audit.delete((await store.audit.oldest(600, { limit: 1_000 })).map(({ seq }) => seq));
    expect(blocks()).toEqual({ first: 4, count: 6 });
  });

  it('has no index of earlier entries after a restore', async () => {
    database.exec("insert into audit_blocks values (0, 0, 0, x'00')");
    const copy = await openSqliteCopy(file);
    await copy.load(Readable.from([]));
    await copy.close();
    expect(database.prepare('select count(*) as count from audit_blocks').get()).toEqual({ count: 0 });
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
