import { expect, test } from 'vitest';
import { standardSql } from '../../catalog/sql-dialect.ts';
import { positionAt } from '../../catalog/sql-tokens.ts';
import { markSql, offsetAt } from './marked-sql.ts';

test("maps every position of the marked text to the author's text", () => {
  const source = "SELECT @A, '😀' AS x, @Bc\nFROM t WHERE @A = n;";
  const [a, bc] = [{ name: '@A' }, { name: '@Bc' }];
  const marked = markSql(source, standardSql, [bc, a], ({ name }) => `CAST(? AS ${name.slice(1)})`);
  expect(marked.marked).toEqual([a, bc, a]);
  expect(marked.used).toEqual([a, bc]);
  for (const word of ['SELECT', 'AS x', 'FROM', 'WHERE', '= n', ';']) {
    const offset = marked.sql.indexOf(word);
    expect(offsetAt(marked.sql, positionAt(marked.sql, offset))).toBe(offset);
    expect(marked.positionOf(offset)).toEqual(positionAt(source, source.indexOf(word)));
  }
  expect(positionAt(source, source.indexOf('AS x'))).toEqual({ line: 1, column: 16 });
  expect(marked.positionOf(11)).toEqual({ line: 1, column: 8 }); // inside a mark: where its name begins
  expect(marked.positionOf(offsetAt(marked.sql, { line: 9, column: 9 }))).toEqual({ line: 2, column: 21 }); // beyond the end
});
