import { expect, test } from 'vitest';
import { engineOf } from '../../app/engine-of.ts';
import { contentOf, createDraft } from './query-draft.ts';
import { versionChanges } from './version-changes.ts';

const before = contentOf({ ...createDraft('Sales'), name: 'Orders', sql: 'select @Region' }, engineOf('duckdb').dialect);

test('lists the differences other than the SQL', () => {
  const after = {
    ...before,
    name: 'All orders',
    sql: 'select 2',
    roles: ['Query User'],
    parameters: [{ name: '@Region', dataType: 'nvarchar(100)', required: false, default: 'North', values: ['North', 'South'] }],
  };
  expect(versionChanges(before, after)).toEqual([
    { field: 'Name', before: 'Orders', after: 'All orders' },
    {
      field: 'Parameters',
      before: '@Region nvarchar(100) · required',
      after: '@Region nvarchar(100) · optional · default North · one of North, South',
    },
    { field: 'Roles', before: 'Every role', after: 'Query User' },
  ]);
});

test('returns nothing for equal versions', () => {
  expect(versionChanges(before, { ...before })).toEqual([]);
});
