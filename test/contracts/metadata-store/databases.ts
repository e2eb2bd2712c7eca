import { expect, it } from 'vitest';
import type { QueryStatus } from '../../../src/catalog/query.ts';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { databaseNamed, now, expectKind, queryNamed, walk } from './fixtures.ts';

export function databaseContract(store: () => MetadataStore): void {
  it('returns every stored field', async () => {
    const database = databaseNamed('Verkäufe', {
      connection: { host: 'db.example.org', port: 5432, tls: { mode: 'verify' }, nothing: null },
      sealedSecrets: 'v1.c2VhbGVk',
      settings: { maxConnections: 4 },
      description: 'Zeile 1\nZeile 2',
      disabled: true,
      writable: true,
      builtIn: true,
      version: 2,
    });
    await store().databases.insert(database);
    expect(await store().databases.get(database.id)).toEqual(database);
    expect(await store().databases.byName('Verkäufe')).toEqual(database);
    expect(await store().databases.listAll()).toEqual([database]);
  });

  it('keeps the last test of each database until it is forgotten', async () => {
    const [sales, stock] = [databaseNamed('Sales'), databaseNamed('Stock')];
    for (const database of [sales, stock]) await store().databases.insert(database);
    await store().databases.noteTest(sales.id, { at: now, problem: 'no response' });
    await store().databases.noteTest(sales.id, { at: now + 1, problem: null });
    await store().databases.noteTest(stock.id, { at: now, problem: 'refused' });
    await store().databases.forgetTest(stock.id);
    expect([...(await store().databases.readLastTests())]).toEqual([[sales.id, { at: now + 1, problem: null }]]);
  });

  it('is found by its exact name only', async () => {
    await store().databases.insert(databaseNamed('Sales'));
    expect(await store().databases.byName('sales')).toBeNull();
    expect(await store().databases.byName('Sales\0')).toBeNull();
    expect(await store().databases.get('none')).toBeNull();
  });

  it('refuses a duplicate name, ignoring case', async () => {
    const other = databaseNamed('Other');
    await store().databases.insert(databaseNamed('Sales'));
    await store().databases.insert(other);
    await expect(store().databases.insert(databaseNamed('SALES'))).rejects.toEqual(expectKind('taken'));
    await expect(store().databases.update({ ...other, name: 'sales', version: 2 })).rejects.toEqual(expectKind('taken'));
  });

  it('hides a deleted database, frees its name and still finds it by id', async () => {
    const database = databaseNamed('Sales');
    await store().databases.insert(database);
    const deleted = { ...database, deletedAt: now, version: 2 };
    await store().databases.update(deleted);
    expect(await store().databases.get(database.id)).toEqual(deleted);
    expect(await store().databases.byName('Sales')).toBeNull();
    expect(await store().databases.listAll()).toEqual([]);
    expect((await store().databases.list({ limit: 10 })).items).toEqual([]);

    const successor = databaseNamed('sales');
    await store().databases.insert(successor);
    await store().databases.update({ ...successor, deletedAt: now, version: 2 });
    await store().databases.insert(databaseNamed('SALES'));
    await expect(store().databases.update({ ...deleted, deletedAt: null, version: 3 })).rejects.toEqual(expectKind('taken'));
  });

  it('updates only the version that was read', async () => {
    const database = databaseNamed('Sales');
    await store().databases.insert(database);
    await store().databases.update({ ...database, description: 'first', version: 2 });
    await expect(store().databases.update({ ...database, description: 'second', version: 2 })).rejects.toEqual(
      expectKind('stale'),
    );
    expect(await store().databases.get(database.id)).toMatchObject({ description: 'first', version: 2 });
  });

  it('lists and searches by name', async () => {
    for (const name of ['sales', 'Stock', 'Archive', 'staff']) await store().databases.insert(databaseNamed(name));
    const names = (databases: readonly { name: string }[]) => databases.map(({ name }) => name);
    const ordered = ['Archive', 'sales', 'staff', 'Stock'];
    expect(names(await store().databases.listAll())).toEqual(ordered);
    expect(names(await walk((cursor) => store().databases.list({ limit: 1, ...cursor })))).toEqual(ordered);
    expect(names((await store().databases.list({ limit: 5, search: 'ST' })).items)).toEqual(['staff', 'Stock']);
  });

  it('counts the Active queries on it', async () => {
    const statuses: QueryStatus[] = ['Active', 'Active', 'Draft', 'Inactive'];
    for (const status of statuses) await store().queries.insert(queryNamed('Orders', { status }));
    expect(await store().databases.countActiveQueries('database')).toBe(2);
    expect(await store().databases.countActiveQueries('another')).toBe(0);
  });
}
