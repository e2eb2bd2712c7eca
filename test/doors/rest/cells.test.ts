import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { duckdbCells } from '../../contracts/duckdb/cells.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let author: Caller;
let caller: Caller;

beforeAll(async () => {
  service = await startTestService();
  author = service.as(admin);
  caller = service.as({ key: (await createKey(author, { name: 'cells' })).key });
});
afterAll(() => service.close());

const tail = (rows: number) => `],"RowSize":1000,"NextRowIndex":${rows},"QueryMoreCode":null}`;

/** The text of `Data` as received. */
async function dataOf(name: string, sql: string, more: Record<string, unknown> = {}, rows = 1): Promise<string> {
  const { queryName } = await publish(author, { name, sql, ...more });
  const { text, headers } = await caller.run(queryName);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(text.startsWith('{"Data":[') && text.endsWith(tail(rows)), text).toBe(true);
  return text.slice('{"Data":['.length, -tail(rows).length);
}

const row = (cells: Record<string, string>) =>
  `{${Object.entries(cells)
    .map(([name, cell]) => `${JSON.stringify(name)}:${cell}`)
    .join(',')}}`;

/** Name → SQL and the expected cell. */
async function expectCells(name: string, cells: Record<string, readonly [sql: string, cell: string]>): Promise<void> {
  const entries = Object.entries(cells);
  const sql = `select ${entries.map(([column, [expression]]) => `${expression} as "${column}"`).join(', ')}`;
  expect(await dataOf(name, sql)).toBe(row(Object.fromEntries(entries.map(([column, [, cell]]) => [column, cell]))));
}

describe('cells', () => {
  test('integers are numbers up to 9007199254740991 and strings beyond', () =>
    expectCells('Whole', {
      tiny: ['(-128)::tinyint', '-128'],
      safe: ['9007199254740991::bigint', '9007199254740991'],
      minusSafe: ['(-9007199254740991)::bigint', '-9007199254740991'],
      beyond: ['9007199254740992::bigint', '"9007199254740992"'],
      minusBeyond: ['(-9007199254740992)::bigint', '"-9007199254740992"'],
      most: ['9223372036854775807::bigint', '"9223372036854775807"'],
      unsigned: ["'18446744073709551615'::ubigint", '"18446744073709551615"'],
      huge: ["'170141183460469231731687303715884105727'::hugeint", '"170141183460469231731687303715884105727"'],
      smallHuge: ['5::hugeint', '5'],
      none: ['null::bigint', 'null'],
    }));

  test('decimals keep every digit', () =>
    expectCells('Decimals', {
      zeros: ["'1.50'::decimal(12,2)", '1.50'],
      whole: ["'7'::decimal(12,0)", '7'],
      negative: ["'-0.05'::decimal(4,2)", '-0.05'],
      fine: ["'0.1234567890123456789'::decimal(38,19)", '0.1234567890123456789'],
      safe: ["'9007199254740991.99'::decimal(18,2)", '9007199254740991.99'],
      beyond: ["'9007199254740992.00'::decimal(18,2)", '"9007199254740992.00"'],
      minusBeyond: ["'-12345678901234567890.12'::decimal(38,2)", '"-12345678901234567890.12"'],
    }));

  test('floats use the shortest form that round-trips; NaN and infinities are null', () =>
    expectCells('Floats', {
      tenth: ['0.1::double', '0.1'],
      sum: ['0.1::double + 0.2::double', '0.30000000000000004'],
      single: ['0.1::float', '0.1'],
      third: ['(1.0/3)::float', '0.33333334'],
      whole: ['3::double', '3'],
      beyond: ['9007199254740993::double', '9007199254740992'],
      large: ['1e300::double', '1e+300'],
      small: ['5e-324::double', '5e-324'],
      nan: ["'nan'::double", 'null'],
      infinity: ["'inf'::double", 'null'],
      minusInfinity: ["'-inf'::float", 'null'],
    }));

  test('booleans, dates, times and timestamps', () =>
    expectCells('Moments', {
      yes: ['true', 'true'],
      no: ['false', 'false'],
      date: ["date '2026-01-31'", '"2026-01-31"'],
      time: ["time '09:30:00.500'", '"09:30:00.5"'],
      plain: ["timestamp '2026-01-31 09:30:00'", '"2026-01-31T09:30:00"'],
      fraction: ["timestamp '2026-01-31 09:30:00.123'", '"2026-01-31T09:30:00.123"'],
      noZeros: ["timestamp '2026-01-31 09:30:00.120000'", '"2026-01-31T09:30:00.12"'],
      nanos: ["'2026-01-31 09:30:00.123456789'::timestamp_ns", '"2026-01-31T09:30:00.123456789"'],
      zone: ["timestamptz '2026-01-31 09:30:00+02'", '"2026-01-31T07:30:00Z"'],
      zoneFraction: ["timestamptz '2026-01-31 09:30:00.5+00'", '"2026-01-31T09:30:00.5Z"'],
      interval: ['interval 3 month', '"3 months"'],
    }));

  test('text, uuid, enum, binary', () =>
    expectCells('Texts', {
      text: [`'a"b\\c' || chr(10) || chr(9) || chr(1)`, '"a\\"b\\\\c\\n\\t\\u0001"'],
      unicode: ["'ä€😀'", '"ä€😀"'],
      empty: ["''", '""'],
      none: ['null::varchar', 'null'],
      markup: ["'</script>'", '"</script>"'],
      uuid: ["'00112233-4455-6677-8899-AABBCCDDEEFF'::uuid", '"00112233-4455-6677-8899-aabbccddeeff"'],
      choice: ["'b'::enum('a', 'b')", '"b"'],
      binary: ["'\\x00\\xFFab'::blob", '"AP9hYg=="'],
      noBytes: ["''::blob", '""'],
      bits: ["'101'::bit", '"101"'],
    }));

  test('json, lists, structs and maps are nested', () =>
    expectCells('Nested', {
      json: [`'{"a": [1, 2.50], "b": null}'::json`, '{"a": [1, 2.50], "b": null}'],
      jsonText: [`'"x"'::json`, '"x"'],
      jsonNull: ["'null'::json", 'null'],
      list: ['[1, null, 3]', '[1,null,3]'],
      empty: ['[]::integer[]', '[]'],
      deep: ["[['a'], []]", '[["a"],[]]'],
      big: ['[9007199254740993::bigint]', '["9007199254740993"]'],
      floats: ["[0.1::double, 'nan'::double]", '[0.1,null]'],
      struct: ["{'a': 1, 'b': {'c': date '2026-01-31'}}", '{"a":1,"b":{"c":"2026-01-31"}}'],
      map: ["map {'k': 1.50}", '{"k":1.50}'],
    }));

  test('every type of the connector is returned byte for byte', async () => {
    const cells = duckdbCells();
    const expected = row(Object.fromEntries(cells.map(({ json }, index) => [`c${index}`, json])));
    expect(await dataOf('Every type', `select ${cells.map(({ sql }, index) => `${sql} as c${index}`).join(', ')}`)).toBe(
      expected,
    );
  });

  test('rows are separated by commas, and no rows are an empty list', async () => {
    expect(await dataOf('Three', 'select i as n from range(3) t(i) order by i', {}, 3)).toBe('{"n":0},{"n":1},{"n":2}');
    expect(await dataOf('None', 'select 1 as n where false', {}, 0)).toBe('');
  });
});

describe('keys', () => {
  test('a repeated column name gets _2, _3', async () => {
    expect(await dataOf('Repeated', 'select 1 as a, 2 as a, 3 as a, 4 as b')).toBe('{"a":1,"a_2":2,"a_3":3,"b":4}');
  });

  test('skips a number that would collide with another column', async () => {
    const data = JSON.parse(await dataOf('Collision', 'select 1 as a, 2 as a_2, 3 as a'));
    expect(data).toEqual({ a: 1, a_2: 2, a_3: 3 });
  });

  test('the key of a column is its displayName or its name; the order is that of the SELECT', async () => {
    const columns = [{ name: 'net', displayName: 'Net "amount" (€)' }];
    expect(await dataOf('Labels', 'select 1 as region, 2 as net, 3 as "1"', { columns })).toBe(
      '{"region":1,"Net \\"amount\\" (€)":2,"1":3}',
    );
  });

  test('a displayName of another column gets a number', async () => {
    const columns = [{ name: 'b', displayName: 'a' }];
    expect(await dataOf('Same label', 'select 1 as a, 2 as b', { columns })).toBe('{"a":1,"a_2":2}');
  });
});
