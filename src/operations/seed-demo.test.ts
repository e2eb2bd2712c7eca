import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectSuccess, NOW } from '../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../test/support/queries/catalog.ts';
import { type DemoQuery, seedDemo } from './seed-demo.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
});
afterAll(() => catalog.close());

const byRegion: DemoQuery = {
  name: 'Orders by region',
  description: 'How many',
  tip: '',
  sql: 'select region, count(*) as orders from orders where region = @Region group by all',
  parameters: [{ name: '@Region', dataType: 'nvarchar(50)', required: false, default: 'North' }],
  columns: [{ name: 'orders', displayName: 'Orders' }],
  tags: ['demo'],
  aiAccess: true,
};
const seed = async (queries: readonly DemoQuery[], claimed = true) =>
  seedDemo({
    store: catalog.store,
    database: await catalog.database('sales'),
    claim: async () => claimed,
    queries,
    connections: catalog.connections,
    namePrefix: 'QD',
    now: () => NOW,
    by: 'admin',
  });

it('creates every query, Active and with its columns', async () => {
  await seed([byRegion, { ...byRegion, name: 'Orders again' }]);
  const { items } = expectSuccess(await catalog.queries.list(catalog.admin, { limit: 50 }));
  expect(items).toHaveLength(2);
  expect(items[1]).toMatchObject({
    queryName: 'QD_Orders_by_region_Sales',
    status: 'Active',
    version: 1,
    tags: ['demo'],
    roles: [],
    createdBy: 'admin',
    resultColumns: [{ name: 'region' }, { name: 'orders', label: 'Orders', kind: 'integer' }],
  });
});

it('creates none if one does not work', async () => {
  const more = { ...byRegion, name: 'Another' };
  await expect(seed([more, { ...byRegion, name: 'Broken', sql: 'select @Regio as r' }])).rejects.toThrow('Broken');
  await expect(seed([more, { ...byRegion, name: 'Broken', sql: 'select x from y', parameters: [] }])).rejects.toThrow();
  expect(expectSuccess(await catalog.queries.list(catalog.admin, { limit: 50, search: 'another' })).items).toEqual([]);
});

it('leaves the catalog alone if another process was first', async () => {
  await seed([{ ...byRegion, name: 'Late' }], false);
  expect(expectSuccess(await catalog.queries.list(catalog.admin, { limit: 50, search: 'late' })).items).toEqual([]);
});
