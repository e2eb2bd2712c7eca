import { expect, test } from 'vitest';
import { viewSearchOf } from './plain-statement.ts';

test.each([
  'select id, note from sales where id = CAST(? AS SIGNED)',
  'SELECT s.region, COUNT(*), SUM(s.units) AS units FROM sales s LEFT JOIN regions r ON (r.id = s.region) GROUP BY s.region LIMIT ?',
  "SELECT `id`, IF(a IN (1, 2), 'it''s @x := f (1)', \"b\") FROM t WHERE CAST(? AS DATETIME(6)) < sold_at -- f (1)\n AND (b OR (c))",
  'WITH x AS (SELECT 1 AS a) SELECT a, ROW_NUMBER() OVER (ORDER BY a) FROM x UNION ALL (SELECT 2, 3)',
])('%s is plain', (sql) => {
  expect(viewSearchOf(sql)).toMatch(/information_schema\.TABLES/);
});

test.each([
  ['a stored function', 'SELECT f(1)'],
  ['one in backticks', 'SELECT `count`(1)'],
  ['one of a database', 'SELECT shop.count(1)'],
  ['one that is named after a function of the server', 'SELECT count (id) FROM t'],
  ['the same behind a comment', 'SELECT count/**/(id) FROM t'],
  ['one that is named after a type', 'SELECT datetime(1)'],
  ['a user variable', 'SELECT @a'],
  ['an assignment', 'SELECT @a := 1'],
  ['a setting', 'SELECT @@sql_mode'],
  ['a lock', "SELECT GET_LOCK('a', 0)"],
  ['a random number', 'SELECT RAND()'],
  ['what the last statement left', 'SELECT FOUND_ROWS(), ROW_COUNT()'],
  ['the last number', 'SELECT LAST_INSERT_ID(7)'],
  ['a count beyond the limit', 'SELECT SQL_CALC_FOUND_ROWS id FROM t LIMIT 1'],
  ['a sequence', 'SELECT NEXT VALUE FOR numbers'],
  ['locked rows', 'SELECT id FROM t FOR UPDATE'],
  ['shared rows', 'SELECT id FROM t LOCK IN SHARE MODE'],
  ['a name with other characters', 'SELECT 1 FROM `a b`'],
  ['a name that begins with a dollar sign', 'SELECT 1 FROM $v'],
  ['a name of other letters', 'SELECT 1 FROM größen'],
  ['a blank that is part of a name', 'SELECT 1 FROM a\u00a0b'],
  ['a comment that is none', 'SELECT 1 --\u00a0, f(1)\n FROM t'],
])('%s is not plain', (_what, sql) => {
  expect(viewSearchOf(sql)).toBeUndefined();
});

test('looks for every name, and for databases that qualify names', () => {
  expect(viewSearchOf('SELECT `Alpha`.b FROM Alpha')).toMatch(
    /IN \('SELECT','Alpha','b','FROM'\)[\s\S]*SCHEMATA[\s\S]*\('Alpha'\)/,
  );
  expect(viewSearchOf('SELECT b FROM a')).not.toMatch(/SCHEMATA/);
});
