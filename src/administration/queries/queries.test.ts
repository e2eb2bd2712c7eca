import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { failureOf, fieldsOf, expectSuccess, createNote } from '../../../test/support/people/people.ts';
import { type Catalog, openCatalog, regionSales } from '../../../test/support/queries/catalog.ts';
import type { Principal } from '../../access/principal.ts';
import type { QueryChange } from './queries.ts';
import type { QueryInput } from './query-definition.ts';

let catalog: Catalog;
const opened: Catalog[] = [];
beforeEach(async () => {
  catalog = await openCatalog();
  opened.push(catalog);
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

const create = (input: Partial<QueryInput> = {}, actor: Principal = catalog.admin) =>
  catalog.queries.create(actor, { ...regionSales, ...input }, createNote());
const change = (id: string, input: QueryChange, ifMatch?: number, actor: Principal = catalog.admin) =>
  catalog.queries.change(actor, id, input, ifMatch, createNote());
const get = (id: string, version?: number | 'draft', actor: Principal = catalog.admin) => catalog.queries.get(actor, id, version);
const ledgerWriter = { database: 'Ledger', epilogue: 'delete from orders where region = @Region' };

describe('a new query', () => {
  it('is a Draft whose technical name comes from its name and its database', async () => {
    const note = createNote();
    const query = expectSuccess(await catalog.queries.create(catalog.admin, regionSales, note));
    expect(query).toMatchObject({
      queryName: 'QD_Region_Sales_Sales',
      status: 'Draft',
      version: 1,
      draft: null,
      database: 'Sales',
      epilogue: null,
      aiAccess: true,
      timeoutSeconds: null,
      resultColumns: null,
      createdBy: 'admin',
      createdAt: '2026-11-15T10:00:00.000Z',
    });
    expect(expectSuccess(await get(query.id))).toEqual(query);
    expect(note).toMatchObject({ query: 'QD_Region_Sales_Sales', queryVersion: 1, parameters: { from: null, to: 'Draft' } });
  });

  it('must have a unique technical name', async () => {
    expectSuccess(await create());
    expect(failureOf(await create({ name: 'Région-sales'.replace('sales', 'Sales') })).kind).toBe('NameTaken');
  });

  it('reports every problem with its field', async () => {
    await catalog.people.add('ann', ['Query Author'], { databaseScope: ['stock'] });
    const ann = await catalog.people.as('ann');
    const wrong: Partial<QueryInput> = {
      name: '!!!',
      roles: ['Auditor', 'Emperor'],
      parameters: [
        { name: '@A', dataType: 'int', required: true },
        { name: 'B', dataType: 'color', required: true },
      ],
    };
    const fields = fieldsOf(await create(wrong, ann));
    expect(fields).toEqual(['database', 'name', 'parameters.1.name', 'parameters.1.dataType', 'roles.1']);
    expect(fieldsOf(await create({ name: 'x'.repeat(201) }))).toEqual(['name']);
    expect(fieldsOf(await create({ database: 'Nowhere' }))).toEqual(['database']);
  });

  it('requires an author', async () => {
    await catalog.people.add('bob', ['Query User'], { databaseScope: '*' });
    expect(failureOf(await create({}, await catalog.people.as('bob')))).toMatchObject({ permission: 'queries.author' });
  });

  it('with an Epilogue requires the permission and a writable database, and is closed to AI by default', async () => {
    await catalog.people.add('ann', ['Query Author'], { databaseScope: '*' });
    expect(failureOf(await create(ledgerWriter, await catalog.people.as('ann')))).toMatchObject({
      permission: 'queries.epilogue',
    });
    expect(fieldsOf(await create({ ...ledgerWriter, database: 'Sales' }))).toEqual(['epilogue']);
    expect(expectSuccess(await create(ledgerWriter)).aiAccess).toBe(false);
    expect(expectSuccess(await create({ ...ledgerWriter, name: 'Open', aiAccess: true })).aiAccess).toBe(true);
    expect(expectSuccess(await create({ name: 'Blank', epilogue: ' \n' })).epilogue).toBeNull();
  });
});

describe('an edit', () => {
  it('changes the fields sent, or replaces all of them', async () => {
    const { id } = await catalog.draft({ tags: ['a'], maxRows: 5, roles: ['Auditor'] });
    const changed = expectSuccess(await change(id, { name: 'Other', maxRows: null }));
    expect(changed).toMatchObject({ name: 'Other', queryName: 'QD_Other_Sales', version: 2, maxRows: null, tags: ['a'] });
    expect(changed.roles).toEqual(['Auditor']);
    const replaced = expectSuccess(await catalog.queries.replace(catalog.admin, id, regionSales, undefined, createNote()));
    expect(replaced).toMatchObject({ name: 'Region Sales', version: 3, tags: [], roles: [] });
  });

  it('returns a Validated query to Draft, unless it changes nothing', async () => {
    const { id } = await catalog.draft();
    expectSuccess(await catalog.lifecycle.validate(catalog.admin, id, undefined, new AbortController().signal, createNote()));
    expect(expectSuccess(await change(id, { sql: regionSales.sql }))).toMatchObject({ status: 'Validated', version: 1 });
    const note = createNote();
    expectSuccess(await catalog.queries.change(catalog.admin, id, { sql: 'select 1 as one', parameters: [] }, undefined, note));
    expect(note.parameters).toEqual({ from: 'Validated', to: 'Draft', changed: ['sql', 'parameters'] });
    expect(expectSuccess(await get(id))).toMatchObject({ status: 'Draft', version: 2, resultColumns: null });
  });

  it('of an Active query creates a draft and leaves the current version alone', async () => {
    const { id } = await catalog.createActive();
    const note = createNote();
    const wish = { sql: 'select 1 as one', parameters: [], name: 'Renamed' };
    const answer = expectSuccess(await catalog.queries.change(catalog.admin, id, wish, 1, note));
    expect(answer).toMatchObject({ status: 'Active', version: 1, sql: regionSales.sql, draft: { version: 2, status: 'Draft' } });
    expect(expectSuccess(await get(id, 'draft'))).toMatchObject({
      status: 'Draft',
      version: 2,
      sql: 'select 1 as one',
      name: 'Renamed',
    });
    expect(answer.queryName).toBe('QD_Region_Sales_Sales');
    expect(note).toMatchObject({ queryVersion: 2, parameters: { from: 'Active', to: 'Active', draft: 2 } });
    expect(failureOf(await change(id, { sql: 'select 2 as two' }, 1)).kind).toBe('VersionConflict');
    expectSuccess(await change(id, { sql: 'select 2 as two' }, 2));
  });

  it('of labels of an Active query applies immediately, even with a draft and under either version number', async () => {
    const { id } = await catalog.createActive();
    expect(expectSuccess(await change(id, { description: 'new', roles: ['Query User'] }, 1))).toMatchObject({
      status: 'Active',
      draft: null,
      description: 'new',
      roles: ['Query User'],
    });
    expectSuccess(await change(id, { sql: 'select 1 as one', parameters: [] }));
    const { version, draft } = expectSuccess(await get(id));
    expect(draft?.version).not.toBe(version);
    const first = expectSuccess(await change(id, { tip: 'first' }, version));
    expect(failureOf(await change(id, { tip: 'late' }, version)).kind).toBe('VersionConflict');
    expect(failureOf(await change(id, { tip: 'late' }, draft?.version)).kind).toBe('VersionConflict');
    const after = expectSuccess(await change(id, { tip: 'second' }, first.draft?.version));
    expect(after).toMatchObject({ tip: 'second', status: 'Active', sql: regionSales.sql });
    expect(expectSuccess(await get(id, 'draft'))).toMatchObject({ tip: 'second', sql: 'select 1 as one' });
    expect(failureOf(await change(id, { tip: 'third' }, 99)).kind).toBe('VersionConflict');
  });

  it('that adds an Epilogue closes the query to AI', async () => {
    const { id } = await catalog.draft({ database: 'Ledger' });
    expect(expectSuccess(await change(id, { epilogue: ledgerWriter.epilogue })).aiAccess).toBe(false);
    expect(expectSuccess(await change(id, { aiAccess: true })).aiAccess).toBe(true);
  });

  it('of a query with an Epilogue requires the permission, except for labels', async () => {
    await catalog.people.add('ann', ['Query Author'], { databaseScope: '*' });
    const ann = await catalog.people.as('ann');
    const { id } = await catalog.draft(ledgerWriter);
    expectSuccess(await change(id, { description: 'mended' }, undefined, ann));
    expect(failureOf(await change(id, { maxRows: 3 }, undefined, ann))).toMatchObject({ permission: 'queries.epilogue' });
    expect(failureOf(await change(id, { aiAccess: true }, undefined, ann))).toMatchObject({ permission: 'queries.epilogue' });
  });

  it('keeps the query on its database even if another one took its name', async () => {
    const { id } = await catalog.draft({ database: 'Stock' });
    expectSuccess(await catalog.databases.change(catalog.admin, 'stock', { name: 'Old Stock' }, undefined, createNote()));
    expectSuccess(await catalog.databases.change(catalog.admin, 'ledger', { name: 'Stock' }, undefined, createNote()));
    expect(expectSuccess(await change(id, { tip: 'x' })).database).toBe('Old Stock');
    expectSuccess(await catalog.databases.remove(catalog.admin, 'stock', undefined, createNote()));
    expect(fieldsOf(await change(id, { tip: 'y' }))).toEqual(['database']);
  });

  it('is rejected if the name is taken or the query is Void', async () => {
    const { id } = await catalog.draft();
    await catalog.draft({ name: 'Other' });
    expect(failureOf(await change(id, { name: 'Other' })).kind).toBe('NameTaken');
    expectSuccess(await catalog.lifecycle.void(catalog.admin, id, undefined, createNote()));
    expect(failureOf(await change(id, { tip: 'x' })).kind).toBe('StateConflict');
  });
});

describe('versions', () => {
  it('are listed newest first, and an earlier one is restored as an edit', async () => {
    const { id } = await catalog.createActive({ tip: 'old' });
    expectSuccess(await change(id, { sql: 'select 1 as one', parameters: [] }));
    const { items, nextCursor } = expectSuccess(await catalog.queries.versions(catalog.admin, id, { limit: 10 }));
    expect(items.map(({ version, status, sql }) => [version, status, sql])).toEqual([
      [2, 'draft', 'select 1 as one'],
      [1, 'current', regionSales.sql],
    ]);
    expect(nextCursor).toBeNull();
    const note = createNote();
    expectSuccess(await catalog.queries.restoreVersion(catalog.admin, id, { version: 1 }, undefined, note));
    expect(expectSuccess(await get(id, 'draft'))).toMatchObject({ version: 3, sql: regionSales.sql });
    expect(note.queryVersion).toBe(3);
    expect(expectSuccess(await get(id, 2))).toMatchObject({ version: 2, sql: 'select 1 as one' });
    expect(failureOf(await get(id, 9)).kind).toBe('NotFound');
    expect(failureOf(await catalog.queries.restoreVersion(catalog.admin, id, { version: 9 }, undefined, createNote())).kind).toBe(
      'NotFound',
    );
  });

  it('with an Epilogue are restored under the rules for writing only', async () => {
    await catalog.people.add('ann', ['Query Author'], { databaseScope: '*' });
    const { id } = await catalog.draft(ledgerWriter);
    expectSuccess(await change(id, { epilogue: null }));
    const restore = (actor: Principal) => catalog.queries.restoreVersion(actor, id, { version: 1 }, undefined, createNote());
    expect(failureOf(await restore(await catalog.people.as('ann')))).toMatchObject({ permission: 'queries.epilogue' });
    expectSuccess(await catalog.databases.change(catalog.admin, 'ledger', { writable: false }, undefined, createNote()));
    expect(fieldsOf(await restore(catalog.admin))).toEqual(['epilogue']);
  });

  it('whose roles were deleted are not restored as open to all', async () => {
    const roleId = await catalog.people.addRole('Passing', ['queries.run']);
    const { id } = await catalog.draft({ roles: ['Passing'] });
    expectSuccess(await change(id, { roles: ['Auditor'], sql: 'select 1 as one', parameters: [] }));
    await catalog.store.roles.delete(roleId);
    const restored = expectSuccess(
      await catalog.queries.restoreVersion(catalog.admin, id, { version: 1 }, undefined, createNote()),
    );
    expect(restored).toMatchObject({ sql: regionSales.sql, roles: ['Auditor'] });
  });
});

describe('visibility of a query', () => {
  const seen = async (actor: Principal, filter = {}) =>
    expectSuccess(await catalog.queries.list(actor, { limit: 50, ...filter })).items.map((query) => query.name);
  let ids: Record<'active' | 'auditors' | 'draft' | 'ledger', string>;

  beforeEach(async () => {
    ids = {
      active: (await catalog.createActive({ name: 'Active', tags: ['Money'] })).id,
      auditors: (await catalog.createActive({ name: 'Auditors', roles: ['Auditor'] })).id,
      draft: (await catalog.draft({ name: 'Draft' })).id,
      ledger: (await catalog.createActive({ name: 'Ledger', database: 'Ledger' })).id,
    };
    await catalog.people.add('ann', ['Query Author'], { databaseScope: ['sales'] });
    await catalog.people.add('bob', ['Query User'], { databaseScope: ['sales'] });
    await catalog.people.add('eve', ['Auditor'], { databaseScope: '*' });
  });

  it('shows queries in any state to authors, within their scope', async () => {
    const ann = await catalog.people.as('ann');
    expect(await seen(ann)).toEqual(['Active', 'Auditors', 'Draft']);
    expect(await seen(ann, { status: 'Draft' })).toEqual(['Draft']);
    expect(await seen(ann, { tag: 'money' })).toEqual(['Active']);
    expect(await seen(ann, { search: 'audit' })).toEqual(['Auditors']);
    expect(await seen(ann, { database: 'Ledger' })).toEqual([]);
    expect(failureOf(await get(ids.ledger, undefined, ann)).kind).toBe('NotFound');
    expect(failureOf(await catalog.lifecycle.activate(ann, ids.draft, undefined, createNote()))).toMatchObject({
      permission: 'queries.publish',
    });
  });

  it('shows runnable queries without drafts to users who run queries', async () => {
    const bob = await catalog.people.as('bob');
    expect(await seen(bob)).toEqual(['Active']);
    expect(await seen(bob, { status: 'Draft' })).toEqual([]);
    expectSuccess(await change(ids.active, { sql: 'select 1 as one', parameters: [] }));
    expect(expectSuccess(await get(ids.active, undefined, bob))).toMatchObject({ draft: null, status: 'Active' });
    expect(expectSuccess(await get(ids.active, 1, bob)).version).toBe(1);
    expect(failureOf(await get(ids.active, 'draft', bob)).kind).toBe('NotFound');
    expect(failureOf(await get(ids.active, 2, bob)).kind).toBe('NotFound');
    expect(failureOf(await get(ids.auditors, undefined, bob)).kind).toBe('NotFound');
    expect(failureOf(await get(ids.draft, undefined, bob)).kind).toBe('NotFound');
    expect(failureOf(await change(ids.active, {}, undefined, bob)).kind).toBe('PermissionDenied');
    expect(failureOf(await change(ids.draft, {}, undefined, bob)).kind).toBe('NotFound');
    expect(failureOf(await catalog.queries.versions(bob, ids.active, { limit: 10 })).kind).toBe('PermissionDenied');
  });

  it('shows nothing to other users', async () => {
    const eve = await catalog.people.as('eve');
    expect(await seen(eve)).toEqual([]);
    expect(failureOf(await get(ids.active, undefined, eve)).kind).toBe('NotFound');
  });

  it('shows a restricted key its own queries only', async () => {
    const queries = ['QD_Draft_Sales', 'QD_Ledger_Ledger'];
    const key = { kind: 'key', keyId: 'k', keyName: 'k', expiresAt: null, queries, limits: null } as const;
    expect(await seen(await catalog.people.as('ann', key))).toEqual([]); // not Active
    const own = { ...key, queries: ['QD_Active_Sales', 'QD_Draft_Sales'] };
    expect(await seen(await catalog.people.as('ann', own))).toEqual(['Active']);
    expect(await seen(await catalog.people.as('bob', key))).toEqual([]);
    expect(failureOf(await get(ids.active, undefined, await catalog.people.as('admin', key))).kind).toBe('NotFound');
  });
});
