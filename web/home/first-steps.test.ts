import { expect, test } from 'vitest';
import { exampleQuery } from '../app/example-query.ts';
import type { Permission, Query, Session } from '../app/wire.ts';
import { firstSteps, isFinished } from './first-steps.ts';
import { hasPublished, recentQueries } from './own-queries.ts';

const session = (...permissions: Permission[]): Session => ({
  id: '1',
  username: 'ada',
  fullName: '',
  email: '',
  roles: [],
  permissions,
  databases: ['*'],
  timeZone: 'UTC',
  attributes: {},
  expiresAt: null,
  external: false,
  canManageExecutions: false,
  edition: 'extended',
  mcp: true,
  version: '1.0.0',
  baseUrl: 'https://data.example.com',
  rowsDefault: 1000,
  rowsMax: 1000,
});
const query = (name: string, fields: Partial<Query> = {}): Query =>
  exampleQuery({ id: name, queryName: `QD_${name}_Demo`, name, database: 'Demo', ...fields });
const nothing = { ran: false, hasKey: false, usedKey: false, drew: null, embedded: false, published: false };

test('shows only the steps that the permissions allow', () => {
  const titles = (...permissions: Permission[]) => firstSteps(session(...permissions), [], nothing).map(({ title }) => title);
  expect(titles('audit.view')).toEqual(['Find it in the audit trail']);
  expect(titles('queries.run', 'embeds.create')).toEqual([
    'Run a query',
    'Copy a cURL command',
    'Create an API key',
    'Draw a chart',
    'Embed it',
  ]);
});

test('suggests a query that needs no values and writes nothing', () => {
  const region = { name: '@Region', dataType: 'nvarchar', required: true };
  const queries = [query('Asks', { parameters: [region] }), query('Writes', { epilogue: 'delete from t' }), query('Plain')];
  expect(firstSteps(session('queries.run'), queries, nothing)[0]).toMatchObject({
    title: 'Run a demo query',
    to: '/queries/Plain',
  });
});

test('is finished when every known step is done', () => {
  const done = { ran: null, hasKey: true, usedKey: true, drew: null, embedded: true, published: true };
  expect(isFinished(firstSteps(session('queries.run', 'audit.view'), [], done))).toBe(true);
  expect(isFinished(firstSteps(session('queries.run', 'audit.view'), [], { ...done, hasKey: false }))).toBe(false);
});

test('does not count the demo catalog as published by the user', () => {
  expect(hasPublished('ada', [query('Demo')])).toBe(false);
  expect(hasPublished('ada', [query('Own', { updatedAt: '2026-11-01T10:00:07Z' })])).toBe(true);
});

test('lists the queries that the user ran or changed, without duplicates, latest first', () => {
  const changed = query('Changed', { status: 'Draft', updatedAt: '2026-11-03T10:00:00Z' });
  const ran = query('Ran');
  const entry = (at: string, name: string, user = 'ada') => ({ at, user, query: name, channel: 'ui' as const });
  const recent = recentQueries(
    'ada',
    [ran, changed, query('Untouched')],
    [
      entry('2026-11-04T10:00:00Z', 'QD_Ran_Demo'),
      entry('2026-11-02T10:00:00Z', 'QD_Ran_Demo'),
      entry('2026-11-05T10:00:00Z', 'QD_Untouched_Demo', 'bob'),
    ],
  );
  expect(recent.map(({ query: { name }, did }) => `${name} ${did}`)).toEqual(['Ran ran', 'Changed changed']);
  expect(recent[0]?.at).toBe('2026-11-04T10:00:00Z');
});
