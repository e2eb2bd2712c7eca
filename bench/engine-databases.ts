import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startClickHouse } from '../test/support/databases/clickhouse-server.ts';
import { makeMariadb } from '../test/support/databases/mariadb-server.ts';
import { programProblem } from '../test/support/debian-packages.ts';
import { createDuckdbSales } from './duckdb.ts';
import { listChildren } from './process-cost.ts';
import type { SalesDatabase } from './sales.ts';
import { startServer } from './server-process.ts';
import { statements } from './statements.ts';

/** A database of some engine with a million sales, and the two statements that are measured on it. */
export interface EngineDatabase {
  readonly name: string;
  readonly kind: string;
  readonly connection: { host?: string; port?: number; user?: string; password?: string; database?: string; file?: string };
  readonly statements: { readonly one: string; readonly page: string };
  readonly pid: number; // of its server; 0 for an embedded engine
  stop(): Promise<void>;
}

/** In the order of the table. Each resolves to the reason if the engine cannot be started here. */
export const engineStarters: Readonly<
  Record<string, (sales: SalesDatabase, folder: string) => Promise<EngineDatabase | string>>
> = {
  postgres: async (sales) => postgres(sales),
  mysql,
  sqlserver,
  clickhouse,
  sqlite: async (_, folder) => sqlite(folder),
  duckdb: (_, folder) => duckdb(folder),
};

const host = '127.0.0.1';
const account = { user: 'reader', password: 'a password for measuring' };
const { one, page } = statements;

function postgres({ url, pid }: SalesDatabase): EngineDatabase {
  const { hostname, port, username: user, password, pathname } = url;
  const connection = { host: hostname, port: Number(port), user, password, database: pathname.slice(1) };
  return { name: 'PostgreSQL', kind: 'postgres', connection, statements: { one, page }, pid, stop: async () => {} };
}

async function mysql(): Promise<EngineDatabase | string> {
  const { started: server, pid } = await startWithPid(makeMariadb);
  if (typeof server === 'string') return server;
  const [row] = await server.execute(
    'SET GLOBAL innodb_buffer_pool_size = 512 << 20',
    'CREATE DATABASE bench',
    'USE bench',
    `CREATE TABLE sales (id int PRIMARY KEY, sold_at datetime NOT NULL, region varchar(20) NOT NULL, product varchar(20) NOT NULL,
      channel varchar(20) NOT NULL, units int NOT NULL, amount decimal(12,2) NOT NULL, note varchar(100), KEY (region, id))`,
    `INSERT INTO sales SELECT seq, '2024-01-01' + INTERVAL (seq * 37 % 31536000) SECOND,
      elt(1 + seq * 7919 % 8, ${regions}), concat('product-', lpad(seq * 104729 % 500, 3, '0')),
      elt(1 + seq * 31 % 4, ${channels}), 1 + seq * 6151 % 40, (seq * 48271 % 9999999) / 100,
      if(seq % 5 = 0, NULL, concat('note ', seq % 1000, ' for order ', seq)) FROM seq_1_to_1000000`,
    'ANALYZE TABLE sales',
    `CREATE USER ${account.user} IDENTIFIED BY '${account.password}'`,
    `GRANT SELECT ON bench.* TO ${account.user}`,
    'SELECT version() AS version',
  );
  const version = /[\d.]+/.exec(String(row?.version))?.[0] ?? '';
  const connection = { host, port: server.port, ...account, database: 'bench' };
  return { name: `MySQL (MariaDB ${version})`, kind: 'mysql', connection, statements: { one, page }, pid, stop: server.remove };
}

/** The double has no tables: the one row consists of constants, and the thousand rows have two columns. */
async function sqlserver(): Promise<EngineDatabase> {
  const double = join(import.meta.dirname, 'tds-double.ts');
  const server = await startServer(process.execPath, [double], { BENCH_PASSWORD: account.password });
  const many = 'sys.all_objects a CROSS JOIN sys.all_objects b CROSS JOIN sys.all_objects c';
  return {
    name: 'SQL Server (double)',
    kind: 'sqlserver',
    connection: { host, port: Number(new URL(server.url).port), ...account, database: 'bench' },
    statements: {
      one: `SELECT @Id AS id, CAST('2024-01-01 00:00:00' AS datetime2(0)) AS sold_at, N'north' AS region, N'product-017' AS product,
        N'web' AS channel, 17 AS units, CAST('12.50' AS decimal(12,2)) AS amount, CONCAT('note for order ', @Id) AS note`,
      page: `SELECT TOP (1000) n, CONCAT('row number ', n) AS t FROM (SELECT ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n FROM ${many}) s ORDER BY n`,
    },
    pid: server.pid,
    stop: server.stop,
  };
}

/** Debian's version supports no parameters, so the statements are constant. It does not read in the order of the key either, so the page statement limits the range. */
async function clickhouse(): Promise<EngineDatabase | string> {
  const problem = await programProblem('clickhouse');
  if (problem !== null) return problem;
  const { started: server, pid } = await startWithPid(() => startClickHouse({ user: account.user, password: account.password }));
  for (const sql of [
    `CREATE TABLE sales (id UInt32, sold_at DateTime, region String, product String, channel String, units UInt32,
      amount Decimal(12, 2), note Nullable(String)) ENGINE = MergeTree ORDER BY id PARTITION BY tuple()`,
    `INSERT INTO sales SELECT number + 1 AS i, toDateTime('2024-01-01 00:00:00') + i * 37 % 31536000, [${regions}][1 + i * 7919 % 8],
      concat('product-', toString(i * 104729 % 500)), [${channels}][1 + i * 31 % 4], 1 + i * 6151 % 40,
      toDecimal64(i * 48271 % 9999999, 2) / 100, if(i % 5 = 0, NULL, concat('note ', toString(i % 1000), ' for order ', toString(i)))
      FROM system.numbers LIMIT 1000000`,
  ])
    await server.execute(sql);
  return {
    name: 'ClickHouse (18.16)',
    kind: 'clickhouse',
    connection: { host, port: server.port, ...account, database: 'default' },
    statements: { one: one.replace('@Id', '424242'), page: page.replace('@Region', "'north' and id <= 8000") },
    pid,
    stop: server.stop,
  };
}

function sqlite(folder: string): EngineDatabase {
  const file = join(folder, 'sales.sqlite');
  const database = new DatabaseSync(file);
  database.exec(`
    create table sales (id integer primary key, sold_at text not null, region text not null, product text not null, channel text not null,
      units integer not null, amount numeric not null, note text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000)
    insert into sales select i, datetime('2024-01-01', (i * 37 % 31536000) || ' seconds'),
      json_extract('[${regions.replaceAll("'", '"')}]', '$[' || (i * 7919 % 8) || ']'), printf('product-%03d', i * 104729 % 500),
      json_extract('[${channels.replaceAll("'", '"')}]', '$[' || (i * 31 % 4) || ']'), 1 + i * 6151 % 40, (i * 48271 % 9999999) / 100.0,
      iif(i % 5 = 0, null, 'note ' || (i % 1000) || ' for order ' || i) from n;
    create index sales_region_id on sales (region, id);
    analyze`);
  database.close();
  return { name: 'SQLite', kind: 'sqlite', connection: { file }, statements: { one, page }, pid: 0, stop: async () => {} };
}

async function duckdb(folder: string): Promise<EngineDatabase> {
  const file = join(folder, 'sales.duckdb');
  await createDuckdbSales(file);
  return { name: 'DuckDB', kind: 'duckdb', connection: { file }, statements: { one, page }, pid: 0, stop: async () => {} };
}

const regions = "'north', 'south', 'east', 'west', 'center', 'coast', 'hills', 'isles'";
const channels = "'web', 'shop', 'phone', 'partner'";

/** Starts a server and finds the process id of the child that it added. */
async function startWithPid<T>(start: () => Promise<T>): Promise<{ started: T; pid: number }> {
  const before = new Set(listChildren(process.pid));
  const started = await start();
  return { started, pid: listChildren(process.pid).find((pid) => !before.has(pid)) ?? 0 };
}
