import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.ts';
import { sqlserver } from '../../../src/connectors/sqlserver/index.ts';
import type { SqlType } from '../../../src/core/sql-value.ts';
import { startTdsDouble } from '../../doubles/tds/server.ts';
import { connectorContract } from '../connector-contract.ts';
import { drain, endsAs, jsonRows, createSignal, rejection } from '../connector-steps.ts';
import { sessionContract } from '../sessions/session-contract.ts';
import { connections, requestFor, sqlserverFixture } from './fixture.ts';
import { realSqlServer } from './real.ts';

const password = 'Pa$$word 😀';
const double = await startTdsDouble({ password });
afterAll(() => double.close());

const connection = (changes: Record<string, unknown> = {}) => ({
  host: '127.0.0.1',
  port: double.port,
  user: 'reader',
  password,
  database: 'test',
  ...changes,
});
const { store } = double;
const fixture = sqlserverFixture(async ({ writable }) => {
  const connector = await sqlserver.open(requestFor(connection(), writable));
  const reads = /^SELECT (TOP|n|COUNT)\b/;
  // the statements that reached the server: an escape that the connector lets through appears here
  const canary = async () => JSON.stringify([store.log, store.executed.filter(({ sql }) => !reads.test(sql)).length]);
  return { connector, canary, close: () => connector.close() };
});

connectorContract('SQL Server (a double of its protocol)', fixture);

sessionContract('SQL Server (a double of its protocol)', {
  async open() {
    const request = requestFor(connection(), true);
    return sqlserver.open({ ...request, context: { ...request.context, connections: 1 } });
  },
  traces: ['what a session remembers'],
  select: {
    whole: () => `${fixture.sql.series(1)}, dbo.remembers()`,
    failing: () => `${fixture.sql.failingAt(500)} WHERE dbo.remembers() = 1`,
    slow: () => `${fixture.sql.slow} AND dbo.remembers() = 1`,
    endless: () => `${fixture.sql.endless} WHERE dbo.remembers() = 1`,
  },
  epilogue: {
    whole: () => 'INSERT INTO log SELECT dbo.remembers()',
    failing: () => 'INSERT INTO log SELECT dbo.remembers() / 0',
  },
  probes: ['SELECT dbo.remembered() AS n'],
});

const url = process.env.TEST_SQLSERVER_URL;
if (url !== undefined) connectorContract('SQL Server', await realSqlServer(url));

describe('SQL Server specifics', () => {
  const { series, slow, endless } = fixture.sql;
  const run = (connector: Connector, sql: string, signal = createSignal()) =>
    connector.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, signal);
  async function opened<T>(use: (connector: Connector) => Promise<T>, changes: Record<string, unknown> = {}): Promise<T> {
    const connector = await sqlserver.open(requestFor(connection(changes)));
    try {
      return await use(connector);
    } finally {
      await connector.close();
    }
  }
  const kindOf = async (changes: Record<string, unknown>) =>
    opened(async (connector) => (await rejection(connector.ping(createSignal()))).kind, changes);

  test('logs in with the configured credentials', async () => {
    await opened((connector) => connector.ping(createSignal()));
    expect(store.logins.at(-1)).toMatchObject({ user: 'reader', password, database: 'test', application: 'sluice' });
    expect(store.logins.at(-1)?.version.toString('hex')).toBe('74000004');
  });

  test('is unavailable when the login is refused, the port is closed or the server does not respond', async () => {
    expect(await kindOf({ password: 'wrong' })).toBe('unavailable');
    expect(await kindOf({ port: 1 })).toBe('unavailable');
    const mute = createServer().listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const request = { ...requestFor(connection({ port })), settings: { connectTimeoutSeconds: 1 } };
    const connector = await sqlserver.open(request);
    expect((await rejection(run(connector, series(1)))).kind).toBe('unavailable');
    await connector.close();
    mute.close();
  });

  test('does not log in when encryption is required but not available', async () => {
    const before = store.logins.length;
    expect(await kindOf({ tls: true })).toBe('unavailable');
    expect(await kindOf({ tls: { rejectUnauthorized: false } })).toBe('unavailable');
    expect(store.logins.length).toBe(before);
  });

  test.each<[SqlType, string, { sql: string; type: string; text: string }]>([
    [
      { name: 'decimal', precision: 38, scale: 10 },
      '1234567890123456789012345678.0123456789',
      { sql: 'CAST(@p1 AS decimal(38,10))', type: 'nvarchar(100)', text: '1234567890123456789012345678.0123456789' },
    ],
    [
      { name: 'datetime' },
      '2026-01-31T09:30:00.1234567',
      { sql: 'CAST(@p1 AS datetime2(7))', type: 'nvarchar(100)', text: '2026-01-31T09:30:00.1234567' },
    ],
    [
      { name: 'integer', bits: 64, unsigned: false },
      '9007199254740993',
      { sql: '@p1', type: 'bigint', text: '9007199254740993' },
    ],
    [{ name: 'text' }, "O'Brien 😀", { sql: '@p1', type: 'nvarchar(4000)', text: "O'Brien 😀" }],
    [{ name: 'binary' }, 'AP8=', { sql: '@p1', type: 'varbinary(8000)', text: '0x00ff' }],
  ])('%o %s is sent as intended, in a transaction that waits for no lock', async (type, value, { sql, ...variable }) => {
    await opened(async (connector) => {
      const parameters = [{ name: '@Value', type, value }];
      await drain(connector.run({ sql: 'SELECT @Value AS v', parameters }, { timeoutMs: 5000 }, createSignal()));
    });
    const last = store.executed.at(-1);
    expect(last).toMatchObject({ sql: `SELECT ${sql} AS v`, inTransaction: true, lockTimeOut: '5000' });
    expect(last?.variables.get('@p1')).toEqual(variable);
  });

  test('a parameter name of the author does not collide with internal names', async () => {
    await opened(async (connector) => {
      const text = { name: 'text' } as const;
      const parameters = ['@p2', '@p1'].map((name) => ({ name, type: text, value: name }));
      const rows = await connector.run({ sql: 'SELECT @p2 AS a, @p1 AS b', parameters }, { timeoutMs: 5000 }, createSignal());
      expect(await jsonRows(rows)).toEqual([['"@p2"', '"@p1"']]);
    });
  });

  test('times do not depend on the time zone of the process', async () => {
    const zone = process.env.TZ;
    try {
      process.env.TZ = 'America/New_York';
      await opened(async (connector) => {
        const cells = ["CAST('2026-03-08T02:30:00' AS datetime2(0)) AS a", "CAST('2026-01-31' AS date) AS b"];
        const rows = await run(connector, `SELECT ${cells.join(', ')}, CAST('2026-01-31T09:30:00.003' AS datetime) AS c`);
        expect(await jsonRows(rows)).toEqual([['"2026-03-08T02:30:00"', '"2026-01-31"', '"2026-01-31T09:30:00.003"']]);
      });
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  test('sends and receives a large value, and fails on one above the limit', async () => {
    await opened(async (connector) => {
      const hostile = `'"\\ \u0001 אבג 😀`.repeat(70_000);
      const parameters = [{ name: '@Value', type: { name: 'text' } as const, value: hostile }];
      const [row] = await jsonRows(
        await connector.run({ sql: 'SELECT @Value AS v', parameters }, { timeoutMs: 5000 }, createSignal()),
      );
      expect(JSON.parse(row?.[0] ?? '')).toBe(hostile);
      const large = (count: number) => `SELECT REPLICATE(CAST(N'ä' AS nvarchar(max)), ${count}) AS v`;
      const [other] = await jsonRows(await run(connector, large(3_000_001)));
      expect(other?.[0]).toHaveLength(3_000_003);
      expect(await rejection(drain(run(connector, large(9_000_000))))).toMatchObject({
        kind: 'failed',
        message: expect.stringMatching(/16 MiB/),
      });
      expect(await jsonRows(await run(connector, series(1)))).toHaveLength(1);
    });
  });

  test('a statement that ends the transaction or returns a second result fails and closes its connection', async () => {
    await opened(async (connector) => {
      expect(await rejection(drain(run(connector, 'SELECT dbo.commits() AS n')))).toMatchObject({
        kind: 'failed',
        message: /ended its transaction/,
      });
      expect(await rejection(drain(run(connector, 'SELECT dbo.twice() AS n')))).toMatchObject({
        kind: 'failed',
        message: /more than one/,
      });
      expect(await jsonRows(await run(connector, series(3)))).toHaveLength(3);
    });
  });

  test('resets every session before it is reused', async () => {
    await opened(async (connector) => {
      await drain(run(connector, series(1)));
      const before = store.resets;
      for (let i = 1; i <= 3; i++) {
        await drain(run(connector, series(1)));
        expect(store.resets).toBe(before + i);
      }
      await connector.describe(series(1), [], createSignal());
      expect(store.resets).toBe(before + 4);
    });
  });

  test('fifty parallel queries share the connections, and closing leaves none', async () => {
    await sleep(50);
    const before = double.connections;
    await opened(async (connector) => {
      const runs = Array.from({ length: 50 }, async (_, i) => (await jsonRows(await run(connector, series(100 + i)))).length - i);
      expect(new Set(await Promise.all(runs))).toEqual(new Set([100]));
      expect(double.connections - before).toBeLessThanOrEqual(connections);
    });
    await expect.poll(() => double.connections).toBe(before);
  });

  test('cancelling sends an attention to the server, and the connection remains usable', async () => {
    const only = requestFor(connection());
    const connector = await sqlserver.open({ ...only, context: { ...only.context, connections: 1 } });
    try {
      await drain(run(connector, series(1)));
      const before = { logins: store.logins.length, attentions: store.attentions };
      for (const sql of [slow, endless]) {
        await endsAs('cancelled', (signal) => drain(run(connector, sql, signal)), 100);
        await expect.poll(() => store.running).toBe(0);
        expect(await jsonRows(await run(connector, series(2)))).toHaveLength(2);
      }
      await expect.poll(() => store.attentions).toBe(before.attentions + 2);
      expect(store.logins).toHaveLength(before.logins);
    } finally {
      await connector.close();
    }
  });

  test('a disconnect of the server fails only the running queries', async () => {
    await opened(async (connector) => {
      await drain(run(connector, series(1)));
      const broken = [rejection(drain(run(connector, slow))), rejection(drain(run(connector, endless)))];
      await expect.poll(() => store.running).toBe(2);
      double.breakOff();
      for (const error of await Promise.all(broken)) expect(error.kind).toBe('failed');
      await sleep(20);
      expect(await jsonRows(await run(connector, series(5)))).toHaveLength(5);
      double.breakOff(); // now while idle
      await sleep(20);
      expect(await jsonRows(await run(connector, series(5)))).toHaveLength(5);
    });
  });

  test('streams a million rows in bounded memory', async () => {
    await opened(async (connector) => {
      const before = process.memoryUsage.rss();
      let peak = 0;
      let seen = 0;
      for await (const batch of (await run(connector, series(1_000_000))).batches()) {
        seen += batch.length;
        expect(batch.value(batch.length - 1, 1)).toBe(`row number ${seen}`);
        peak = Math.max(peak, process.memoryUsage.rss());
      }
      expect(seen).toBe(1_000_000);
      expect((peak - before) / 2 ** 20).toBeLessThan(150);
    });
  });

  test('warns about an account that can write', async () => {
    expect(await opened((connector) => connector.ping(createSignal()), { user: 'writer' })).toEqual([
      expect.stringMatching(/can change rows/),
    ]);
    expect(await opened((connector) => connector.ping(createSignal()), { user: 'sa' })).toEqual([
      expect.stringMatching(/administers/),
    ]);
  });

  test('the schema has types, nullability and comments', async () => {
    const { tables } = await opened((connector) => connector.schema(createSignal()));
    expect(tables[0]).toEqual({
      schema: 'dbo',
      name: 'items',
      type: 'table',
      comment: 'what there is',
      columns: [
        { name: 'id', type: 'int', nullable: false },
        { name: 'name', type: 'nvarchar(50)', nullable: false },
        { name: 'note', type: 'nvarchar(max)', nullable: true, comment: 'what else there is to say' },
      ],
    });
  });

  test.each<[Record<string, unknown>, string]>([
    [{ host: '' }, 'connection.host'],
    [{ host: 'server\\instance' }, 'connection.host'],
    [{ port: 70_000 }, 'connection.port'],
    [{ user: undefined }, 'connection.user'],
    [{ database: 7 }, 'connection.database'],
    [{ tls: 'yes' }, 'connection.tls'],
    [{ trusted: true }, 'connection.trusted'],
  ])('refuses %o, naming its field', async (changes, field) => {
    const request = requestFor(connection(changes));
    expect(sqlserver.check(request).map((problem) => problem.field)).toEqual([field]);
    await expect(sqlserver.open(request)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
