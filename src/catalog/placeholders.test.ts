import { expect, test } from 'vitest';
import { dialectOf, dialects } from '../../test/support/queries/dialects.ts';
import { checkPlaceholders, findPlaceholders, renderPlaceholders } from './placeholders.ts';

test.each(dialects)('finds names in code, not in strings, identifiers and comments, on $name', (dialect) => {
  const sql = `SELECT 'a@b.c', 'it''s @no', "x @no" -- @no
    /* @no */ FROM t WHERE a=@Region AND b IN (@Größe, @_x1,@Region) AND c>=@地域 AND d = @@version AND e = a@no`;
  expect(findPlaceholders(sql, dialect)).toEqual(['@Region', '@Größe', '@_x1', '@地域']);
});

const everywhere = dialects.map(({ name }) => name);
const cases: readonly (readonly [string, readonly string[], string, readonly string[]])[] = [
  ['a nested comment', ['postgres', 'duckdb', 'sqlserver', 'clickhouse'], '/* a /* b */ @no */ @yes', ['@yes']],
  ['a comment that does not nest', ['sqlite', 'mysql', 'trino'], '/* a /* b */ @yes', ['@yes']],
  ['a backslash that escapes', ['mysql', 'clickhouse'], String.raw`'\' @no' @yes`, ['@yes']],
  [
    'a backslash that is a character',
    ['postgres', 'duckdb', 'sqlite', 'sqlserver', 'trino'],
    String.raw`'\' + @yes + ' @no'`,
    ['@yes'],
  ],
  ['an escape string', ['postgres', 'duckdb'], String.raw`e'\' @no' || E'\\' || @yes`, ['@yes']],
  ['a word before a string that only ends with e', ['postgres'], String.raw`date'\' || @yes`, ['@yes']],
  ['a double-quoted string with escapes', ['mysql'], String.raw`"\" @no" @yes`, ['@yes']],
  ['backticks', ['sqlite', 'mysql', 'clickhouse', 'trino'], '`a``@no` @yes', ['@yes']],
  ['brackets', ['sqlserver', 'sqlite'], '[a @no] = @yes', ['@yes']],
  ['a doubled bracket', ['sqlserver'], '[a]] @no] = @yes', ['@yes']],
  ['arrays, which are no brackets', ['duckdb', 'postgres', 'clickhouse'], 'x[@yes]', ['@yes']],
  ['dollar quotes', ['postgres', 'duckdb', 'clickhouse'], "$$ ' @no $$ || $t$ $$ @no $t$ || @yes", ['@yes']],
  ['dollars in names', ['postgres'], 'a$b$ = @yes AND c$b$ = 1', ['@yes']],
  ['two dashes without a blank', ['mysql'], '5--@yes', ['@yes']],
  ['two dashes', ['postgres', 'sqlite', 'sqlserver'], '5--@no', []],
  ['a hash comment', ['mysql'], '# @no\n@yes', ['@yes']],
  ['a hash comment', ['clickhouse'], '# @no\n@yes', ['@yes']],
  ['a hash operator', ['postgres'], 'a # @yes', ['@yes']],
  ['a comment that ends with a carriage return', ['postgres', 'trino'], '-- @no\r@yes', ['@yes']],
  [
    'operators with an at sign',
    ['postgres', 'duckdb'],
    "a @> b AND a <@no AND a @@no AND a @-@no AND n ^@no AND j @? '$' AND c @>@yes",
    ['@yes'],
  ],
  [
    'operators next to a name',
    ['postgres', 'duckdb'],
    'a=@b AND c>=@d AND e<>@f AND g||@h AND -@i < 0',
    ['@b', '@d', '@f', '@h', '@i'],
  ],
  ['less-than next to a name', ['sqlite', 'mysql', 'sqlserver', 'clickhouse', 'trino'], 'a<@b', ['@b']],
  ['a cast behind a name', ['postgres', 'duckdb'], '@d::date', ['@d']],
  ['accounts', ['mysql'], "'root'@no, `a`@no, @'no', @yes", ['@yes']],
  ['names with a dollar', ['sqlite', 'sqlserver'], '@a$b, @yes', ['@yes']],
  ['a name that begins with a digit', everywhere, '@1a, @yes', ['@yes']],
  ['user variables that the text sets', ['mysql'], 'SELECT @row := @row + 1 WHERE a = @yes', ['@yes']],
  ['local variables', ['sqlserver'], 'DECLARE @x int = @yes; SELECT @x', ['@yes']],
  ['a string that is not closed', everywhere, "@yes 'it @no", ['@yes']],
  ['a comment that is not closed', everywhere, '@yes /* @no', ['@yes']],
];

test.each(cases.flatMap(([what, kinds, sql, expected]) => kinds.map((kind) => [what, kind, sql, expected] as const)))(
  'reads %s on %s',
  (_what, kind, sql, expected) => {
    expect(findPlaceholders(sql, dialectOf(kind))).toEqual(expected);
  },
);

test('renders every occurrence of the declared names and leaves other names alone', () => {
  const sql = "SELECT '@A', @a, @A, @B /* @A */ FROM t WHERE x = @A";
  const declared = new Map([
    ['@A', 'one'],
    ['@B', 'two'],
  ]);
  const rendered = renderPlaceholders(sql, dialectOf('postgres'), declared, (value, { start }) => `<${value} ${start}>`);
  expect(rendered).toBe("SELECT '@A', @a, <one 17>, <two 21> /* @A */ FROM t WHERE x = <one 50>");
});

test('renders the value of a procedure argument, not its name', () => {
  const declared = new Map([['@Region', '?']]);
  expect(renderPlaceholders('EXEC report @Region = @Region', dialectOf('sqlserver'), declared, String)).toBe(
    'EXEC report @Region = ?',
  );
});

const names = (...given: readonly string[]) => given.map((name) => ({ name }));

test('reports nothing if placeholders and parameters agree, including the epilogue', () => {
  expect(checkPlaceholders('SELECT @A', 'UPDATE t SET a = @B', dialectOf('postgres'), names('@A', '@B'))).toEqual([]);
});

test('reports undeclared names once per field', () => {
  expect(checkPlaceholders('SELECT @A, @A, @b', 'DELETE FROM t WHERE a = @C', dialectOf('postgres'), names('@B'))).toEqual([
    { field: 'sql', message: '@A is used, but not declared. Add it to the parameters.' },
    { field: 'sql', message: '@b is not declared, @B is. Names are case-sensitive.' },
    { field: 'epilogue', message: '@C is used, but not declared. Add it to the parameters.' },
    { field: 'parameters.0.name', message: '@B is declared, but the SQL does not use it. Use it or remove it.' },
  ]);
});

test('suggests a space where the engine reads the at sign as part of an operator', () => {
  const problems = checkPlaceholders('SELECT 1 WHERE price<@Max', undefined, dialectOf('postgres'), names('@Max'));
  expect(problems.map((problem) => problem.message)).toEqual([
    '@Max is declared, but the SQL does not use it. Write it outside of strings and comments, with a space before it.',
  ]);
});

test('lets an epilogue read variables that the statement set', () => {
  expect(checkPlaceholders('SELECT @n := max(id) FROM t', 'UPDATE c SET n = @n', dialectOf('mysql'), [])).toEqual([]);
  expect(checkPlaceholders('SELECT @n', undefined, dialectOf('mysql'), [])).toHaveLength(1);
});

test('reports duplicate and malformed declarations', () => {
  const problems = checkPlaceholders('SELECT @A', undefined, dialectOf('postgres'), names('@A', '@A', 'B'));
  expect(problems.map((problem) => problem.field)).toEqual(['parameters.1.name', 'parameters.2.name', 'parameters.2.name']);
});
