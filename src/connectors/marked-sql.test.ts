import { expect, test } from 'vitest';
import { markSql } from './marked-sql.ts';

test("maps every position of the marked text to the author's text", () => {
  const source = "SELECT @A, '😀' AS x, @Bc\nFROM t WHERE @A = n;";
  const marked = markSql(source, 'trino', ['@A', '@Bc'], (name) => `CAST(? AS ${name.slice(1)})`);
  expect(marked.names).toEqual(['@A', '@Bc', '@A']);
  for (const word of ['SELECT', 'AS x', 'FROM', 'WHERE', '= n', ';']) {
    const placeIn = (text: string) => {
      const lines = text.slice(0, text.indexOf(word)).split('\n');
      return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
    };
    const { line, column } = placeIn(marked.sql);
    expect(marked.sourcePosition(line, column)).toEqual(placeIn(source));
  }
  expect(marked.sourcePosition(1, 12)).toEqual({ line: 1, column: 8 }); // inside a mark: where its name begins
  expect(marked.sourcePosition(9, 9)).toEqual({ line: 2, column: 21 }); // beyond the end: the end
});
