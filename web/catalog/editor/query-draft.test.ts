import { expect, test } from 'vitest';
import { engineOf } from '../../app/engine-of.ts';
import {
  bodyOf,
  contentOf,
  draftOf,
  listParameters,
  createDraft,
  type QueryDraft,
  findUnsavedPart,
  withColumn,
  withEpilogue,
  withParameter,
} from './query-draft.ts';

const duckdb = engineOf('duckdb').dialect;
const draft = {
  ...createDraft('Sales'),
  name: 'Orders',
  sql: 'select * from orders where region = @Region and day >= @FromDate',
};

test('finds parameters in the SQL and guesses their types', () => {
  expect(listParameters(draft, duckdb).map(({ name, dataType, required }) => [name, dataType, required])).toEqual([
    ['@Region', 'nvarchar(100)', true],
    ['@FromDate', 'date', true],
  ]);
});

test('keeps the settings of a parameter that is removed from the SQL and added again', () => {
  const [region] = listParameters(draft, duckdb);
  if (region === undefined) throw new Error('no @Region');
  const described = withParameter(draft, { ...region, description: 'Where', required: false });
  const without = { ...described, sql: 'select 1' };
  expect(listParameters(without, duckdb)).toEqual([]);
  expect(bodyOf(without, duckdb).parameters).toEqual([]);
  expect(listParameters({ ...without, sql: 'select @Region' }, duckdb)).toMatchObject([
    { name: '@Region', description: 'Where', required: false },
  ]);
});

test('keeps the saved order of parameters and appends new ones', () => {
  const saved = draftOf({
    ...contentOf(draft, duckdb),
    parameters: [
      { name: '@FromDate', dataType: 'date', required: true },
      { name: '@Region', dataType: 'nvarchar(20)', required: true },
    ],
  });
  const longer = { ...saved, sql: `select @First, ${saved.sql.slice('select '.length)}` };
  expect(listParameters(longer, duckdb).map(({ name }) => name)).toEqual(['@FromDate', '@Region', '@First']);
});

test('finds parameters in the Epilogue, but not variables that the statement sets', () => {
  const writing = { ...draft, sql: 'set @total = 1; select @Region', epilogue: 'insert into log values (@Who, @total)' };
  expect(listParameters(writing, engineOf('mysql').dialect).map(({ name }) => name)).toEqual(['@Region', '@Who']);
});

test('turns AI access off once when a query gets an Epilogue', () => {
  const writing = withEpilogue(draft, 'delete from orders');
  expect(writing.aiAccess).toBe(false);
  expect(withEpilogue({ ...writing, aiAccess: true }, 'delete from orders where 1 = 0').aiAccess).toBe(true);
});

test('does not send columns without settings', () => {
  const bare = { displayName: '', type: null, format: null };
  const settings = { name: 'b', displayName: 'Region', type: null, format: { kind: 'id' } as const };
  const named = withColumn(withColumn(draft, { ...bare, name: 'a' }), settings);
  expect(bodyOf(named, duckdb).columns).toEqual([settings]);
  expect(contentOf(named, duckdb).columns).toEqual([{ name: 'b', displayName: 'Region', format: { kind: 'id' } }]);
  expect(findUnsavedPart(withColumn(named, { ...bare, name: 'b' }), draft, duckdb)).toBe('nothing');
});

test('treats a saved and reloaded query as unchanged', () => {
  expect(findUnsavedPart(draftOf(contentOf(draft, duckdb)), draft, duckdb)).toBe('nothing');
});

test('tells an unsaved note, unsaved labels and an unsaved definition apart', () => {
  const unsaved = (change: Partial<QueryDraft>) => findUnsavedPart({ ...draft, ...change }, draft, duckdb);
  expect(unsaved({ note: 'why' })).toBe('note');
  for (const label of [{ description: 'x' }, { tip: 'x' }, { tags: ['x'] }, { roles: ['x'] }, { aiAccess: false }]) {
    expect(unsaved({ ...label, note: 'why' })).toBe('labels');
  }
  expect(unsaved({ tip: 'x', maxRows: 5 })).toBe('definition');
});
