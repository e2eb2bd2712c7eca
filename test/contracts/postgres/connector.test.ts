import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.ts';
import { postgres } from '../../../src/connectors/postgres/index.ts';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { connectorContract } from '../connector-contract.ts';
import { drain, jsonRows, createSignal, number, rejection } from '../connector-steps.ts';
import { connections, type PostgresTestDatabase, postgresFixture, preparePostgres, request } from './fixture.ts';

const problem = postgresProblem();
const skipped = problem !== null;
if (skipped) console.warn(`PostgreSQL is not there: ${problem}`);

let preparing: Promise<PostgresTestDatabase> | undefined;
const database = () => {
  preparing ??= createDatabase().then(preparePostgres);
  return preparing;
};
afterAll(async () => (await preparing)?.close());

describe.skipIf(skipped)('PostgreSQL', () => {
  connectorContract('PostgreSQL', postgresFixture(database));

  let prepared: PostgresTestDatabase;
  let connector: Connector;
  beforeAll(async () => {
    prepared = await database();
    connector = await prepared.open(prepared.reader);
  });
  afterAll(() => connector.close());
  const run = (sql: string, on = connector, signal = createSignal()) =>
    on.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, signal);
  const cell = async (sql: string, on = connector) => (await jsonRows(await run(sql, on)))[0]?.[0];

  test('type names match their declaration', async () => {
    const sql = `SELECT 1::numeric(12,2) a, 'x'::varchar(20) b, 'x'::char(3) c, now()::timestamp(3) d, 'sad'::mood e,
      ARRAY['x'::varchar(5)] f, B'101'::bit(3) g, 'x'::short_text h`;
    const columns = await connector.describe(sql, [], createSignal());
    expect(columns.map(({ type }) => type)).toEqual([
      'numeric(12,2)',
      'character varying(20)',
      'character(3)',
      'timestamp(3) without time zone',
      'mood',
      'character varying(5)[]',
      'bit(3)',
      'character varying(20)',
    ]);
  });

  test.each([
    ["SELECT '@Number', @Number", ['"@Number"', '7']],
    ["SELECT E'\\'@Number', @Number", ['"\'@Number"', '7']],
    ["SELECT '\\', @Number, '@Number'", ['"\\\\"', '7', '"@Number"']],
    ['SELECT $$@Number$$, $t$ $$@Number $t$, @Number', ['"@Number"', '" $$@Number "', '7']],
    ['SELECT U&\'\\0041@Number\', U&"@Number" FROM (SELECT @Number) AS t("@Number")', ['"A@Number"', '7']],
    ['SELECT 1 /* @Number /* nested */ @Number */ + @Number -- @Number', ['8']],
    ['SELECT -@Number, @ -@Number, 8-@Number, @Number::text || 1', ['-7', '7', '1', '"71"']],
    ["SELECT ARRAY[@Number] <@ ARRAY[7], ARRAY[7] @> ARRAY[@Number], 'a' ^@ 'a'", ['true', 'true', 'true']],
    ["SELECT '{\"a\":7}'::jsonb @? '$.a', (ARRAY[7,8])[@Number-6:@Number-6]", ['true', '[7]']],
    ['SELECT @Number AS a$b, (SELECT a$1 FROM (SELECT @Number) t(a$1))', ['7', '7']],
  ])('%s finds the same parameters as the server', async (sql, expected) => {
    const parameters = [number('@Number', '7')];
    expect(await jsonRows(await connector.run({ sql, parameters }, { timeoutMs: 5000 }, createSignal()))).toEqual([expected]);
  });

  test('a time zone set by the query does not shift instants', async () => {
    const instant = "timestamptz '2026-01-31 00:00+00'";
    const sql = `WITH moved AS MATERIALIZED (SELECT set_config('TimeZone', 'Asia/Tokyo', false) AS zone) SELECT ${instant}, zone FROM moved`;
    expect(await jsonRows(await run(sql))).toEqual([['"2026-01-31T00:00:00Z"', '"Asia/Tokyo"']]);
    expect(await cell(`SELECT ${instant}::text`)).toBe('"2026-01-31 00:00:00+00"');
  });

  test('streams a million rows in bounded memory', async () => {
    const before = process.memoryUsage.rss();
    let peak = 0;
    let seen = 0;
    const sql = `SELECT i, 'a string of some length, number ' || i AS s, i * 1.5 AS d FROM generate_series(1, 1000000) i`;
    for await (const batch of (await run(sql)).batches()) {
      expect(batch.value(batch.length - 1, 0)).toBe(seen + batch.length);
      seen += batch.length;
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    expect(seen).toBe(1_000_000);
    expect((peak - before) / 2 ** 20).toBeLessThan(150);
  });

  test('ignores notices between rows', async () => {
    const rows = await jsonRows(await run('SELECT noisy(i) FROM generate_series(1, 20000) i'));
    expect(rows.flat().map(Number)).toEqual(Array.from({ length: 20_000 }, (_, i) => i + 1));
  });

  test('a paused reader buffers only a few batches', async () => {
    const sql = "SELECT repeat('x', 10000) FROM generate_series(1, 30000)";
    const rows = await run(sql);
    const waits = async () => (await prepared.backends()).find(({ query }) => query.includes(sql))?.waitsFor;
    const before = process.memoryUsage().arrayBuffers;
    for await (const batch of rows.batches()) {
      expect(batch.length).toBeGreaterThan(0);
      await expect.poll(waits).toBe('ClientWrite');
      expect((process.memoryUsage().arrayBuffers - before) / 2 ** 20).toBeLessThan(20);
      break;
    }
  });

  test('returns a cell of one megabyte among hostile ones', async () => {
    const long = `${'x'.repeat(1 << 20)}"\\😀`;
    const type = { name: 'text' } as const;
    const parameters = [{ name: '@Long', type, value: long }];
    const sql = `SELECT @Long, E'\\x01', U&'\\202Eabc', repeat('"', 100000)`;
    const rows = await connector.run({ sql, parameters }, { timeoutMs: 60_000 }, createSignal());
    const [row] = await jsonRows(rows);
    expect(row?.map((json) => JSON.parse(json))).toEqual([long, '\u0001', '\u202eabc', '"'.repeat(100_000)]);
    const zero = { sql: 'SELECT @Long', parameters: [{ name: '@Long', type, value: 'a\0b' }] };
    expect((await rejection(drain(connector.run(zero, { timeoutMs: 60_000 }, createSignal())))).kind).toBe('failed');
  });

  test('fifty parallel queries share the connections, and closing leaves none', async () => {
    const own = await prepared.open(prepared.reader);
    const before = (await prepared.backends()).length;
    const cells = await Promise.all(Array.from({ length: 50 }, (_, i) => cell(`SELECT ${i} + count(*) FROM items`, own)));
    expect(cells).toEqual(Array.from({ length: 50 }, (_, i) => String(i + 2)));
    expect((await prepared.backends()).length - before).toBeLessThanOrEqual(connections);
    await own.close();
    await expect.poll(async () => (await prepared.backends()).length).toBe(before);
  });

  test('a cancelled, timed-out or abandoned query ends on the server', async () => {
    const own = await prepared.open(prepared.reader);
    const active = async () =>
      (await prepared.backends()).filter(({ state, query }) => state === 'active' && query.includes('mark'));
    const abort = new AbortController();
    const cancelled = rejection(run('SELECT pg_sleep(60)::text AS mark', own, abort.signal));
    await expect.poll(async () => (await active()).length).toBe(1);
    abort.abort();
    expect((await cancelled).kind).toBe('cancelled');
    expect(await active()).toEqual([]);

    const late = own.run({ sql: 'SELECT pg_sleep(60)::text AS mark', parameters: [] }, { timeoutMs: 200 }, createSignal());
    expect((await rejection(late)).kind).toBe('timeout');
    expect(await active()).toEqual([]);

    const left = await run('SELECT generate_series(1, 1000000000) AS mark', own);
    expect(await active()).toHaveLength(1);
    await left.close(); // closes the connection, which the server notices with its next rows
    await expect.poll(active).toEqual([]);
    await own.close();
  });

  test('a cancel request never affects the next query', async () => {
    const own = await prepared.open(prepared.reader, { connections: 1 });
    for (let i = 0; i < 40; i++) {
      const abort = new AbortController();
      const running = drain(run('SELECT i FROM generate_series(1, 20000) i', own, abort.signal)).catch(() => {});
      await sleep(i % 8);
      abort.abort();
      expect(await cell('SELECT pg_sleep(0.005)::text || 1', own)).toBe('"1"');
      await running;
    }
    await own.close();
  });

  test('session state does not reach the next caller', async () => {
    const own = await prepared.open(prepared.owner, { connections: 1 });
    const settings = `SELECT string_agg(name || setting, ',' ORDER BY name) FROM pg_settings WHERE name <> 'transaction_read_only'`;
    const before = await cell(settings, own);
    const pid = await cell('SELECT pg_backend_pid()', own);
    const attempts = [
      "SELECT set_config('search_path', 'nowhere', false), set_config('work_mem', '1MB', false)",
      "SELECT set_config('default_transaction_read_only', 'off', false), set_config('sluice.note', 'secret', false)",
      "SELECT set_config('TimeZone', 'Asia/Tokyo', false), set_config('DateStyle', 'German', false)",
      'SELECT pg_advisory_lock(42)',
      'SELECT pg_advisory_lock(43), 1 / (id - id) FROM items',
    ];
    for (const sql of attempts) {
      await drain(run(sql, own)).catch(() => {});
      const { rows } = await prepared.admin.query("SELECT pid FROM pg_locks WHERE locktype = 'advisory'");
      expect(rows).toEqual([]);
    }
    expect(await cell(settings, own)).toBe(before);
    expect(await cell("SELECT coalesce(current_setting('sluice.note', true), '')", own)).toBe('""');
    expect(await cell('SELECT pg_backend_pid()', own)).toBe(pid);
    await own.close();
  });

  test('a prepared statement still runs after its table changed', async () => {
    const own = await prepared.open(prepared.owner, { connections: 1 });
    await prepared.admin.query(
      'CREATE TABLE changing (a integer); INSERT INTO changing VALUES (1); GRANT SELECT ON changing TO public',
    );
    expect(await jsonRows(await run('SELECT * FROM changing', own))).toEqual([['1']]);
    await prepared.admin.query("ALTER TABLE changing ADD b text DEFAULT 'x'");
    const rows = await run('SELECT * FROM changing', own);
    expect(rows.columns.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(await jsonRows(rows)).toEqual([['1', '"x"']]);
    await prepared.admin.query('DROP TABLE changing');
    await own.close();
  });

  test('checks use the current schema, not statements prepared before', async () => {
    const own = await prepared.open(prepared.owner, { writable: true, connections: 1 });
    await prepared.admin.query('CREATE TABLE changing (a int); GRANT SELECT, DELETE ON changing TO public');
    expect(await own.describe('TABLE changing', [], createSignal())).toHaveLength(1);
    await own.checkEpilogue('DELETE FROM changing', [], createSignal());
    await prepared.admin.query('DROP TABLE changing');
    expect((await rejection(own.describe('TABLE changing', [], createSignal()))).kind).toBe('invalid');
    expect((await rejection(own.checkEpilogue('DELETE FROM changing', [], createSignal()))).kind).toBe('invalid');
    await own.close();
  });

  test('refuses a writing query before it runs, even if the account may write', async () => {
    const own = await prepared.open(prepared.owner);
    for (const sql of ['DELETE FROM log RETURNING number', 'WITH x AS (INSERT INTO log VALUES (1) RETURNING *) TABLE x']) {
      expect((await rejection(own.describe(sql, [], createSignal()))).message).toMatch(/Epilogue/);
    }
    await own.close();
  });

  test('each connection has limits and is read-only by its settings', async () => {
    const names =
      'default_transaction_read_only lock_timeout idle_in_transaction_session_timeout client_connection_check_interval';
    const sql = `SELECT setting FROM pg_settings WHERE name = ANY (string_to_array('${names}', ' ')) ORDER BY name`;
    expect((await jsonRows(await run(sql))).flat()).toEqual(['"1000"', '"on"', '"60000"', '"5000"']);
    expect(await cell("SELECT setting::int > 60000 FROM pg_settings WHERE name = 'statement_timeout'")).toBe('true');
    expect(await cell("SELECT current_setting('transaction_read_only')")).toBe('"on"');
  });

  test('the main statement is read-only even before an Epilogue', async () => {
    const own = await prepared.open(prepared.owner, { writable: true });
    const epilogue = 'INSERT INTO log VALUES (100)';
    for (const sql of ['SELECT sneak(99)', "SELECT set_config('transaction_read_only', 'off', false)"]) {
      const statement = { sql, epilogue, parameters: [] };
      await rejection(drain(own.run(statement, { timeoutMs: 5000 }, createSignal())));
    }
    await drain(own.run({ sql: 'SELECT 1', epilogue, parameters: [] }, { timeoutMs: 5000 }, createSignal()));
    expect(await cell('SELECT count(*) FROM log WHERE number = 99', own)).toBe('0');
    expect(await cell('SELECT count(*) FROM log WHERE number = 100', own)).toBe('1');
    await own.close();
  });

  test('warns about an account that can do more than read', async () => {
    const warnings = async (account: URL) => {
      const own = await prepared.open(account);
      const found = await own.ping(createSignal());
      await own.close();
      return found.join(' ');
    };
    expect(await warnings(prepared.owner)).toMatch(/can change rows.*can create objects/);
    const superuser = new URL(prepared.reader.href);
    superuser.username = String(prepared.admin.user);
    superuser.password = String(prepared.admin.password);
    expect(await warnings(superuser)).toMatch(/superuser/);
    const own = await prepared.open(superuser);
    const canary = join(tmpdir(), `canary-${process.pid}`);
    expect((await rejection(run(`COPY (SELECT 1) TO PROGRAM 'touch ${canary}'`, own))).kind).toBe('invalid');
    expect(existsSync(canary)).toBe(false);
    await own.close();
  });

  test('reports connection problems by field', () => {
    const { connection, ...rest } = request(prepared.reader);
    const fields = (changes: Record<string, unknown>, settings = {}) =>
      postgres.check({ ...rest, connection: { ...connection, ...changes }, settings }).map(({ field }) => field);
    expect(fields({})).toEqual([]);
    expect(fields({ host: '', port: 70_000, user: undefined, database: 'a\0b' })).toEqual([
      'connection.host',
      'connection.port',
      'connection.user',
      'connection.database',
    ]);
    expect(fields({ tls: 'yes' })).toEqual(['connection.tls']);
    expect(fields({ tls: { rejectUnauthorized: false } })).toEqual([]);
    expect(fields({ options: '-c x=y' })).toEqual(['connection.options']);
    expect(fields({}, { connectTimeoutSeconds: 0 })).toEqual(['settings.connectTimeoutSeconds']);
    expect(fields({}, { pipelinedBatches: 'no' })).toEqual(['settings.pipelinedBatches']);
  });

  test('reports a wrong password, a wrong port and an unresponsive server as unavailable', async () => {
    for (const change of [{ password: 'wrong' }, { port: 1 }, { database: 'missing' }, { tls: true }]) {
      const { connection, ...rest } = request(prepared.reader);
      const own = await postgres.open({ ...rest, connection: { ...connection, ...change } });
      expect((await rejection(run('SELECT 1', own))).kind).toBe('unavailable');
      expect((await rejection(own.ping(createSignal()))).kind).toBe('unavailable');
      await own.close();
    }
  });

  test('replaces a connection that was terminated while idle', async () => {
    const own = await prepared.open(prepared.reader);
    for (let i = 0; i < 5; i++) {
      await drain(own.run({ sql: 'SELECT 1', parameters: [] }, { timeoutMs: 5000 }, createSignal()));
      await prepared.admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice' AND datname = current_database()`,
      );
      await expect.poll(async () => (await prepared.backends()).length).toBe(0);
      await sleep(20);
    }
    await drain(own.run({ sql: 'SELECT 1', parameters: [] }, { timeoutMs: 5000 }, createSignal()));
    await own.close();
  });
});
