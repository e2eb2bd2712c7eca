import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clickHouseResponses } from '../contracts/clickhouse/responses.ts';
import { clickHouseSql } from '../contracts/clickhouse/sql.ts';
import { sqlserverFixture } from '../contracts/sqlserver/fixture.ts';
import { trinoResponses } from '../contracts/trino/responses.ts';
import { trinoSql } from '../contracts/trino/sql.ts';
import { startClickHouseDouble } from '../doubles/clickhouse.ts';
import { startTdsDouble } from '../doubles/tds/server.ts';
import { startTrinoDouble } from '../doubles/trino.ts';
import { entryOf } from '../support/audit-entries.ts';
import { startClickHouse } from '../support/databases/clickhouse-server.ts';
import { makeMariadb } from '../support/databases/mariadb-server.ts';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';
import { programProblem } from '../support/debian-packages.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { mcpOf } from '../support/http/mcp.ts';
import { createKey } from '../support/people/accounts.ts';
import { exportFormats, startExport } from '../support/queries/exports.ts';
import { publish } from '../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

// the long form: TEST_BROKEN=all, with every available engine and format, and a failure further back
const all = process.env.TEST_BROKEN === 'all';
const ROW = all ? 500_000 : 200_000;
const ROWS = ROW + 50_000;
const PAGE = 1000;
const formats = all ? exportFormats : (['csv'] as const);

interface Opened {
  readonly kind: string;
  readonly connection: Record<string, unknown>;
  readonly settings?: Record<string, unknown>;
  close(): Promise<void>;
}
interface Engine {
  readonly name: string;
  /** A query that fails at row `ROW` when it runs, not earlier. */
  readonly sql: string;
  /** A string gives the reason why there is none. */
  open(service: TestService): Promise<Opened | string>;
}

const noClose = async (): Promise<void> => {};
const loopback = '127.0.0.1';

const engines: readonly Engine[] = [
  {
    name: 'DuckDB',
    sql: `select i as n, cast(case when i = ${ROW} then 'canary' || i else i::varchar end as bigint) as v from range(1, ${ROWS + 1}) t(i)`,
    open: async () => 'Demo',
  },
  {
    name: 'PostgreSQL',
    sql: `select i as n, (case when i = ${ROW} then 'canary' else '' end || i)::int8 as v from generate_series(1, ${ROWS}) i`,
    open: async () => {
      const problem = postgresProblem();
      if (problem !== null) return problem;
      const { hostname, port, username, password, pathname } = new URL(await createDatabase());
      const connection = { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) };
      return { kind: 'postgres', connection, close: noClose };
    },
  },
  {
    name: 'SQLite',
    sql: `with recursive s(n) as (select 1 union all select n + 1 from s limit ${ROWS}) select n, json(iif(n = ${ROW}, 'canary', n)) as v from s`,
    open: async (service) => {
      new DatabaseSync(join(service.files, 'broken.db')).exec('create table t (n)');
      return { kind: 'sqlite', connection: { file: 'broken.db' }, close: noClose };
    },
  },
  {
    name: 'MariaDB',
    sql: `select seq as n, cast(seq as signed) + if(seq = ${ROW}, 9223372036854775807, 0) as v from seq_1_to_${ROWS}`,
    open: async () => {
      const server = await makeMariadb();
      if (typeof server === 'string') return server;
      await server.execute('create database shop');
      const connection = { host: server.host, port: server.port, ...server.root, database: 'shop' };
      return { kind: 'mysql', connection, close: server.remove };
    },
  },
  {
    name: 'ClickHouse 18.16',
    sql: clickHouseSql.failingAt(ROW),
    open: async () => {
      const problem = await programProblem('clickhouse');
      if (problem !== null) return problem;
      const reader = { user: 'reader', password: 'secret' };
      const server = await startClickHouse(reader);
      const connection = { host: loopback, port: server.port, ...reader, database: 'default' };
      return { kind: 'clickhouse', connection, close: server.stop };
    },
  },
  {
    name: 'ClickHouse (a double)',
    sql: clickHouseSql.failingAt(ROW),
    open: async () => {
      const double = await startClickHouseDouble(clickHouseResponses);
      const connection = { host: loopback, port: double.port, user: 'reader', password: 'secret', database: 'shop' };
      return { kind: 'clickhouse', connection, close: double.close };
    },
  },
  {
    name: 'SQL Server (a double)',
    sql: sqlserverFixture(() => Promise.reject(new Error('not opened here'))).sql.failingAt(ROW),
    open: async () => {
      const password = 'Pa$$word 1';
      const double = await startTdsDouble({ password });
      const connection = { host: loopback, port: double.port, user: 'reader', password, database: 'test' };
      return { kind: 'sqlserver', connection, close: double.close };
    },
  },
  {
    name: 'Trino (a double)',
    sql: trinoSql.failingAt(ROW),
    open: async () => {
      const double = await startTrinoDouble(trinoResponses);
      const connection = { host: loopback, port: double.port, user: 'reader', database: 'memory' };
      return { kind: 'trino', connection, settings: { schema: 'shop' }, close: double.close };
    },
  },
];

// the short form has one of each: in this process, over the network, in a child process
describe.each(all ? engines : engines.slice(0, 3))(`a result of $name that fails at row ${ROW}`, (engine) => {
  let service: TestService;
  let author: Caller;
  let key: { key: string };
  let queryName: string;
  let opened: Opened | string;
  beforeAll(async () => {
    service = await startTestService();
    author = service.as(admin);
    key = await createKey(author, { name: 'broken' });
    opened = await engine.open(service);
    if (typeof opened === 'string' && opened !== 'Demo') return;
    if (typeof opened !== 'string') {
      const { kind, connection, settings = {} } = opened;
      await expectStatus(author.call('POST', '/api/v1/databases', { name: 'Broken', kind, connection, settings }), 201);
    }
    const database = typeof opened === 'string' ? 'Demo' : 'Broken';
    ({ queryName } = await publish(author, { name: 'Breaks', sql: engine.sql, database, timeoutSeconds: 120 }));
  }, 120_000);
  afterAll(async () => {
    await service?.close();
    if (typeof opened === 'object') await opened.close();
  });

  test('is never reported as complete by pages, streams or files', { timeout: 300_000 }, async ({ skip }) => {
    if (queryName === undefined) return skip(String(opened));
    const outcomes = [await byPages(), await byStream()];
    for (const format of formats) outcomes.push(await byExport(format));
    outcomes.push(await byLink());
    reportFigure(17, `${engine.name}: ${outcomes.join(', ')}`);
  });

  async function byPages(): Promise<string> {
    const caller = service.as(key);
    const first = await caller.run(queryName, [], { RowSize: String(PAGE) });
    // an engine may fail before it returns the first row
    if (first.status !== 200) return expectBroken('pages at once', first.status, first.json);
    const code = first.json.QueryMoreCode ?? '';
    let reached = first.json.NextRowIndex;
    for (let index = ROW - 20 * PAGE; ; index = reached) {
      const page = await caller.run(queryName, [], { QueryMoreCode: code, RowIndex: String(index) });
      if (page.status !== 200) return expectBroken(`pages failed after row ${reached}`, page.status, page.json);
      expect(page.json.QueryMoreCode, 'no neat end').not.toBeNull();
      reached = page.json.NextRowIndex;
      expect(reached).toBeLessThan(ROW);
    }
  }

  function expectBroken(what: string, status: number, problem: unknown): string {
    expect([status, (problem as { code: string }).code]).toEqual([
      500,
      expect.stringMatching(/^(query_failed|result_incomplete)$/),
    ]);
    expect(JSON.stringify(problem)).not.toContain('canary');
    return what;
  }

  async function byStream(): Promise<string> {
    const mcp = mcpOf(service, key.key);
    let result = await mcp.call('start_stream', { queryName, chunkSize: PAGE });
    for (let chunk = 1; chunk <= ROW / PAGE + 1; chunk++) {
      if (result.json.error !== undefined) {
        expect(result.json.error.code).toBe(50001);
        return `a stream in chunk ${chunk}`;
      }
      const content = result.json.result?.structuredContent as { streamToken: string | null } | undefined; // other tests check its shape
      expect(content?.streamToken, 'no neat end').toEqual(expect.any(String));
      result = await mcp.call('resume_stream', { streamToken: content?.streamToken });
    }
    throw new Error('the stream went past the failure');
  }

  async function byExport(format: (typeof exportFormats)[number]): Promise<string> {
    const response = await startExport(service, key, format, { QueryName: queryName });
    if (response.status !== 200) return expectBroken(`${format} at once`, response.status, await response.json());
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    expect(await entryOf(author, response)).toMatchObject({ outcome: 'failed', status: 500 });
    return `${format} broken off`;
  }

  async function byLink(): Promise<string> {
    const body = { QueryName: queryName, Parameters: [] };
    const { status, json } = await service.as(key).call('POST', '/api/v1/Export/CreateLink?format=csv', body);
    return expectBroken('no link', status, json);
  }
});
