import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.ts';
import { type ConnectorFixture, connectorContract } from '../connector-contract.ts';
import { jsonRows, createSignal, rejection } from '../connector-steps.ts';
import { sessionContract } from '../sessions/session-contract.ts';
import { sqliteCells, sqliteEchoes } from './cells.ts';
import { connections, folders, openCopy, rowsOf, secret, series, slow, template } from './fixture.ts';

const elsewhere = join(folders.outside, 'stolen.db');

const fixture: ConnectorFixture = {
  connections,
  open: openCopy,
  sql: {
    series: (count) => series(count, "n, 'row number ' || n AS t"),
    slow,
    endless: `SELECT a.d FROM digits a${', digits'.repeat(15)}`,
    failingAt: (row) => series(1_000_000, `json(CASE WHEN n = ${row} THEN 'x' ELSE n END)`),
    failure: /malformed JSON/,
    empty: { sql: 'SELECT id, name FROM items WHERE false', columns: ['id', 'name'] },
    twice: 'SELECT @Number AS a, @Number AS b, (SELECT flag FROM flags WHERE flag = (@Missing IS NULL)) AS c',
    invalid: [
      { sql: 'SELECT nope FROM items', message: /nope/, line: 1, column: 8 },
      { sql: "SELECT 'ä€😀',\n  @Number + @Number, items.nope\nFROM items", message: /nope/, line: 2, column: 28 },
      { sql: 'SELECT id\nFROM items\nWHERE WHERE id = @Number', message: /syntax error/, line: 3, column: 7 },
      { sql: 'SELECT id FROM items FROM items', message: /syntax error/, line: 1, column: 22 },
      { sql: 'SELECT * FROM missing', message: /missing/, line: 1, column: 15 },
      { sql: 'SELECT nope(1)', message: /no such function/, line: 1, column: 8 },
      { sql: "SELECT 'open", message: /unrecognized token/, line: 1, column: 8 },
      { sql: 'SELECT "nope" FROM items', message: /nope/, line: 1, column: 8 },
      { sql: '', message: /no statement/ },
      { sql: '-- nothing', message: /no statement/ },
      { sql: ' ; ;', message: /no statement/ },
      { sql: 'SELECT @Other', message: /@Other is not declared/ },
      { sql: 'SELECT ?', message: /as @Name/ },
      { sql: 'SELECT :x', message: /as @Name/ },
      { sql: 'SELECT $x', message: /as @Name/ },
      { sql: 'SELECT 1 \0 FROM items', message: /NUL/ },
    ],
    refused: [
      'SELECT 1; SELECT 2',
      'SELECT 1;\n-- and then\nSELECT 2',
      'EXPLAIN SELECT 1',
      'EXPLAIN QUERY PLAN SELECT 1',
      'PRAGMA user_version',
      'PRAGMA data_version',
      "SELECT * FROM pragma_table_info('items')",
      'SELECT * FROM "PRAGMA_user_version"',
      'BEGIN',
      'INSERT INTO items VALUES (99, $$x$$, NULL) RETURNING id',
      "WITH x AS (SELECT 1) INSERT INTO items VALUES (9, 'x', NULL) RETURNING id",
      "SELECT load_extension('x')",
      "SELECT fts3_tokenizer('simple')",
    ],
    epilogue: {
      add: 'INSERT INTO log VALUES (@Number)',
      broken: "INSERT INTO log SELECT json('x' || @Number)",
      count: 'SELECT count(*) FROM log',
    },
  },
  cells: sqliteCells,
  echoes: sqliteEchoes(),
  echo: () => 'SELECT @Value AS v',
  table: { schema: 'main', name: 'items', columns: ['id', 'name', 'note'], view: 'named' },
  escapes: [
    'SELECT 1; DELETE FROM items',
    'SELECT 1 /* */ ; /* */ DELETE FROM items',
    'DELETE FROM items',
    "INSERT INTO items VALUES (7, 'x', NULL)",
    "REPLACE INTO items VALUES (7, 'x', NULL)",
    "UPDATE items SET note = 'x' RETURNING id",
    'WITH gone AS (SELECT 1) DELETE FROM items RETURNING id',
    "WITH more AS (SELECT 7) INSERT INTO items SELECT *, 'x', NULL FROM more RETURNING id",
    "INSERT INTO notes VALUES ('one more')",
    "INSERT INTO notes(notes) VALUES ('rebuild')",
    'DROP TABLE items',
    'DROP VIEW named',
    'ALTER TABLE items RENAME TO others',
    'CREATE TABLE stolen AS SELECT * FROM items',
    'CREATE TEMP TABLE stolen AS SELECT * FROM items',
    'CREATE TEMP VIEW stolen AS SELECT * FROM items',
    'CREATE TEMP TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM items; END',
    'CREATE INDEX i ON items (id)',
    'CREATE VIRTUAL TABLE stolen USING fts5(body)',
    'CREATE VIRTUAL TABLE temp.stolen USING dbstat',
    `ATTACH '${elsewhere}' AS other`,
    `ATTACH '${template}' AS other`,
    `ATTACH 'file:${template}?mode=rw' AS other`,
    `ATTACH '${template}' AS other; SELECT * FROM other.items`,
    'DETACH main',
    `VACUUM INTO '${elsewhere}'`,
    'VACUUM',
    'PRAGMA journal_mode = WAL',
    'PRAGMA query_only = OFF',
    'PRAGMA writable_schema = ON',
    'PRAGMA trusted_schema = ON',
    'PRAGMA user_version = 8',
    `PRAGMA temp_store_directory = '${folders.outside}'`,
    'PRAGMA wal_checkpoint(TRUNCATE)',
    'SELECT * FROM pragma_user_version(8)',
    "SELECT * FROM pragma_journal_mode('WAL')",
    "SELECT load_extension('/lib/x86_64-linux-gnu/libc.so.6')",
    "SELECT fts3_tokenizer('simple', x'0000000000000000')",
    `SELECT readfile('${secret}')`,
    `SELECT writefile('${elsewhere}', 'x')`,
    `SELECT edit('x', 'touch ${elsewhere}')`,
    `SELECT * FROM fsdir('${folders.outside}')`,
    `SELECT * FROM csv('${secret}')`,
    'UPDATE sqlite_schema SET sql = NULL',
    "DELETE FROM sqlite_schema WHERE name = 'items'",
    'REINDEX',
    'ANALYZE',
    'BEGIN IMMEDIATE',
    'SAVEPOINT s',
    'COMMIT; DELETE FROM items',
    'EXPLAIN DELETE FROM items',
    'SELECT zeroblob(2000000000)',
    "SELECT replace(hex(zeroblob(30000000)), '0', 'xxxxxxxxxxxxxxxx')",
  ],
};

connectorContract('SQLite', fixture);

sessionContract('SQLite', {
  async open() {
    const { connector, file } = await openCopy({ writable: true });
    const database = new DatabaseSync(file);
    database.exec(
      'CREATE TABLE events (n INTEGER); CREATE TRIGGER leaves AFTER INSERT ON events BEGIN INSERT INTO log VALUES (new.n); END',
    );
    database.close();
    return connector;
  },
  traces: ['the last row and the number of changes'],
  select: {
    whole: () => 'SELECT last_insert_rowid()',
    failing: () => fixture.sql.failingAt(500),
    slow: () => slow,
    endless: () => fixture.sql.endless,
  },
  epilogue: {
    whole: () => 'INSERT INTO log VALUES (41)',
    failing: () => "INSERT INTO log SELECT json('x')",
    trigger: () => 'INSERT INTO events VALUES (41)',
  },
  probes: ['SELECT last_insert_rowid(), changes(), total_changes()', 'SELECT count(*) FROM temp.sqlite_schema'],
});

describe('SQLite specifics', () => {
  const withConnector = async (work: (connector: Connector) => Promise<void>) => {
    const { connector, close } = await openCopy({ writable: false });
    await work(connector).finally(close);
  };

  test('reading other files fails', () =>
    withConnector(async (connector) => {
      for (const sql of [`SELECT readfile('${secret}')`, 'SELECT * FROM sqlite_dbpage', "SELECT * FROM pragma_table_list('x')"]) {
        expect((await rejection(connector.describe(sql, [], createSignal()))).kind).toBe('invalid');
      }
    }));

  test('supports full-text search, JSON, window functions and VALUES', () =>
    withConnector(async (connector) => {
      expect(await rowsOf(connector, "SELECT body FROM notes WHERE notes MATCH 'quick'")).toEqual([['"the quick brown fox"']]);
      expect(await rowsOf(connector, "SELECT value FROM json_each('[1,2]') ORDER BY 1 DESC")).toEqual([['2'], ['1']]);
      expect(await rowsOf(connector, 'SELECT sum(d) OVER (ORDER BY d) FROM digits LIMIT 3')).toEqual([['0'], ['1'], ['3']]);
      expect(await rowsOf(connector, "VALUES (1, 'a'), (2, 'b');")).toEqual([
        ['1', '"a"'],
        ['2', '"b"'],
      ]);
    }));

  test('returns one megabyte of text unchanged', () =>
    withConnector(async (connector) => {
      const hostile = '\'"\\\0\n😀שלום'.repeat(100_000);
      const parameters = [{ name: '@Value', type: { name: 'text' } as const, value: hostile }];
      const rows = await connector.run({ sql: 'SELECT @Value, @Value', parameters }, { timeoutMs: 30_000 }, createSignal());
      const [[first, second] = []] = await jsonRows(rows);
      expect(JSON.parse(first ?? '') === hostile).toBe(true);
      expect(second).toBe(first);
    }));

  test('the schema has types and nullability, and tolerates a broken view', () =>
    withConnector(async (connector) => {
      const { tables } = await connector.schema(createSignal());
      expect(tables.find(({ name }) => name === 'items')?.columns).toEqual([
        { name: 'id', type: 'INTEGER', nullable: false },
        { name: 'name', type: 'VARCHAR(20)', nullable: false },
        { name: 'note', type: 'TEXT', nullable: true },
      ]);
      expect(tables.find(({ name }) => name === 'broken')).toMatchObject({ type: 'view', columns: [] });
      expect(tables.filter(({ name }) => name.startsWith('notes')).map(({ name }) => name)).toEqual(['notes']);
    }));
});
