import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { columnOf, encodeRows } from '../../../test/support/results/encode-rows.ts';
import { type CellRead, readWorkbook, unzip } from '../../../test/support/results/workbook.ts';
import type { ColumnKind } from '../../core/column.ts';
import type { SqlValue } from '../../core/sql-value.ts';
import { formats } from './formats.ts';
import { CellTooLargeError } from './json-rows.ts';
import { cellStyles } from './xlsx/workbook-parts.ts';
import { writeWorkbook } from './xlsx/write-workbook.ts';

const { xlsx } = formats;

/** The one cell of the one row. */
async function cell(value: SqlValue, kind: ColumnKind): Promise<CellRead | undefined> {
  const [sheet] = readWorkbook(await encodeRows(xlsx, [columnOf('a', kind)], [[[value]]]));
  return sheet?.cells.get('A2');
}
const text = (content: string): Partial<CellRead> => ({ type: 'inlineStr', style: 0, text: content });
const number = (content: string, style = 0): Partial<CellRead> => ({ type: 'n', style, text: content });

describe('cells of a workbook', () => {
  it('are numbers if Excel keeps all their digits', async () => {
    expect(await cell(-12, 'integer')).toEqual(number('-12'));
    expect(await cell(123_456_789_012_345, 'integer')).toEqual(number('123456789012345'));
    expect(await cell(1_234_567_890_123_456, 'integer')).toEqual(text('1234567890123456'));
    expect(await cell(9_007_199_254_740_993n, 'integer')).toEqual(text('9007199254740993'));
    expect(await cell('12.50', 'decimal')).toEqual(number('12.50'));
    expect(await cell('0.000000000000000001', 'decimal')).toEqual(number('0.000000000000000001'));
    expect(await cell('1234567890.1234500000', 'decimal')).toEqual(number('1234567890.1234500000'));
    expect(await cell('1234567890.123456', 'decimal')).toEqual(text('1234567890.123456'));
    expect(await cell(0.30000000000000004, 'float')).toEqual(number('0.30000000000000004'));
    expect(await cell(-1e-7, 'float')).toEqual(number('-1e-7'));
  });

  it('are dates and times from 1900-03-01 on', async () => {
    expect(await cell('2026-01-31', 'date')).toEqual(number('46053', cellStyles.date));
    expect(await cell('1900-03-01', 'date')).toEqual(number('61', cellStyles.date));
    expect(await cell('1900-02-28', 'date')).toEqual(text('1900-02-28'));
    expect(await cell('9999-12-31', 'date')).toEqual(number('2958465', cellStyles.date));
    expect(await cell('+010000-01-01', 'date')).toEqual(text('+010000-01-01'));
    expect(await cell('infinity', 'date')).toEqual(text('infinity'));
    expect(await cell('2026-01-31T12:00:00', 'timestamp')).toEqual(number('46053.5', cellStyles.timestamp));
    expect(await cell('2026-01-31T12:00:00.864', 'timestamp')).toEqual(number('46053.50001', cellStyles.timestampWithFraction));
    expect(await cell('2026-01-31T06:00:00Z', 'timestamptz')).toEqual(number('46053.25', cellStyles.instant));
    expect(await cell('2026-01-31T06:00:00.864Z', 'timestamptz')).toEqual(number('46053.25001', cellStyles.instantWithFraction));
    expect(await cell('12:30:00', 'time')).toEqual(text('12:30:00'));
  });

  it('are booleans, and empty for NULL', async () => {
    expect(await cell(true, 'boolean')).toEqual({ type: 'b', style: 0, text: '1' });
    expect(await cell(false, 'boolean')).toEqual({ type: 'b', style: 0, text: '0' });
    for (const kind of ['integer', 'text', 'date', 'boolean', 'undeclared'] as const)
      expect(await cell(null, kind)).toBeUndefined();
  });

  it('are texts with any characters, including formulas and markup', async () => {
    const texts = [
      '=1+1',
      'a<b> & "c"',
      ' blank ',
      '',
      'ä€😀',
      'tab\tand\nline',
      'carriage\r\nreturn',
      'nul\0 bell\x07',
      '_x0041_',
      'snake_case',
      '\uffff',
    ];
    for (const each of texts) expect(await cell(each, 'text'), JSON.stringify(each)).toEqual(text(each));
    expect(await cell(Buffer.from('hi'), 'binary')).toEqual(text('aGk='));
    expect(await cell('{"a":[1]}', 'json')).toEqual(text('{"a":[1]}'));
  });

  it('follow the type of the value if their column declares none or another', async () => {
    expect(await cell(5, 'undeclared')).toEqual(number('5'));
    expect(await cell('five', 'undeclared')).toEqual(text('five'));
    expect(await cell(true, 'undeclared')).toMatchObject({ type: 'b' });
    expect(await cell('five', 'integer')).toEqual(text('five'));
    expect(await cell('1e', 'float')).toEqual(text('1e'));
    expect(await cell('', 'integer')).toEqual(text(''));
    expect(await cell(1_700_000_000, 'timestamp')).toEqual(number('1700000000'));
  });
});

describe('a workbook', () => {
  it('has a bold, frozen header, and columns as wide as their content', async () => {
    const columns = [columnOf('id', 'integer'), columnOf('a <long> label for it', 'date'), columnOf('note', 'text')];
    const file = await encodeRows(xlsx, columns, [[[1, '2026-01-31', 'x'.repeat(40)]]]);
    const [sheet] = readWorkbook(file);
    expect(sheet?.xml).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
    expect(sheet?.cells.get('B1')).toEqual({ type: 'inlineStr', style: cellStyles.header, text: 'a <long> label for it' });
    expect([...(sheet?.xml.matchAll(/width="(\d+)"/g) ?? [])].map(([, width]) => width)).toEqual(['8', '23', '41']);
    const styles = unzip(file).get('xl/styles.xml')?.toString() ?? '';
    expect([...styles.matchAll(/<xf [^>]*fontId="(\d)"/g)].map(([, font]) => font).slice(1, 3)).toEqual(['0', '1']);
  });

  it('has one sheet with only the header without rows', async () => {
    const sheets = readWorkbook(await encodeRows(xlsx, [columnOf('id', 'integer')], []));
    expect(sheets.map(({ name, cells }) => [name, cells.size])).toEqual([['Sales', 1]]);
  });

  it.each([
    ['Sales', 'Sales'],
    ["'Q1/Q2': [all]*?'", "Q1 Q2' all"],
    ['x'.repeat(40), 'x'.repeat(31)],
    [`${'x'.repeat(30)}😀`, 'x'.repeat(30)],
    ['', 'Result'],
    ['History', 'History_'],
    ['R&D "new"', 'R&D "new"'],
  ])('names its sheet after the title %j', async (title, name) => {
    expect(readWorkbook(await encodeRows(xlsx, [columnOf('id', 'integer')], [], { title })).map((sheet) => sheet.name)).toEqual([
      name,
    ]);
  });

  it('continues in further sheets, each with the header', async () => {
    const format = {
      encode: (...[columns, batches, options]: Parameters<typeof xlsx.encode>) =>
        writeWorkbook(columns, batches, options, { rows: 4, bytes: 1e9 }),
    };
    const rows = Array.from({ length: 7 }, (_, row) => [row]);
    const title = 'a title of thirty-one character';
    const sheets = readWorkbook(
      await encodeRows(format, [columnOf('id', 'integer')], [rows.slice(0, 2), rows.slice(2)], { title }),
    );
    expect(sheets.map(({ name }) => name)).toEqual([title, 'a title of thirty-one chara (2)', 'a title of thirty-one chara (3)']);
    expect(sheets.map(({ cells }) => [...cells.values()].map(({ text: content }) => content))).toEqual([
      ['id', '0', '1', '2'],
      ['id', '3', '4', '5'],
      ['id', '6'],
    ]);
  });

  it("fills a sheet up to Excel's last row", async () => {
    const batches = Array.from({ length: 105 }, (_, batch) => Array.from({ length: batch < 104 ? 10_000 : 8_577 }, () => [1]));
    const files = unzip(await encodeRows(xlsx, [columnOf('n', 'integer')], batches));
    const sheets = [1, 2].map((number) => files.get(`xl/worksheets/sheet${number}.xml`)?.toString() ?? '');
    expect(sheets.map((xml) => xml.split('<row ').length - 1)).toEqual([1_048_576, 3]);
    expect(sheets[0]).toContain('<c r="A1048576"><v>1</v></c></row></sheetData>');
  });

  it('cuts a text that is too long for a cell and lists it on a separate sheet', async () => {
    const rows = [['x'.repeat(32_767)], [`${'y'.repeat(32_766)}😀`], ['z'.repeat(40_000)]];
    const sheets = readWorkbook(await encodeRows(xlsx, [columnOf('note', 'text')], [rows], { title: 'notes' }));
    expect(sheets.map(({ name }) => name)).toEqual(['notes', 'Notes (2)']);
    expect(['A2', 'A3', 'A4'].map((each) => sheets[0]?.cells.get(each)?.text.length)).toEqual([32_767, 32_766, 32_767]);
    expect([...(sheets[1]?.cells.values() ?? [])].map(({ text: content }) => content)).toEqual([
      '2 cells were cut: a cell of a workbook holds 32767 characters at most.',
      'Sheet',
      'Cell',
      'Characters',
      'notes',
      'A3',
      '32768',
      'notes',
      'A4',
      '40000',
    ]);
  });

  const hasPython = spawnSync('python3', ['-c', 'import zipfile, xml']).status === 0;
  it.skipIf(!hasPython)('is read by another program, every part of it (skipped without python3)', async () => {
    const columns = [columnOf('a "label" <&>', 'text'), columnOf('n', 'integer')];
    const texts = ['a<b> & "c"', ' blank ', 'tab\tand\nline', 'nul\0', '\uffff', 'ä€😀', ']]>', 'x'.repeat(40_000)];
    const rows = Array.from({ length: 20_000 }, (_, row) => [texts[row % texts.length] ?? null, row]);
    const script =
      'import io, json, sys, zipfile, xml.etree.ElementTree as tree\nz = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))\n' +
      'assert z.testzip() is None\nparts = {name: tree.fromstring(z.read(name)) for name in z.namelist()}\n' +
      'rows = parts["xl/worksheets/sheet1.xml"].iter("{http://schemas.openxmlformats.org/spreadsheetml/2006/main}row")\n' +
      'print(json.dumps([[("".join(c.itertext())) for c in row][:2] for row in rows if int(row.get("r")) < 10]))';
    const input = await encodeRows(xlsx, columns, [rows], { title: 'R&D "new" <x>' });
    const read = JSON.parse(execFileSync('python3', ['-c', script], { input, maxBuffer: 1 << 26 }).toString());
    const shown = rows
      .slice(0, 8)
      .map(([each, row]) => [
        each?.toString().replace('\0', '_x0000_').replace('\uffff', '_xFFFF_').slice(0, 32_767),
        String(row),
      ]);
    expect(read).toEqual([['a "label" <&>', 'n'], ...shown]);
  });

  it('fails on a cell that is too large, although it would be cut', async () => {
    const failure = encodeRows(xlsx, [columnOf('note', 'text')], [[['x'.repeat(50_001)]]], { maxCellBytes: 50_000 });
    await expect(failure).rejects.toThrow(CellTooLargeError);
  });

  it('fails if there are more columns than a sheet has', async () => {
    const columns = Array.from({ length: 16_385 }, (_, index) => columnOf(`c${index}`, 'integer'));
    await expect(encodeRows(xlsx, columns, [])).rejects.toMatchObject({
      failure: { kind: 'FieldInvalid', problems: [{ field: 'format' }] },
    });
    const [sheet] = readWorkbook(await encodeRows(xlsx, columns.slice(1), [[columns.slice(1).map(() => 7)]]));
    expect(sheet?.cells.get('XFD2')).toEqual(number('7'));
  });
});
