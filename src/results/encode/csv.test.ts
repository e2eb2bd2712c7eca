import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../test/support/faults/random.ts';
import { columnOf, encodeRows } from '../../../test/support/results/encode-rows.ts';
import { openDuckDb } from '../../../test/support/results/reading-duckdb.ts';
import type { Column, ColumnKind } from '../../core/column.ts';
import type { SqlValue } from '../../core/sql-value.ts';
import { csv } from './csv.ts';
import { CellTooLargeError } from './json-rows.ts';

/** One cell as CSV. */
async function cell(value: SqlValue, kind: ColumnKind = 'text', guardFormulas = true): Promise<string> {
  const text = (
    await encodeRows(csv, [columnOf('a', kind), columnOf('b', kind)], [[[value, null]]], { guardFormulas })
  ).toString();
  return /^a,b\r\n(.*),\r\n$/s.exec(text)?.[1] ?? text;
}

describe('csv', () => {
  it('has a header, lines that end in CRLF, and no byte order mark', async () => {
    const columns = [columnOf('id', 'integer'), columnOf('Größe, cm', 'text'), columnOf('=x', 'text')];
    expect((await encodeRows(csv, columns, [[[1, 'ä', 'z']], [[-2, null, '']]])).toString()).toBe(
      'id,"Größe, cm","\'=x"\r\n1,ä,z\r\n-2,,""\r\n',
    );
    expect((await encodeRows(csv, columns, [])).toString()).toBe('id,"Größe, cm","\'=x"\r\n');
  });

  it('distinguishes NULL and empty text', async () => {
    expect(await cell(null)).toBe('');
    expect(await cell('')).toBe('""');
    expect(await cell(new Uint8Array(), 'binary')).toBe('""');
  });

  it('quotes only what needs it', async () => {
    expect(await cell('plain text; with: marks')).toBe('plain text; with: marks');
    expect(await cell('a,b')).toBe('"a,b"');
    expect(await cell('"')).toBe('""""');
    expect(await cell('say "hi"\r\nand go')).toBe('"say ""hi""\r\nand go"');
    expect(await cell('a\rb')).toBe('"a\rb"');
    expect(await cell(' a')).toBe('" a"');
    expect(await cell('a\t')).toBe('"a\t"');
    expect(await cell(12.5, 'float')).toBe('12.5');
  });

  it('disarms texts that start like a formula', async () => {
    for (const text of ['=1+1', '+1', '-1', '@x', '\tx', '\rx', '\nx', '＝1']) expect(await cell(text)).toBe(`"'${text}"`);
    for (const blank of ['\t', '\r', '\n']) expect(await cell(`${blank}=1`)).toBe(`"'${blank}'=1"`);
    expect(await cell('=HYPERLINK("x")')).toBe(`"'=HYPERLINK(""x"")"`);
    expect(await cell('1=1')).toBe('1=1');
    expect(await cell('ｘ')).toBe('ｘ');
    expect(await cell('=1+1', 'text', false)).toBe('=1+1');
  });

  it('disarms formulas after the separator of another reader', async () => {
    expect(await cell('x;=1+1')).toBe(`"x;'=1+1"`);
    expect(await cell(';=1')).toBe(`";'=1"`);
    expect(await cell('x\t@y')).toBe(`"x\t'@y"`);
    expect(await cell('x|+1|-2')).toBe(`"x|'+1|'-2"`);
    expect(await cell('x;＝1;＋')).toBe(`"x;'＝1;'＋"`);
    expect(await cell('a\r\n- b')).toBe(`"a\r\n'- b"`);
    expect(await cell('x;"=1"')).toBe(`"x;'""=1"""`);
    expect(await cell('=1;"";=2')).toBe(`"'=1;"""";'=2"`);
    expect(await cell('x;=1', 'integer')).toBe(`"x;'=1"`);
    expect(await cell('x; =1;ｘ;"')).toBe('"x; =1;ｘ;"""');
    expect(await cell('x;=1+1', 'text', false)).toBe('x;=1+1');
    expect((await encodeRows(csv, [columnOf('a;=1', 'text')], [])).toString()).toBe(`"a;'=1"\r\n`);
  });

  it('disarms random texts for readers with any separator', async () => {
    const pieces = [';', '\t', '|', '\n', '\r', '"', '=', '+', '-', '@', '＝', '－', 'x', ' ', "'", ','];
    const random = createRandom(7);
    const field = () => Array.from({ length: 1 + random.below(8) }, () => random.pick(pieces)).join('');
    const rows = Array.from({ length: 5000 }, (): SqlValue[] => ['first', field()]);
    const text = (await encodeRows(csv, [columnOf('a', 'text'), columnOf('b', 'text')], [rows])).toString();
    const starts = text.split(/[;\t|\r\n]/).map((field) => field.replace(/^"+/, ''));
    expect(starts.filter((field) => /^[=+\-@＝＋－＠]/.test(field))).toEqual([]);
  });

  it('keeps signs of numbers and times, but not of text in such a column', async () => {
    expect(await cell(-5, 'integer')).toBe('-5');
    expect(await cell('-5.50', 'decimal')).toBe('-5.50');
    expect(await cell(-1e-7, 'float')).toBe('-1e-7');
    expect(await cell('-12:30:00.5', 'time')).toBe('-12:30:00.5');
    expect(await cell('-000044-03-15', 'date')).toBe('-000044-03-15');
    expect(await cell(-5, 'undeclared')).toBe('-5');
    expect(await cell("-cmd|'x'!A1", 'integer')).toBe(`"'-cmd|'x'!A1"`);
    expect(await cell('=1', 'undeclared')).toBe('"\'=1"');
  });

  it('fails on a cell that is too large, and names its column', async () => {
    const failure = encodeRows(csv, [columnOf('note', 'text')], [[['x'.repeat(11)]]], { maxCellBytes: 10 });
    await expect(failure).rejects.toThrow(CellTooLargeError);
    await expect(failure).rejects.toMatchObject({ column: 'note' });
  });

  it('is read by DuckDB unchanged, over many slices', async () => {
    const columns: Column[] = [columnOf('id', 'integer'), columnOf('note', 'text'), columnOf('at', 'timestamp')];
    const parts = ['', '"', ',', '\r\n', 'ä€😀', ' ', "'", '\\', 'plain'];
    const rows = Array.from({ length: 20_000 }, (_, row): SqlValue[] => [
      row,
      row % 11 === 0 ? null : `${parts[row % 9]}${parts[(row * 7) % 9]}${parts[(row >> 3) % 9]}`,
      '2026-01-31T09:30:00',
    ]);
    const file = await encodeRows(csv, columns, [rows.slice(0, 5000), rows.slice(5000)], { guardFormulas: false });
    const duckdb = await openDuckDb();
    const read = await duckdb.read(
      file,
      'csv',
      (source) =>
        `SELECT id, note FROM read_csv(${source}, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"',
         nullstr = '', allow_quoted_nulls = false, new_line = '\\r\\n', parallel = false) ORDER BY id::INT`,
    );
    await duckdb.close();
    expect(read).toEqual(rows.map(([id, note]) => [String(id), note]));
  });
});
