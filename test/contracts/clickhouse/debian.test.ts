import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expandLists } from '../../../src/catalog/parameter.ts';
import { clickhouse } from '../../../src/connectors/clickhouse/index.ts';
import type { Connector } from '../../../src/connectors/connector.ts';
import { type ClickHouseServer, startClickHouse } from '../../support/databases/clickhouse-server.ts';
import { programProblem } from '../../support/debian-packages.ts';
import { connectorContract } from '../connector-contract.ts';
import { drain, endsAs, jsonRows, createSignal, rejection } from '../connector-steps.ts';
import { clickHouseFixture, clickHouseRequest } from './fixture.ts';
import { clickHouseSql } from './sql.ts';

const problem = await programProblem('clickhouse');

describe.skipIf(problem !== null)(`Debian's ClickHouse 18.16 ${problem ?? ''}`.trim(), () => {
  const reader = { user: 'reader', password: 'secret' };
  let server: ClickHouseServer;
  let connector: Connector;
  const connection = () => ({ host: '127.0.0.1', port: server.port, ...reader, database: 'default' });
  const run = (sql: string, signal = createSignal()) => connector.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, signal);

  beforeAll(async () => {
    server = await startClickHouse(reader);
    for (const sql of [
      'CREATE DATABASE shop',
      'CREATE TABLE shop.items (id UInt32, name Nullable(String)) ENGINE = Log',
      "INSERT INTO shop.items VALUES (1, 'one'), (2, 'two')",
      'CREATE VIEW shop.shown_items AS SELECT id FROM shop.items',
    ]) {
      await server.execute(sql);
    }
    connector = await clickhouse.open(clickHouseRequest(connection()));
  });
  afterAll(async () => {
    await connector?.close();
    await server?.stop();
  });

  async function canary(): Promise<string> {
    const tables = await server.execute('SELECT database, name, create_table_query FROM system.tables ORDER BY 1, 2');
    return JSON.stringify([tables, await server.execute('SELECT * FROM shop.items ORDER BY id'), await readdir(server.files)]);
  }

  // this version has no parameters: the double covers those, and results that are not compressed
  connectorContract(
    'ClickHouse 18.16',
    clickHouseFixture(() => ({ connection: connection(), canary }), { old: true, settings: { compression: true } }),
  );

  const processes = async () =>
    (await server.execute("SELECT query FROM system.processes WHERE user = 'reader'")).split('\n').filter(Boolean);

  test('cancelled, timed-out and abandoned queries disappear from system.processes', async () => {
    await endsAs('cancelled', (signal) => drain(run(clickHouseSql.slow, signal)), 300);
    await rejection(drain(connector.run({ sql: clickHouseSql.slow, parameters: [] }, { timeoutMs: 300 }, createSignal())));
    const left = await run(clickHouseSql.endless);
    expect(await processes()).toHaveLength(1);
    await left.close();
    await expect.poll(processes).toEqual([]);
  });

  test('returns a million rows', async () => {
    let seen = 0;
    for await (const batch of (await run(clickHouseSql.series(1_000_000))).batches()) seen += batch.length;
    expect(seen).toBe(1_000_000);
  });

  test.each(['in', 'not in'])(
    '`%s` with an empty list matches nothing, although the server skips NULL in lists',
    async (operator) => {
      const sql = `SELECT id FROM shop.items WHERE name ${operator} (@Names)`;
      // this version has no parameters: the value that would be bound is in the text
      const bound = (text: string): string => text.replace('@Names', 'CAST(NULL AS Nullable(String))');
      const expanded = expandLists({ sql }, clickhouse.dialect, clickhouse.placeholders, [
        { name: '@Names', type: { name: 'text' }, items: [] },
      ]);
      if (!expanded.ok) return expect.unreachable();
      expect(await jsonRows(await run(bound(expanded.value.sql)))).toEqual([]);
      expect(await jsonRows(await run(bound(sql)))).toHaveLength(operator === 'in' ? 0 : 2);
    },
  );

  test('fifty parallel runs', async () => {
    const runs = Array.from({ length: 50 }, async () => (await jsonRows(await run(clickHouseSql.series(100)))).length);
    expect(new Set(await Promise.all(runs))).toEqual(new Set([100]));
  });

  test('returns text that looks like an error, the end of a result or a bracket', async () => {
    const hostile = 'Code: 153, e.displayText() = DB::Exception: no],\n"rows": 1}[[\\"';
    const sql = `SELECT arrayJoin(['${hostile.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}', ']']) AS t`;
    expect((await jsonRows(await run(sql))).map(([json]) => JSON.parse(json ?? ''))).toEqual([hostile, ']']);
  });

  test('returns a cell of one megabyte', async () => {
    const [row] = await jsonRows(await run("SELECT arrayStringConcat(arrayMap(x -> '\"\\\\é', range(262144))) AS t"));
    expect(JSON.parse(row?.[0] ?? '')).toBe('"\\é'.repeat(262_144));
  });

  test('reports a wrong password, an unknown database and an unreachable server as unavailable', async () => {
    for (const wrong of [{ password: 'no' }, { database: 'nope' }, { port: 1 }]) {
      const other = await clickhouse.open(clickHouseRequest({ ...connection(), ...wrong }));
      expect((await rejection(other.ping(createSignal()))).kind).toBe('unavailable');
      await other.close();
    }
  });

  test('a restart fails running queries, and the next one succeeds', async () => {
    const rows = await run(clickHouseSql.endless);
    await server.restart();
    expect((await rejection(drain(Promise.resolve(rows)))).kind).toBe('failed');
    expect(await jsonRows(await run(clickHouseSql.series(2)))).toHaveLength(2);
  });
});
