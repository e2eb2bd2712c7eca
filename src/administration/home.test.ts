import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectSuccess, createNote, NOW } from '../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../test/support/queries/catalog.ts';
import type { AuditEntry } from '../audit/audit-entry.ts';
import { emptyQuery } from '../catalog/query-fields.ts';
import { readConfig } from '../config/config.ts';
import { createApiKeys } from './api-keys.ts';
import { createHome, type Home } from './home.ts';

const DAY = 86_400_000;
let catalog: Catalog;
let home: Home;
let sales: string;
let later: string;
beforeAll(async () => {
  catalog = await openCatalog();
  const { people, store } = catalog;
  for (const [name, role] of Object.entries({
    ann: 'Query Author',
    bob: 'Query User',
    eve: 'Auditor',
    una: 'Security Administrator',
  })) {
    await people.add(name, [role], { databaseScope: ['sales'] });
  }
  const ann = await people.as('ann');
  sales = (await catalog.createActive()).id;
  await catalog.createActive({ name: 'Hidden', database: 'Ledger', sql: 'select 1 as one', parameters: [] });
  const input = { ...emptyQuery, name: 'Later', database: 'Sales', sql: 'select 1 as one' };
  later = expectSuccess(await catalog.queries.create(ann, input, createNote())).id;
  const executions = {
    list: async () => [
      { ...running, state: 'running' as const },
      { ...running, id: '2', state: 'waiting' as const },
    ],
  };
  home = createHome({ store, executions, flushRuns: async () => undefined, now: () => NOW });
});
afterAll(() => catalog.close());

const running = {
  id: '1',
  query: 'QD_x',
  userId: 'u',
  user: 'ann',
  kind: 'person' as const,
  viewer: null,
  application: null,
  channel: 'ui' as const,
  startedAt: NOW,
  rows: 0,
  request: null,
};
const as = async (username: string) => expectSuccess(await home(await catalog.people.as(username)));
const names = (queries: readonly { readonly name: string }[] | undefined) => queries?.map(({ name }) => name);

it('shows each part only to people who may see its data', async () => {
  const parts = async (username: string) => Object.keys(await as(username)).toSorted();
  expect(await parts('bob')).toEqual(['endingKeys', 'favorites', 'news', 'queries', 'recent']);
  expect(await parts('ann')).toEqual(['drafts', 'endingKeys', 'failures', 'favorites', 'news', 'queries', 'recent']);
  expect(await parts('eve')).toEqual(['endingKeys', 'lastDay']);
  expect(await parts('admin')).toEqual([
    'drafts',
    'endingKeys',
    'failingDatabases',
    'failures',
    'favorites',
    'lastDay',
    'load',
    'news',
    'queries',
    'recent',
  ]);
  expect(await as('admin')).toMatchObject({ load: { running: 1, waiting: 1 } });
});

it('announces queries that others published, only to people who may run them', async () => {
  expect((await as('bob')).news).toMatchObject([
    { name: 'Region Sales', isNew: true, by: 'admin', at: new Date(NOW).toISOString() },
  ]);
  expect(names((await as('admin')).news)).toEqual([]);
  expect((await as('bob')).queries).toMatchObject({ Active: 1, Draft: 0 });
});

it('lists the drafts of an author', async () => {
  expect((await as('ann')).drafts).toMatchObject([{ id: later, draftStatus: 'Draft' }]);
  expect((await as('admin')).drafts).toEqual([]);
});

it('shows favorites, and recent queries with the last run of this person', async () => {
  const { store, people } = catalog;
  const bob = await people.as('bob');
  await store.queryUses.addFavorite(bob.userId, sales, NOW);
  await store.queryUses.noteRuns([{ queryId: sales, userId: bob.userId, at: NOW }]);
  await store.audit.append([
    entry({ userId: bob.userId, user: 'bob', rows: 3, at: NOW - 5 }),
    entry({ userId: 'an earlier bob', user: 'bob', rows: 9, at: NOW }),
    entry({ userId: 'admin', user: 'admin', rows: 7, at: NOW }),
  ]);
  const { favorites, recent } = await as('bob');
  expect(names(favorites)).toEqual(['Region Sales']);
  expect(recent).toMatchObject([{ name: 'Region Sales', lastRun: { rows: 3, outcome: 'ok' } }]);
});

it('counts failures of own queries without naming the callers', async () => {
  const { store } = catalog;
  await store.audit.append([entry({ outcome: 'failed', error: 'query_timed_out', at: NOW + 1, user: 'bob' })]);
  expect((await as('admin')).failures).toMatchObject([{ name: 'Region Sales', error: 'query_timed_out', count: 1, calls: 4 }]);
  expect(JSON.stringify((await as('admin')).failures)).not.toContain('bob');
  expect((await as('ann')).failures).toEqual([]);
});

it('shows keys that end within 14 days: own ones, and all with users.manage', async () => {
  const { store, people } = catalog;
  const keys = createApiKeys({ store, now: () => NOW, settings: () => readConfig({}) });
  for (const [username, expiresInDays] of [
    ['bob', 10],
    ['bob', 30],
    ['ann', 3],
  ] as const) {
    expectSuccess(
      await keys.create(await people.as(username), { name: `${username} ${expiresInDays}`, expiresInDays }, createNote()),
    );
  }
  expect((await as('bob')).endingKeys).toMatchObject([
    { name: 'bob 10', isOwn: true, expiresAt: new Date(NOW + 10 * DAY).toISOString() },
  ]);
  expect((await as('una')).endingKeys).toMatchObject([{ name: 'ann 3', user: 'ann', isOwn: false }, { name: 'bob 10' }]);
});

it('names databases whose last test failed to people who manage databases', async () => {
  await catalog.store.databases.noteTest('stock', { at: NOW, problem: 'Nobody there.' });
  expect((await as('admin')).failingDatabases).toEqual([
    { name: 'Stock', at: new Date(NOW).toISOString(), message: 'Nobody there.' },
  ]);
});

const entry = (more: Partial<AuditEntry>): AuditEntry => ({
  ...{ at: NOW, requestId: 'r', userId: null, user: null, apiKey: null, action: 'query.execute', query: 'QD_Region_Sales_Sales' },
  ...{ queryVersion: 1, parameters: null, channel: 'ui', outcome: 'ok', status: 200, error: null, rows: 1, bytes: 1 },
  ...{ durationMs: 5, address: '127.0.0.1', client: null, kind: 'person', viewer: null, application: null, cached: false },
  ...more,
});
