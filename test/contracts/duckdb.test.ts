import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenRequest, Surroundings } from '../../src/connectors/connector.ts';
import { duckdb } from '../../src/connectors/duckdb/index.ts';
import type { SqlType } from '../../src/sql-value.ts';
import { type ConnectorFixture, connectorContract, type ExpectedCell } from './connector-contract.ts';

const connections = 3;
const home = await mkdtemp(join(tmpdir(), 'duckdb-contract-'));
const folders = {
  files: join(home, 'files'),
  data: join(home, 'data'),
  scratch: join(home, 'scratch'),
  outside: join(home, 'outside'),
};
const template = join(folders.outside, 'template.duckdb');
const secret = join(folders.outside, 'secret.csv');

await Promise.all(Object.values(folders).map((folder) => mkdir(folder, { recursive: true })));
await writeFile(secret, 'word\nhush\n');
await createTemplate();
afterAll(() => rm(home, { recursive: true, force: true }));

const surroundings: Surroundings = {
  fileFolders: [folders.files],
  trustedFiles: [join(folders.data, 'demo.duckdb')],
  dataFolder: folders.data,
  scratchFolder: folders.scratch,
  connections,
};
const request = (file: unknown, writable = false): OpenRequest => ({
  name: 'test',
  connection: { file },
  settings: {},
  writable,
  surroundings,
});

let copies = 0;
const fixture: ConnectorFixture = {
  connections,
  async open({ writable }) {
    const file = join(folders.files, `copy-${++copies}.duckdb`);
    await cp(template, file);
    const connector = await duckdb.open(request(file, writable));
    const canary = async () => {
      const names = (await readdir(home, { recursive: true })).filter((name) => !name.startsWith('scratch/duckdb-')).sort();
      const counts = [];
      for (const table of ['items', 'log']) counts.push(await value(`SELECT count(*) FROM ${table}`));
      counts.push(await value("SELECT string_agg(value, ',' ORDER BY name) FROM duckdb_settings()"));
      counts.push(await value('SELECT count(*) FROM duckdb_databases()'));
      counts.push(await value('SELECT last_value FROM duckdb_sequences()'));
      const bytes = writable
        ? ''
        : createHash('sha256')
            .update(await readFile(file))
            .digest('hex');
      return JSON.stringify([names.filter((name) => !name.endsWith('.wal')), counts, bytes]);
    };
    const value = async (sql: string) => {
      const rows = await connector.run({ sql, parameters: [] }, { timeoutMs: 5000 }, new AbortController().signal);
      let cell: unknown;
      for await (const batch of rows.batches()) cell = batch.value(0, 0);
      return String(cell);
    };
    return { connector, canary, close: () => connector.close() };
  },
  sql: {
    series: (count) => `SELECT i AS n, 'row number ' || i AS t FROM range(1, ${count} + 1) r(i)`,
    slow: 'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE (a.range * 31 + b.range) % 1000003 = 7',
    endless: 'SELECT range AS n FROM range(1000000000000)',
    failingAt: (row) => `SELECT CAST(CASE WHEN i = ${row} THEN 'x' ELSE i::VARCHAR END AS BIGINT) FROM range(1, 1000001) r(i)`,
    empty: { sql: 'SELECT id, name FROM items WHERE false', columns: ['id', 'name'] },
    twice: 'SELECT @Number AS a, @Number AS b, @Missing IS NULL AS c',
    invalid: [
      { sql: 'SELECT nope FROM items', message: /"nope"/, line: 1, column: 8 },
      { sql: "SELECT 'ä€😀',\n  @Number + @Number, nope\nFROM items", message: /"nope"/, line: 2, column: 22 },
      { sql: 'SELECT id\nFROM items\nWHERE WHERE id = @Number', message: /syntax error/, line: 3, column: 7 },
      { sql: 'SELECT * FROM missing', message: /missing/, line: 1, column: 15 },
      { sql: '', message: /no statement/ },
      { sql: '-- nothing', message: /no statement/ },
      { sql: 'PIVOT items ON name USING count(*)', message: /ON column IN/ },
    ],
    refused: [
      'SELECT 1; SELECT 2',
      'EXPLAIN SELECT 1',
      'PRAGMA version',
      'CALL pragma_version()',
      'SET threads = 1',
      'BEGIN',
      'PREPARE p AS SELECT 1',
      'INSERT INTO items VALUES (99, $$x$$, NULL) RETURNING id',
      'SELECT * FROM enable_logging()',
      "SELECT * FROM query('SELECT ' || '1')",
      'WITH x AS (SELECT * FROM "system"."main"."Force_Checkpoint"()) FROM x',
    ],
    epilogue: {
      add: 'INSERT INTO log VALUES (@Number)',
      broken: "INSERT INTO log SELECT CAST('x' || @Number AS INTEGER)",
      count: 'SELECT count(*) FROM log',
    },
  },
  cells: cells(),
  echoes: echoes(),
  echo: () => 'SELECT @Value AS v',
  table: { schema: 'main', name: 'items', columns: ['id', 'name', 'note'], view: 'named' },
  escapes: [
    'SELECT 1; DELETE FROM items',
    'DELETE FROM items',
    'INSERT INTO items VALUES (7, $$x$$, NULL)',
    'UPDATE items SET note = $$x$$ RETURNING id',
    'DROP TABLE items',
    'CREATE TABLE stolen AS SELECT * FROM items',
    'CREATE TEMP TABLE stolen AS SELECT * FROM items',
    'CREATE TEMP MACRO f() AS 1',
    `COPY items TO '${join(folders.outside, 'copied.csv')}'`,
    `COPY (SELECT 1) TO '${join(folders.scratch, 'copied.csv')}'`,
    `ATTACH '${join(folders.outside, 'attached.duckdb')}'`,
    `ATTACH '${template}' AS other (READ_ONLY)`,
    'INSTALL httpfs',
    'LOAD httpfs',
    'SET enable_external_access = true',
    'SET lock_configuration = false',
    "SET temp_directory = '/'",
    'PRAGMA enable_profiling',
    'PRAGMA threads = 64',
    'CALL force_checkpoint()',
    'CHECKPOINT',
    'VACUUM',
    `EXPORT DATABASE '${join(folders.outside, 'export')}'`,
    `IMPORT DATABASE '${folders.outside}'`,
    `SELECT * FROM read_csv('${secret}')`,
    `SELECT * FROM read_text('${secret}')`,
    `SELECT * FROM '${secret}'`,
    `SELECT * FROM glob('${folders.outside}/*')`,
    `SELECT * FROM enable_logging(storage := 'file', storage_path := '${join(folders.outside, 'log')}')`,
    `SELECT * FROM enable_profiling(format := 'json', save_location := '${join(folders.outside, 'profile.json')}')`,
    "SELECT * FROM query('SELECT * FROM enable_logging()')",
    "SELECT * FROM query_table(['enable_logging()'])",
    "SELECT nextval('numbers')",
    "FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM enable_logging()'))",
    'BEGIN; DELETE FROM items; COMMIT',
    'EXPLAIN ANALYZE DELETE FROM items',
    'MERGE INTO items USING items AS other ON items.id = other.id WHEN MATCHED THEN DELETE',
    'USE memory',
    'DETACH system',
  ],
};

connectorContract('DuckDB', fixture);

describe('DuckDB alone', () => {
  test('reading files that are no one else’s business fails rather than answers', async () => {
    const { connector, close } = await fixture.open({ writable: false });
    for (const sql of [
      `SELECT * FROM read_text('${secret}')`,
      `SELECT * FROM '${secret}'`,
      `FROM glob('${folders.outside}/*')`,
    ]) {
      await expect(connector.describe(sql, [], new AbortController().signal)).rejects.toMatchObject({ kind: 'invalid' });
    }
    await close();
  });

  test('columns that follow from a value are described too', async () => {
    const { connector, close } = await fixture.open({ writable: false });
    const type: SqlType = { name: 'integer', bits: 64, unsigned: false };
    const columns = await connector.describe('FROM range(@n)', [{ name: '@n', type }], new AbortController().signal);
    expect(columns).toEqual([{ name: 'range', type: 'BIGINT', kind: 'integer' }]);
    await close();
  });

  test('two million rows pass through without staying', async () => {
    const { connector, close } = await fixture.open({ writable: false });
    const sql = "SELECT i, 'a string of some length, number ' || i AS s, i * 1.5 AS d FROM range(2000000) r(i)";
    const before = process.memoryUsage.rss();
    let peak = 0;
    let seen = 0;
    for await (const batch of (
      await connector.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, new AbortController().signal)
    ).batches()) {
      batch.value(0, 1);
      seen += batch.length;
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    expect(seen).toBe(2_000_000);
    expect((peak - before) / 2 ** 20).toBeLessThan(200);
    await close();
  });

  test('a file is open for writing once, also in one process, and free after closing', async () => {
    const file = join(folders.files, 'single.duckdb');
    await cp(template, file);
    const writer = await duckdb.open(request(file, true));
    await expect(duckdb.open(request(file))).rejects.toMatchObject({ kind: 'unavailable' });
    await writer.close();
    const readers = [await duckdb.open(request(file)), await duckdb.open(request(file))];
    await expect(duckdb.open(request(file, true))).rejects.toMatchObject({ kind: 'unavailable' });
    for (const reader of readers) await reader.close();
    await (await duckdb.open(request(file, true))).close();
    expect(await readdir(folders.scratch)).toEqual([]);
  });
});

describe('which files may be opened', () => {
  const check = (file: unknown) => duckdb.check(request(file)).map(({ message }) => message);

  beforeAll(async () => {
    for (const folder of [folders.files, folders.data]) await cp(template, join(folder, 'demo.duckdb'));
    await cp(template, join(folders.data, 'other.duckdb'));
    await writeFile(join(folders.files, 'no-database.txt'), 'just some text, longer than a header');
    await symlink(template, join(folders.files, 'link.duckdb'));
    await symlink(folders.outside, join(folders.files, 'folder-link'));
  });

  test('those in the folders and the trusted ones', () => {
    expect(check(join(folders.files, 'demo.duckdb'))).toEqual([]);
    expect(check('demo.duckdb')).toEqual([]);
    expect(check(join(folders.data, 'demo.duckdb'))).toEqual([]);
  });

  test.each([
    template,
    '/etc/passwd',
    '/no/such/file',
    join(folders.files, '..', 'outside', 'template.duckdb'),
    '../outside/template.duckdb',
    join(folders.files, 'link.duckdb'),
    join(folders.files, 'folder-link', 'template.duckdb'),
    join(folders.data, 'other.duckdb'),
  ])('not %s, which lies elsewhere', async (file) => {
    expect(check(file)).toEqual([expect.stringContaining('must lie in one of the folders')]);
    await expect(duckdb.open(request(file))).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test.each([
    [join(folders.files, 'missing.duckdb'), 'no such file'],
    [':memory:', 'no such file'],
    [join(folders.files, 'no-database.txt'), 'not a DuckDB database'],
    ['', 'Name the database file'],
    [undefined, 'Name the database file'],
    [42, 'Name the database file'],
    ['demo.duckdb\0', 'not the name of a file'],
  ])('not %s', (file, message) => {
    expect(check(file)).toEqual([expect.stringContaining(message)]);
  });
});

async function createTemplate(): Promise<void> {
  const instance = await DuckDBInstance.create(template);
  const connection = await instance.connect();
  await connection.run(`
    CREATE TABLE items (id INTEGER NOT NULL, name VARCHAR NOT NULL, note VARCHAR);
    INSERT INTO items VALUES (1, 'one', NULL), (2, 'two', 'second');
    COMMENT ON COLUMN items.note IS 'what else there is to say';
    CREATE VIEW named AS SELECT name FROM items;
    CREATE TABLE log (number INTEGER);
    CREATE SEQUENCE numbers;`);
  connection.closeSync();
  instance.closeSync();
}

function cells(): ExpectedCell[] {
  const cell = (
    sql: string,
    kind: ExpectedCell['kind'],
    json: string,
    value: ExpectedCell['value'],
    text?: string,
  ): ExpectedCell => ({
    sql,
    kind,
    json,
    value,
    text: text ?? (json === 'null' ? '' : json.startsWith('"') ? json.slice(1, -1) : json),
  });
  const same = (sql: string, kind: ExpectedCell['kind'], text: string): ExpectedCell => cell(sql, kind, `"${text}"`, text);
  return [
    cell('CAST(-128 AS TINYINT)', 'integer', '-128', -128),
    cell('CAST(65535 AS USMALLINT)', 'integer', '65535', 65535),
    cell('CAST(4294967295 AS UINTEGER)', 'integer', '4294967295', 4294967295),
    cell('CAST(NULL AS INTEGER)', 'integer', 'null', null),
    cell('9007199254740991', 'integer', '9007199254740991', 9007199254740991),
    cell('-9007199254740991', 'integer', '-9007199254740991', -9007199254740991),
    cell('9007199254740992', 'integer', '"9007199254740992"', 9007199254740992n),
    cell('9007199254740993', 'integer', '"9007199254740993"', 9007199254740993n),
    cell('-9223372036854775808', 'integer', '"-9223372036854775808"', -9223372036854775808n),
    cell('CAST(18446744073709551615 AS UBIGINT)', 'integer', '"18446744073709551615"', 18446744073709551615n),
    cell('CAST(5 AS UBIGINT)', 'integer', '5', 5),
    cell('CAST(-5 AS HUGEINT)', 'integer', '-5', -5),
    cell(
      "CAST('-170141183460469231731687303715884105728' AS HUGEINT)",
      'integer',
      '"-170141183460469231731687303715884105728"',
      -(2n ** 127n),
    ),
    cell(
      "CAST('340282366920938463463374607431768211455' AS UHUGEINT)",
      'integer',
      '"340282366920938463463374607431768211455"',
      2n ** 128n - 1n,
    ),
    cell(
      "CAST('123456789012345678901234567890123456789012345' AS BIGNUM)",
      'integer',
      '"123456789012345678901234567890123456789012345"',
      123456789012345678901234567890123456789012345n,
    ),
    cell('CAST(1.5 AS DECIMAL(4,2))', 'decimal', '1.50', '1.50'),
    cell('CAST(-0.05 AS DECIMAL(4,2))', 'decimal', '-0.05', '-0.05'),
    cell('CAST(12 AS DECIMAL(4,0))', 'decimal', '12', 12),
    cell('CAST(123456.125 AS DECIMAL(9,3))', 'decimal', '123456.125', '123456.125'),
    cell('CAST(90071992547409.91 AS DECIMAL(18,2))', 'decimal', '90071992547409.91', '90071992547409.91'),
    cell("CAST('9007199254740991.99' AS DECIMAL(18,2))", 'decimal', '9007199254740991.99', '9007199254740991.99'),
    cell("CAST('9007199254740992.00' AS DECIMAL(18,2))", 'decimal', '"9007199254740992.00"', '9007199254740992.00'),
    cell("CAST('0.0000000001' AS DECIMAL(18,10))", 'decimal', '0.0000000001', '0.0000000001'),
    cell(
      "CAST('-1234567890123456789012345678.0123456789' AS DECIMAL(38,10))",
      'decimal',
      '"-1234567890123456789012345678.0123456789"',
      '-1234567890123456789012345678.0123456789',
    ),
    cell(
      "CAST('1.0123456789012345678901234567890123' AS DECIMAL(38,34))",
      'decimal',
      '1.0123456789012345678901234567890123',
      '1.0123456789012345678901234567890123',
    ),
    cell('CAST(0.1 AS DOUBLE)', 'float', '0.1', 0.1),
    cell('CAST(12.34 AS DOUBLE)', 'float', '12.34', 12.34),
    cell('CAST(1e300 AS DOUBLE)', 'float', '1e+300', 1e300),
    cell('CAST(-0.0 AS DOUBLE) * CAST(1 AS DOUBLE)', 'float', '0', 0),
    cell("CAST('-0' AS DOUBLE)", 'float', '-0', -0),
    cell('CAST(5e-324 AS DOUBLE)', 'float', '5e-324', 5e-324),
    cell("CAST('NaN' AS DOUBLE)", 'float', 'null', null),
    cell("CAST('-inf' AS DOUBLE)", 'float', 'null', null),
    cell('CAST(0.1 AS FLOAT)', 'float', '0.1', 0.1),
    cell('CAST(16777216 AS FLOAT)', 'float', '16777216', 16777216),
    cell('CAST(3.4028235e38 AS FLOAT)', 'float', '3.4028235e+38', 3.4028235e38),
    cell("CAST('inf' AS FLOAT)", 'float', 'null', null),
    cell('true', 'boolean', 'true', true),
    cell('false', 'boolean', 'false', false),
    same("DATE '2026-01-31'", 'date', '2026-01-31'),
    same("DATE '1969-12-31'", 'date', '1969-12-31'),
    same("DATE '2000-02-29'", 'date', '2000-02-29'),
    same("DATE '0001-01-01'", 'date', '0001-01-01'),
    same("DATE '12026-01-31'", 'date', '+012026-01-31'),
    same("CAST('infinity' AS DATE)", 'date', 'infinity'),
    same("CAST('-infinity' AS DATE)", 'date', '-infinity'),
    same("TIME '09:30:00'", 'time', '09:30:00'),
    same("TIME '23:59:59.000120'", 'time', '23:59:59.00012'),
    same("TIMETZ '10:00:00+02'", 'time', '10:00:00+02'),
    same("CAST('10:00:00.123456789' AS TIME_NS)", 'time', '10:00:00.123456789'),
    same("TIMESTAMP '2026-01-31 09:30:00'", 'timestamp', '2026-01-31T09:30:00'),
    same("TIMESTAMP '2026-01-31 09:30:00.123'", 'timestamp', '2026-01-31T09:30:00.123'),
    same("TIMESTAMP '1969-12-31 23:59:59.999999'", 'timestamp', '1969-12-31T23:59:59.999999'),
    same("TIMESTAMP '290000-01-01 00:00:00.000001'", 'timestamp', '+290000-01-01T00:00:00.000001'),
    same("CAST('infinity' AS TIMESTAMP)", 'timestamp', 'infinity'),
    same("CAST('2026-01-31 09:30:01' AS TIMESTAMP_S)", 'timestamp', '2026-01-31T09:30:01'),
    same("CAST('2026-01-31 09:30:00.120' AS TIMESTAMP_MS)", 'timestamp', '2026-01-31T09:30:00.12'),
    same("CAST('2026-01-31 09:30:00.123456789' AS TIMESTAMP_NS)", 'timestamp', '2026-01-31T09:30:00.123456789'),
    same("CAST('1960-01-31 09:30:00.000000001' AS TIMESTAMP_NS)", 'timestamp', '1960-01-31T09:30:00.000000001'),
    same("CAST('infinity' AS TIMESTAMP_NS)", 'timestamp', 'infinity'),
    same("CAST('-infinity' AS TIMESTAMP_S)", 'timestamp', '-infinity'),
    same("TIMESTAMPTZ '2026-01-31 09:30:00.5+02'", 'timestamptz', '2026-01-31T07:30:00.5Z'),
    same("CAST('-infinity' AS TIMESTAMPTZ)", 'timestamptz', '-infinity'),
    same('INTERVAL 3 MONTH', 'interval', '3 months'),
    same("''", 'text', ''),
    same("'twelve bytes'", 'text', 'twelve bytes'),
    same("'thirteen bytes'", 'text', 'thirteen bytes'),
    same("'ä€😀 beyond what fits inline'", 'text', 'ä€😀 beyond what fits inline'),
    cell(
      `'quote " backslash \\ and' || chr(10) || chr(1)`,
      'text',
      '"quote \\" backslash \\\\ and\\n\\u0001"',
      'quote " backslash \\ and\n\u0001',
      'quote " backslash \\ and\n\u0001',
    ),
    same("CAST('b' AS ENUM('a', 'b'))", 'text', 'b'),
    same("CAST('00112233-4455-6677-8899-aabbccddeeff' AS UUID)", 'uuid', '00112233-4455-6677-8899-aabbccddeeff'),
    same("CAST('ff112233-4455-6677-8899-aabbccddeeff' AS UUID)", 'uuid', 'ff112233-4455-6677-8899-aabbccddeeff'),
    cell("CAST('\\x00\\xFFab' AS BLOB)", 'binary', '"AP9hYg=="', new Uint8Array([0, 255, 97, 98])),
    cell(`CAST('{"a": [1, 2.50]}' AS JSON)`, 'json', '{"a": [1, 2.50]}', '{"a": [1, 2.50]}'),
    cell(`CAST('{"a":' || chr(10) || '1}' AS JSON)`, 'json', '{"a": 1}', '{"a":\n1}', '{"a":\n1}'),
    cell("CAST('NaN' AS JSON)", 'json', '"NaN"', 'NaN'),
    cell('[1, NULL, 3]', 'json', '[1,null,3]', '[1,null,3]'),
    cell('CAST([] AS INTEGER[])', 'json', '[]', '[]'),
    cell("[['a'], NULL, []]", 'json', '[["a"],null,[]]', '[["a"],null,[]]'),
    cell('CAST([1, 2] AS INTEGER[2])', 'json', '[1,2]', '[1,2]'),
    cell(
      "{'a': 1, 'b': {'c': DATE '2026-01-31', 'd': NULL}}",
      'json',
      '{"a":1,"b":{"c":"2026-01-31","d":null}}',
      '{"a":1,"b":{"c":"2026-01-31","d":null}}',
    ),
    cell('row(1, 2)', 'json', '[1,2]', '[1,2]'),
    cell(
      `MAP {'k "1"': 9007199254740993, 'l': NULL}`,
      'json',
      '{"k \\"1\\"":"9007199254740993","l":null}',
      '{"k \\"1\\"":"9007199254740993","l":null}',
    ),
    cell('MAP {1: 0.1::FLOAT}', 'json', '{"1":0.1}', '{"1":0.1}'),
    same("CAST('101' AS BIT)", 'other', '101'),
    same('union_value(num := 3)', 'other', '3'),
  ];
}

function echoes(): { type: SqlType; value: string | null; json: string }[] {
  const integer = (bits: 8 | 16 | 32 | 64, unsigned: boolean, value: string, json = value) => ({
    type: { name: 'integer', bits, unsigned } as const,
    value,
    json,
  });
  const decimal = (precision: number, scale: number, value: string, json = value) => ({
    type: { name: 'decimal', precision, scale } as const,
    value,
    json,
  });
  const plain = (
    name: 'bit' | 'date' | 'datetime' | 'datetimeoffset' | 'time' | 'uuid' | 'json' | 'text' | 'binary',
    value: string,
    json = `"${value}"`,
  ) => ({
    type: { name } as SqlType,
    value,
    json,
  });
  return [
    integer(8, false, '-128'),
    integer(8, true, '255'),
    integer(16, false, '-32768'),
    integer(16, true, '65535'),
    integer(32, false, '-2147483648'),
    integer(32, true, '4294967295'),
    integer(64, false, '-9223372036854775808', '"-9223372036854775808"'),
    integer(64, true, '18446744073709551615', '"18446744073709551615"'),
    decimal(12, 2, '1234567890.12'),
    decimal(12, 2, '-0.5', '-0.50'),
    decimal(4, 0, '12'),
    decimal(38, 10, '1234567890123456789012345678.0123456789', '"1234567890123456789012345678.0123456789"'),
    { type: { name: 'decimal' }, value: '12.345', json: '12.345' },
    { type: { name: 'decimal' }, value: '0.1234567890123456789012', json: '0.1234567890123456789012' },
    { type: { name: 'decimal' }, value: '-12345678901234567890.5', json: '"-12345678901234567890.5"' },
    { type: { name: 'float', bits: 64 }, value: '0.1', json: '0.1' },
    { type: { name: 'float', bits: 32 }, value: '0.1', json: '0.1' },
    plain('bit', 'true', 'true'),
    plain('bit', 'false', 'false'),
    plain('date', '2026-01-31'),
    plain('date', '0001-01-01'),
    plain('date', '9999-12-31'),
    plain('datetime', '2026-01-31T09:30:00.123456'),
    plain('datetime', '1899-12-31T23:59:59.5'),
    plain('datetimeoffset', '2026-01-31T09:30:00.5Z'),
    plain('time', '09:30:00.5'),
    plain('time', '23:59:59.999999'),
    plain('uuid', '00112233-4455-6677-8899-aabbccddeeff'),
    plain('uuid', 'ff112233-4455-6677-8899-aabbccddeeff'),
    plain('json', '{"a":1}', '"{\\"a\\":1}"'),
    plain('text', ''),
    plain('text', 'O’Brien; -- @Value'),
    plain('binary', 'AP9hYg=='),
  ];
}
