import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, fieldsOf, expectSuccess, NOW, createNote } from '../../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../../test/support/queries/catalog.ts';
import type { Principal } from '../../access/principal.ts';
import type { QueryInput } from './query-definition.ts';
import { createQueryLifecycle } from './query-lifecycle.ts';

let catalog: Catalog;
let count = 0;
const { signal } = new AbortController();
beforeAll(async () => {
  catalog = await openCatalog();
  await catalog.people.add('ann', ['Query Author'], { databaseScope: '*' });
  await catalog.people.add('pat', ['Query Publisher'], { databaseScope: '*' });
});
afterAll(() => catalog.close());

const drafted = (input: Partial<QueryInput> = {}) => catalog.draft({ name: `Query ${++count}`, ...input });
const activated = (input: Partial<QueryInput> = {}) => catalog.createActive({ name: `Query ${++count}`, ...input });
const validate = (id: string, ifMatch?: number, actor: Principal = catalog.admin) =>
  catalog.lifecycle.validate(actor, id, ifMatch, signal, createNote());
const move = async (name: 'activate' | 'deactivate' | 'void' | 'restore', id: string, ifMatch?: number) =>
  catalog.lifecycle[name](catalog.admin, id, ifMatch, createNote());

describe('the lifecycle', () => {
  it('leads from Draft to Active and back, auditing each transition', async () => {
    const { id, queryName } = await drafted();
    const steps: [keyof typeof catalog.lifecycle, string, string][] = [
      ['validate', 'Draft', 'Validated'],
      ['activate', 'Validated', 'Active'],
      ['deactivate', 'Active', 'Inactive'],
      ['activate', 'Inactive', 'Active'],
      ['deactivate', 'Active', 'Inactive'],
      ['void', 'Inactive', 'Void'],
      ['restore', 'Void', 'Draft'],
    ];
    for (const [step, from, to] of steps) {
      const note = createNote();
      const result =
        step === 'validate'
          ? await catalog.lifecycle.validate(catalog.admin, id, undefined, signal, note)
          : await catalog.lifecycle[step](catalog.admin, id, undefined, note);
      expect(expectSuccess(result).status).toBe(to);
      expect(note).toMatchObject({ query: queryName, queryVersion: 1, parameters: { from, to } });
    }
  });

  it('checks that the columns of the chart are columns of the result, by their display names', async () => {
    const sql = "select 'North' as region, 5 as n";
    const columns = [{ name: 'n', displayName: 'Orders' }];
    const chart = { type: 'bar', label: 'region', data: ['n', 'Orders'], series: 'Gone', timeUnit: 'day' } as const;
    const wrong = await drafted({ sql, parameters: [], columns, chart });
    expect(fieldsOf(await validate(wrong.id))).toEqual(['chart.data.0', 'chart.series', 'chart.timeUnit']);
    const right = { type: 'bar', label: 'region', data: ['Orders'] } as const;
    const { id } = await drafted({ sql, parameters: [], columns, chart: right });
    expect(expectSuccess(await validate(id))).toMatchObject({ status: 'Validated', chart: right });
    expectSuccess(await move('activate', id));
    // a new version, like every change of the definition
    const changed = expectSuccess(await catalog.queries.change(catalog.admin, id, { chart: null }, undefined, createNote()));
    expect(changed).toMatchObject({ chart: right, draft: { version: 2 } });
  });

  it('audits transitions of the entry and of its draft separately', async () => {
    const { id } = await activated();
    expectSuccess(
      await catalog.queries.change(catalog.admin, id, { sql: 'select 1 as one', parameters: [] }, undefined, createNote()),
    );
    type Audited = { readonly queryVersion: number; readonly parameters: Record<string, unknown> };
    const entry = (from: string, to: string | null): Audited => ({ queryVersion: 1, parameters: { from, to } });
    const draft = (from: string, to: string | null, entryFrom: string, entryTo: string | null, more = {}): Audited => ({
      queryVersion: 2,
      parameters: { from, to, draft: 2, entry: { from: entryFrom, to: entryTo }, ...more },
    });
    const steps: [keyof typeof catalog.lifecycle, Audited][] = [
      ['activate', draft('Draft', null, 'Active', null)],
      ['void', entry('Active', null)],
      ['deactivate', entry('Active', 'Inactive')],
      ['activate', draft('Draft', null, 'Inactive', null)],
      ['validate', draft('Draft', 'Validated', 'Inactive', 'Inactive')],
      ['validate', draft('Validated', null, 'Inactive', null)],
      ['activate', draft('Validated', 'Active', 'Inactive', 'Active', { breaking: 3 })],
    ];
    for (const [step, audited] of steps) {
      const note = createNote();
      if (step === 'validate') await catalog.lifecycle.validate(catalog.admin, id, undefined, signal, note);
      else await catalog.lifecycle[step](catalog.admin, id, undefined, note);
      expect([step, note]).toEqual([step, expect.objectContaining(audited)]);
    }
  });

  it('audits voiding as a transition of the entry, which discards the draft', async () => {
    const { id } = await activated();
    expectSuccess(
      await catalog.queries.change(catalog.admin, id, { sql: 'select 1 as one', parameters: [] }, undefined, createNote()),
    );
    expectSuccess(await move('deactivate', id));
    const note = createNote();
    expect(expectSuccess(await catalog.lifecycle.void(catalog.admin, id, undefined, note))).toMatchObject({
      status: 'Void',
      draft: null,
    });
    expect(note).toMatchObject({ queryVersion: 1, parameters: { from: 'Inactive', to: 'Void' } });
  });

  it('rejects other transitions', async () => {
    const { id } = await drafted();
    for (const name of ['activate', 'deactivate', 'restore'] as const) {
      expect(failureOf(await move(name, id)).kind).toBe('StateConflict');
    }
    const active = await activated();
    expect(failureOf(await move('void', active.id)).kind).toBe('StateConflict');
    expect(failureOf(await validate(active.id)).kind).toBe('StateConflict');
  });

  it('requires an author to validate and a publisher for the rest', async () => {
    const { id } = await drafted();
    const ann = await catalog.people.as('ann');
    expectSuccess(await validate(id, undefined, ann));
    for (const name of ['activate', 'deactivate', 'void', 'restore'] as const) {
      const refused = await catalog.lifecycle[name](ann, id, undefined, createNote());
      expect(failureOf(refused)).toMatchObject({ kind: 'PermissionDenied', permission: 'queries.publish' });
    }
    expectSuccess(await catalog.lifecycle.activate(await catalog.people.as('pat'), id, undefined, createNote()));
  });

  it('acts on the draft of an Active query', async () => {
    const { id } = await activated();
    expectSuccess(
      await catalog.queries.change(catalog.admin, id, { sql: 'select 1 as one', parameters: [] }, undefined, createNote()),
    );
    expect(failureOf(await move('activate', id)).kind).toBe('StateConflict');
    expect(expectSuccess(await validate(id))).toMatchObject({
      status: 'Active',
      version: 1,
      draft: { version: 2, status: 'Validated' },
    });
    expect(failureOf(await move('activate', id, 1)).kind).toBe('VersionConflict');
    const after = expectSuccess(await move('activate', id, 2));
    expect(after).toMatchObject({ status: 'Active', version: 2, sql: 'select 1 as one', draft: null });
  });
});

describe('validation', () => {
  it('discovers the columns', async () => {
    const { id } = await drafted({ columns: [{ name: 'total', displayName: 'Total' }] });
    expect(expectSuccess(await validate(id)).resultColumns).toEqual([
      { name: 'region', label: 'region', type: 'VARCHAR', kind: 'text', class: 'categorical' },
      { name: 'total', label: 'Total', type: 'DECIMAL(38,2)', kind: 'decimal', class: 'numeric' },
    ]);
  });

  it('reports the position of an error in the SQL', async () => {
    const { id } = await drafted({ sql: 'select region\nfrom orderz', parameters: [] });
    const failure = failureOf(await validate(id));
    expect(failure).toMatchObject({ kind: 'SqlInvalid', field: 'sql', line: 2, column: 6 });
    expect(failure.kind === 'SqlInvalid' && failure.message).toContain('orderz');
  });

  it('reports the position of an error in the Epilogue, and runs neither statement', async () => {
    const orders = async () => {
      const { connections, database } = catalog;
      const connector = await connections.connectorFor(await database('ledger'));
      const statement = { sql: 'select count(*) as n from orders', parameters: [] };
      const rows = await connector.run(statement, { timeoutMs: 5000 }, signal);
      for await (const batch of rows.batches()) return batch.value(0, 0);
    };
    const before = await orders();
    const writing = { database: 'Ledger', epilogue: 'delete from orders\nwhere regoin = @Region' };
    const failure = failureOf(await validate((await drafted(writing)).id));
    expect(failure).toMatchObject({ kind: 'SqlInvalid', field: 'epilogue', line: 2, column: 7 });
    expect(failure.kind === 'SqlInvalid' && failure.message).toContain('regoin');
    const reading = await drafted({ ...writing, epilogue: 'select 1 where @Region is null' });
    expect(failureOf(await validate(reading.id))).toMatchObject({ kind: 'SqlInvalid', field: 'epilogue' });
    expectSuccess(await validate((await drafted({ ...writing, epilogue: 'delete from orders where region <> @Region' })).id));
    expect(await orders()).toBe(before);
  });

  it('compares placeholders with parameters, including the Epilogue', async () => {
    const undeclared = await drafted({ parameters: [] });
    expect(fieldsOf(await validate(undeclared.id))).toEqual(['sql']);
    const writing = { database: 'Ledger', sql: 'select 1 as one', epilogue: 'delete from orders where region = @Region' };
    expectSuccess(await validate((await drafted(writing)).id));
    expect(fieldsOf(await validate((await drafted({ ...writing, epilogue: null })).id))).toEqual(['parameters.0.name']);
  });

  it('rejects definitions of columns that the result does not have', async () => {
    const { id } = await drafted({ columns: [{ name: 'region' }, { name: 'color' }] });
    expect(fieldsOf(await validate(id))).toEqual(['columns.1.name']);
  });

  it('reports that a database is unavailable, disabled or deleted', async () => {
    const away = await drafted({ database: 'Stock' });
    expect(failureOf(await validate(away.id)).kind).toBe('DatabaseUnavailable');
    expectSuccess(await catalog.databases.change(catalog.admin, 'stock', { disabled: true }, undefined, createNote()));
    expect(failureOf(await validate(away.id)).kind).toBe('StateConflict');
    expectSuccess(await catalog.databases.remove(catalog.admin, 'stock', undefined, createNote()));
    expect(fieldsOf(await validate(away.id))).toEqual(['database']);
  });

  it('is discarded if the query was edited during the validation', async () => {
    const { id } = await drafted();
    const { store, connections, queries, admin } = catalog;
    const slow = createQueryLifecycle({
      store,
      now: () => NOW,
      providerAttributes: new Set(),
      connections: {
        engineOf: connections.engineOf,
        connectorFor: async (database) => {
          expectSuccess(await queries.change(admin, id, { maxRows: 7 }, undefined, createNote()));
          return connections.connectorFor(database);
        },
      },
    });
    expect(failureOf(await slow.validate(admin, id, undefined, signal, createNote())).kind).toBe('VersionConflict');
    expect(expectSuccess(await queries.get(admin, id, undefined))).toMatchObject({ status: 'Draft', version: 2 });
  });
});

describe('a query with an Epilogue', () => {
  const writing = { database: 'Ledger', epilogue: 'delete from orders where region = @Region' };

  it('can be activated only with the permission to write, on a writable database', async () => {
    const [{ id }, draft] = [await drafted(writing), await drafted(writing)];
    expectSuccess(await validate(id));
    const pat = await catalog.people.as('pat');
    expect(failureOf(await catalog.lifecycle.activate(pat, id, undefined, createNote()))).toMatchObject({
      permission: 'queries.epilogue',
    });
    const writable = (value: boolean) =>
      catalog.databases.change(catalog.admin, 'ledger', { writable: value }, undefined, createNote());
    expectSuccess(await writable(false));
    expect(fieldsOf(await move('activate', id))).toEqual(['epilogue']);
    expect(fieldsOf(await validate(draft.id))).toEqual(['epilogue']);
    expectSuccess(await writable(true));
    expectSuccess(await move('activate', id));
  });
});
