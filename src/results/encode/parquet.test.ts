import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnOf, encodeRows } from '../../../test/support/results/encode-rows.ts';
import { openDuckDb, type ReadingDuckDb } from '../../../test/support/results/reading-duckdb.ts';
import type { Column, ColumnKind } from '../../core/column.ts';
import { fieldInvalid } from '../../core/errors.ts';
import type { SqlValue } from '../../core/sql-value.ts';
import { formats } from './formats.ts';
import { CellTooLargeError } from './json-rows.ts';
import { writeParquet } from './parquet/write-parquet.ts';

const { parquet } = formats;

let duckdb: ReadingDuckDb;
beforeAll(async () => {
  duckdb = await openDuckDb();
});
afterAll(() => duckdb.close());

/** One column: its type as DuckDB reads it, then its values as text. */
async function read(kind: ColumnKind, type: string, values: readonly SqlValue[]): Promise<unknown[]> {
  const file = await encodeRows(parquet, [columnOf('a', kind, type)], [values.map((value) => [value])]);
  const rows = await duckdb.read(file, 'parquet', (source) => `SELECT typeof(a), a::VARCHAR FROM ${source}`);
  return [rows[0]?.[0], ...rows.map(([, value]) => value)];
}

describe('a column of a Parquet file', () => {
  it('has 64 bits for integers, unsigned if the type is', async () => {
    const values = [1, -5, 0, null, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n)];
    expect(await read('integer', 'bigint', values)).toEqual(['BIGINT', ...values.map((value) => value?.toString() ?? null)]);
    expect(await read('integer', 'bigint unsigned', [2n ** 64n - 1n, 7])).toEqual(['UBIGINT', '18446744073709551615', '7']);
  });

  it('is decimal by its type, and text if the type has no precision or too many digits', async () => {
    expect(await read('decimal', 'numeric(12,2)', ['12.50', -3, '0.1', null, '9999999999.99', '1.500'])).toEqual([
      'DECIMAL(12,2)',
      '12.50',
      '-3.00',
      '0.10',
      null,
      '9999999999.99',
      '1.50',
    ]);
    const long = '-123456789012345678901234567890123456.78';
    expect(await read('decimal', 'Nullable(Decimal(38, 2))', [long, '0.01', 12])).toEqual([
      'DECIMAL(38,2)',
      long,
      '0.01',
      '12.00',
    ]);
    expect(await read('decimal', 'money', ['922337203685477.5807'])).toEqual(['DECIMAL(19,4)', '922337203685477.5807']);
    expect(await read('integer', 'HUGEINT', [-(10n ** 38n) + 1n, 5])).toEqual(['DECIMAL(38,0)', `-${'9'.repeat(38)}`, '5']);
    expect(await read('decimal', 'numeric', ['1.10'])).toEqual(['VARCHAR', '1.10']);
    expect(await read('decimal', 'decimal(65,2)', ['1.10'])).toEqual(['VARCHAR', '1.10']);
  });

  it('is double, boolean, text, JSON or bytes', async () => {
    expect(await read('float', 'real', [0.1, -1e300, null])).toEqual(['DOUBLE', '0.1', '-1e+300', null]);
    expect(await read('boolean', 'bool', [true, null, false, 1, 0])).toEqual(['BOOLEAN', 'true', null, 'false', 'true', 'false']);
    expect(await read('text', 'text', ['', null, 'ä€😀\n'])).toEqual(['VARCHAR', '', null, 'ä€😀\n']);
    expect(await read('binary', 'bytea', [Buffer.from([0, 255]), null, Buffer.from('')])).toEqual([
      'BLOB',
      '\\x00\\xFF',
      null,
      '',
    ]);
    expect(await read('undeclared', 'ANY', ['x', 5, null])).toEqual(['VARCHAR', 'x', '5', null]);
    expect(await read('uuid', 'uuid', ['6f1c…'])).toEqual(['VARCHAR', '6f1c…']);
    const file = await encodeRows(parquet, [columnOf('a', 'json')], [[[5], [null]]]);
    expect(await duckdb.read(file, 'parquet', (source) => `SELECT typeof(a), a FROM ${source}`)).toEqual([
      ['JSON', '5'],
      ['JSON', null],
    ]);
  });

  it('is a date or a timestamp, in UTC if the type has a zone', async () => {
    const dates = ['2026-01-31', '1969-12-31', '0001-01-01', '9999-12-31', null];
    expect(await read('date', 'date', dates)).toEqual(['DATE', ...dates]);
    const times = [
      '2026-01-31T09:30:00.123456',
      '1969-12-31T23:59:59',
      '9999-12-31T23:59:59.999999',
      '0001-01-01T00:00:00',
      '+294247-01-10T04:00:54.775806',
      null,
    ];
    expect(await read('timestamp', 'timestamp', times)).toEqual([
      'TIMESTAMP',
      ...times.map((time) => time?.replace('T', ' ').replace('+', '') ?? null),
    ]);
    expect(await read('timestamptz', 'timestamptz', ['2026-01-31T09:30:00Z'])).toEqual([
      'TIMESTAMP WITH TIME ZONE',
      '2026-01-31 09:30:00+00',
    ]);
    expect(await read('timestamp', 'TIMESTAMP_NS', ['2026-01-31T09:30:00.123456789'])).toEqual([
      'TIMESTAMP_NS',
      '2026-01-31 09:30:00.123456789',
    ]);
    expect(await read('timestamp', 'datetime2(7)', ['2026-01-31T09:30:00.1234567'])).toEqual([
      'VARCHAR',
      '2026-01-31T09:30:00.1234567',
    ]);
  });

  it.each<[ColumnKind, string, SqlValue]>([
    ['integer', 'INTEGER', 'five'],
    ['integer', 'INTEGER', ''],
    ['integer', 'INTEGER', 1.5],
    ['integer', 'bigint', 2n ** 63n],
    ['integer', 'bigint unsigned', -1],
    ['decimal', 'DECIMAL(4,2)', '1.005'],
    ['decimal', 'DECIMAL(4,2)', '100.00'],
    ['decimal', 'DECIMAL(38,0)', 10n ** 38n],
    ['float', 'REAL', 'much'],
    ['boolean', 'BOOLEAN', 'maybe'],
    ['date', 'DATE', 'infinity'],
    ['date', 'DATE', '2026-01-31T09:30:00'],
    ['timestamp', 'DATETIME', 1_700_000_000],
    ['timestamp', 'timestamp', '2026-01-31T09:30:00.1234567'],
    ['timestamp', 'TIMESTAMP_NS', '9999-12-31T00:00:00'],
    ['timestamp', 'timestamp without time zone', '+294276-12-31T23:59:59.999999'],
    ['timestamptz', 'timestamp with time zone', '+294247-01-10T04:00:54.775808Z'],
    ['binary', 'BLOB', 'text'],
  ])('rejects a value that does not fit: %s, %s, %s', async (kind, type, value) => {
    const failure = encodeRows(
      parquet,
      [columnOf('id', 'integer'), columnOf('odd one', kind, type)],
      [[[1, null]], [[2, value]]],
    );
    const message = expect.stringContaining('"odd one" is declared ');
    await expect(failure).rejects.toMatchObject({ failure: fieldInvalid('format', message) });
  });
});

describe('a Parquet file', () => {
  const columns: Column[] = [
    columnOf('id', 'integer'),
    columnOf('some', 'text'),
    columnOf('flag', 'boolean'),
    columnOf('none', 'float'),
    columnOf('amount', 'decimal', 'decimal(20,2)'),
  ];
  const rowOf = (row: number): SqlValue[] => [
    row,
    row % 3 === 0 ? null : `text ${row % 7} ${'x'.repeat(row % 40)}`,
    row % 5 === 0 ? null : row % 2 === 0,
    null,
    row % 1000 === 0 ? null : `${row}.25`,
  ];
  const rows = Array.from({ length: 30_000 }, (_, row) => rowOf(row));
  const batches = [rows.slice(0, 3), rows.slice(3, 12_000), [], rows.slice(12_000)];
  const limited = (limits: { rows: number; bytes: number }): Pick<typeof parquet, 'encode'> => ({
    encode: (labeled, of, options) => writeParquet(labeled, of, options, limits),
  });

  it.each([
    ['one row group of several pages', parquet, 1],
    ['row groups by count', limited({ rows: 7001, bytes: 1e9 }), 5],
    ['row groups by size', limited({ rows: 1e9, bytes: 100_000 }), 30],
  ])('contains every row, with %s', async (_, format, groups) => {
    const file = await encodeRows(format, columns, batches);
    const read = await duckdb.read(
      file,
      'parquet',
      (source) => `SELECT id, "some", flag, "none", amount::VARCHAR FROM ${source} ORDER BY id`,
    );
    expect(read).toEqual(rows.map(([id, ...rest]) => [BigInt(Number(id)), ...rest]));
    const [[count] = []] = await duckdb.read(
      file,
      'parquet',
      (source) => `SELECT count(DISTINCT row_group_id)::INT FROM parquet_metadata(${source})`,
    );
    if (groups < 10) expect(count).toBe(groups);
    else expect(count).toBeGreaterThan(4);
  });

  it('is read by a second reader', async () => {
    const all: Column[] = [
      ...columns,
      columnOf('doc', 'json'),
      columnOf('at', 'timestamptz'),
      columnOf('day', 'date'),
      columnOf('local', 'timestamp'),
    ];
    const file = await encodeRows(parquet, all, [
      [
        [1, 'a', true, 1.5, '2.50', 7, '2026-01-31T09:30:00Z', '2026-01-31', '2026-01-31T09:30:00.5'],
        [2, null, null, null, null, null, null, null, null],
      ],
    ]);
    expect(await parquetReadObjects({ file: new Uint8Array(file).buffer })).toEqual([
      {
        id: 1n,
        some: 'a',
        flag: true,
        none: 1.5,
        amount: 2.5,
        doc: 7,
        at: new Date('2026-01-31T09:30:00Z'),
        day: new Date('2026-01-31'),
        local: new Date('2026-01-31T09:30:00.500Z'),
      },
      { id: 2n, some: null, flag: null, none: null, amount: null, doc: null, at: null, day: null, local: null },
    ]);
    const many = await encodeRows(parquet, columns, batches);
    const back = await parquetReadObjects({ file: new Uint8Array(many).buffer });
    expect(back.map(({ some }) => some)).toEqual(rows.map(([, some]) => some));
    expect(back.map(({ flag }) => flag)).toEqual(rows.map(([, , flag]) => flag));
  });

  it('has its columns even without rows', async () => {
    const file = await encodeRows(parquet, columns, []);
    expect(
      await duckdb.read(file, 'parquet', (source) => `SELECT num_rows, num_row_groups FROM parquet_file_metadata(${source})`),
    ).toEqual([[0n, 0n]]);
    expect(
      await duckdb.read(file, 'parquet', (source) => `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${source})`),
    ).toEqual([
      ['id', 'BIGINT'],
      ['some', 'VARCHAR'],
      ['flag', 'BOOLEAN'],
      ['none', 'DOUBLE'],
      ['amount', 'DECIMAL(20,2)'],
    ]);
  });

  it('has tens of thousands of columns', async () => {
    const many = Array.from({ length: 25_000 }, (_, index) => columnOf(`c${index}`, 'integer'));
    const file = await encodeRows(parquet, many, [[many.map((_, index) => index)]]);
    const { schema } = parquetMetadata(new Uint8Array(file).buffer);
    expect([schema.length, schema.at(-1)?.name]).toEqual([25_001, 'c24999']);
  });

  it('keeps labels with any characters', async () => {
    const names = ['a.b', 'Größe', 'with "quotes"', 'a b'];
    const file = await encodeRows(
      parquet,
      names.map((name) => columnOf(name, 'integer')),
      [[[1, 2, 3, 4]]],
    );
    expect(await duckdb.read(file, 'parquet', (source) => `SELECT column_name FROM (DESCRIBE SELECT * FROM ${source})`)).toEqual(
      names.map((name) => [name]),
    );
    expect(await parquetReadObjects({ file: new Uint8Array(file).buffer })).toEqual([
      { 'a.b': 1n, Größe: 2n, 'with "quotes"': 3n, 'a b': 4n },
    ]);
  });

  it('fails on a cell that is too large', async () => {
    const failure = encodeRows(parquet, [columnOf('note', 'text')], [[['x'.repeat(300_000)]]], { maxCellBytes: 200_000 });
    await expect(failure).rejects.toThrow(CellTooLargeError);
  });
});
