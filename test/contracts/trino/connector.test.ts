import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.ts';
import { trino } from '../../../src/connectors/trino/index.ts';
import { startTrinoDouble, type TrinoDouble } from '../../doubles/trino.ts';
import { connectorContract } from '../connector-contract.ts';
import { drain, endsAs, jsonRows, createSignal, rejection } from '../connector-steps.ts';
import { trinoFixture, trinoRequest } from './fixture.ts';
import { trinoResponses } from './responses.ts';
import { trinoSql } from './sql.ts';
import { prepareTrino } from './target.ts';

let double: TrinoDouble;
beforeAll(async () => {
  double = await startTrinoDouble(trinoResponses);
});
afterAll(() => double.close());

const target = () => ({
  connection: { host: '127.0.0.1', port: double.port, user: 'reader', database: 'memory' },
  settings: { schema: 'shop' },
  canary: async () => JSON.stringify(double.written),
});

connectorContract("a double of Trino's protocol", trinoFixture(target));

const url = process.env.TEST_TRINO_URL;
if (url !== undefined) {
  describe('with a real server', () => {
    let prepared: Awaited<ReturnType<typeof prepareTrino>>;
    beforeAll(async () => {
      prepared = await prepareTrino(url);
    });
    connectorContract(
      'Trino',
      trinoFixture(() => prepared),
    );
  });
}

describe('Trino specifics', () => {
  let connector: Connector;
  beforeEach(async () => {
    await connector?.close();
    connector = await trino.open(trinoRequest(target()));
  });
  afterAll(() => connector.close());
  const run = (sql: string, signal = createSignal()) => connector.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, signal);

  test('never sends a statement other than a query in an executable form', () => {
    expect(double.written).toEqual([]);
  });

  test('statements have user, catalog, time limit and a fixed time zone', async () => {
    await drain(run(trinoSql.series(3)));
    const headers = double.requests.findLast(({ method }) => method === 'POST')?.headers;
    expect(headers).toMatchObject({
      'x-trino-user': 'reader',
      'x-trino-catalog': 'memory',
      'x-trino-schema': 'shop',
      'x-trino-time-zone': 'UTC',
      'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
      'x-trino-session': 'query_max_run_time=960s',
    });
    expect(headers?.authorization).toBeUndefined();
  });

  test('runs a known query without describing it first', async () => {
    await drain(run(trinoSql.series(5)));
    const before = double.requests.filter(({ method }) => method === 'POST').length;
    await drain(run(trinoSql.series(5)));
    expect(double.requests.filter(({ method }) => method === 'POST')).toHaveLength(before + 1);
  });

  test('retries when a gateway responds with a retry status, at any step', async () => {
    for (const refusals of [
      [503, 502],
      [429, 504],
      [503, 503, 503],
    ]) {
      double.refusals.push(...refusals);
      expect(await jsonRows(await run(trinoSql.series(2)))).toHaveLength(2);
    }
    await drain(run(trinoSql.series(2)));
    const rows = await run(trinoSql.series(30_000));
    double.refusals.push(503);
    expect(await jsonRows(rows)).toHaveLength(30_000);
  });

  test('ends the query on the server when it is cancelled, closed early or timed out', async () => {
    const before = double.cancelled.length;
    await endsAs('cancelled', (signal) => drain(run(trinoSql.slow, signal)), 150);
    const left = await run(trinoSql.endless);
    await left.close();
    await rejection(drain(connector.run({ sql: trinoSql.slow, parameters: [] }, { timeoutMs: 150 }, createSignal())));
    expect(double.cancelled).toHaveLength(before + 3);
    expect(double.running()).toBe(0);
  });

  test('a restart fails running queries, and the next one succeeds', async () => {
    const rows = await run(trinoSql.endless);
    double.restart();
    expect((await rejection(drain(Promise.resolve(rows)))).kind).toBe('failed');
    expect(await jsonRows(await run(trinoSql.series(2)))).toHaveLength(2);
  });

  test('reports an unreachable or refusing server as unavailable', async () => {
    const nobody = await trino.open(trinoRequest({ connection: { ...target().connection, port: 1 } }));
    expect((await rejection(nobody.ping(createSignal()))).kind).toBe('unavailable');
    expect((await rejection(nobody.run({ sql: 'SELECT 1', parameters: [] }, { timeoutMs: 9000 }, createSignal()))).kind).toBe(
      'unavailable',
    );
    await nobody.close();
    double.refusals.push(401);
    expect((await rejection(run(trinoSql.series(4)))).kind).toBe('unavailable');
  });

  test('runs fifty queries in parallel and reads a million rows', async () => {
    const runs = Array.from({ length: 50 }, async () => (await jsonRows(await run(trinoSql.series(100)))).length);
    expect(new Set(await Promise.all(runs))).toEqual(new Set([100]));
    let seen = 0;
    for await (const batch of (await run(trinoSql.series(1_000_000))).batches()) seen += batch.length;
    expect(seen).toBe(1_000_000);
  });

  test('accepts a value of one megabyte and a trailing semicolon', async () => {
    const value = `';"\\ \u202e😀\n`.repeat(100_000);
    const parameters = [{ name: '@Value', type: { name: 'text' } as const, value }];
    const rows = await connector.run({ sql: 'SELECT @Value AS value ;', parameters }, { timeoutMs: 60_000 }, createSignal());
    expect(JSON.parse((await jsonRows(rows))[0]?.[0] ?? '')).toBe(value);
  });

  test('includes comments of tables and columns in the schema', async () => {
    const [items] = (await connector.schema(createSignal())).tables;
    expect(items).toMatchObject({ name: 'items', comment: 'What we sell' });
    expect(items?.columns[0]).toEqual({ name: 'id', type: 'bigint', nullable: false, comment: 'The number' });
  });

  test.each([
    [{ host: '' }, 'connection.host'],
    [{ host: 'a/b' }, 'connection.host'],
    [{ port: 0 }, 'connection.port'],
    [{ user: 'a\nb' }, 'connection.user'],
    [{ password: 'secret' }, 'connection.tls'],
    [{ color: 'red' }, 'connection.color'],
    [{ tls: 'yes' }, 'connection.tls'],
  ])('a connection with %j has an error in %s', (fields, field) => {
    const request = trinoRequest({ connection: { ...target().connection, ...fields } });
    expect(trino.check(request)).toMatchObject([{ field }]);
  });

  test('refuses numeric parameters without a Trino type before sending anything', async () => {
    const parameters = [{ name: '@Value', type: { name: 'decimal' } as const, value: '9'.repeat(39) }];
    const error = await rejection(
      connector.run({ sql: 'SELECT @Value AS value', parameters }, { timeoutMs: 9000 }, createSignal()),
    );
    expect(error.message).toContain('38 digits');
  });
});
