import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connector, ConnectorError } from '../../../src/connectors/connector.ts';
import { mysql } from '../../../src/connectors/mysql/index.ts';
import { drain, endsAs, jsonRows, createSignal, rejection } from '../connector-steps.ts';
import { type MysqlTestServer, mysqlFixture } from './fixture.ts';

/** Connections and the queries that run on them. */
export function mysqlSessions(prepared: MysqlTestServer): void {
  describe('MariaDB connections', () => {
    const { server, reader, writer } = prepared;
    const { sql, escapes } = mysqlFixture(prepared);
    let connector: Connector; // with one connection, so that the next run would see what one leaves
    beforeAll(async () => {
      connector = await prepared.open(reader, { connections: 1 });
    });
    afterAll(() => connector.close());
    const run = (text: string, options: { on?: Connector; signal?: AbortSignal; timeoutMs?: number } = {}) =>
      (options.on ?? connector).run(
        { sql: text, parameters: [] },
        { timeoutMs: options.timeoutMs ?? 60_000 },
        options.signal ?? createSignal(),
      );
    const row = async (text: string, on = connector) => (await jsonRows(await run(text, { on })))[0];
    const running = async () => (await prepared.processes()).filter(({ statement }) => /seq_1_to_1000|SLEEP/.test(statement));
    const untilIdle = async () => {
      await expect.poll(running).toEqual([]);
    };

    test('session state of a run does not affect the next one', async () => {
      expect(await row("SELECT CONNECTION_ID() = CONNECTION_ID(), meddle(), GET_LOCK('left', 0)")).toEqual(['1', '1', '1']);
      const clean = "SELECT @@time_zone, @@sql_mode LIKE '%ANSI%', @@tx_read_only, @left, IS_USED_LOCK('left')";
      expect(await row(clean)).toEqual(['"+00:00"', '0', '1', 'null', 'null']);
      expect(await row('SELECT @@max_statement_time, @@character_set_client, @@character_set_results, @@autocommit')).toEqual([
        '960',
        '"utf8mb4"',
        '"utf8mb4"',
        '1',
      ]);
      await drain(run('SELECT 1', { timeoutMs: 1500 }));
      expect(await jsonRows(await run('SELECT @@max_statement_time', { timeoutMs: 1500 }))).toEqual([['901.5']]);
    });

    test('failed and refused queries do not cost a connection', async () => {
      const id = await row('SELECT CONNECTION_ID()');
      await rejection(run('SELECT nope'));
      await rejection(run('ANALYZE TABLE items'));
      await rejection(drain(run(sql.failingAt(3))));
      expect(await row('SELECT CONNECTION_ID()')).toEqual(id);
    });

    test('a cancelled query ends on the server, and its connection is not reused', async () => {
      const id = await row('SELECT CONNECTION_ID()');
      for (const text of [sql.slow, 'SELECT SLEEP(100)', 'SELECT BENCHMARK(100000000000, md5(1))', sql.endless]) {
        await endsAs('cancelled', (signal) => drain(run(text, { signal })), 100);
        await untilIdle();
      }
      expect(await row('SELECT CONNECTION_ID()')).not.toEqual(id);
    });

    test('a truncated result of a stopped query is never treated as complete', async () => {
      // a killed SLEEP returns 1 instead of failing
      const error = await rejection(drain(run('SELECT SLEEP(100), 1', { timeoutMs: 200 })));
      expect(error.kind).toBe('timeout');
    });

    test('the server waits for a paused reader', async () => {
      const sent = async () => Number((await server.execute("SHOW GLOBAL STATUS LIKE 'Bytes_sent'"))[0]?.Value);
      const sentMeanwhile = async () => {
        const before = await sent();
        await sleep(200);
        return (await sent()) - before;
      };
      const rows = await run(sql.endless);
      for await (const batch of rows.batches()) {
        expect(batch.length).toBeGreaterThan(0);
        await expect.poll(sentMeanwhile).toBeLessThan(10_000); // the results of these queries
        break;
      }
      await untilIdle();
    });

    test('a query killed by the administrator fails', async () => {
      const failing = rejection(drain(run(sql.slow)));
      await expect.poll(running).toHaveLength(1);
      await server.execute("KILL QUERY USER 'reader'");
      expect((await failing).kind).toBe('failed');
      const [connection] = (await row('SELECT CONNECTION_ID()')) ?? [];
      const lost = rejection(drain(run(sql.endless)));
      await expect.poll(running).toHaveLength(1);
      await server.execute(`KILL CONNECTION ${connection}`);
      expect((await lost).kind).toBe('failed');
      expect(await row('SELECT 1')).toEqual(['1']);
    });

    test('fifty parallel queries share the connections, and closing leaves none', async () => {
      const own = await prepared.open(reader, { connections: 4 });
      const earlier = new Set((await prepared.processes()).map(({ id }) => id)); // those of other tests may end meanwhile
      const later = async () => (await prepared.processes()).filter(({ id }) => !earlier.has(id));
      const cells = await Promise.all(Array.from({ length: 50 }, (_, i) => row(`SELECT ${i} + count(*) FROM items`, own)));
      expect(cells).toEqual(Array.from({ length: 50 }, (_, i) => [String(i + 2)]));
      expect(await later()).toHaveLength(4);
      await endsAs('cancelled', (signal) => drain(run(sql.slow, { on: own, signal })), 50);
      await own.close();
      await expect.poll(later).toEqual([]);
    });

    test('waits for locks of others for a limited time', async () => {
      const blocked = await prepared.open(writer, { writable: true });
      const lock = ['USE shop', 'LOCK TABLES log WRITE', 'SELECT SLEEP(3600)'];
      const interrupted = expect(server.execute(...lock)).rejects.toThrow('interrupted');
      const blocker = async () =>
        (await server.execute("SELECT id FROM information_schema.processlist WHERE info = 'SELECT SLEEP(3600)'"))[0]?.id;
      await expect.poll(blocker).toBeDefined();
      const error = await rejection(drain(run('SELECT * FROM log', { on: blocked })));
      expect(error.kind).toBe('failed');
      await server.execute(`KILL QUERY ${await blocker()}`);
      await interrupted;
      await blocked.close();
    });

    test('an administrator account causes a warning and cannot escape either', async () => {
      const own = await prepared.open(server.root);
      const warnings = (await own.ping(createSignal())).join('\n');
      expect(warnings).toMatch(/administrator/);
      const fingerprint = mysqlFixture(prepared);
      const { canary, close } = await fingerprint.open({ writable: false });
      const before = await canary();
      for (const text of escapes) {
        await drain(run(text, { on: own })).catch((error: unknown) => expect(error).toBeInstanceOf(ConnectorError));
        expect(await canary(), text).toBe(before);
      }
      await Promise.all([own.close(), close()]);
      const writing = (await (await prepared.open(writer)).ping(createSignal())).join('\n');
      expect(writing).toMatch(/more than read: .* on `shop`\.\*/);
      expect(writing).not.toMatch(/administrator/);
    });

    test('rights that MariaDB grants to everyone on its test databases are no reason for a warning, others of PUBLIC are', async () => {
      const listWarnings = async (options = {}) => {
        const own = await prepared.open(reader, options);
        return (await own.ping(createSignal()).finally(() => own.close())).join('\n');
      };
      // as mariadb-install-db does
      await server.execute(
        'CREATE DATABASE IF NOT EXISTS test',
        'GRANT ALL ON `test`.* TO PUBLIC',
        'GRANT ALL ON `test\\_%`.* TO PUBLIC',
      );
      expect(await listWarnings()).toBe('');
      expect(await listWarnings({ database: 'test' })).toMatch(/more than read: .* on `test`\.\* \(granted to PUBLIC\)/);
      await server.execute('GRANT INSERT ON shop.* TO PUBLIC');
      expect(await listWarnings()).toBe('The account can do more than read: INSERT on `shop`.* (granted to PUBLIC).');
      await server.execute(
        'REVOKE INSERT ON shop.* FROM PUBLIC',
        'REVOKE ALL ON `test`.* FROM PUBLIC',
        'REVOKE ALL ON `test\\_%`.* FROM PUBLIC',
        'DROP DATABASE test',
      );
    });

    test('uses TLS and verifies the certificate', async () => {
      const withTls = async (tls: unknown): Promise<string[] | undefined> => {
        const request = prepared.request(reader);
        const own = await mysql.open({ ...request, connection: { ...request.connection, tls } });
        try {
          return await row(
            "SELECT variable_value <> '' FROM information_schema.session_status WHERE variable_name = 'Ssl_cipher'",
            own,
          );
        } finally {
          await own.close();
        }
      };
      const { certificate: ca } = server;
      expect(await withTls({ ca, servername: 'localhost' })).toEqual(['1']);
      expect(await withTls({ rejectUnauthorized: false })).toEqual(['1']);
      expect(await withTls(false)).toEqual(['0']);
      for (const tls of [true, { servername: 'localhost' }, { ca, servername: 'elsewhere' }]) {
        expect((await rejection(withTls(tls))).kind).toBe('unavailable');
      }
    });

    test('a restart of the server fails only the running queries', async () => {
      const own = await prepared.open(reader);
      for (let round = 0; round < 2; round++) {
        expect(await Promise.all([row('SELECT 1', own), row('SELECT 2', own)])).toEqual([['1'], ['2']]); // idle connections
        const failing = [rejection(drain(run(sql.slow, { on: own }))), rejection(drain(run(sql.endless, { on: own })))];
        while ((await running()).length < failing.length) await sleep(20);
        await server.crash();
        for (const failed of failing) expect((await failed).kind).toBe('failed');
        expect((await rejection(run('SELECT 1', { on: own }))).kind).toBe('unavailable');
        expect((await rejection(own.describe('SELECT 1', [], createSignal()))).kind).toBe('unavailable');
        await server.start();
        expect(await row('SELECT 1', own)).toEqual(['1']);
      }
      await own.close();
    });

    test('reports an unreachable server as unavailable within the timeout', async () => {
      const at = (connection: Record<string, unknown>) => {
        const request = prepared.request(reader);
        return mysql.open({
          ...request,
          connection: { ...request.connection, ...connection },
          settings: { connectTimeoutSeconds: 1 },
        });
      };
      for (const connection of [{ port: 1 }, { password: 'wrong' }, { database: 'missing' }, { host: 'no.such.host.invalid' }]) {
        const own = await at(connection);
        expect((await rejection(run('SELECT 1', { on: own }))).kind).toBe('unavailable');
        await own.close();
      }
    });
  });
}
