import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, fieldsOf, expectSuccess, createNote } from '../../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../../test/support/queries/catalog.ts';

let catalog: Catalog;
const { signal } = new AbortController();
beforeAll(async () => {
  catalog = await openCatalog();
  await catalog.people.add('ann', ['Query Author'], { databaseScope: ['sales'] });
  await catalog.people.add('bob', ['Query User'], { databaseScope: ['sales'] });
});
afterAll(() => catalog.close());

describe('a test of a connection', () => {
  it('reports that a stored connection works, and why another does not', async () => {
    expect(expectSuccess(await catalog.probe.test(catalog.admin, 'sales', signal, createNote()))).toMatchObject({ ok: true });
    const broken = expectSuccess(await catalog.probe.test(catalog.admin, 'stock', signal, createNote()));
    expect(broken).toEqual({ ok: false, message: 'Name the database file.' });
  });

  it('works for an unsaved connection', async () => {
    const unsaved = { name: 'x', kind: 'duckdb', connection: { file: 'sales.duckdb' }, settings: {}, writable: false };
    expect(expectSuccess(await catalog.probe.testUnsaved(catalog.admin, unsaved, signal, createNote()))).toMatchObject({
      ok: true,
    });
    const elsewhere = { ...unsaved, connection: { file: '/etc/passwd' } };
    expect(fieldsOf(await catalog.probe.testUnsaved(catalog.admin, elsewhere, signal, createNote()))).toEqual([
      'connection.file',
    ]);
    expect(fieldsOf(await catalog.probe.testUnsaved(catalog.admin, { ...unsaved, kind: 'x' }, signal, createNote()))).toEqual([
      'kind',
    ]);
  });

  it('uses a stored secret only for the connection that it was stored with', async () => {
    const vault = { name: 'Vault', kind: 'guarded', connection: { host: 'a', password: 'p' }, settings: {}, writable: false };
    const input = { ...vault, description: '', disabled: false };
    const { id } = expectSuccess(await catalog.databases.create(catalog.admin, input, createNote()));
    const test = (connection: Record<string, unknown>) =>
      catalog.probe.testUnsaved(catalog.admin, { ...vault, id, connection }, signal, createNote());
    expect(expectSuccess(await test({ host: 'a' }))).toEqual({ ok: false, message: 'no answer from a' });
    expect(fieldsOf(await test({ host: 'b' }))).toEqual(['connection.password']);
  });

  it('requires the permission to manage databases', async () => {
    const ann = await catalog.people.as('ann');
    expect(failureOf(await catalog.probe.test(ann, 'sales', signal, createNote())).kind).toBe('PermissionDenied');
    expect(failureOf(await catalog.probe.test(ann, 'ledger', signal, createNote())).kind).toBe('NotFound');
  });
});

describe('the schema of a database', () => {
  const schema = async (username: string, id: string, search?: string) =>
    catalog.probe.schema(await catalog.people.as(username), id, search, signal);

  it('lists tables, views and columns for authors', async () => {
    const { tables, truncated } = expectSuccess(await schema('ann', 'sales'));
    expect(truncated).toBe(false);
    expect(tables.map(({ name, type }) => [name, type])).toEqual([
      ['big_orders', 'view'],
      ['orders', 'table'],
    ]);
    const orders = tables.find((table) => table.name === 'orders');
    expect(orders?.columns[1]).toMatchObject({ name: 'region', type: 'VARCHAR', nullable: false });
    expect(expectSuccess(await schema('ann', 'sales', 'BIG')).tables.map((table) => table.name)).toEqual(['big_orders']);
    expect(expectSuccess(await schema('ann', 'sales', 'nothing')).tables).toEqual([]);
  });

  it('is hidden from users who are not authors', async () => {
    expect(failureOf(await schema('bob', 'sales')).kind).toBe('PermissionDenied');
    expect(failureOf(await schema('ann', 'ledger')).kind).toBe('NotFound');
  });

  it('fails if the database is unavailable', async () => {
    expect(failureOf(await schema('admin', 'stock')).kind).toBe('DatabaseUnavailable');
    expectSuccess(await catalog.databases.change(catalog.admin, 'ledger', { disabled: true }, undefined, createNote()));
    expect(failureOf(await schema('admin', 'ledger')).kind).toBe('StateConflict');
  });
});
