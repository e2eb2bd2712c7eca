import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MISSING_FILE, type OpenRequest, type ConnectorContext } from '../../../src/connectors/connector.ts';
import { duckdb } from '../../../src/connectors/duckdb/index.ts';
import type { SqlType } from '../../../src/core/sql-value.ts';
import { type ConnectorFixture, connectorContract } from '../connector-contract.ts';
import { sessionContract } from '../sessions/session-contract.ts';
import { duckdbCells, duckdbEchoes } from './cells.ts';

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

const context: ConnectorContext = {
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
  context,
});

let copies = 0;
const fixture: ConnectorFixture = {
  connections,
  volume: true,
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
  cells: duckdbCells(),
  echoes: duckdbEchoes(),
  echo: () => 'SELECT @Value AS v',
  table: { schema: 'main', name: 'items', columns: ['id', 'name', 'note'], view: 'named' },
  escapes: [
    'SELECT 1; COMMIT; DELETE FROM items',
    'WITH gone AS (DELETE FROM items RETURNING id) SELECT * FROM gone',
    'ALTER TABLE items ADD COLUMN more INTEGER',
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

sessionContract('DuckDB', {
  open: async () => (await fixture.open({ writable: true })).connector,
  traces: ['a transaction'], // the next test cannot start in it
  select: {
    whole: () => fixture.sql.series(1),
    failing: () => fixture.sql.failingAt(500),
    slow: () => fixture.sql.slow,
    endless: () => fixture.sql.endless,
  },
  epilogue: {
    whole: () => "INSERT INTO log SELECT nextval('numbers')",
    failing: () => "INSERT INTO log SELECT CAST('x' AS INTEGER)",
  },
  probes: [
    "SELECT string_agg(value, ',' ORDER BY name) FROM duckdb_settings()",
    'SELECT current_schema(), (SELECT count(*) FROM duckdb_tables() WHERE temporary), (SELECT count(*) FROM duckdb_variables())',
  ],
});

describe('DuckDB specifics', () => {
  test('reading other files fails', async () => {
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

  test('describes columns that depend on a value', async () => {
    const { connector, close } = await fixture.open({ writable: false });
    const type: SqlType = { name: 'integer', bits: 64, unsigned: false };
    const columns = await connector.describe('FROM range(@n)', [{ name: '@n', type }], new AbortController().signal);
    expect(columns).toEqual([{ name: 'range', type: 'BIGINT', kind: 'integer' }]);
    await close();
  });

  test('streams two million rows in bounded memory', async () => {
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

  test('a file is open for writing once, also within one process, and released on close', async () => {
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

describe('files that may be opened', () => {
  const check = (file: unknown) => duckdb.check(request(file)).map(({ message }) => message);

  beforeAll(async () => {
    for (const folder of [folders.files, folders.data]) await cp(template, join(folder, 'demo.duckdb'));
    await cp(template, join(folders.data, 'other.duckdb'));
    await writeFile(join(folders.files, 'no-database.txt'), 'just some text, longer than a header');
    await symlink(template, join(folders.files, 'link.duckdb'));
    await symlink(folders.outside, join(folders.files, 'folder-link'));
  });

  test('files in the folders and trusted files', () => {
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
  ])('refuses %s, which is outside the folders', async (file) => {
    expect(check(file)).toEqual([expect.stringContaining('must be in a folder that the service allows')]);
    await expect(duckdb.open(request(file))).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test.each([
    [join(folders.files, 'no-database.txt'), 'not a DuckDB database'],
    ['', 'Name the database file'],
    [undefined, 'Name the database file'],
    [42, 'Name the database file'],
    ['demo.duckdb\0', 'not the name of a file'],
    [':memory:', 'not the name of a file'],
  ])('refuses %s', (file, message) => {
    expect(check(file)).toEqual([expect.stringContaining(message)]);
  });

  test.each([join(folders.files, 'missing.duckdb'), 'missing.duckdb'])(
    '%s is reported as missing when it is opened',
    async (file) => {
      expect(check(file)).toEqual([]);
      await expect(duckdb.open(request(file))).rejects.toMatchObject({
        kind: 'unavailable',
        message: MISSING_FILE,
        isForAuthors: true,
      });
    },
  );
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
