import { expect, test } from 'vitest';
import { dialectOf, dialects } from '../../test/support/queries/dialects.ts';
import type { BoundList, BoundParameter } from '../core/sql-value.ts';
import { expandLists, findMisplacedList } from './parameter.ts';
import { postgresSql } from './sql-dialect.ts';

const type = { name: 'text' } as const;
const limits = { bound: 2090, written: 5000 };
const list = (name: string, count: number): BoundList => ({
  name,
  type,
  items: Array.from({ length: count }, (_, index) => ({ value: `v${index + 1}` })),
});

function expanded(sql: string, parameters: readonly BoundParameter[], dialect = postgresSql, epilogue?: string) {
  const result = expandLists({ sql, epilogue }, dialect, limits, parameters);
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
const valuesOf = ({ parameters }: { readonly parameters: readonly { name: string; value: string | null }[] }) =>
  parameters.map(({ name, value }) => `${name}=${value}`);

test('leaves statements without lists alone', () => {
  const region = { name: '@Region', type, value: 'North' };
  expect(expanded('select @Region', [region], postgresSql, 'delete')).toEqual({
    sql: 'select @Region',
    epilogue: 'delete',
    parameters: [region],
  });
});

test('writes a placeholder for each value, up to a few lengths', () => {
  const sql = "select '(@R)' from t where a in (@R) or b not in ( @R )";
  const three = expanded(sql, [list('@R', 3)], postgresSql, 'delete from t where a in (@R)');
  expect(three.sql).toBe("select '(@R)' from t where a in (@R, @R_2, @R_3, @R_4) or b not in ( @R, @R_2, @R_3, @R_4 )");
  expect(three.epilogue).toBe('delete from t where a in (@R, @R_2, @R_3, @R_4)');
  expect(valuesOf(three)).toEqual(['@R=v1', '@R_2=v2', '@R_3=v3', '@R_4=v3']);
  expect(expanded(sql, [list('@R', 4)]).sql).toBe(three.sql);
  const lengths = Array.from({ length: 1000 }, (_, index) => expanded(sql, [list('@R', index + 1)]).parameters.length);
  expect([...new Set(lengths)]).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]);
});

test.each(dialects)('binds NULL for an empty list on $name', (dialect) => {
  const { sql, parameters } = expanded('select 1 where a in (@R) and b NOT  IN (@R)', [list('@R', 0)], dialect);
  expect(parameters).toEqual([{ name: '@R', type, value: null }]);
  // ClickHouse skips NULL in a list: `not in (NULL)` would match every row
  expect(sql).toBe(`select 1 where a in (@R) and b ${dialect.skipsNullInLists ? '' : 'NOT'}  IN (@R)`);
});

test('does not use a name that the SQL has', () => {
  const { sql } = expanded('select @R_2 where a in (@R)', [list('@R', 2), { name: '@R_2', type, value: 'x' }]);
  expect(sql).toBe('select @R_2 where a in (@R, @R__2)');
});

test('does not use a name twice for lists whose names differ in underscores', () => {
  const { sql, parameters } = expanded('select 1 where a in (@R) or b in (@R_) or c in (@r__)', [
    list('@R', 2),
    list('@R_', 2),
    list('@r__', 2),
  ]);
  expect(sql).toBe('select 1 where a in (@R, @R___2) or b in (@R_, @R____2) or c in (@r__, @r_____2)');
  expect(new Set(parameters.map(({ name }) => name.toLowerCase())).size).toBe(6);
});

test('respects how many placeholders an engine takes', () => {
  const sql = 'select 1 where a in (@A) or b in (@B) or c in (@C)';
  const counted = (...counts: readonly [number, number, number]) =>
    expandLists({ sql }, dialectOf('sqlserver'), limits, [list('@A', counts[0]), list('@B', counts[1]), list('@C', counts[2])]);
  expect(counted(1000, 1000, 90)).toMatchObject({ ok: true });
  expect(counted(600, 600, 600)).toMatchObject({ ok: true }); // not filled up
  expect(counted(1000, 1000, 91)).toMatchObject({
    ok: false,
    failure: { kind: 'ParameterInvalid', problems: [{ field: '@A, @B, @C', message: expect.stringContaining('2091 values') }] },
  });
});

test('counts a value wherever the text uses it', () => {
  const used = (times: number) => {
    const sql = `select 1 where ${Array.from({ length: times }, () => 'a in (@A)').join(' or ')}`;
    return expandLists({ sql }, dialectOf('sqlserver'), limits, [list('@A', 1000)]);
  };
  expect(used(5)).toMatchObject({ ok: true });
  expect(used(6)).toMatchObject({
    ok: false,
    failure: { problems: [{ field: '@A', message: expect.stringContaining('used 6000 times') }] },
  });
});

test.each([
  ['select 1 where a in (@R)', undefined],
  ['select 1 where a in (\n  @R -- all\n)', undefined],
  ["select '@R' where a = any(@R)", undefined],
  ['select 1 where a = @R', 19],
  ['select 1 where a in (@R, 1)', 21],
  ['select 1 where a in (1, @R)', 24],
  ['select 1 where a in (@R) or @R is null', 28],
])('finds the misplaced list of %j', (sql, start) => {
  expect(findMisplacedList(sql, postgresSql, new Set(['@R']))?.start).toBe(start);
});
