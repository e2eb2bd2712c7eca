import { expect, it } from 'vitest';
import type { Query } from '../../../src/catalog/query.ts';
import type { MetadataStore, QueryListRequest } from '../../../src/store/metadata-store.ts';
import { addRole, labels, queryNamed, versionOf, walk } from './fixtures.ts';

export function queryListContract(store: () => MetadataStore): void {
  const add = (...queries: readonly Query[]) => Promise.all(queries.map((query) => store().queries.insert(query)));
  const listNames = async (request: Partial<QueryListRequest> = {}) =>
    (await walk((cursor) => store().catalog.list({ limit: 2, ...request, ...cursor }))).map(
      ({ current }) => current.definition.name,
    );

  it('orders by display name ignoring case and accents, numbers by value, then id, without duplicates or gaps', async () => {
    await add(...['b 10', 'A', 'c', 'B 9', 'b 9', 'a', 'é', 'Z'].map((name, index) => queryNamed(name, { id: `q${index}` })));
    const ids = (await walk((cursor) => store().catalog.list({ limit: 3, ...cursor }))).map(({ id }) => id);
    expect(ids).toEqual(['q1', 'q5', 'q3', 'q4', 'q0', 'q2', 'q6', 'q7']);
  });

  it('searches display name, technical name, description and tags ignoring case', async () => {
    await add(
      queryNamed('Ärzte', { queryName: 'QD_one' }),
      queryNamed('b', { queryName: 'QD_Umsatz_2' }),
      queryNamed('c', {}, { description: 'Every ORDER of the year' }),
      queryNamed('d', {}, { tags: ['Finanzen', '100%'] }),
    );
    expect(await listNames({ search: 'ärz' })).toEqual(['Ärzte']);
    expect(await listNames({ search: 'umsatz_' })).toEqual(['b']);
    expect(await listNames({ search: 'order OF' })).toEqual(['c']);
    expect(await listNames({ search: 'FINANZ' })).toEqual(['d']);
    expect(await listNames({ search: '100%' })).toEqual(['d']);
    expect(await listNames({ search: '%' })).toEqual([]);
    expect(await listNames({ search: 'select' })).toEqual([]);
  });

  it('finds the queries that have their choices from another one, in the current version or the draft', async () => {
    const definitionWith = (name: string, ...queries: readonly string[]) => ({
      ...versionOf('', name).definition,
      parameters: queries.map((query, n) => ({
        name: `@P${n}`,
        dataType: 'int',
        required: false,
        choices: { query, value: 'id' },
      })),
    });
    const [one, other, none] = [queryNamed('one'), queryNamed('other'), queryNamed('none')];
    const draft = {
      ...versionOf(other.id, 'other', { version: 2, definition: definitionWith('other', 'QD_Regions') }),
      status: 'Draft' as const,
    };
    await add(
      { ...one, current: { ...one.current, definition: definitionWith('one', 'QD_Cities', 'QD_Regions') } },
      { ...other, status: 'Active', draft, lastVersion: 2 },
      none,
    );
    expect(await listNames({ choicesFrom: 'QD_Regions' })).toEqual(['one', 'other']);
    expect(await listNames({ choicesFrom: 'QD_Cities' })).toEqual(['one']);
    expect(await listNames({ choicesFrom: 'QD_Regi' })).toEqual([]);
    await store().queries.update({ ...other, status: 'Active', draft: null, lastVersion: 2, revision: 2 });
    expect(await listNames({ choicesFrom: 'QD_Regions' })).toEqual(['one']);
  });

  it('searches the current version after an update', async () => {
    const query = queryNamed('Old', {}, { tags: ['old'] });
    await add(query);
    const current = versionOf(query.id, 'New', { version: 2, labels: labels({ tags: ['new'] }) });
    await store().queries.update({ ...query, current, lastVersion: 2, revision: 2 });
    expect(await listNames({ search: 'old', tag: 'old' })).toEqual([]);
    expect(await listNames({ search: 'NEW', tag: 'New' })).toEqual(['New']);
  });

  it('filters by status, database of the current version, tag, name and AI access', async () => {
    const elsewhere = versionOf('q2', 'b');
    const moving = { ...elsewhere, definition: { ...elsewhere.definition, databaseId: 'another' } };
    await add(
      queryNamed('a', { status: 'Active', queryName: 'QD_a' }, { tags: ['Red', 'Blue'], aiAccess: true }),
      queryNamed('b', {
        id: 'q2',
        queryName: 'QD_b',
        current: moving,
        draft: { ...versionOf('q2', 'b', { version: 2 }), status: 'Draft' },
      }),
      queryNamed('c', { status: 'Void', queryName: 'QD_c' }, { tags: ['Redder'] }),
    );
    expect(await listNames({ statuses: ['Active', 'Void'] })).toEqual(['a', 'c']);
    expect(await listNames({ databaseIds: ['another'] })).toEqual(['b']);
    expect(await listNames({ databaseIds: ['database', 'another'] })).toEqual(['a', 'b', 'c']);
    expect(await listNames({ tag: 'red' })).toEqual(['a']);
    expect(await listNames({ queryNames: ['QD_c', 'QD_b', 'QD_x'] })).toEqual(['b', 'c']);
    expect(await listNames({ aiAccess: true })).toEqual(['a']);
    expect(await listNames({ aiAccess: false })).toEqual(['b', 'c']);
    expect(await listNames({ statuses: ['Active'], tag: 'blue', search: 'A', databaseIds: ['database'] })).toEqual(['a']);
  });

  it('finds nothing for an empty list of choices', async () => {
    await add(queryNamed('a'));
    expect(await listNames({ statuses: [] })).toEqual([]);
    expect(await listNames({ databaseIds: [] })).toEqual([]);
    expect(await listNames({ queryNames: [] })).toEqual([]);
  });

  it('returns queries without roles and those that name one of the given roles', async () => {
    const [one, two] = [await addRole(store(), 'One'), await addRole(store(), 'Two')];
    const draftOfOpen = {
      ...versionOf('open', 'open', { version: 2, labels: labels({ roleIds: [two.id] }) }),
      status: 'Draft' as const,
    };
    await add(
      queryNamed('for both', {}, { roleIds: [one.id, two.id] }),
      queryNamed('for one', {}, { roleIds: [one.id] }),
      queryNamed('for two', {}, { roleIds: [two.id] }),
      queryNamed('open', { id: 'open', draft: draftOfOpen }),
    );
    expect(await listNames({ grantedToRoles: [one.id] })).toEqual(['for both', 'for one', 'open']);
    expect(await listNames({ grantedToRoles: [one.id, two.id] })).toEqual(['for both', 'for one', 'for two', 'open']);
    expect(await listNames({ grantedToRoles: [] })).toEqual(['open']);
    expect(await listNames()).toHaveLength(4);
  });
}
