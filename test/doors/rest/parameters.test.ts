import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpOf } from '../../support/http/mcp.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { createKey } from '../../support/people/accounts.ts';
import { type FamilyName, families, familyNames, publishFamilies } from '../../support/queries/families.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let caller: Caller;
let key: string;
let echo: string;
let rules: string;

beforeAll(async () => {
  service = await startTestService();
  ({ key } = await createKey(service.as(admin), { name: 'parameters' }));
  caller = service.as({ key });
  ({ queryName: echo } = await publishFamilies(service.as(admin)));
  ({ queryName: rules } = await publish(service.as(admin), {
    name: 'Rules',
    sql: 'select @Must as must, @May as may, @Fallback as fallback',
    parameters: [
      { name: '@Must', dataType: 'nvarchar(20)', required: true, description: 'What must be.' },
      { name: '@May', dataType: 'INT', required: false, values: ['1', '2'] },
      { name: '@Fallback', dataType: 'decimal(5,2)', required: false, default: '7.50', description: 'Used when left out.' },
    ],
  }));
});
afterAll(() => service.close());

/** The cell as received. */
async function sent(name: FamilyName, Value: unknown, DataType?: string): Promise<string> {
  const body = `{"QueryName":"${echo}","Parameters":[{"ParameterName":"${name}","Value":${
    typeof Value === 'object' && Value !== null && 'raw' in Value ? Value.raw : JSON.stringify(Value)
  }${DataType === undefined ? '' : `,"DataType":${JSON.stringify(DataType)}`}}]}`;
  const { text } = await caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', body);
  const [, after = text] = text.split(`"${name}":`);
  return after.replace(/(,"@.*)?\}\],"RowSize":1000,"NextRowIndex":1,"QueryMoreCode":null\}$/s, '');
}

describe('GetQueryParameters', () => {
  const path = (name: string) => `/api/v1/JsonBuilder/GetQueryParameters?queryName=${encodeURIComponent(name)}`;

  test('returns every parameter as declared, in order', async () => {
    const response = await caller.call('GET', path(rules));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.json).toEqual({
      QueryName: rules,
      Parameters: [
        {
          ParameterName: '@Must',
          DataType: 'nvarchar(20)',
          Required: true,
          Default: null,
          Description: 'What must be.',
          Values: null,
          Multiple: false,
        },
        {
          ParameterName: '@May',
          DataType: 'INT',
          Required: false,
          Default: null,
          Description: null,
          Values: ['1', '2'],
          Multiple: false,
        },
        {
          ParameterName: '@Fallback',
          DataType: 'decimal(5,2)',
          Required: false,
          Default: '7.50',
          Description: 'Used when left out.',
          Values: null,
          Multiple: false,
        },
      ],
    });
  });

  test('returns an empty list for a query without parameters', async () => {
    const { queryName } = await publish(service.as(admin), { name: 'Bare', sql: 'select 1 as one' });
    expect((await caller.call('GET', path(queryName))).json).toEqual({ QueryName: queryName, Parameters: [] });
  });

  test('refuses as execution does', async () => {
    await expectProblem(service.as().call('GET', path(rules)), 401, 'credential_missing');
    await expectProblem(service.as().call('GET', '/api/v1/JsonBuilder/GetQueryParameters'), 401, 'credential_missing');
    await expectFieldProblem(caller.call('GET', '/api/v1/JsonBuilder/GetQueryParameters'), 'field_missing', 'queryName');
    await expectFieldProblem(caller.call('GET', path('')), 'field_missing', 'queryName');
    await expectProblem(caller.call('GET', path('QD_Nothing_Demo')), 403, 'query_not_accessible');
    await expectProblem(caller.call('POST', path(rules), {}), 405, 'method_not_allowed');
  });
});

test('a required parameter that is left out has its default at every door, and null is refused', async () => {
  const { queryName } = await publish(service.as(admin), {
    name: 'Required with default',
    sql: 'select @Year as year',
    parameters: [{ name: '@Year', dataType: 'int', required: true, default: '2026' }],
    aiAccess: true,
  });
  expect((await caller.run(queryName)).json.Data).toEqual([{ year: 2026 }]);
  expect((await caller.call('POST', `/api/query/execute/${queryName}`)).json.data).toEqual([{ year: 2026 }]);
  const exported = await caller.call('POST', '/api/v1/Export/ExecuteQuery?format=json', { QueryName: queryName, Parameters: [] });
  expect(exported.json).toEqual([{ year: 2026 }]);
  expect((await mcpOf(service, key).tool('execute_query', { queryName })).Data).toEqual([{ year: 2026 }]);
  const sentNull = caller.run(queryName, [{ ParameterName: '@Year', Value: null }]);
  await expectFieldProblem(sentNull, 'parameter_invalid', '@Year');
});

describe('a value is cast to the requested type', () => {
  test.each([
    // text types of four engines
    ['@Text', 'x', 'nvarchar', '"x"'],
    ['@Text', 'x', 'NVARCHAR(50)', '"x"'],
    ['@Text', 'x', 'varchar(max)', '"x"'],
    ['@Text', 'x', 'character varying(10)', '"x"'],
    ['@Text', 'x', 'longtext', '"x"'],
    ['@Text', '', 'text', '""'],
    ['@Text', ' a\u00e4\u20ac\u{1f600}"\\\n ', 'text', '" a\u00e4\u20ac\u{1f600}\\"\\\\\\n "'],
    ['@Short', 'abcde', 'nvarchar(50)', '"abcde"'],
    ['@Short', '\u{1f600}'.repeat(5), 'nvarchar', `"${'\u{1f600}'.repeat(5)}"`],
    // numbers are one family
    ['@Int', '5', 'int', '5'],
    ['@Int', '5', 'INTEGER', '5'],
    ['@Int', '+005', 'int4', '5'],
    ['@Int', ' 5 ', 'int(11)', '5'],
    ['@Int', '5', 'smallint', '5'],
    ['@Int', '5', 'int unsigned', '5'],
    ['@Int', '5.00', 'decimal(12,2)', '5'],
    ['@Int', '5e0', 'float', '5'],
    ['@Int', '-2147483648', 'bigint', '-2147483648'],
    ['@Big', '9223372036854775807', 'bigint', '"9223372036854775807"'],
    ['@Big', '-9007199254740991', 'int8', '-9007199254740991'],
    ['@Decimal', '12.5', 'decimal(12,2)', '12.50'],
    ['@Decimal', '12.5', 'NUMERIC(4, 1)', '12.50'],
    ['@Decimal', '12', 'money', '12.00'],
    ['@Decimal', '12', 'int', '12.00'],
    ['@Decimal', '0.1', 'double precision', '0.10'],
    ['@Wide', '12345678901234567890123456789012345678', 'decimal(38)', '"12345678901234567890123456789012345678"'],
    ['@Wide', '12345678901234567890', 'hugeint', '"12345678901234567890"'],
    ['@Float', '0.1', 'float', '0.1'],
    ['@Float', '1e300', 'double', '1e+300'],
    ['@Float', '0.1', 'decimal(5,1)', '0.1'],
    // bit
    ['@Bit', '1', 'bit', 'true'],
    ['@Bit', '0', 'bit', 'false'],
    ['@Bit', 'TRUE', 'boolean', 'true'],
    ['@Bit', 'false', 'bool', 'false'],
    // dates and timestamps are one family
    ['@Date', '2026-01-31', 'date', '"2026-01-31"'],
    ['@Date', '2026-01-31T00:00:00', 'datetime', '"2026-01-31"'],
    ['@Datetime', '2026-01-31T09:30:00.120', 'datetime', '"2026-01-31T09:30:00.12"'],
    ['@Datetime', '2026-01-31 09:30', 'datetime2(7)', '"2026-01-31T09:30:00"'],
    ['@Datetime', '2026-01-31', 'date', '"2026-01-31T00:00:00"'],
    ['@Datetime', '2026-01-31T01:30:00+02:00', 'timestamp without time zone', '"2026-01-30T23:30:00"'],
    ['@Datetime', '2026-01-31T09:30:00Z', 'timestamp(3)', '"2026-01-31T09:30:00"'],
    ['@Datetime', '2026-01-31T01:30:00+02:00', 'datetimeoffset', '"2026-01-30T23:30:00"'],
    ['@Offset', '2026-01-31T01:30:00+02:00', 'datetimeoffset(7)', '"2026-01-30T23:30:00Z"'],
    ['@Offset', '2026-01-31T09:30:00', 'timestamptz', '"2026-01-31T09:30:00Z"'],
    ['@Offset', '2026-01-31T09:30:00', 'timestamp with time zone', '"2026-01-31T09:30:00Z"'],
    ['@Offset', '2026-01-31', 'date', '"2026-01-31T00:00:00Z"'],
    ['@Time', '09:30', 'time', '"09:30:00"'],
    ['@Time', '09:30:00.500', 'time(7)', '"09:30:00.5"'],
    ['@Uuid', '{00112233-4455-6677-8899-AABBCCDDEEFF}', 'uniqueidentifier', '"00112233-4455-6677-8899-aabbccddeeff"'],
    ['@Uuid', '00112233-4455-6677-8899-aabbccddeeff', 'uuid', '"00112233-4455-6677-8899-aabbccddeeff"'],
    ['@Binary', 'AP9hYg==', 'varbinary(max)', '"AP9hYg=="'],
    ['@Binary', '0x00ff', 'bytea', '"AP8="'],
  ] as const)('%s %j as %s', async (name, value, type, cell) => {
    expect(await sent(name, value, type)).toBe(cell);
  });

  test('json keeps its text', async () => {
    const cell = JSON.parse(await sent('@Json', '{"a": [1, 2.50]}', 'jsonb'));
    expect(typeof cell === 'string' ? JSON.parse(cell) : cell).toEqual({ a: [1, 2.5] });
  });

  test.each(familyNames)('null is NULL for %s', async (name) => {
    expect(await sent(name, null)).toBe('null');
    expect(await sent(name, null, families[name].toUpperCase())).toBe('null');
  });

  test('uses the declared type when none is sent', async () => {
    expect(await sent('@Decimal', '3')).toBe('3.00');
    expect(await sent('@Date', '2026-01-31')).toBe('"2026-01-31"');
  });
});

describe('JSON numbers and booleans are read as their text', () => {
  test.each([
    ['@Int', '5', '5'],
    ['@Int', '5.0', '5'],
    ['@Decimal', '12.50', '12.50'],
    ['@Decimal', '-0.10', '-0.10'],
    ['@Decimal', '1.25e2', '125.00'],
    ['@Big', '9007199254740993', '"9007199254740993"'],
    ['@Wide', '12345678901234567890123456789012345678', '"12345678901234567890123456789012345678"'],
    ['@Float', '0.1', '0.1'],
    ['@Text', '1.50', '"1.50"'],
    ['@Text', '12345678901234567890', '"12345678901234567890"'],
    ['@Text', 'true', '"true"'],
    ['@Bit', 'true', 'true'],
    ['@Bit', 'false', 'false'],
    ['@Bit', '1', 'true'],
  ] as const)('%s %s', async (name, raw, cell) => {
    expect(await sent(name, { raw })).toBe(cell);
  });
});
