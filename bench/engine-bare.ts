import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@clickhouse/client';
import { DuckDBInstance } from '@duckdb/node-api';
import { createPool, type RowDataPacket } from 'mysql2/promise';
import { Pool } from 'pg';
import { Connection, Request, TYPES } from 'tedious';
import type { EngineDatabase } from './engine-databases.ts';

/** The server of bare.ts for any engine: node:http, the engine's driver with pooled connections, JSON.stringify. */
type Statements = EngineDatabase['statements'];
type Run = (name: keyof Statements, value: string) => Promise<unknown> | unknown;

const connections = 16;
const { kind, connection, statements }: Pick<EngineDatabase, 'kind' | 'connection' | 'statements'> = JSON.parse(
  process.env.BENCH_ENGINE ?? '',
);
const { host = '', port = 0, user = '', password = '', database = '', file = '' } = connection;

/** Replaces the parameter of each statement by the engine's placeholder. */
const withPlaceholder = (placeholder: string): Statements => ({
  one: statements.one.replace(/@\w+/, placeholder),
  page: statements.page.replace(/@\w+/, placeholder),
});

const engines: Readonly<Record<string, () => Promise<Run> | Run>> = {
  postgres() {
    const pool = new Pool({ host, port, user, password, database, max: connections, idleTimeoutMillis: 0 });
    const texts = withPlaceholder('$1');
    return async (name, value) => (await pool.query({ name, text: texts[name], values: [value] })).rows;
  },
  mysql() {
    const pool = createPool({ host, port, user, password, database, connectionLimit: connections, timezone: 'Z' });
    const texts = withPlaceholder('?');
    return async (name, value) => (await pool.execute<RowDataPacket[]>(texts[name], [value]))[0];
  },
  async sqlserver() {
    const free = await Promise.all(Array.from({ length: connections }, connectSqlServer));
    const waiting: ((connection: Connection) => void)[] = [];
    return async (name, value) => {
      const connection = free.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)));
      try {
        return await runQuery(connection, statements[name], value);
      } finally {
        const next = waiting.shift();
        if (next === undefined) free.push(connection);
        else next(connection);
      }
    };
  },
  sqlite() {
    const opened = new DatabaseSync(file, { readOnly: true });
    const texts = withPlaceholder('?');
    const prepared = { one: opened.prepare(texts.one), page: opened.prepare(texts.page) };
    return (name, value) => prepared[name].all(value);
  },
  async duckdb() {
    const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
    const texts = { one: statements.one.replace('@Id', '$1::integer'), page: withPlaceholder('$1').page };
    const free = await Promise.all(
      Array.from({ length: connections }, async () => {
        const opened = await instance.connect();
        return { one: await opened.prepare(texts.one), page: await opened.prepare(texts.page) };
      }),
    );
    const waiting: ((prepared: (typeof free)[number]) => void)[] = [];
    return async (name, value) => {
      const prepared = free.pop() ?? (await new Promise<(typeof free)[number]>((resolve) => waiting.push(resolve)));
      try {
        if (name === 'one') prepared.one.bindInteger(1, Number(value));
        else prepared.page.bindVarchar(1, value);
        return (await prepared[name].runAndReadAll()).getRowObjectsJson();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free.push(prepared);
        else next(prepared);
      }
    };
  },
  clickhouse() {
    const client = createClient({
      url: `http://${host}:${port}`,
      username: user,
      password,
      database,
      max_open_connections: connections,
      keep_alive: { enabled: true },
    });
    return async (name) => (await client.query({ query: statements[name], format: 'JSONEachRow' })).json();
  },
};

function connectSqlServer(): Promise<Connection> {
  const opened = new Connection({
    server: host,
    authentication: { type: 'default', options: { userName: user, password } },
    options: { port, database, encrypt: false, trustServerCertificate: true },
  });
  return new Promise((resolve, reject) => opened.connect((error) => (error ? reject(error) : resolve(opened))));
}

function runQuery(connection: Connection, sql: string, value: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  return new Promise((resolve, reject) => {
    const request = new Request(sql, (error) => (error ? reject(error) : resolve(rows)));
    if (sql.includes('@Id')) request.addParameter('Id', TYPES.Int, Number(value));
    request.on('row', (cells: readonly { metadata: { colName: string }; value: unknown }[]) => {
      rows.push(Object.fromEntries(cells.map(({ metadata, value: cell }) => [metadata.colName, cell])));
    });
    connection.execSql(request);
  });
}

const open = engines[kind];
if (open === undefined) throw new Error(`No driver for the engine ${kind}.`);
const run = await open();

const server = createServer(async (request, response) => {
  const [path = '', value = ''] = (request.url ?? '').slice(1).split('?v=');
  try {
    const body = JSON.stringify(await run(path === 'one' ? 'one' : 'page', value));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // not a pipe
  process.stdout.write(`ready at http://127.0.0.1:${port}\n`);
});
