import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { failureOf, fieldsOf, expectSuccess, createNote } from '../../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../../test/support/queries/catalog.ts';
import type { DatabaseChange, DatabaseInput } from './databases.ts';

let catalog: Catalog;
const opened: Catalog[] = [];
beforeEach(async () => {
  catalog = await openCatalog();
  opened.push(catalog);
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

const plain = { settings: {}, description: '', disabled: false, writable: false };
const vault: DatabaseInput = {
  ...plain,
  name: 'Vault',
  kind: 'guarded',
  connection: { host: 'db.example', port: 5432, user: 'reader', password: 'hunter2-hunter2' },
};
const create = (input: Partial<DatabaseInput> = {}) =>
  catalog.databases.create(catalog.admin, { ...vault, ...input }, createNote());
const change = (id: string, input: DatabaseChange, ifMatch?: number) =>
  catalog.databases.change(catalog.admin, id, input, ifMatch, createNote());
const passwordOf = async (id: string) => catalog.secrets.openSecrets(await catalog.database(id)).password;

describe('the secret of a connection', () => {
  it('is stored sealed and never returned', async () => {
    const note = createNote();
    const database = expectSuccess(await catalog.databases.create(catalog.admin, vault, note));
    expect(database.connection).toEqual({ host: 'db.example', port: 5432, user: 'reader' });
    const stored = await catalog.database(database.id);
    expect(JSON.stringify([database, stored, note])).not.toContain('hunter2');
    expect(await passwordOf(database.id)).toBe('hunter2-hunter2');
    expect(() => catalog.secrets.openSecrets({ ...stored, id: 'another' })).toThrow('Enter them again');
  });

  it('is kept if an update leaves it out and the connection is otherwise unchanged', async () => {
    const { id } = expectSuccess(await create());
    const sent = { ...vault, connection: { host: 'db.example', port: 5432, user: 'reader' }, description: 'new' };
    const replaced = expectSuccess(await catalog.databases.replace(catalog.admin, id, sent, undefined, createNote()));
    expect(replaced).toMatchObject({ description: 'new', version: 2 });
    expect(await passwordOf(id)).toBe('hunter2-hunter2');
    expectSuccess(await change(id, { connection: { password: 'other' } }));
    expect(await passwordOf(id)).toBe('other');
  });

  it.each([{ host: 'evil.example' }, { port: 1 }, { user: 'root' }, { tls: false }])(
    'must be sent again with the change %j',
    async (connection) => {
      const { id } = expectSuccess(await create());
      expect(fieldsOf(await change(id, { connection }))).toEqual(['connection.password']);
      const sent = { ...vault, connection: { ...vault.connection, ...connection, password: undefined } };
      const replaced = await catalog.databases.replace(catalog.admin, id, sent, undefined, createNote());
      expect(fieldsOf(replaced)).toEqual(['connection.password']);
      const note = createNote();
      const wish = { connection: { ...connection, password: 'again' } };
      expect(expectSuccess(await catalog.databases.change(catalog.admin, id, wish, undefined, note)).connection).toMatchObject(
        connection,
      );
      expect(await passwordOf(id)).toBe('again');
      expect(note.parameters).toEqual({ database: 'Vault', changed: ['connection', 'sealedSecrets'] });
    },
  );

  it('is removed by null', async () => {
    const { id } = expectSuccess(await create());
    expectSuccess(await change(id, { connection: { password: null } }));
    expect(await passwordOf(id)).toBeUndefined();
    expectSuccess(await change(id, { connection: { host: 'free.example' } }));
  });
});

describe('a database', () => {
  it.each(['', ' x', 'a\nb', '---', 'x'.repeat(101)])('rejects the name %j', async (name) => {
    expect(fieldsOf(await create({ name }))).toEqual(['name']);
  });

  it('has a unique name, ignoring case', async () => {
    expect(failureOf(await create({ name: 'SALES' })).kind).toBe('NameTaken');
    expect(failureOf(await change('sales', { name: 'ledger' })).kind).toBe('NameTaken');
  });

  it('has a known kind that cannot be changed', async () => {
    const unknown = failureOf(await create({ kind: 'constructor' }));
    expect(unknown).toMatchObject({ kind: 'FieldInvalid', problems: [{ field: 'kind' }] });
    expect(JSON.stringify(unknown)).toContain('duckdb');
    expect(fieldsOf(await change('sales', { kind: 'guarded' }))).toEqual(['kind']);
    expectSuccess(await change('sales', { kind: 'duckdb' }));
  });

  it('rejects a connection that its kind does not accept, naming the field', async () => {
    expect(fieldsOf(await create({ connection: {} }))).toEqual(['connection.host']);
    expect(fieldsOf(await create({ kind: 'duckdb', connection: { file: '/etc/passwd' } }))).toEqual(['connection.file']);
    expect(fieldsOf(await change('sales', { connection: { file: ':memory:' } }))).toEqual(['connection.file']);
  });

  it('may name a file that does not exist yet, because creating does not connect', async () => {
    const created = expectSuccess(await create({ kind: 'duckdb', connection: { file: 'later.duckdb' } }));
    expect(created).toMatchObject({ connection: { file: 'later.duckdb' } });
  });

  it('may be renamed or disabled while its file is missing', async () => {
    expect(expectSuccess(await change('stock', { disabled: true, name: 'Gone' }))).toMatchObject({
      disabled: true,
      name: 'Gone',
    });
  });

  it('reports a conflict if If-Match names another version', async () => {
    expect(failureOf(await change('sales', { description: 'x' }, 1)).kind).toBe('VersionConflict');
    expect(expectSuccess(await change('sales', { description: 'x' }, 2)).version).toBe(3);
  });

  it('is reopened after a change', async () => {
    const before = await catalog.connections.connectorFor(await catalog.database('sales'));
    expectSuccess(await change('sales', { description: 'x' }));
    expect(await catalog.connections.connectorFor(await catalog.database('sales'))).not.toBe(before);
  });

  it('cannot be deleted while an Active query uses it', async () => {
    const query = await catalog.createActive();
    const remove = () => catalog.databases.remove(catalog.admin, 'sales', undefined, createNote());
    expect(failureOf(await remove())).toMatchObject({ kind: 'InUse', reason: expect.stringContaining('1 Active query uses') });
    expectSuccess(await catalog.lifecycle.deactivate(catalog.admin, query.id, undefined, createNote()));
    expectSuccess(await remove());
    expect(failureOf(await catalog.databases.get(catalog.admin, 'sales')).kind).toBe('NotFound');
    expect(failureOf(await remove()).kind).toBe('NotFound');
    expect(expectSuccess(await catalog.queries.get(catalog.admin, query.id, undefined)).database).toBe('Sales');
    expectSuccess(await create({ name: 'Sales' }));
  });
});

describe('visibility of a database', () => {
  const names = async (username: string) => {
    const page = expectSuccess(await catalog.databases.list(await catalog.people.as(username), { limit: 50 }));
    return page.items.map((item) => item.name);
  };

  it('shows everything to users who manage databases', async () => {
    await catalog.people.addRole('Keeper', ['databases.manage']);
    await catalog.people.add('kim', ['Keeper']);
    expect(await names('kim')).toEqual(['Ledger', 'Sales', 'Stock']);
    expect(expectSuccess(await catalog.databases.get(await catalog.people.as('kim'), 'ledger'))).toEqual({
      id: 'ledger',
      lastTest: null,
      name: 'Ledger',
      kind: 'duckdb',
      description: '',
      connection: { file: 'ledger.duckdb' },
      settings: {},
      disabled: false,
      writable: true,
      builtIn: false,
      version: 1,
      createdAt: '2026-11-15T10:00:00.000Z',
    });
  });

  it('shows databases in scope without their connection to users who run queries', async () => {
    await catalog.people.add('ann', ['Query User'], { databaseScope: ['sales', 'stock'] });
    const ann = await catalog.people.as('ann');
    expect(await names('ann')).toEqual(['Sales', 'Stock']);
    const view = expectSuccess(await catalog.databases.get(ann, 'sales'));
    expect(view).toEqual({ id: 'sales', name: 'Sales', kind: 'duckdb', description: '', version: 2 });
    expect(failureOf(await catalog.databases.get(ann, 'ledger')).kind).toBe('NotFound');
    expect(failureOf(await catalog.databases.change(ann, 'sales', {}, undefined, createNote())).kind).toBe('PermissionDenied');
    expect(failureOf(await catalog.databases.change(ann, 'ledger', {}, undefined, createNote())).kind).toBe('NotFound');
    expect(failureOf(await catalog.databases.create(ann, vault, createNote())).kind).toBe('PermissionDenied');
  });

  it('shows nothing to other users', async () => {
    await catalog.people.add('eve', ['Auditor'], { databaseScope: '*' });
    expect(await names('eve')).toEqual([]);
    expect(failureOf(await catalog.databases.get(await catalog.people.as('eve'), 'sales')).kind).toBe('NotFound');
  });

  it('fills pages although invisible databases lie between', async () => {
    await catalog.people.add('ann', ['Query User'], { databaseScope: ['ledger', 'stock'] });
    const ann = await catalog.people.as('ann');
    const first = expectSuccess(await catalog.databases.list(ann, { limit: 1 }));
    expect(first.items.map((item) => item.name)).toEqual(['Ledger']);
    const second = expectSuccess(await catalog.databases.list(ann, { limit: 1, cursor: first.nextCursor ?? '' }));
    expect(second).toMatchObject({ items: [{ name: 'Stock' }], nextCursor: null });
  });
});
