import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clickhouse } from '../../../src/connectors/clickhouse/index.ts';
import { encodingsOf } from '../../../src/connectors/clickhouse/open.ts';
import type { Connector } from '../../../src/connectors/connector.ts';
import { type ClickHouseDouble, startClickHouseDouble } from '../../doubles/clickhouse.ts';
import { connectorContract } from '../connector-contract.ts';
import { drain, endsAs, jsonRows, createSignal, rejection } from '../connector-steps.ts';
import { clickHouseFixture, clickHouseRequest } from './fixture.ts';
import { clickHouseResponses } from './responses.ts';
import { clickHouseSql } from './sql.ts';
import { prepareClickHouse } from './target.ts';

let double: ClickHouseDouble;
beforeAll(async () => {
  double = await startClickHouseDouble(clickHouseResponses);
});
afterAll(() => double.close());

const connection = () => ({ host: '127.0.0.1', port: double.port, user: 'reader', password: 'secret', database: 'shop' });
const target = () => ({ connection: connection(), canary: async () => JSON.stringify(double.written) });

connectorContract("a double of ClickHouse's HTTP interface", clickHouseFixture(target, { old: false }));

const url = process.env.TEST_CLICKHOUSE_URL;
if (url !== undefined) {
  describe('with a real server', () => {
    let prepared: Awaited<ReturnType<typeof prepareClickHouse>>;
    beforeAll(async () => {
      prepared = await prepareClickHouse(url);
    });
    connectorContract(
      'ClickHouse',
      clickHouseFixture(() => prepared, { old: false }),
    );
  });
}

describe('ClickHouse specifics', () => {
  let connector: Connector;
  beforeAll(async () => {
    connector = await clickhouse.open(clickHouseRequest(connection()));
  });
  afterAll(() => connector.close());
  const run = (sql: string, signal = createSignal()) => connector.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, signal);

  test('sends every query except KILL read-only, with a unique id and limits', async () => {
    await drain(run(clickHouseSql.series(3)));
    const own = double.requests.filter(({ search }) => search.get('database') === 'shop');
    const writable = own.filter(({ search, sql }) => search.get('readonly') !== '1' && !sql.includes('system.settings'));
    expect(writable.map(({ sql }) => sql).filter((sql) => !sql.startsWith('KILL QUERY WHERE query_id = '))).toEqual([]);
    expect(Object.fromEntries(own.at(-1)?.search ?? [])).toMatchObject({
      readonly: '1',
      max_execution_time: '960',
      cancel_http_readonly_queries_on_client_close: '1',
      date_time_output_format: 'iso',
      query_id: expect.stringMatching(/^[\w-]{36}$/),
    });
    expect(double.written).toEqual([]);
  });

  test('retries a query when the server closes a kept-alive connection', async () => {
    let hangUp = false;
    const relay = createServer((socket) => {
      const onward = connect(double.port, '127.0.0.1');
      socket.on('data', (bytes) => {
        if (hangUp) socket.destroy();
        else onward.write(bytes);
        hangUp = false;
      });
      onward.on('data', (bytes) => socket.write(bytes));
      for (const each of [socket, onward])
        each.on('error', () => {}).on('close', () => [socket, onward].map((one) => one.destroy()));
    });
    await once(relay.listen(0, '127.0.0.1'), 'listening');
    const { port } = relay.address() as AddressInfo; // listening on a port
    const relayed = await clickhouse.open(clickHouseRequest({ ...connection(), port }));
    try {
      const rows = () => relayed.run({ sql: clickHouseSql.series(3), parameters: [] }, { timeoutMs: 60_000 }, createSignal());
      const before = await drain(rows());
      hangUp = true;
      expect(await drain(rows())).toEqual(before);
      expect(hangUp).toBe(false);
    } finally {
      await relayed.close();
      relay.close();
    }
  });

  const ways = ['trailer', 'text', 'appended', 'cut'];
  test.each([...ways.map((way) => [way, false] as const), ...ways.map((way) => [way, true] as const)])(
    'a result truncated by %s is never complete (compressed: %j)',
    async (way, compression) => {
      const other = await clickhouse.open(clickHouseRequest(connection(), { compression }));
      let seen = 0;
      const read = async () => {
        const rows = other.run({ sql: `SELECT '${way}' AS broken`, parameters: [] }, { timeoutMs: 60_000 }, createSignal());
        for await (const batch of (await rows).batches()) seen += batch.length;
      };
      const error = await rejection(read());
      await other.close();
      expect(error.kind).toBe('failed');
      expect(seen).toBeLessThanOrEqual(10_000);
      if (way === 'trailer' || way === 'text') expect(error.message).toMatch(/Cannot parse/);
    },
  );

  test.each([
    ['db.example', undefined, 'zstd'],
    ['10.0.0.1', undefined, 'zstd'],
    ['localhost', undefined, ''],
    ['::1', undefined, ''],
    ['localhost', true, 'zstd, gzip'],
    ['db.example', false, ''],
  ])('results of %s with the compression %j may have the encodings %j', (host, compression, expected) => {
    expect(encodingsOf(compression, host)).toBe(expected);
  });

  test('compresses results, except those of queries whose last result was short', async () => {
    const other = await clickhouse.open(clickHouseRequest(connection(), { compression: true }));
    const accepted = async (sql: string): Promise<unknown[]> => {
      const before = double.requests.length;
      await drain(other.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, createSignal()));
      return double.requests.slice(before).map(({ headers }) => headers['accept-encoding'] ?? null);
    };
    for (const expected of [[null, null, 'zstd, gzip'], [null], [null]])
      expect(await accepted(clickHouseSql.series(31))).toEqual(expected); // settings of the server, description, run
    for (const expected of [[null, 'zstd, gzip'], ['zstd, gzip']])
      expect(await accepted(clickHouseSql.series(60_001))).toEqual(expected);
    await other.close();
  });

  test('kills the query on the server when it is cancelled, closed early or timed out', async () => {
    await endsAs('cancelled', (signal) => drain(run(clickHouseSql.slow, signal)), 150);
    const left = await run(clickHouseSql.endless);
    await left.close();
    await rejection(drain(connector.run({ sql: clickHouseSql.slow, parameters: [] }, { timeoutMs: 150 }, createSignal())));
    const kills = double.requests.filter(({ sql }) => sql.startsWith('KILL QUERY')).slice(-3);
    expect(new Set(kills.map(({ sql }) => sql)).size).toBe(3);
    expect(double.running()).toBe(0);
  });

  test('sends a value that is too long for the URL in the body', async () => {
    const value = `';"\\ \u202e😀\n\t`.repeat(100_000);
    const parameters = [{ name: '@Value', type: { name: 'text' } as const, value }];
    const rows = await connector.run({ sql: 'SELECT @Value AS value;', parameters }, { timeoutMs: 60_000 }, createSignal());
    expect(JSON.parse((await jsonRows(rows))[0]?.[0] ?? '')).toBe(value);
  });

  test('includes comments of tables and columns in the schema', async () => {
    const [items] = (await connector.schema(createSignal())).tables;
    expect(items).toMatchObject({ name: 'items', comment: 'What we sell' });
    expect(items?.columns).toEqual([
      { name: 'id', type: 'UInt32', nullable: false, comment: 'The number' },
      { name: 'name', type: 'Nullable(String)', nullable: true },
    ]);
  });

  test.each([
    [{ host: '' }, 'connection.host'],
    [{ host: 'a/b' }, 'connection.host'],
    [{ port: 0 }, 'connection.port'],
    [{ user: 'a:b' }, 'connection.user'],
    [{ color: 'red' }, 'connection.color'],
    [{ tls: 'yes' }, 'connection.tls'],
  ])('a connection with %j has an error in %s', (fields, field) => {
    expect(clickhouse.check(clickHouseRequest({ ...connection(), ...fields }))).toMatchObject([{ field }]);
    expect(clickhouse.check(clickHouseRequest(connection(), { compression: 'zstd' }))).toMatchObject([
      { field: 'settings.compression' },
    ]);
  });
});
