import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, type ResultPage, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let author: Caller;
let caller: Caller;

beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_DEFAULT: '10', SLUICE_ROWS_MAX: '10' });
  author = service.as(admin);
  caller = service.as({ key: (await createKey(author, { name: 'chart' })).key });
});
afterAll(() => service.close());

type ChartPage = ResultPage & { readonly Columns: readonly { Name: string; Type: string }[] };
const chart = (QueryName: string, headers: Record<string, string> = {}) =>
  caller.call<ChartPage>('POST', '/api/v1/ChartBuilder/ExecuteQuery', { QueryName, Parameters: [] }, headers);

async function classes(name: string, select: Record<string, string>, columns: unknown[] = []) {
  const sql = `select ${Object.entries(select)
    .map(([column, expression]) => `${expression} as "${column}"`)
    .join(', ')}`;
  const { queryName } = await publish(author, { name, sql, columns });
  const { json } = await chart(queryName);
  return json.Columns;
}

test('the response is the page of JsonBuilder with Columns', async () => {
  const { queryName } = await publish(author, {
    name: 'Regions',
    sql: "select 'r' || i as region, i * 1.50 as net from range(3) t(i) order by i",
    columns: [{ name: 'net', displayName: 'Net amount' }],
  });
  const response = await chart(queryName);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { Columns, ...page } = response.json;
  expect(page).toEqual((await caller.run(queryName)).json);
  expect(page.Data[2]).toEqual({ region: 'r2', 'Net amount': 3 });
  expect(Columns).toEqual([
    { Name: 'region', Type: 'categorical' },
    { Name: 'Net amount', Type: 'numeric' },
  ]);
  expect(Columns.map((column) => column.Name)).toEqual(Object.keys(page.Data[0] ?? {}));
});

test('integers, decimals and floats are numeric, also when a cell is sent as a string', async () => {
  const numeric = {
    tiny: '1::tinyint',
    int: '1::int',
    big: '9223372036854775807::bigint',
    huge: '1::hugeint',
    unsigned: '1::ubigint',
    decimal: "'12345678901234567890.5'::decimal(38,1)",
    single: '1::float',
    double: "'nan'::double",
    none: 'null::int',
    customer_id: '7',
  };
  expect(await classes('Numeric', numeric)).toEqual(Object.keys(numeric).map((Name) => ({ Name, Type: 'numeric' })));
});

test('all other types are categorical', async () => {
  const categorical = {
    text: "'x'",
    digits: "'123'",
    flag: 'true',
    date: "date '2026-01-31'",
    time: "time '09:30:00'",
    timestamp: "timestamp '2026-01-31 09:30:00'",
    zoned: "timestamptz '2026-01-31 09:30:00+00'",
    interval: 'interval 1 day',
    uuid: 'uuid()',
    binary: "'x'::blob",
    json: `'{"a": 1}'::json`,
    list: '[1, 2]',
    struct: "{'a': 1}",
    choice: "'a'::enum('a')",
    bits: "'1'::bit",
    nothing: 'null',
  };
  const found = await classes('Categorical', categorical);
  // DuckDB treats an untyped NULL as an integer
  expect(found.filter((column) => column.Name !== 'nothing' && column.Type !== 'categorical')).toEqual([]);
  expect(found).toHaveLength(Object.keys(categorical).length);
});

test('the class set by the author takes precedence', async () => {
  const columns = [
    { name: 'year', type: 'categorical' },
    { name: 'code', type: 'numeric' },
  ];
  expect(await classes('Word', { year: '2026', code: "'7'" }, columns)).toEqual([
    { Name: 'year', Type: 'categorical' },
    { Name: 'code', Type: 'numeric' },
  ]);
});

test('lists columns without rows, and repeated names as in the rows', async () => {
  const { queryName } = await publish(author, { name: 'Empty', sql: "select 1 as a, 'x' as a where false" });
  expect((await chart(queryName)).text).toBe(
    '{"Columns":[{"Name":"a","Type":"numeric"},{"Name":"a_2","Type":"categorical"}],"Data":[],"RowSize":10,"NextRowIndex":0,"QueryMoreCode":null}',
  );
});

test('pages like JsonBuilder, with a code that works for both and columns on every page', async () => {
  const { queryName } = await publish(author, { name: 'Many', sql: "select i as n, 'x' as t from range(25) t(i) order by i" });
  const first = await chart(queryName);
  const second = await caller.run(queryName, [], { QueryMoreCode: first.json.QueryMoreCode ?? '' });
  const third = await chart(queryName, { QueryMoreCode: second.json.QueryMoreCode ?? '', RowIndex: '20' });
  const ns = [first, second, third].flatMap(({ json }) => json.Data.map((row) => row.n));
  expect(ns).toEqual(Array.from({ length: 25 }, (_, index) => index));
  expect(third.json.QueryMoreCode).toBeNull();
  expect(third.json.Columns).toEqual(first.json.Columns);
  expect('Columns' in second.json).toBe(false);
  expect((await chart(queryName, { RowIndex: '100' })).json.Columns).toEqual(first.json.Columns);
});
