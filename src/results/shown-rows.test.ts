import { describe, expect, it } from 'vitest';
import type { ColumnKind } from '../core/column.ts';
import { FailureError } from '../core/errors.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { MOST_CHARACTERS, type RowView, ShownRows } from './shown-rows.ts';

const column = (label: string, kind: ColumnKind = 'text') => ({ name: label, type: kind, kind, label });
const columns = [column('id', 'integer'), column('a "b"'), column('doc', 'json'), column('Größe', 'decimal')];
const all: RowView = { isTable: false, cutsCells: false };
const encode = (id: number, text: string, doc = '{"x": [1, "}]"], "y": ","}', size = '1.50'): string =>
  `{"id":${id},"a \\"b\\"":${JSON.stringify(text)},"doc":${doc},"Größe":${size}}`;

function show(rows: readonly string[], view: Partial<RowView>, maxBytes = 1e6) {
  const shown = new ShownRows(columns, { ...all, ...view }, maxBytes);
  const count = rows.findIndex((row) => {
    const bytes = Buffer.from(`xx${row},`);
    return !shown.add(bytes, 2, bytes.length - 1);
  });
  const { rows: text, ...rest } = shown.end();
  return { text: text.toString(), count: count === -1 ? rows.length : count, ...rest };
}

describe('rows', () => {
  const rows = [encode(1, 'x'), encode(2, 'ü,"{[\\ '), encode(3, '', 'null', '12345678901234567890.10')];

  it('are unchanged without a view', () => {
    expect(show(rows, {})).toMatchObject({ text: rows.join(), labels: ['id', 'a "b"', 'doc', 'Größe'], columns: undefined });
  });

  it('are lists in a table, with every digit', () => {
    expect(show(rows, { isTable: true }).text).toBe(
      '[1,"x",{"x": [1, "}]"], "y": ","},1.50],[2,"ü,\\"{[\\\\ ",{"x": [1, "}]"], "y": ","},1.50],[3,"",null,12345678901234567890.10]',
    );
  });

  it('have the wanted columns in the order of the result, ignoring case and repetitions', () => {
    const wanted = show(rows, { columns: ['größe', 'ID', 'id'] });
    expect(wanted.text).toBe('{"id":1,"Größe":1.50},{"id":2,"Größe":1.50},{"id":3,"Größe":12345678901234567890.10}');
    expect(wanted.labels).toEqual(['id', 'Größe']);
    expect(show(rows, { columns: wanted.columns }).text).toBe(wanted.text);
    expect(show(rows, { columns: ['doc'], isTable: true }).text).toBe(
      '[{"x": [1, "}]"], "y": ","}],[{"x": [1, "}]"], "y": ","}],[null]',
    );
  });

  it('have the column of exactly this name if several differ in case only', () => {
    const both = [column('n'), column('N')];
    const labels = (name: string) => new ShownRows(both, { ...all, columns: [name] }, 100).end().labels;
    expect([labels('n'), labels('N')]).toEqual([['n'], ['N']]);
  });

  it('of thousands of columns are chosen in linear time', () => {
    const many = Array.from({ length: 5000 }, (_, index) => column(`Column ${index}`));
    const startedAt = performance.now();
    const chosen = new ShownRows(many, { ...all, columns: many.map(({ label }) => label.toUpperCase()).slice(1) }, 100).end();
    expect(chosen.labels).toHaveLength(4999);
    expect(new ShownRows(many, { ...all, columns: chosen.columns }, 100).end().labels).toEqual(chosen.labels);
    expect(performance.now() - startedAt).toBeLessThan(500); // 4 s if every name is compared with every column
  });

  it('are refused with an unknown column, which is named with the known ones', () => {
    expect(() => show(rows, { columns: ['id', 'nope'] })).toThrow(FailureError);
    try {
      show(rows, { columns: ['nope'] });
    } catch (error) {
      expect((error as FailureError).failure).toMatchObject({
        kind: 'FieldInvalid',
        problems: [{ field: 'columns', message: expect.stringMatching(/no column "nope".*"id", "a \\"b\\""/) }],
      });
    }
  });

  it('without columns are empty objects or lists', () => {
    for (const [isTable, expected] of [
      [false, '{},{}'],
      [true, '[],[]'],
    ] as const) {
      const shown = new ShownRows([], { ...all, isTable }, 100);
      for (let row = 0; row < 2; row++) shown.add(Buffer.from('{}'), 0, 2);
      expect(shown.end().rows.toString()).toBe(expected);
    }
  });

  it('end before the bound is exceeded, but never before the first', () => {
    const two = `${rows[0]},${rows[1]}`;
    expect(show(rows, {}, Buffer.byteLength(two)).text).toBe(two);
    expect(show(rows, {}, Buffer.byteLength(two) - 1)).toMatchObject({ text: rows[0], count: 1 });
    expect(show(rows, {}, 1)).toMatchObject({ text: rows[0], count: 1 });
    expect(show(rows, { isTable: true }, 36).text).toBe('[1,"x",{"x": [1, "}]"], "y": ","},1.50]');
  });

  it('end where their tokens exceed the bound', () => {
    const many = Array.from({ length: 100 }, (_, index) => encode(index, 'text'));
    const { text } = show(many, { maxTokens: 500 });
    const tokens = (json: string) => estimateTokens(Buffer.from(json), 0, Buffer.byteLength(json));
    expect(tokens(text)).toBeLessThanOrEqual(500);
    expect(tokens(text)).toBeGreaterThan(450);
  });
});

describe('long texts', () => {
  const cut = (text: string, view: Partial<RowView> = {}) => {
    const { text: shown, cutCells } = show([encode(1, text)], { cutsCells: true, ...view });
    return { cell: JSON.parse(`[${shown}]`)[0]['a "b"'], cutCells };
  };

  it.each([
    ['ASCII', 'x'],
    ['two bytes', 'é'],
    ['three bytes', '漢'],
    ['a pair of surrogates', '😀'],
    ['a lone surrogate', '\ud83d'],
    ['an escape', '\n'],
    ['a control character', '\u0001'],
    ['a quote', '"'],
    ['a backslash', '\\'],
  ])('are cut after 2,000 code points: %s', (_name, character) => {
    const exact = character.repeat(MOST_CHARACTERS);
    expect(cut(exact)).toEqual({ cell: exact, cutCells: 0 });
    expect(cut(`${exact}${character}`)).toEqual({ cell: `${exact}…`, cutCells: 1 });
    expect(cut(`${exact.slice(character.length)}yz`)).toEqual({ cell: `${exact.slice(character.length)}y…`, cutCells: 1 });
  });

  it('stay whole in JSON cells, also where the JSON is a text', () => {
    const long = JSON.stringify('x'.repeat(5000));
    for (const doc of [long, `{"x":${long}}`, `[${long}]`])
      expect(show([encode(1, 'x', doc)], { cutsCells: true })).toMatchObject({ text: encode(1, 'x', doc), cutCells: 0 });
  });

  it('do not count if their column or their row is not sent', () => {
    const long = 'x'.repeat(3000);
    expect(show([encode(1, long)], { cutsCells: true, columns: ['id'] })).toMatchObject({ text: '{"id":1}', cutCells: 0 });
    expect(show([encode(1, long), encode(2, long)], { cutsCells: true }, 2500)).toMatchObject({ count: 1, cutCells: 1 });
  });
});
