import { expect, test } from 'vitest';
import { exampleQuery } from '../app/example-query.ts';
import type { Permission, Query, Session } from '../app/wire.ts';
import { hasPublished, isFinished, listFirstSteps } from './first-steps.ts';

const session = (...permissions: Permission[]): Session => ({
  kind: 'person',
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
  oauth: true,
  version: '1.0.0',
  baseUrl: 'https://data.example.com',
  rowsDefault: 1000,
  rowsMax: 1000,
});
const query = (name: string, fields: Partial<Query> = {}): Query =>
  exampleQuery({ id: name, queryName: `QD_${name}_Demo`, name, database: 'Demo', ...fields });
const nothing = { hasRun: false, hasKey: false, hasUsedKey: false, hasDrawnChart: null, hasEmbedded: false, hasPublished: false };

test('shows only the steps that the permissions allow', () => {
  const titles = (...permissions: Permission[]) => listFirstSteps(session(...permissions), [], nothing).map(({ title }) => title);
  expect(titles('audit.view')).toEqual(['Find it in the audit trail']);
  expect(titles('queries.run', 'embeds.create')).toEqual([
    'Run a query',
    'Copy a cURL command',
    'Create an API key',
    'Draw a chart',
    'Embed it',
  ]);
  expect(titles('databases.manage')).toEqual(['Add a database']);
});

test('suggests a query that needs no values and writes nothing', () => {
  const region = { name: '@Region', dataType: 'nvarchar', required: true };
  const queries = [query('Asks', { parameters: [region] }), query('Writes', { epilogue: 'delete from t' }), query('Plain')];
  expect(listFirstSteps(session('queries.run'), queries, nothing)[0]).toMatchObject({
    title: 'Run a demo query',
    to: '/queries/Plain',
  });
});

test('is finished when every known step is done', () => {
  const done = { hasRun: null, hasKey: true, hasUsedKey: true, hasDrawnChart: null, hasEmbedded: true, hasPublished: true };
  expect(isFinished(listFirstSteps(session('queries.run', 'audit.view'), [], done))).toBe(true);
  expect(isFinished(listFirstSteps(session('queries.run', 'audit.view'), [], { ...done, hasKey: false }))).toBe(false);
});

test('does not count the demo catalog as published by the user', () => {
  expect(hasPublished('ada', [query('Demo')])).toBe(false);
  expect(hasPublished('ada', [query('Own', { updatedAt: '2026-11-01T10:00:07Z' })])).toBe(true);
});
