import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { findPlaceholders } from '../../../src/catalog/placeholders.ts';
import { sqlite } from '../../../src/connectors/sqlite/index.ts';

const database = new DatabaseSync(':memory:');
afterAll(() => database.close());

/** Whether SQLite parses `@x` as a parameter of the text. */
function readsParameter(sql: string): boolean {
  const statement = database.prepare(sql);
  try {
    statement.get({ '@x': 1 });
    return true;
  } catch (error) {
    expect(String(error)).toContain('Unknown named parameter');
    return false;
  }
}

test.each([
  'SELECT @x',
  'SELECT 1+@x',
  "SELECT '@x'",
  "SELECT 'it''s @x'",
  "SELECT 'a\\', @x, 'b'",
  'SELECT E.a, @x FROM (SELECT 1 AS a) E',
  'SELECT 1 AS "@x"',
  'SELECT 1 AS "a""@x"',
  'SELECT 1 AS `@x`',
  'SELECT 1 AS `a``@x`',
  'SELECT 1 AS [@x]',
  'SELECT 1 AS [a], @x AS [b]',
  "SELECT x'00', @x",
  'SELECT 1 -- @x',
  'SELECT 1 -- \r @x',
  'SELECT 1 -- \n, @x',
  'SELECT 1 --@x\n',
  'SELECT 5--3\n+@x',
  'SELECT 1 /* @x */',
  'SELECT 1 /* /* */ + @x',
  'SELECT 1 /*/ @x */',
  'SELECT 1 /* @x',
  'SELECT 1 WHERE 1=@x',
  'SELECT 1<@x',
  'SELECT @xy, @x_1',
  'SELECT -@x, ~@x',
])('the tokenizer and SQLite agree on the placeholders of %j', (sql) => {
  expect(findPlaceholders(sql, sqlite.dialect).includes('@x')).toBe(readsParameter(sql));
});
