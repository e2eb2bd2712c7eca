import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connector, OpenRequest } from '../../../src/connectors/connector.ts';
import { mysql } from '../../../src/connectors/mysql/index.ts';
import type { BoundValue } from '../../../src/core/sql-value.ts';
import { ByteWriter } from '../../../src/results/byte-writer.ts';
import { jsonRows, createSignal, number, rejection } from '../connector-steps.ts';
import type { MysqlTestServer } from './fixture.ts';

const text = (name: string, value: string | null): BoundValue => ({ name, type: { name: 'text' }, value });

/** How the server parses SQL, and what it returns. */
export function mysqlLanguage(prepared: MysqlTestServer): void {
  describe('MariaDB’s SQL', () => {
    const { server, reader } = prepared;
    let connector: Connector;
    beforeAll(async () => {
      connector = await prepared.open(reader);
    });
    afterAll(() => connector.close());
    const run = (sql: string, parameters: readonly BoundValue[] = []) =>
      connector.run({ sql, parameters }, { timeoutMs: 60_000 }, createSignal());
    const row = async (sql: string, parameters: readonly BoundValue[] = []) => (await jsonRows(await run(sql, parameters)))[0];

    // tokenizer and server agree on quoted text and comments; otherwise @P would be bound or missing
    test.each([
      ["'@P'", '"@P"'],
      ["'it''s @P'", `"it's @P"`],
      ["'\\'@P'", `"'@P"`],
      ['"@P"', '"@P"'],
      ['"\\"@P"', '"\\"@P"'],
      ['"it""s @P"', '"it\\"s @P"'],
      ["N'@P'", '"@P"'],
      ["_utf8mb4'@P'", '"@P"'],
      ["'a' '@P'", '"a@P"'],
      ['@P', '"bound"'],
      ['/* @P */ @P', '"bound"'],
      ['/* /* @P */ @P', '"bound"'], // comments do not nest
      ['@P -- @P', '"bound"'],
      ['@P # @P', '"bound"'],
      ['5--3', '8'], // not a comment without a blank
      ['5--@Number', '12'],
      ['@P --\t@P', '"bound"'],
      ['@P/**/', '"bound"'],
      ['`@P` FROM (SELECT 1 AS `@P`) t', '1'],
      ['`a``@P` FROM (SELECT 2 AS `a``@P`) t', '2'],
      ['@own := 3', '3'],
      ['@@SESSION.autocommit', '1'],
      ['@never_set', 'null'],
      ["@'P'", 'null'],
      ['@`P`', 'null'],
      ["concat(@P,'@P')", '"bound@P"'],
    ])('SELECT %s is %s', async (expression, json) => {
      const sql = `SELECT ${expression}\n`;
      const declared = [text('@P', 'bound'), number('@Number', '7')];
      expect(await row(sql, declared)).toEqual([json]);
    });

    test('accepts parameters after LIMIT and OFFSET', async () => {
      const parameters = [number('@Skip', '1'), number('@Take', '2')];
      for (const end of ['LIMIT @Skip, @Take', 'LIMIT @Take OFFSET @Skip', 'OFFSET @Skip ROWS FETCH NEXT @Take ROWS ONLY']) {
        expect(await jsonRows(await run(`SELECT seq FROM seq_1_to_9 ORDER BY seq ${end}`, parameters))).toEqual([['2'], ['3']]);
        expect(await connector.describe(`SELECT seq FROM seq_1_to_9 ${end}`, parameters, createSignal())).toHaveLength(1);
      }
    });

    test('compares text with columns of any character set and collation', async () => {
      await server.execute(
        'CREATE TABLE shop.words (a varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_swedish_ci, b varchar(20) CHARACTER SET latin1, c varchar(20) COLLATE utf8mb4_bin)',
        "INSERT INTO shop.words VALUES ('ä', 'ä', 'ä')",
      );
      const sql = 'SELECT a FROM words WHERE a = @P AND b = @P AND c = @P AND concat(a, @P) = concat(@P, a) AND @P IN (a, c)';
      expect(await row(sql, [text('@P', 'ä')])).toEqual(['"ä"']);
      expect(await row('SELECT a FROM words UNION SELECT @P', [text('@P', 'x')])).toEqual(['"ä"']);
    });

    test('describes text before it is bound', async () => {
      const parameters = [text('@P', null)];
      expect(await connector.describe('SELECT @P AS p, upper(@P) AS u, NULL AS n', parameters, createSignal())).toMatchObject([
        { name: 'p', kind: 'text' },
        { name: 'u', kind: 'text' },
        { name: 'n', kind: 'undeclared' },
      ]);
    });

    test('describing does not run the query', async () => {
      // each would run longer than the test
      for (const sql of [
        'SELECT SLEEP(3600)',
        'SELECT * FROM (SELECT SLEEP(3600)) t',
        'SELECT id FROM items WHERE id = (SELECT SLEEP(3600))',
        'SELECT id FROM items WHERE SLEEP(3600) LIMIT 1',
        'WITH x AS (SELECT BENCHMARK(1000000000000, md5(1)) AS b) SELECT * FROM x',
      ]) {
        expect(await connector.describe(sql, [], createSignal())).not.toEqual([]);
      }
      // writing is still refused
      expect((await rejection(connector.describe('SELECT sneak(4711)', [], createSignal()))).kind).toBe('invalid');
      expect(await server.execute('SELECT * FROM shop.log WHERE number = 4711')).toEqual([]);
    });

    test('type names match their declaration', async () => {
      const columns = await connector.describe(
        'SELECT tiny_unsigned, bool_true, whole, big_unsigned, exact, exact_padded, single, bit_nine, fixed_text, latin, long_text, choice, json_valid, day, moment, instant, bytes, blob_bytes, spot, id, address FROM types',
        [],
        createSignal(),
      );
      expect(columns.map(({ type }) => type).join(', ')).toBe(
        'tinyint unsigned, tinyint(1), int, bigint unsigned, decimal(65,30), decimal(10,2) unsigned, float, bit(9), char, varchar, text, enum, json, date, datetime, timestamp, varbinary, blob, point, uuid, inet6',
      );
    });

    test('refuses bits of an expression when bytes and digits are ambiguous', async () => {
      const error = await rejection(connector.describe('SELECT max(bit_nine) FROM types', [], createSignal()));
      expect(error).toMatchObject({ kind: 'invalid', message: expect.stringContaining('+ 0') });
      expect(await row('SELECT max(bit_nine + 0), max(bit_zero), first_value(bit_one) OVER () FROM types')).toEqual([
        '257',
        'false',
        'true',
      ]);
    });

    test('invalid JSON is a string', async () => {
      await server.execute(
        'CREATE TABLE shop.documents (d json)',
        'SET check_constraint_checks = 0',
        `INSERT INTO shop.documents VALUES ('{"a":1},"b":[')`,
      );
      const rows = await run('SELECT d FROM documents');
      expect(rows.columns).toMatchObject([{ kind: 'json' }]);
      expect(await jsonRows(rows)).toEqual([['"{\\"a\\":1},\\"b\\":["']]);
    });

    test.each(['America/New_York', 'Asia/Kolkata'])('does not shift times in %s', async (zone) => {
      const before = process.env.TZ;
      process.env.TZ = zone;
      try {
        const type = { name: 'datetimeoffset' } as const;
        const parameters = [{ name: '@At', type, value: '2026-03-29T01:30:00.000001Z' }];
        expect(await row('SELECT instant, moment, day, @At FROM types', parameters)).toEqual([
          '"2026-01-31T09:30:00.5Z"',
          '"2026-01-31T09:30:00.12"',
          '"2026-01-31"',
          '"2026-03-29T01:30:00.000001"',
        ]);
        expect(
          await row('SELECT count(*) FROM types WHERE instant = @At', [{ name: '@At', type, value: '2026-01-31T09:30:00.5Z' }]),
        ).toEqual(['1']);
      } finally {
        if (before === undefined) delete process.env.TZ;
        else process.env.TZ = before;
      }
    });

    test('returns hostile text of one megabyte unchanged', async () => {
      const hostile = `\0'"\\ \u202e😀 ; DROP TABLE items -- ${'ä"'.repeat(1 << 19)}`;
      const [cell] = (await row('SELECT @P', [text('@P', hostile)])) ?? [];
      expect(JSON.parse(cell ?? '') === hostile).toBe(true);
    });

    test('streams a million rows in bounded memory', async () => {
      const sql = `SELECT seq, concat('a string of some length, number ', seq) AS s, seq * 1.5 AS d, seq / 7e0 AS f,
        date '2026-01-01' + INTERVAL seq SECOND AS t, seq % 2 AS b, NULL AS n, 'ä€' AS u FROM seq_1_to_1000000`;
      const before = process.memoryUsage.rss();
      const out = new ByteWriter(1 << 20);
      let [seen, bytes, peak] = [0, 0, 0];
      const rows = await run(sql);
      for await (const batch of rows.batches()) {
        out.clear();
        for (let i = 0; i < batch.length; i++) for (let column = 0; column < 8; column++) batch.writeJson(i, column, out);
        expect(batch.value(batch.length - 1, 0)).toBe(seen + batch.length);
        seen += batch.length;
        bytes += out.length;
        peak = Math.max(peak, process.memoryUsage.rss());
      }
      expect(seen).toBe(1_000_000);
      expect(bytes).toBeGreaterThan(90 * 2 ** 20);
      expect((peak - before) / 2 ** 20).toBeLessThan(150);
    });

    test('the schema has comments and types, and is limited to 2,000 tables', async () => {
      const { tables } = await connector.schema(createSignal());
      const items = tables.find(({ name }) => name === 'items');
      expect(items).toMatchObject({ schema: 'shop', type: 'table', comment: 'what there is' });
      expect(items?.columns).toEqual([
        { name: 'id', type: 'int(11)', nullable: false },
        { name: 'name', type: 'varchar(20)', nullable: false },
        { name: 'note', type: 'text', nullable: true, comment: 'what else there is to say' },
      ]);
      expect(tables.find(({ name }) => name === 'numbers')).toBeUndefined();
      const views = Array.from({ length: 2001 }, (_, i) => `CREATE VIEW v${i} AS SELECT 1 AS x`);
      await server.execute('CREATE DATABASE crowd', 'USE crowd', ...views, 'GRANT SELECT ON crowd.* TO reader');
      const crowd = await prepared.open(reader, { database: 'crowd' });
      const tree = await crowd.schema(createSignal());
      expect(tree.truncated).toBe(true);
      expect(tree.tables).toHaveLength(2000);
      expect(tree.tables.at(-1)?.columns).toHaveLength(1);
      await crowd.close();
    });

    test('validates a connection before it is used', () => {
      const request = prepared.request(reader);
      const problems = (connection: OpenRequest['connection'], settings: OpenRequest['settings'] = {}) =>
        mysql.check({ ...request, connection, settings }).map(({ field }) => field);
      const { connection } = request;
      expect(problems(connection)).toEqual([]);
      expect(problems({ ...connection, tls: { ca: 'x', rejectUnauthorized: true } }, { connectTimeoutSeconds: 2 })).toEqual([]);
      expect(problems({})).toEqual(['connection.host', 'connection.user', 'connection.database']);
      expect(problems({ ...connection, port: 0, socketPath: '/run/x' })).toEqual(['connection.port', 'connection.socketPath']);
      expect(problems({ ...connection, host: 'a\0b' })).toEqual(['connection.host']);
      expect(problems({ ...connection, tls: 'yes' })).toEqual(['connection.tls']);
      expect(problems(connection, { connectTimeoutSeconds: 0, other: 1 })).toEqual([
        'settings.connectTimeoutSeconds',
        'settings.other',
      ]);
    });
  });
}
