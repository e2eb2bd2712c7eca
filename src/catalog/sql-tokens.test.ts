import { expect, test } from 'vitest';
import { dialectOf, dialects } from '../../test/support/queries/dialects.ts';
import { sqlTokens } from './sql-tokens.ts';

test('returns words, variables, quoted text and symbols, without whitespace and comments', () => {
  const tokens = sqlTokens("SELECT a.b, 'x' -- note\n/* more */ FROM t WHERE c=@C", dialectOf('sqlite'));
  expect(tokens.map(({ type, text }) => [type, text])).toEqual([
    ['word', 'SELECT'],
    ['word', 'a'],
    ['symbol', '.'],
    ['word', 'b'],
    ['symbol', ','],
    ['quoted', "'x'"],
    ['word', 'FROM'],
    ['word', 't'],
    ['word', 'WHERE'],
    ['word', 'c'],
    ['symbol', '='],
    ['variable', '@C'],
  ]);
});

test.each(dialects)('reads every text to its end, in order, on $name', (dialect) => {
  const pieces = [
    "'",
    '"',
    '`',
    '[',
    ']',
    '$',
    '$$',
    '$t$',
    '@',
    '@@',
    '@a',
    'e',
    "e'",
    '\\',
    '--',
    '#',
    '/*',
    '*/',
    '\n',
    ' ',
    '<',
    '-',
    '😀',
    '1',
  ];
  let seed = 7;
  for (let round = 0; round < 500; round += 1) {
    let sql = '';
    for (let count = 0; count < 12; count += 1) {
      seed = (seed * 48271) % 2147483647;
      sql += pieces[seed % pieces.length] ?? '';
    }
    let end = 0;
    for (const token of sqlTokens(sql, dialect)) {
      expect(token.start).toBeGreaterThanOrEqual(end);
      expect(token.end).toBeGreaterThan(token.start);
      end = token.end;
    }
    expect(end).toBeLessThanOrEqual(sql.length);
  }
});
