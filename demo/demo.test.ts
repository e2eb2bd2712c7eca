import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BIGINT,
  BOOLEAN,
  DATE,
  DECIMAL,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  VARCHAR,
} from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { checkParameterDefinitions } from '../src/catalog/parameter-definition.ts';
import { bindParameters, type SentParameter, expandLists } from '../src/catalog/parameter.ts';
import { checkPlaceholders, renderPlaceholders } from '../src/catalog/placeholders.ts';
import { technicalName } from '../src/catalog/technical-name.ts';
import { UTC } from '../src/catalog/time-zone.ts';
import { duckdb } from '../src/connectors/duckdb/index.ts';
import { chartTypes } from '../src/core/chart-config.ts';
import type { BoundValue } from '../src/core/sql-value.ts';
import { demoQueries } from './catalog.ts';
import { createDemoDatabase } from './database.ts';
import type { DemoQuery } from './demo-query.ts';

let folder: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
  const file = join(folder, 'demo.duckdb');
  const started = performance.now();
  await createDemoDatabase(file);
  const { size } = await stat(file);
  console.info(`demo database: ${Math.round(performance.now() - started)} ms, ${(size / 1e6).toFixed(1)} MB`);
  instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  connection = await instance.connect();
});

afterAll(async () => {
  connection?.closeSync();
  instance?.closeSync();
  await rm(folder, { recursive: true, force: true });
});

const tables = ['stores', 'products', 'customers', 'orders', 'order_lines', 'daily_stock'];

describe('the demo database', () => {
  it('leaves nothing but the finished file', async () => {
    expect(await readdir(folder)).toEqual(['demo.duckdb']);
  });

  it('has the same rows in the same order every time', async () => {
    const again = join(folder, 'again.duckdb');
    await createDemoDatabase(again);
    const second = await DuckDBInstance.create(again, { access_mode: 'READ_ONLY' });
    const other = await second.connect();
    try {
      for (const table of tables)
        expect([table, await checksum(other, table)]).toEqual([table, await checksum(connection, table)]);
    } finally {
      other.closeSync();
      second.closeSync();
    }
  });

  it('is large enough to page through and small enough to create at a first start', async () => {
    expect(await scalar('SELECT count(*) FROM orders')).toBeGreaterThanOrEqual(100_000n);
    expect(await scalar('SELECT count(*) FROM order_lines')).toBeGreaterThan(200_000n);
    expect((await stat(join(folder, 'demo.duckdb'))).size).toBeLessThan(40_000_000);
  });

  test.each([
    ['orders without lines', 'FROM orders ANTI JOIN order_lines USING (order_id)'],
    ['lines without an order', 'FROM order_lines ANTI JOIN orders USING (order_id)'],
    ['lines without a product', 'FROM order_lines ANTI JOIN products USING (product_id)'],
    ['orders without a customer', 'FROM orders ANTI JOIN customers USING (customer_id)'],
    ['orders without a store', 'FROM orders ANTI JOIN stores USING (store_id)'],
    ['orders before their customer signed up', 'FROM orders JOIN customers USING (customer_id) WHERE ordered_at < signup_date'],
    ['orders in a store that was not open yet', 'FROM orders JOIN stores USING (store_id) WHERE ordered_at < opened'],
    ['orders outside 2022 to 2025', 'FROM orders WHERE year(ordered_at) NOT BETWEEN 2022 AND 2025'],
    ['deliveries before their order', 'FROM orders WHERE delivered_on < ordered_at::DATE'],
    [
      'lines of products before their launch',
      'FROM order_lines JOIN orders USING (order_id) JOIN products USING (product_id) WHERE ordered_at < launched',
    ],
    ['repeated order numbers', 'FROM (FROM orders SELECT order_id GROUP BY order_id HAVING count(*) > 1)'],
    [
      'amounts that differ from quantity, price and discount',
      'FROM order_lines WHERE abs(net_amount - quantity * unit_price * (1 - discount)) > 0.005',
    ],
    ['lines that were sold for nothing or below their cost', 'FROM order_lines WHERE net_amount <= 0 OR unit_cost >= unit_price'],
    [
      'addresses outside the reserved domains',
      `FROM customers WHERE NOT regexp_matches(email, '^[a-z.]+[0-9]+@(example\\.(com|org|net)|[a-z]+\\.example)$')`,
    ],
    ['tables without a comment', `FROM duckdb_tables() WHERE comment IS NULL AND NOT temporary`],
  ])('has no %s', async (_, rows) => {
    expect(await scalar(`SELECT count(*) ${rows}`)).toBe(0n);
  });

  it('leaves no incomplete file if it cannot be created', async () => {
    const taken = join(folder, 'taken');
    await mkdir(join(taken, 'by a folder'), { recursive: true });
    const before = await readdir(folder);
    await expect(createDemoDatabase(taken)).rejects.toThrow();
    expect(await readdir(folder)).toEqual(before);
  });
});

describe('the demo catalog', () => {
  it('has distinct technical names', () => {
    const names = demoQueries.map((query) => technicalName('QD', query.name, 'Demo'));
    expect(names).toContain('QD_Sales_by_region_Demo');
    expect(new Set(names).size).toBe(demoQueries.length);
  });

  it('has an example of each type of chart', () => {
    const tags = new Set(demoQueries.flatMap((query) => query.tags));
    const charts = ['bar', 'line', 'area', 'scatter', 'pie', 'doughnut', 'polar area', 'radar', 'radial bar'].map(
      (chart) => `${chart} chart`,
    );
    for (const chart of [...charts, 'heatmap', 'treemap', 'box plot']) expect(tags).toContain(chart);
  });

  it('lists exactly the values that the database has', async () => {
    const columns: Record<string, string> = {
      '@Region': 'SELECT DISTINCT region FROM stores',
      '@Category': 'SELECT DISTINCT category FROM products',
      '@Channel': 'SELECT DISTINCT channel FROM orders',
      '@Segment': 'SELECT DISTINCT segment FROM customers',
      '@Year': 'SELECT DISTINCT year(ordered_at)::VARCHAR FROM orders',
    };
    for (const { name, values } of demoQueries.flatMap((query) => query.parameters)) {
      if (values === undefined) continue;
      const found = (await connection.runAndReadAll(columns[name] ?? `SELECT 'no source for ${name}'`)).getColumnsJS()[0] ?? [];
      expect([name, values.toSorted()]).toEqual([name, found.toSorted()]);
    }
  });

  it('has one query of one row and one of more than 100,000', async () => {
    expect((await run(named('Order'), {})).rows).toBe(1);
    expect((await run(named('Order lines'), {})).rows).toBeGreaterThan(100_000);
  });

  it('finds customers whatever the accents and capitals of the search', async () => {
    const plain = await run(named('Customers'), { '@Search': 'MULLER' });
    expect(plain.rows).toBeGreaterThan(10);
    expect(await run(named('Customers'), { '@Search': 'müller' })).toEqual(plain);
    expect((await run(named('Customers'), { '@Search': '佐藤' })).rows).toBeGreaterThan(0);
  });
});

describe.each(demoQueries)('the demo query $name', (query) => {
  it('declares the parameters that its SQL uses, with valid types and defaults', () => {
    expect(checkPlaceholders(query.sql, query.epilogue, duckdb.dialect, query.parameters)).toEqual([]);
    expect(checkParameterDefinitions(query.parameters)).toEqual([]);
    expect(query.parameters.filter((parameter) => parameter.required && parameter.default === undefined)).toEqual([]);
  });

  it('is described', () => {
    expect(query.description).toContain('ne row');
    expect(query.tip).not.toBe('');
    for (const parameter of query.parameters) expect(parameter.description ?? '').not.toBe('');
  });

  it('opens as the chart that its tip names', () => {
    const tip = /^(\w[\w ]+?)(, horizontal)?: label (.+?), data (.+?)(?: or .+?| gives .+?)?\.(?: |$)/.exec(query.tip);
    if (tip === null) return expect(query.chart).toBeUndefined();
    const [, name = '', horizontal, label, data] = tip;
    const words = (text: string) => text.toLowerCase().replace(/ chart$/, '');
    const { chart } = query;
    expect(chartTypes.find(({ type }) => type === chart?.type)?.name).toSatisfy((known: string) => words(known) === words(name));
    expect({ label: chart?.label, data: chart?.data }).toEqual({ label, data: [data] });
    expect(chart?.options?.barOrientation === 'horizontal').toBe(horizontal !== undefined);
  });

  it('returns rows with its defaults, in the columns that it names', async () => {
    const { rows, columns } = await run(query, {});
    expect(rows).toBeGreaterThan(0);
    expect(query.columns.map((column) => column.name)).toEqual(columns);
    const chart = query.tags.some((tag) => /chart$|heatmap|treemap|box plot/.test(tag));
    if (chart) expect(rows).toBeLessThanOrEqual(1000);
  });

  it('returns rows if every optional parameter is null', async () => {
    const optional = query.parameters.filter((parameter) => !parameter.required);
    expect((await run(query, Object.fromEntries(optional.map(({ name }) => [name, null])))).rows).toBeGreaterThan(0);
  });

  it('returns rows for each of its values', async () => {
    for (const { name, values = [] } of query.parameters) {
      for (const value of values) expect([value, (await run(query, { [name]: value })).rows > 0]).toEqual([value, true]);
    }
  });
});

function named(name: string): DemoQuery {
  const query = demoQueries.find((candidate) => candidate.name === name);
  if (query === undefined) throw new Error(`no demo query is called ${name}`);
  return query;
}

async function run(query: DemoQuery, values: Record<string, string | null>): Promise<{ rows: number; columns: string[] }> {
  const prefilled = query.parameters
    .filter(({ name, required }) => required && !(name in values))
    .map(({ name, default: value }) => ({ ParameterName: name, Value: value }));
  const sent: SentParameter[] = Object.entries(values).map(([ParameterName, Value]) => ({ ParameterName, Value }));
  const bound = bindParameters(query.parameters, [...prefilled, ...sent], {
    clock: { now: Date.now(), zone: UTC },
    caller: null,
  });
  if (!bound.ok) throw new Error(JSON.stringify(bound.failure));
  const expanded = expandLists(query, duckdb.dialect, duckdb.placeholders, bound.value);
  if (!expanded.ok) throw new Error(JSON.stringify(expanded.failure));
  const marks = new Map(expanded.value.parameters.map(({ name }) => [name, `$${name.slice(1)}`]));
  const sql = renderPlaceholders(expanded.value.sql, duckdb.dialect, marks, String);
  const statement = await connection.prepare(sql);
  try {
    const cells = expanded.value.parameters.map((value) => [value.name.slice(1), duckdbCell(value)] as const);
    statement.bind(
      Object.fromEntries(cells.map(([name, cell]) => [name, cell.value])),
      Object.fromEntries(cells.map(([name, cell]) => [name, cell.type])),
    );
    const reader = await statement.runAndReadAll();
    return { rows: reader.currentRowCount, columns: reader.columnNames() };
  } finally {
    statement.destroySync();
  }
}

function duckdbCell({ type, value }: BoundValue): { type: DuckDBType; value: DuckDBValue } {
  const cell = (duckdbType: DuckDBType, read: (text: string) => DuckDBValue) => ({
    type: duckdbType,
    value: value === null ? null : read(value),
  });
  switch (type.name) {
    case 'text':
      return cell(VARCHAR, (text) => text);
    case 'integer':
      return cell(BIGINT, BigInt);
    case 'bit':
      return cell(BOOLEAN, (text) => text === 'true');
    case 'date':
      return cell(DATE, (text) => new DuckDBDateValue(Date.parse(text) / 86_400_000));
    case 'decimal':
      return cell(DECIMAL(12, 2), (text) => new DuckDBDecimalValue(BigInt(Math.round(Number(text) * 100)), 12, 2));
    default:
      throw new Error(`no demo query has a parameter of type ${type.name}`);
  }
}

async function scalar(sql: string): Promise<unknown> {
  return (await connection.runAndReadAll(sql)).getRows()[0]?.[0];
}

async function checksum(database: DuckDBConnection, table: string): Promise<unknown> {
  const sql = `SELECT count(*)::VARCHAR || ' rows, ' || sum(hash(t, t.rowid)::HUGEINT) FROM ${table} t`;
  return (await database.runAndReadAll(sql)).getRows()[0]?.[0];
}
