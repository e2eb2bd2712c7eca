import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { clickHouseResponses } from '../../contracts/clickhouse/responses.ts';
import { trinoResponses } from '../../contracts/trino/responses.ts';
import { startClickHouseDouble } from '../../doubles/clickhouse.ts';
import { startTdsDouble } from '../../doubles/tds/server.ts';
import type { ReadStatement } from '../../doubles/trino-statement.ts';
import { startTrinoDouble } from '../../doubles/trino.ts';
import { admin, expectStatus, type TestService } from '../services/service.ts';
import { makeDuckdbFile } from './duckdb-file.ts';
import { makeMariadb } from './mariadb-server.ts';
import { createDatabase, execute, postgresProblem } from './postgres.ts';

export interface Engines {
  readonly names: readonly string[]; // of the databases in the service
  close(): Promise<void>;
}

/** The region of an order; each has four of the twelve orders. */
const regions = ['North', 'South', 'East'] as const;
export const ordersOf = (...wanted: readonly string[]): readonly number[] =>
  Array.from({ length: 12 }, (_, index) => index + 1).filter((id) => wanted.includes(regionOf(id)));
const regionOf = (id: number): string => regions[(id - 1) % regions.length] ?? '';
const rows = Array.from({ length: 12 }, (_, index) => `(${index + 1}, '${regionOf(index + 1)}')`).join(', ');

/** The columns `label` and `value` of the orders that match, in the spelling that the doubles know. */
export const ordersSql = (condition: string): string =>
  `SELECT region AS label, id AS value FROM orders WHERE region ${condition} ORDER BY id`;

const create = ['create table orders (id integer, region varchar(20))', `insert into orders values ${rows}`];

const addDatabase = (service: TestService, name: string, kind: string, connection: Record<string, unknown>) =>
  expectStatus(service.as(admin).call('POST', '/api/v1/databases', { name, kind, connection }), 201);

/** Adds the DuckDB database alone and returns its name. */
export async function addDuckdb(service: TestService): Promise<string> {
  const file = await makeDuckdbFile(service.files, 'orders.duckdb', create);
  await addDatabase(service, 'Duck', 'duckdb', { file });
  return 'Duck';
}

/** Adds a database of each engine with the table `orders (id, region)` to a service. SQL Server, ClickHouse and Trino are doubles of their protocol. */
export async function addEveryEngine(service: TestService): Promise<Engines> {
  const password = randomBytes(8).toString('hex');
  const closing: (() => Promise<void>)[] = [];
  const names: string[] = [];
  const add = async (name: string, kind: string, connection: Record<string, unknown>): Promise<void> => {
    await addDatabase(service, name, kind, connection);
    names.push(name);
  };

  const file = new DatabaseSync(join(service.files, 'orders.db'));
  file.exec(`create table orders (id integer, region text); insert into orders values ${rows}`);
  file.close();
  await add('Sqlite', 'sqlite', { file: 'orders.db' });
  names.push(await addDuckdb(service));

  const tds = await startTdsDouble({ password });
  closing.push(() => tds.close());
  await add('SqlServer', 'sqlserver', { host: '127.0.0.1', port: tds.port, user: 'reader', password, database: 'test' });

  const clickhouse = await startClickHouseDouble((request) => ordersOnClickHouse(request) ?? clickHouseResponses(request));
  closing.push(() => clickhouse.close());
  const reader = { user: 'reader', password, database: 'default' };
  await add('ClickHouse', 'clickhouse', { host: '127.0.0.1', port: clickhouse.port, ...reader });

  const trino = await startTrinoDouble((statement) => ordersOnTrino(statement) ?? trinoResponses(statement));
  closing.push(() => trino.close());
  await add('Trino', 'trino', { host: '127.0.0.1', port: trino.port, user: 'reader', database: 'memory' });

  if (postgresProblem() === null) {
    const url = await createDatabase();
    const user = `orders_${randomBytes(4).toString('hex')}`;
    const grants = [`create role ${user} login password '${password}'`, `grant select on orders to ${user}`];
    await execute(url, [...create, ...grants].join(';'));
    const { hostname, port, pathname } = new URL(url);
    await add('Postgres', 'postgres', { host: hostname, port: Number(port), user, password, database: pathname.slice(1) });
  }
  const mariadb = await makeMariadb();
  if (typeof mariadb !== 'string') {
    closing.push(() => mariadb.remove());
    const account = [`create user shop identified by '${password}'`, 'grant select on shop.* to shop'];
    await mariadb.execute('create database shop', 'use shop', ...create, ...account);
    await add('MariaDB', 'mysql', { host: mariadb.host, port: mariadb.port, user: 'shop', password, database: 'shop' });
  }
  return {
    names,
    close: async () => {
      for (const close of closing) await close();
    },
  };
}

function ordersOnClickHouse({ sql, values }: { readonly sql: string; readonly values: Readonly<Record<string, string | null>> }) {
  const [, not, marks] = /FROM orders WHERE region (NOT )?(.*) ORDER BY id$/s.exec(sql) ?? [];
  if (marks === undefined) return undefined;
  const wanted = [...marks.matchAll(/\{(p\d+):/g)].map(([, name = '']) => values[name] ?? null);
  // ClickHouse skips NULL in a list
  const found = Array.from({ length: 12 }, (_, index) => index + 1).filter(
    (id) => wanted.includes(regionOf(id)) !== (not !== undefined),
  );
  const page = found.map((id) => JSON.stringify([regionOf(id), id]));
  const columns = [
    { name: 'label', type: 'String' },
    { name: 'value', type: 'UInt32' },
  ];
  return { columns, page: (index: number) => (index === 0 && page.length > 0 ? page : undefined) };
}

/** Accepts values only as bound parameters. */
function ordersOnTrino({ sql, values }: ReadStatement) {
  const mark = 'CAST\\(\\? AS varchar\\)';
  const read = new RegExp(`FROM orders WHERE region (NOT )?(?:= ${mark}|IN \\(${mark}(?:, ${mark})*\\)) ORDER BY id$`).exec(sql);
  if (read === null) return undefined;
  const not = read[1];
  const isIn = (region: string): boolean | null => values.includes(region) || (values.includes(null) ? null : false);
  const found = Array.from({ length: 12 }, (_, index) => index + 1).filter((id) => isIn(regionOf(id)) === (not === undefined));
  const page = `[${found.map((id) => JSON.stringify([regionOf(id), id])).join()}]`;
  const columns = [
    { name: 'label', type: 'varchar', typeSignature: { rawType: 'varchar', arguments: [] } },
    { name: 'value', type: 'integer', typeSignature: { rawType: 'integer', arguments: [] } },
  ];
  return { columns, page: (index: number) => (index === 0 && found.length > 0 ? page : undefined) };
}
