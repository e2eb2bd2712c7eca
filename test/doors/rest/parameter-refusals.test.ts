import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { createKey } from '../../support/people/accounts.ts';
import { type FamilyName, familyNames, publishFamilies } from '../../support/queries/families.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let caller: Caller;
let echo: string;
let rules: string;

beforeAll(async () => {
  service = await startTestService();
  const { key } = await createKey(service.as(admin), { name: 'refusals' });
  caller = service.as({ key });
  ({ queryName: echo } = await publishFamilies(service.as(admin)));
  ({ queryName: rules } = await publish(service.as(admin), {
    name: 'Rules',
    sql: 'select @Must as must, @May as may, @Fallback as fallback',
    parameters: [
      { name: '@Must', dataType: 'nvarchar(20)', required: true },
      { name: '@May', dataType: 'int', required: false },
      { name: '@Fallback', dataType: 'decimal(5,2)', required: false, default: '7.5' },
    ],
  }));
});
afterAll(() => service.close());

const refusal = (name: FamilyName, Value: unknown, DataType?: string) =>
  expectFieldProblem(
    caller.run(echo, [{ ParameterName: name, Value, ...(DataType === undefined ? {} : { DataType }) }]),
    'parameter_invalid',
    name,
  );

describe('a value that does not fit is 400 and names its parameter', () => {
  test.each([
    ['@Short', 'abcdef', 'nvarchar(50)'],
    ['@Short', 'abc', 'nvarchar(2)'],
    ['@Text', 'a\0b', 'text'],
    ['@Text', '\ud800', 'text'],
    ['@Text', 'x'.repeat(32 * 1024 + 1), 'text'],
    ['@Int', 'abc', 'int'],
    ['@Int', '1.5', 'int'],
    ['@Int', '1,000', 'int'],
    ['@Int', '0x10', 'int'],
    ['@Int', '2147483648', 'int'],
    ['@Int', '2147483648', 'bigint'],
    ['@Int', '32768', 'smallint'],
    ['@Int', '-1', 'int unsigned'],
    ['@Int', '1.5', 'decimal(5,1)'],
    ['@Int', 'true', 'int'],
    ['@Big', '9223372036854775808', 'bigint'],
    ['@Decimal', '1.005', 'decimal(12,2)'],
    ['@Decimal', '1.005', 'decimal(12,3)'],
    ['@Decimal', '12345678901.00', 'decimal(12,2)'],
    ['@Decimal', '12,5', 'decimal'],
    ['@Decimal', 'NaN', 'decimal'],
    ['@Float', 'Infinity', 'float'],
    ['@Float', '1e999', 'float'],
    ['@Bit', '2', 'bit'],
    ['@Bit', 'yes', 'bit'],
    ['@Date', '31.01.2026', 'date'],
    ['@Date', '2026-02-30', 'date'],
    ['@Date', '2026-01-31T09:30:00', 'datetime'],
    ['@Datetime', '2026-01-31T25:00:00', 'datetime'],
    ['@Datetime', '01/31/2026', 'datetime'],
    ['@Offset', '2026-01-31T09:30:00 Europe/Berlin', 'datetimeoffset'],
    ['@Time', '25:00', 'time'],
    ['@Uuid', 'not-a-uuid', 'uuid'],
    ['@Json', '{a:1}', 'json'],
    ['@Binary', '***', 'varbinary'],
    ['@Binary', '0x0011223344', 'varbinary(max)'],
  ] as const)('%s %j as %s', async (name, value, type) => {
    const message = await refusal(name, value, type);
    expect(message.length).toBeLessThan(250);
  });

  test('a tinyint ranges from -128 to 255, the union of all engines', async () => {
    const cells = async (Value: string) => (await caller.run(echo, [{ ParameterName: '@Tiny', Value }])).json.Data[0]?.['@Tiny'];
    expect([await cells('-128'), await cells('200'), await cells('255')]).toEqual([-128, 200, 255]);
    await refusal('@Tiny', '256');
    await refusal('@Tiny', '-129');
  });

  test.each(familyNames.filter((name) => name !== '@Text' && name !== '@Short'))('an empty value for %s', async (name) => {
    await refusal(name, '');
    await refusal(name, '  ');
  });
});

describe('a DataType is 400', () => {
  test.each([
    'gibberish',
    'nvarchar(',
    'nvarchar(0)',
    'decimal(5,9)',
    'int; drop table x',
    'xx'.repeat(500),
    '__proto__',
    'constructor',
  ])('that is unknown: %j', async (type) => {
    expect(await refusal('@Text', 'x', type)).toContain('not known');
  });

  test.each([
    ['@Text', 'int'],
    ['@Int', 'bit'],
    ['@Bit', 'decimal'],
    ['@Date', 'time'],
    ['@Time', 'datetime'],
    ['@Uuid', 'binary'],
    ['@Json', 'int'],
    ['@Binary', 'json'],
  ] as const)('of another family than %s: %s', async (name, type) => {
    expect(await refusal(name, '1', type)).toContain(type);
    await refusal(name, null, type);
  });

  test.each([5, true, {}, []])('that is not a string: %j', async (type) => {
    const parameters = [{ ParameterName: '@Text', Value: 'x', DataType: type }];
    await expectFieldProblem(caller.run(echo, parameters), 'parameter_invalid', '@Text');
  });
});

describe('names and presence', () => {
  const must = { ParameterName: '@Must', Value: 'x' };

  test('required, optional and defaults', async () => {
    const response = await caller.run(rules, [must]);
    expect(response.text).toContain('"Data":[{"must":"x","may":null,"fallback":7.50}]');
    const nulled = await caller.run(rules, [must, { ParameterName: '@Fallback', Value: null }]);
    expect(nulled.text).toContain('"fallback":null');
    const given = await caller.run(rules, [
      must,
      { ParameterName: '@Fallback', Value: '1' },
      { ParameterName: '@May', Value: 2 },
    ]);
    expect(given.text).toContain('"may":2,"fallback":1.00');
  });

  test('a required parameter that is missing, null or without Value', async () => {
    await expectFieldProblem(caller.run(rules, []), 'parameter_invalid', '@Must');
    await expectFieldProblem(caller.run(rules, [{ ParameterName: '@Must', Value: null }]), 'parameter_invalid', '@Must');
    await expectFieldProblem(caller.run(rules, [{ ParameterName: '@Must' }]), 'parameter_invalid', '@Must');
    await expectFieldProblem(caller.run(rules, [must, { ParameterName: '@May' }]), 'parameter_invalid', '@May');
    expect((await caller.run(rules, [{ ParameterName: '@Must', Value: '' }])).status).toBe(200);
  });

  test('unknown, repeated and differently spelled names', async () => {
    for (const name of ['@Other', '@Must ', '', '__proto__']) {
      await expectFieldProblem(caller.run(rules, [must, { ParameterName: name, Value: 'x' }]), 'parameter_unknown', name);
    }
    for (const ParameterName of ['@Must', '@must', 'Must']) {
      const twice = await expectFieldProblem(caller.run(rules, [must, { ...must, ParameterName }]), 'parameter_invalid', '@Must');
      expect(twice).toContain('twice');
    }
  });

  test('values of other JSON types', async () => {
    for (const Value of [{}, [], ['x']]) {
      await expectFieldProblem(caller.run(rules, [{ ParameterName: '@Must', Value }]), 'parameter_invalid', '@Must');
    }
  });

  test('all problems are reported together', async () => {
    const { errors } = await expectProblem(
      caller.run(rules, [
        { ParameterName: '@May', Value: 'x' },
        { ParameterName: '@Fallback', Value: '1.234' },
        { ParameterName: '@Nobody', Value: '1' },
      ]),
      400,
      'parameter_unknown',
    );
    expect(errors?.map((each) => each.field).toSorted()).toEqual(['@Fallback', '@May', '@Must', '@Nobody']);
  });

  test('more than 100 parameters', async () => {
    const many = Array.from({ length: 101 }, (_, index) => ({ ParameterName: `@P${index}`, Value: '1' }));
    await expectFieldProblem(caller.run(rules, many), 'parameter_invalid', 'Parameters');
  });
});

test('values are bound, never interpolated', async () => {
  for (const Value of ["'; drop table x; --", "' or '1'='1", '@Must', '$1', '{{x}}', '%s', '\\', '"', '--', '/*']) {
    const response = await caller.run(rules, [{ ParameterName: '@Must', Value }]);
    expect(response.json.Data).toEqual([{ must: Value, may: null, fallback: 7.5 }]);
  }
});
