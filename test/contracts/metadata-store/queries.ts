import { expect, it } from 'vitest';
import type { Query } from '../../../src/catalog/query.ts';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { addRole, labels, now, expectKind, queryNamed, versionOf } from './fixtures.ts';

export function queryContract(store: () => MetadataStore): void {
  async function addQuery(query: Query): Promise<Query> {
    await store().queries.insert(query);
    return query;
  }

  it('returns every stored field, including the draft', async () => {
    const [one, two] = [await addRole(store(), 'One'), await addRole(store(), 'Two')];
    const query = queryNamed(
      'Aufträge 📦',
      { status: 'Active', nameFixed: true, lastVersion: 2, revision: 6, updatedAt: now + 1, updatedBy: 'bob' },
      { description: 'Alle', tip: 'Try North', tags: ['Sales', 'B'], aiAccess: true, roleIds: [two.id, one.id] },
    );
    const draft = {
      ...versionOf(query.id, 'Aufträge neu', {
        version: 2,
        note: 'Nach Monat 📅',
        resultColumns: [{ name: 'amount', type: 'DECIMAL(10,2)', kind: 'decimal' }],
        createdAt: now + 2,
        createdBy: 'cho',
      }),
      status: 'Validated' as const,
    };
    const stored = await addQuery({ ...query, draft });
    expect(await store().queries.get(query.id)).toEqual(stored);
    expect(await store().queries.byQueryName(query.queryName)).toEqual(stored);
    expect((await store().catalog.list({ limit: 5 })).items).toEqual([stored]);
  });

  it('is found by its exact technical name only', async () => {
    const query = await addQuery(queryNamed('Orders', { queryName: 'QD_Orders_Demo' }));
    expect(await store().queries.byQueryName('QD_Orders_Demo')).toEqual(query);
    for (const name of ['qd_orders_demo', 'QD_Orders_Demo\0', '', 'QD_Orders%']) {
      expect(await store().queries.byQueryName(name)).toBeNull();
    }
    expect(await store().queries.get('none')).toBeNull();
  });

  it('is found ignoring case if a single one matches', async () => {
    const query = await addQuery(queryNamed('Orders', { queryName: 'QD_Orders_Ж_Demo' }));
    const find = (name: string) => store().catalog.byQueryNameIgnoringCase(name);
    for (const name of ['qd_orders_ж_demo', 'QD_ORDERS_Ж_DEMO', 'QD_Orders_Ж_Demo']) expect(await find(name)).toEqual(query);
    for (const name of ['qd_orders_ж_dem', 'QDxorders_ж_demo', '%', '', 'QD_Orders_Ж_Demo\0', '\ud800', 'x'.repeat(5000)])
      expect(await find(name)).toBeNull();
    await addQuery(queryNamed('orders', { queryName: 'QD_orders_Ж_Demo' }));
    expect(await find('qd_orders_ж_demo')).toBeNull();
  });

  it('is found by its display name ignoring case while it is Active', async () => {
    const active = { status: 'Active', nameFixed: true } as const;
    const query = await addQuery(queryNamed('Verkäufe je Region', { ...active, queryName: 'QD_A' }));
    const other = await addQuery(queryNamed('VERKÄUFE je region', { ...active, queryName: 'QD_B' }));
    await addQuery(queryNamed('Verkäufe je Region', { queryName: 'QD_C' }));
    const find = async (name: string) => (await store().queries.byName(name)).map(({ queryName }) => queryName).toSorted();
    for (const name of ['Verkäufe je Region', ' verkäufe JE region']) expect(await find(name)).toEqual(['QD_A', 'QD_B']);
    expect(await store().queries.byName('verkäufe je region')).toEqual(expect.arrayContaining([query, other]));
    for (const name of ['Verkäufe', '%', '', 'Verkäufe je Region\0', '\ud800', 'x'.repeat(5000)])
      expect(await find(name)).toEqual([]);
  });

  it('refuses a duplicate technical name', async () => {
    await addQuery(queryNamed('Orders', { queryName: 'QD_Orders' }));
    await expect(store().queries.insert(queryNamed('Orders', { queryName: 'QD_Orders' }))).rejects.toEqual(expectKind('taken'));
    const other = await addQuery(queryNamed('Other', { queryName: 'QD_Other' }));
    await expect(store().queries.update({ ...other, queryName: 'QD_Orders', revision: 2 })).rejects.toEqual(expectKind('taken'));
    expect(await store().queries.get(other.id)).toEqual(other);
  });

  it('refuses an unknown role', async () => {
    const query = queryNamed('Orders', {}, { roleIds: ['none'] });
    await expect(store().queries.insert(query)).rejects.toEqual(expectKind('stale'));
    expect(await store().queries.get(query.id)).toBeNull();
  });

  it('writes only if the stored revision is the previous one', async () => {
    const query = await addQuery(queryNamed('Orders'));
    const active: Query = { ...query, status: 'Active', nameFixed: true, revision: 2, updatedAt: now + 1 };
    await store().queries.update(active);
    expect(await store().queries.get(query.id)).toEqual(active);
    await expect(store().queries.update({ ...query, status: 'Void', revision: 2 })).rejects.toEqual(expectKind('stale'));
    await expect(store().queries.update(queryNamed('Gone', { revision: 2 }))).rejects.toEqual(expectKind('stale'));
    expect(await store().queries.get(query.id)).toEqual(active);
  });

  it('adds a draft, activates it and keeps all versions, newest first', async () => {
    const query = await addQuery(queryNamed('Orders', { status: 'Active' }));
    const draft = versionOf(query.id, 'Orders by month', { version: 2, note: 'By month', createdBy: 'bob' });
    const drafted: Query = { ...query, draft: { ...draft, status: 'Draft' }, lastVersion: 2, revision: 2 };
    await store().queries.update(drafted);
    expect(await store().queries.get(query.id)).toEqual(drafted);

    const activated: Query = { ...query, current: draft, lastVersion: 2, revision: 3 };
    await store().queries.update(activated);
    expect(await store().queries.get(query.id)).toEqual(activated);
    expect(await store().queries.listVersions(query.id)).toEqual([draft, query.current]);
    expect(await store().queries.listVersions('none')).toEqual([]);
  });

  it('changes labels, note, draft status and result columns of a stored version, but not its definition', async () => {
    const query = await addQuery(
      queryNamed('Orders', { draft: { ...versionOf('q', 'Draft', { version: 2 }), status: 'Draft' }, id: 'q' }),
    );
    const resultColumns = [{ name: 'amount', type: 'INTEGER', kind: 'integer' as const }];
    const current = { ...query.current, labels: labels({ description: 'New', tags: ['x'] }), note: 'First', resultColumns };
    const draft = { ...versionOf('q', 'Draft', { version: 2, note: 'Second', resultColumns }), status: 'Validated' as const };
    const rewritten = { ...current, definition: { ...current.definition, sql: 'drop table sales' } };
    await store().queries.update({ ...query, current: rewritten, draft, revision: 2 });
    expect(await store().queries.get('q')).toEqual({ ...query, current, draft, revision: 2 });
  });

  it('counts by status', async () => {
    expect(await store().queries.countByStatus()).toEqual({});
    await addQuery(queryNamed('One', { status: 'Active' }));
    await addQuery(queryNamed('Two', { status: 'Active' }));
    await addQuery(queryNamed('Three', { status: 'Void' }));
    expect(await store().queries.countByStatus()).toEqual({ Active: 2, Void: 1 });
  });
}
