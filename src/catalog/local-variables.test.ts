import { expect, test } from 'vitest';
import { dialectOf } from '../../test/support/queries/dialects.ts';
import { argumentNames, findLocalVariables } from './placeholders.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { sqlTokens } from './sql-tokens.ts';

const own = (sql: string, dialect: SqlDialect) => [...findLocalVariables(sqlTokens(sql, dialect), dialect)];

test.each([
  ['SELECT @Row := @Row + 1, @p FROM t', ['@row']],
  ['SET @a = 1, @b = (SELECT max(x), @p FROM t); SELECT 1, @q = 2', ['@a', '@b']],
  ['SELECT x, y INTO @a, @b FROM t WHERE z IN (1, @p) ORDER BY z, @q', ['@a', '@b']],
  ['UPDATE t SET a = @p, b = @q WHERE c = @r', []],
  ["SELECT '@x := 1' -- @x := 1", []],
])('finds the variables that MySQL text assigns: %s', (sql, expected) => {
  expect(own(sql, dialectOf('mysql'))).toEqual(expected);
});

test.each([
  ['DECLARE @a int = @p, @b nvarchar(20); SELECT x, @q FROM t', ['@a', '@b']],
  ['DECLARE @a int = coalesce(1, @p), @b int; SELECT 1', ['@a', '@b']],
  ['DECLARE @a decimal(12, 2) SELECT x, @q FROM t', ['@a']],
  ['DECLARE @t TABLE (a int, b int) INSERT @t VALUES (1, @q)', ['@t']],
  ['SELECT a, @q FROM t WHERE @x = 1', []],
])('finds the variables that SQL Server text declares: %s', (sql, expected) => {
  expect(own(sql, dialectOf('sqlserver'))).toEqual(expected);
});

test('finds none for engines without such variables', () => {
  expect(own('SET @a = 1', dialectOf('postgres'))).toEqual([]);
});

test('distinguishes the argument names of a procedure call from its values', () => {
  const tokens = sqlTokens('EXEC dbo.report @Region = @Region, @Year = 2026; SELECT 1 WHERE @Region = 2', dialectOf('sqlserver'));
  expect([...argumentNames(tokens, dialectOf('sqlserver'))].map((token) => token.start)).toEqual([16, 35]);
});
