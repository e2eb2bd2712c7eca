import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { expectFieldProblem, expectProblem, fieldsOf } from '../../support/http/problem.ts';
import { type Account, createKey, createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  ADMIN_PASSWORD,
  admin,
  type Caller,
  expectStatus,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

const cities = [
  ['PT', 'lis', 'Lisboa'],
  ['PT', 'opo', 'Porto'],
  ['ES', 'mad', 'Madrid'],
  ['ES', 'bcn', 'Barcelona'],
  ['ES', 'vlc', 'València'],
] as const;
const values = cities.map((each) => `('${each.join("', '")}')`).join(', ');
const citySql = `select code as "Code", name as "City" from (values ${values}) t(country, code, name) where country = @Country order by name`;

let service: TestService;
let root: Caller;
let ana: Account;
let outer: string;
let countriesId: string;

beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  ({ id: countriesId } = await publish(root, {
    name: 'Countries',
    sql: `select distinct country as "Country" from (values ${values}) t(country, code, name) order by 1`,
  }));
  const country = { name: '@Country', dataType: 'nvarchar(2)', required: true };
  await publish(root, { name: 'Cities', sql: citySql, parameters: [country] });
  ({ queryName: outer } = await publish(root, {
    name: 'Weather',
    sql: "select @City as city where @Country <> ''",
    parameters: [
      { name: '@Country', dataType: 'nvarchar(2)', choices: { query: 'QD_Countries_Demo', value: 'Country' } },
      {
        name: '@City',
        dataType: 'nvarchar(3)',
        choices: { query: 'QD_Cities_Demo', value: 'Code', label: 'City', parameters: { '@Country': '@Country' } },
        choicesOnly: true,
      },
    ],
  }));
  ana = await createQueryUser(service, 'ana');
});
afterAll(() => service.close());

const path = (query: Record<string, string | string[]>, name = outer) => {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) => [value].flat().map((each): [string, string] => [key, each])),
  );
  return `/api/v1/queries/${name}/choices?${search}`;
};
const choices = (query: Record<string, string | string[]>, caller = ana.caller) => caller.call('GET', path(query));

test('come from their query, depend on other parameters, and are searched by label', async () => {
  expect((await expectStatus(choices({ parameter: '@Country' }), 200)).json).toEqual({
    items: [
      { value: 'ES', label: 'ES' },
      { value: 'PT', label: 'PT' },
    ],
    truncated: false,
  });
  const spain = await expectStatus(choices({ parameter: 'city', '@country': 'ES' }), 200);
  expect(spain.json).toEqual({
    items: [
      { value: 'bcn', label: 'Barcelona' },
      { value: 'mad', label: 'Madrid' },
      { value: 'vlc', label: 'València' },
    ],
    truncated: false,
  });
  const found = await expectStatus(choices({ parameter: '@City', '@Country': 'ES', search: 'A', limit: '2' }), 200);
  expect(found.json).toMatchObject({ items: [{ value: 'bcn' }, { value: 'mad' }], truncated: true });
  const one = await expectStatus(choices({ parameter: '@City', '@Country': 'ES', search: 'CELO', limit: '2' }), 200);
  expect(one.json).toEqual({ items: [{ value: 'bcn', label: 'Barcelona' }], truncated: false });
});

test('are audited', async () => {
  const entry = await auditOf(root, await choices({ parameter: '@City', '@Country': 'PT', search: 'por' }));
  expect(entry).toMatchObject({ action: 'query.choices', query: outer, user: 'ana', outcome: 'ok', rows: 1 });
  expect(entry.parameters).toEqual({ '@Country': 'PT', parameter: '@City', search: 'por' });
});

test('are refused with a reason', async () => {
  await expectFieldProblem(choices({ parameter: '@City' }), 'parameter_invalid', '@Country');
  await expectFieldProblem(choices({ parameter: '@City', '@Country': 'PT', '@City': 'x' }), 'parameter_unknown', '@City');
  await expectFieldProblem(choices({ parameter: '@Else' }), 'field_invalid', 'parameter');
  await expectFieldProblem(choices({ '@Country': 'PT' }), 'field_missing', 'parameter');
  await expectFieldProblem(choices({ parameter: '@Country', serch: 'x' }), 'field_unknown', 'serch');
  await expectFieldProblem(choices({ parameter: '@Country', limit: '0' }), 'field_invalid', 'limit');
  await expectProblem(service.as().call('GET', path({ parameter: '@Country' })), 401, 'credential_missing');
  await expectProblem(ana.caller.call('GET', path({ parameter: '@Country' }, 'QD_None_Demo')), 403, 'query_not_accessible');
  const blind = await createQueryUser(service, 'blind', { databases: [] });
  await expectProblem(choices({ parameter: '@Country' }, blind.caller), 403, 'query_not_accessible');
});

test('are reached by a key that is narrowed to the query, and not those of others', async () => {
  const narrow = await createKey(ana.caller, { name: 'narrow', queries: [outer] });
  const caller = service.as({ key: narrow.key });
  await expectStatus(choices({ parameter: '@City', '@Country': 'PT' }, caller), 200);
  await expectProblem(caller.run('QD_Countries_Demo'), 403, 'query_not_accessible');
});

test('are the only values with choicesOnly', async () => {
  const run = (city: unknown, country = 'PT') =>
    ana.caller.run(outer, [
      { ParameterName: 'country', Value: country },
      { ParameterName: 'city', Value: city },
    ]);
  expect((await expectStatus(run('lis'), 200)).json.Data).toEqual([{ city: 'lis' }]);
  await expectFieldProblem(run('mad'), 'parameter_invalid', '@City');
  await expectFieldProblem(run('LIS'), 'parameter_invalid', '@City');
  await expectStatus(run(null), 200);
  const { key } = await createKey(ana.caller, { name: 'model' });
  const mcp = mcpOf(service, key);
  const parameters = { '@Country': 'PT', '@City': 'xxx' };
  expect(await mcp.refusal('execute_query', { queryName: outer, parameters })).toMatchObject({ code: -32602 });
  expect((await mcp.tool('get_query_parameters', { queryName: outer })).parameters).toMatchObject([
    { ParameterName: '@Country', Choices: { query: 'QD_Countries_Demo', value: 'Country', only: false } },
    {
      ParameterName: '@City',
      Choices: { query: 'QD_Cities_Demo', label: 'City', parameters: { '@Country': '@Country' }, only: true },
    },
  ]);
  const declared = await ana.caller.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?queryName=${outer}`);
  expect(declared.json).toMatchObject({
    Parameters: [{ Choices: { DependsOn: [], Only: false } }, { Choices: { DependsOn: ['@Country'], Only: true } }],
  });
});

test('name the parameter of the caller if their query refuses its value, and say so if their query takes other parameters', async () => {
  const land = { name: '@Country', dataType: 'nvarchar(9)', required: true, values: ['PT', 'ES'] };
  const { id } = await publish(root, { name: 'Towns', sql: 'select @Country as town', parameters: [land] });
  const { queryName } = await publish(root, {
    name: 'Trips',
    sql: 'select @Town as town, @Land as land',
    parameters: [
      { name: '@Land', dataType: 'nvarchar(9)' },
      {
        name: '@Town',
        dataType: 'text',
        choices: { query: 'QD_Towns_Demo', value: 'town', parameters: { '@Country': '@Land' } },
        choicesOnly: true,
      },
    ],
  });
  const find = (Land: string) => root.call('GET', path({ parameter: '@Town', '@Land': Land }, queryName));
  await expectStatus(find('PT'), 200);
  await expectFieldProblem(find('IT'), 'parameter_invalid', '@Land');
  const required = (name: string) => ({ name, dataType: 'text', required: true });
  for (const parameters of [[required('@Country'), required('@Year')], [required('@State')]]) {
    const sql = `select ${parameters.map((each) => each.name).join(', ')}, 'x' as town`;
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { sql, parameters }), 200);
    for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    await expectProblem(find('PT'), 409, 'state_conflict');
    await expectProblem(
      root.run(queryName, [
        { ParameterName: '@Land', Value: 'PT' },
        { ParameterName: '@Town', Value: 'x' },
      ]),
      409,
      'state_conflict',
    );
  }
});

test('end with their query, and follow the identity of the caller', async () => {
  const own = [{ name: '@Region', dataType: 'text', boundTo: 'user.attributes.region' }];
  await publish(root, { name: 'Mine', sql: 'select @Region as region', parameters: own });
  const from = await publish(root, {
    name: 'From mine',
    sql: 'select @R as r',
    parameters: [{ name: '@R', dataType: 'text', choices: { query: 'QD_Mine_Demo', value: 'region' } }],
  });
  const kim = await createQueryUser(service, 'kim', { attributes: { region: 'North' } });
  const answer = (caller: Caller) => caller.call('GET', path({ parameter: '@R' }, from.queryName));
  expect((await expectStatus(answer(kim.caller), 200)).json).toMatchObject({ items: [{ value: 'North' }] });
  await expectProblem(answer(ana.caller), 403, 'caller_attribute_missing');
  await expectStatus(root.call('POST', `/api/v1/queries/${countriesId}/deactivate`), 200);
  await expectProblem(choices({ parameter: '@Country' }), 403, 'query_not_accessible');
  await expectStatus(root.call('POST', `/api/v1/queries/${countriesId}/activate`), 200);
});

describe('validation', () => {
  const validated = async (parameters: readonly Record<string, unknown>[], more: Record<string, unknown> = {}) => {
    const sql = `select ${parameters.map(({ name }) => `${String(name)} as ${String(name).slice(1)}`).join(', ')}`;
    const body = { name: `Check ${Math.random()}`, database: 'Demo', sql, parameters, ...more };
    const { json } = await expectStatus(root.call<{ id: string }>('POST', '/api/v1/queries', body), 201);
    return { id: json.id, response: await root.call<{ warnings?: string[] }>('POST', `/api/v1/queries/${json.id}/validate`) };
  };
  const city = (more: Record<string, unknown>) => ({
    name: '@City',
    dataType: 'text',
    choices: { query: 'QD_Cities_Demo', value: 'Code', parameters: { '@Country': '@Country' }, ...more },
  });
  const country = { name: '@Country', dataType: 'text' };

  test.each<[string, readonly Record<string, unknown>[], string]>([
    ['an unknown query', [city({ query: 'QD_None_Demo' }), country], 'parameters.0.choices.query'],
    ['an unknown column', [city({ value: 'Nope' }), country], 'parameters.0.choices.value'],
    ['an unknown label', [city({ label: 'Nope' }), country], 'parameters.0.choices.label'],
    ['a column of another type', [{ ...city({}), dataType: 'int' }, country], 'parameters.0.choices.value'],
    [
      'a parameter that the query of the choices lacks',
      [city({ parameters: { '@Land': '@Country', '@Country': '@Country' } }), country],
      'parameters.0.choices.parameters.@Land',
    ],
    [
      'a parameter that this query lacks',
      [city({ parameters: { '@Country': '@Land' } })],
      'parameters.0.choices.parameters.@Country',
    ],
    ['a list for a single value', [city({}), { ...country, multiple: true }], 'parameters.0.choices.parameters.@Country'],
    ['a required parameter without a value', [city({ parameters: {} })], 'parameters.0.choices.parameters'],
    ['a parameter that depends on itself', [city({ parameters: { '@Country': '@City' } })], 'parameters.0.choices.parameters'],
  ])('refuses %s', async (_, parameters, field) => {
    const isList = parameters.some(({ multiple }) => multiple === true);
    const sql = 'select @City as city where @City in (@Country)';
    const { response } = await validated(parameters, isList ? { sql } : {});
    expect({ status: response.status, fields: fieldsOf(response) }).toEqual({ status: 400, fields: [field] });
  });

  test('refuses parameters that depend on each other, and queries that lead back', async () => {
    const both = await validated([
      { ...city({ parameters: { '@Country': '@B' } }), name: '@A' },
      { ...city({ parameters: { '@Country': '@A' } }), name: '@B' },
    ]);
    expect(fieldsOf(both.response)).toEqual(['parameters.0.choices.parameters', 'parameters.1.choices.parameters']);

    const first = await publish(root, { name: 'First', sql: 'select @P as p', parameters: [{ name: '@P', dataType: 'text' }] });
    const from = (query: string) => [{ name: '@P', dataType: 'text', choices: { query, value: 'p' } }];
    const second = await publish(root, { name: 'Second', sql: 'select @P as p', parameters: from(first.queryName) });
    const third = await publish(root, { name: 'Third', sql: 'select @P as p', parameters: from(second.queryName) });
    for (const { queryName } of [first, third]) {
      await expectStatus(root.call('PATCH', `/api/v1/queries/${first.id}`, { parameters: from(queryName) }), 200);
      const refused = await root.call('POST', `/api/v1/queries/${first.id}/validate`);
      expect({ status: refused.status, fields: fieldsOf(refused) }).toEqual({
        status: 400,
        fields: ['parameters.0.choices.query'],
      });
    }
  });

  test('warns about unknown attributes and about NULL for a bound parameter', async () => {
    const bound = { name: '@Region', dataType: 'text', boundTo: 'user.attributes.contry' };
    const { response } = await validated([bound], { sql: "select 1 as one where @Region is null or 'x' = @Region" });
    expect(response.status).toBe(200);
    expect(response.json.warnings).toEqual([
      expect.stringContaining('user.attributes.contry'),
      expect.stringContaining('is null'),
    ]);
    const known = await validated([{ ...bound, boundTo: 'user.attributes.region' }], {
      sql: 'select @Region as r where 1 is not null',
    });
    expect(known.response.json.warnings).toBeUndefined();
  });

  test('refuses choices of a bound parameter, and choicesOnly without choices', async () => {
    for (const [parameter, field] of [
      [{ ...city({}), boundTo: 'user.name' }, 'parameters.0.choices'],
      [{ name: '@City', dataType: 'text', choicesOnly: true }, 'parameters.0.choicesOnly'],
    ] as const) {
      const body = { name: 'Wrong', database: 'Demo', sql: 'select @City', parameters: [parameter] };
      expect(fieldsOf(await expectStatus(root.call('POST', '/api/v1/queries', body), 400))).toEqual([field]);
    }
  });

  test('refuses a list outside of parentheses, with its position', async () => {
    const list = { name: '@Regions', dataType: 'text', multiple: true };
    const { response } = await validated([list], { sql: "select 1 as one\nwhere 'a' = @Regions" });
    expect(response.json).toMatchObject({ code: 'sql_invalid', errors: [{ field: 'sql', line: 2, column: 13 }] });
  });
});

test('the example of a limited user works as documented (needs bash and curl)', async () => {
  const { stdout } = await promisify(execFile)('demo/limited-user.sh', {
    env: { ...process.env, SLUICE: service.url, ADMIN_PASSWORD },
  });
  const [first = '', rows = ''] = stdout.split('\n');
  expect(first).toMatch(/^user region-north, password \S{12,}$/);
  const { data } = JSON.parse(rows) as { data: readonly { city: string }[] };
  expect(data.length).toBeGreaterThan(0);
});
