import type { ClickHouseResponses, ClickHouseFailure, ClickHouseRequest, ClickHouseScript } from '../../doubles/clickhouse.ts';
import { clickHouseCells, newerClickHouseCells } from './cells.ts';
import { clickHouseSql } from './sql.ts';

const pageRows = 10_000;
const cells = [...clickHouseCells, ...newerClickHouseCells];

/** The responses to the statements of the fixture, as a newer ClickHouse sends them. */
export const clickHouseResponses: ClickHouseResponses = (request) => {
  const { sql } = request;
  const cell = cells.find((known) => sql === `SELECT ${known.sql} AS cell`);
  if (cell !== undefined) return table([{ name: 'cell', type: cell.type }], [`[${cell.raw}]`]);
  return echo(request) ?? rowsOf(sql) ?? ownRows(sql) ?? missing;
};

const missing: ClickHouseFailure = {
  code: 47,
  message: "Unknown expression identifier 'nope' or table",
  type: 'UNKNOWN_IDENTIFIER',
};

function rowsOf(sql: string): ClickHouseScript | undefined {
  const [, limit = '0'] = / LIMIT (\d+)$/.exec(sql) ?? [];
  const [, failing = '0'] = /if\(number \+ 1 = (\d+),/.exec(sql) ?? [];
  const [, way] = /^SELECT '(trailer|text|appended|cut)' AS broken$/.exec(sql) ?? [];
  const n = { name: 'n', type: 'UInt64' };
  if (sql === clickHouseSql.series(Number(limit))) {
    return { columns: [n, { name: 't', type: 'String' }], page: (index) => numbers(index, Number(limit), true) };
  }
  if (sql === clickHouseSql.failingAt(Number(failing))) return { columns: [n], page: failingPages(Number(failing), 'text') };
  if (way === 'trailer' || way === 'text' || way === 'appended' || way === 'cut')
    return { columns: [n], page: failingPages(15_000, way) };
  if (sql === clickHouseSql.slow) return { columns: [{ name: 'c', type: 'UInt64' }], page: () => 'wait' };
  if (sql === clickHouseSql.endless) return { columns: [n], page: (index) => numbers(index, Number.POSITIVE_INFINITY, false) };
  if (sql === clickHouseSql.empty)
    return table(
      [
        { name: 'id', type: 'UInt32' },
        { name: 'name', type: 'Nullable(String)' },
      ],
      [],
    );
  return undefined;
}

/** Statements of the connector itself. */
function ownRows(sql: string): ClickHouseScript | undefined {
  const texts = (...names: string[]) => names.map((name) => ({ name, type: 'String' }));
  if (sql === 'SELECT 1') return table(texts('1'), ['[1]']);
  if (sql.includes('FROM system.settings')) {
    const names = [...sql.matchAll(/'(\w+)'/g)].map(([, name]) => name);
    return table(
      texts('zone', 'name', 'value'),
      names.map((name) => JSON.stringify(['Europe/Berlin', name, name === 'readonly' ? '0' : ''])),
    );
  }
  if (sql.includes('system.grants') || sql.includes("name = 'grants'"))
    return table(texts('c'), [sql.includes("name = 'grants'") ? '["1"]' : '["0"]']);
  if (sql.includes("name = 'comment'")) return table(texts('c'), ['["1"]']);
  if (sql.includes('FROM system.tables')) {
    return table(texts('database', 'name', 'engine', 'comment'), [
      '["shop","items","MergeTree","What we sell"]',
      '["shop","shown_items","View",""]',
    ]);
  }
  if (sql.includes('FROM system.columns')) {
    return table(texts('database', 'table', 'name', 'type', 'comment'), [
      '["shop","items","id","UInt32","The number"]',
      '["shop","items","name","Nullable(String)",""]',
      '["shop","shown_items","id","UInt32",""]',
    ]);
  }
  return undefined;
}

/** One row of parameters, each parsed as its type. */
function echo({ sql, values }: ClickHouseRequest): ClickHouseScript | undefined {
  const number = '{p0:Nullable(Int32)}';
  if (sql === clickHouseSql.twice.replaceAll('@Number', number).replaceAll('@Missing', '{p1:Nullable(Int32)}')) {
    const columns = [
      { name: 'a', type: 'Nullable(Int32)' },
      { name: 'b', type: 'Nullable(Int32)' },
      { name: 'c', type: 'Bool' },
    ];
    return table(columns, [`[${values.p0}, ${values.p0}, ${values.p1 === null}]`]);
  }
  const [, type] = /^SELECT \{p0:Nullable\((.+)\)\} AS value$/.exec(sql) ?? [];
  if (type === undefined) return undefined;
  const value = values.p0;
  if (value === undefined) throw new Error('The parameter p0 has no value.');
  return table([{ name: 'value', type: `Nullable(${type})` }], [`[${value === null ? 'null' : rawValue(type, value)}]`]);
}

function rawValue(type: string, value: string): string {
  if (/^(U?Int|Decimal|Float|Bool)/.test(type)) return value;
  if (!type.startsWith('DateTime64')) return JSON.stringify(value);
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(value)) throw new Error(`No time: ${value}`);
  const [whole = '', fraction = ''] = value.replace(' ', 'T').split('.');
  return JSON.stringify(`${whole}.${fraction.padEnd(6, '0')}Z`);
}

const failingPages =
  (row: number, way: NonNullable<ClickHouseFailure['way']>) =>
  (index: number): readonly string[] | ClickHouseFailure =>
    (index + 1) * pageRows < row
      ? (numbers(index, row, false) ?? [])
      : { code: 6, message: "Cannot parse string 'x' as UInt64", type: 'CANNOT_PARSE_TEXT', way };

function numbers(index: number, limit: number, withText: boolean): readonly string[] | undefined {
  const first = index * pageRows + 1;
  const count = Math.min(pageRows, limit - first + 1);
  if (count <= 0) return undefined;
  return Array.from({ length: count }, (_, row) =>
    withText ? `[${first + row}, "row number ${first + row}"]` : `[${first + row}]`,
  );
}

const table = (columns: ClickHouseScript['columns'], rows: readonly string[]): ClickHouseScript => ({
  columns,
  page: (index) => (index === 0 && rows.length > 0 ? rows : undefined),
});
