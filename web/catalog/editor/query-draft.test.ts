import { expect, test } from 'vitest';
import { engineOf } from '../../app/engine-of.ts';
import {
  bodyOf,
  completeDraft,
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

test.each([
  ['region in (@X)', true],
  ['region not IN ( @X )', true],
  ['region in (@X) or city in (@X)', true],
  ['region in (@X, @Y)', false],
  ['region in (@X) or @X = 1', false],
  ['lower(@X) = region', false],
])('takes a new parameter in %j as a list: %s', (condition, isList) => {
  const sql = `select * from orders where ${condition}`;
  expect(listParameters({ ...draft, sql }, duckdb)[0]?.multiple).toBe(isList);
});

test('completes a draft that an earlier release kept', () => {
  const { cacheSeconds: _, ...older } = { ...draft, parameters: [{ name: '@Region', dataType: 'int' }] };
  const completed = completeDraft(JSON.parse(JSON.stringify(older)));
  expect(completed).toMatchObject({ name: 'Orders', cacheSeconds: null, parameters: [{ dataType: 'int', values: [] }] });
});

test('keeps the settings of a parameter that is removed from the SQL and added again', () => {
  const [region] = listParameters(draft, duckdb);
  if (region === undefined) throw new Error('no @Region');
  const described = withParameter(draft, { ...region, description: 'Where', required: false }, duckdb);
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

test('keeps the place of a parameter that is changed', () => {
  const last = listParameters(draft, duckdb).at(-1);
  if (last === undefined) throw new Error('no @FromDate');
  const changed = withParameter(draft, { ...last, required: false }, duckdb);
  expect(listParameters(changed, duckdb).map(({ name, required }) => [name, required])).toEqual([
    ['@Region', true],
    ['@FromDate', false],
  ]);
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
