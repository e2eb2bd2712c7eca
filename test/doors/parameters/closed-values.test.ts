import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { mcpOf, rowsOf } from '../../support/http/mcp.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { createKey } from '../../support/people/accounts.ts';
import { embedOf, getEmbedUrl, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let caller: Caller;
let key: string;

const region = { name: '@Region', dataType: 'nvarchar(20)', required: false, values: ['North', 'South', 'East Side'] };
const echo = (name: string, parameter: Record<string, unknown> & { name: string }, more: Record<string, unknown> = {}) =>
  publish(root, {
    name,
    sql: `select cast(${parameter.name} as varchar) as label, 1 as value`,
    parameters: [parameter],
    ...more,
  });

const names = {
  region: 'QD_By_region_Demo',
  open: 'QD_By_any_region_Demo',
  regions: 'QD_By_regions_Demo',
  amount: 'QD_By_amount_Demo',
  since: 'QD_By_day_Demo',
};
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  ({ key } = await createKey(root, { name: 'values' }));
  caller = service.as({ key });
  await echo('By region', region);
  await echo('By any region', { ...region, valuesOpen: true });
  await publish(root, {
    name: 'By regions',
    sql: "select r as label, 1 as value from (values ('North'), ('South'), ('East Side')) t(r) where r in (@Regions) order by r",
    parameters: [{ ...region, name: '@Regions', multiple: true }],
  });
  await echo('By amount', { name: '@Amount', dataType: 'decimal(12,2)', required: false, values: ['10', '12.50'] });
  await echo('By day', { name: '@Since', dataType: 'date', required: false, values: ['2026-01-01', 'month-start'] });
});
afterAll(() => service.close());

const sent = (name: string, Value: unknown) => [{ ParameterName: name, Value }];
const labelsOf = async (queryName: string, name: string, value: unknown): Promise<unknown[]> =>
  (await expectStatus(caller.run(queryName, sent(name, value)), 200)).json.Data.map(({ label }) => label);

describe('a closed list of values', () => {
  test('accepts a value that differs only in case, in the declared spelling, at every door', async () => {
    expect(await labelsOf(names.region, '@Region', 'nORTH')).toEqual(['North']);
    const Parameters = sent('@Region', 'east side');
    const chart = await caller.call<{ Data: { label: string }[] }>('POST', '/api/v1/ChartBuilder/ExecuteQuery', {
      QueryName: names.region,
      Parameters,
    });
    expect(chart.json.Data[0]?.label).toBe('East Side');
    const short = await caller.call<{ data: { label: string }[] }>('POST', `/api/query/execute/${names.region}`, {
      parameters: { Region: 'SOUTH' },
    });
    expect(short.json.data[0]?.label).toBe('South');
    const csv = await caller.call('POST', '/api/v1/Export/ExecuteQuery?format=csv', { QueryName: names.region, Parameters });
    expect(csv.text).toContain('East Side');
    const tool = await mcpOf(service, key).tool('execute_query', { queryName: names.region, parameters: { '@Region': 'north' } });
    expect(rowsOf(tool)[0]).toMatchObject({ label: 'North' });
    const embed = await embedOf(caller, { queryName: names.region, parameters: JSON.stringify({ '@Region': 'south' }) });
    expect((await expectStatus(view(caller, embed.Token), 200)).text).toContain('South');
    const preview = await root.call<{ data: { label: string }[] }>('POST', '/api/v1/queries/preview', {
      database: 'Demo',
      sql: 'select @Region as label',
      parameters: [region],
      values: { '@Region': 'north' },
    });
    expect(preview.json.data).toEqual([{ label: 'North' }]);
  });

  test('records the declared spelling in the audit trail', async () => {
    const response = await expectStatus(caller.run(names.region, sent('@Region', 'south')), 200);
    expect((await auditOf(root, response)).parameters).toEqual({ '@Region': 'South' });
  });

  test('refuses any other value with the list and the closest one, at every door', async () => {
    const Parameters = sent('@Region', 'Nort');
    const body = { QueryName: names.region, Parameters };
    const calls = [
      caller.run(names.region, Parameters),
      caller.call('POST', '/api/v1/ChartBuilder/ExecuteQuery', body),
      caller.call('POST', '/api/v1/Export/ExecuteQuery?format=csv', body),
      caller.call('POST', `/api/query/execute/${names.region}`, { parameters: { region: 'Nort' } }),
      getEmbedUrl(caller, { queryName: names.region, parameters: JSON.stringify({ '@Region': 'Nort' }) }),
      root.call('POST', '/api/v1/queries/preview', {
        database: 'Demo',
        sql: 'select @Region as label',
        parameters: [region],
        values: { '@Region': 'Nort' },
      }),
    ];
    for (const each of calls)
      expect(await expectFieldProblem(each, 'parameter_invalid', '@Region')).toBe(
        '"Nort" is not one of its values. Send one of "North", "South", "East Side". Did you mean "North"?',
      );
    for (const value of ['', ' North', 'all'])
      await expectFieldProblem(caller.run(names.region, sent('@Region', value)), 'parameter_invalid', '@Region');
  });

  test('names at most twenty values', async () => {
    const values = Array.from({ length: 23 }, (_, index) => `v${index}`);
    const { queryName } = await echo('By many', { name: '@V', dataType: 'nvarchar(20)', required: false, values });
    const message = await expectFieldProblem(caller.run(queryName, sent('@V', 'zzzzzzz')), 'parameter_invalid', '@V');
    expect(message).toContain('"v18", "v19" and 3 more.');
    expect(message).not.toContain('v20');
  });

  test('is a result that a model can correct, for generic and typed tools', async () => {
    const version = { 'MCP-Protocol-Version': '2025-11-25' };
    const generic = await mcpOf(service, key).call(
      'execute_query',
      { queryName: names.region, parameters: { '@Region': 'Nort' } },
      version,
    );
    const typedKey = (await createKey(root, { name: 'typed', queries: [names.region, names.open], tools: 'typed' })).key;
    const headers = { ...version, 'X-API-Key': typedKey };
    const typed = await mcpOf(service).call(names.region.toLowerCase(), { Region: 'Nort' }, headers);
    for (const { json } of [generic, typed]) {
      expect(json.result).toMatchObject({
        isError: true,
        _meta: { 'sluice/error': { code: -32602, reason: 'parameter_invalid' } },
      });
      expect(JSON.stringify(json.result?.content)).toContain('Did you mean \\"North\\"?');
    }
    const folded = await mcpOf(service).tool(names.region.toLowerCase(), { Region: 'north' }, headers);
    expect(rowsOf(folded)[0]).toMatchObject({ label: 'North' });
    const { json } = await mcpOf(service).rpc('tools/list', {}, headers);
    const tools = json.result?.tools as { name: string; inputSchema: { properties: Record<string, unknown> } }[];
    const schemaOf = (name: string) => tools.find((each) => each.name === name.toLowerCase())?.inputSchema.properties.Region;
    expect(schemaOf(names.region)).toMatchObject({ enum: ['North', 'South', 'East Side'] });
    expect(schemaOf(names.open)).not.toHaveProperty('enum');
    expect(schemaOf(names.open)).toMatchObject({ description: expect.stringContaining('For example North, South, East Side.') });
  });

  test('applies to each value of a list, and accepts NULL and an absent value', async () => {
    expect(await labelsOf(names.regions, '@Regions', ['north', 'SOUTH', 'North'])).toEqual(['North', 'South']);
    await expectFieldProblem(caller.run(names.regions, sent('@Regions', ['North', 'West'])), 'parameter_invalid', '@Regions');
    expect(await labelsOf(names.region, '@Region', null)).toEqual([null]);
    expect((await expectStatus(caller.run(names.region), 200)).json.Data).toHaveLength(1);
  });

  test('compares numbers and dates as their type writes them', async () => {
    expect(await labelsOf(names.amount, '@Amount', '10.00')).toEqual(['10.00']);
    expect(await labelsOf(names.amount, '@Amount', 12.5)).toEqual(['12.50']);
    await expectFieldProblem(caller.run(names.amount, sent('@Amount', 11)), 'parameter_invalid', '@Amount');
    expect(await labelsOf(names.since, '@Since', '2026-01-01T00:00:00')).toEqual(['2026-01-01']);
    await expectStatus(caller.run(names.since, sent('@Since', 'Month-Start')), 200);
    await expectFieldProblem(caller.run(names.since, sent('@Since', 'today')), 'parameter_invalid', '@Since');
  });

  test('continues with a body that spells the value in another case', async () => {
    const { queryName } = await publish(root, {
      name: 'Long by region',
      sql: 'select i, @Region as region from range(30) r(i)',
      parameters: [region],
    });
    const first = await expectStatus(caller.run(queryName, sent('@Region', 'north'), { RowSize: '10' }), 200);
    const headers = { RowSize: '10', QueryMoreCode: first.json.QueryMoreCode ?? '' };
    const next = await expectStatus(caller.run(queryName, sent('@Region', 'NORTH'), headers), 200);
    expect(next.json.Data[0]).toEqual({ i: 10, region: 'North' });
  });

  test('holds for the parameters that choices depend on', async () => {
    await publish(root, {
      name: 'Cities of a region',
      sql: "select @Region || ' city' as city",
      parameters: [{ ...region, required: true }],
    });
    const { queryName } = await publish(root, {
      name: 'By city',
      sql: 'select @City as label, @Region as region',
      parameters: [
        region,
        {
          ...{ name: '@City', dataType: 'nvarchar(40)', required: false },
          choices: { query: 'QD_Cities_of_a_region_Demo', value: 'city', parameters: { '@Region': '@Region' } },
        },
      ],
    });
    const choices = (value: string) =>
      caller.call('GET', `/api/v1/queries/${queryName}/choices?parameter=@City&@Region=${encodeURIComponent(value)}`);
    expect((await choices('south')).json).toMatchObject({ items: [{ value: 'South city' }] });
    await expectFieldProblem(choices('West'), 'parameter_invalid', '@Region');
  });

  test('asks for an exact spelling where values differ only in case', async () => {
    const values = ['kg', 'KG', 'Mg'];
    const { queryName } = await echo('By unit', { name: '@Unit', dataType: 'nvarchar(5)', required: false, values });
    expect(await labelsOf(queryName, '@Unit', 'KG')).toEqual(['KG']);
    expect(await labelsOf(queryName, '@Unit', 'mg')).toEqual(['Mg']);
    const message = await expectFieldProblem(caller.run(queryName, sent('@Unit', 'Kg')), 'parameter_invalid', '@Unit');
    expect(message).toBe('Write "kg" or "KG" exactly.');
  });
});

describe('an open list of values', () => {
  test('takes every value as it is sent, and says that it is open', async () => {
    expect(await labelsOf(names.open, '@Region', 'north')).toEqual(['north']);
    expect(await labelsOf(names.open, '@Region', 'West')).toEqual(['West']);
    const { json } = await caller.call<{ Parameters: unknown[] }>(
      'GET',
      `/api/v1/JsonBuilder/GetQueryParameters?queryName=${names.open}`,
    );
    expect(json.Parameters).toMatchObject([{ Values: region.values, ValuesOpen: true }]);
    const { parameters } = await mcpOf(service, key).tool('get_query_parameters', { queryName: names.open });
    expect(parameters).toMatchObject([{ Values: region.values, ValuesOpen: true }]);
  });
});

describe('saving a definition', () => {
  const save = (parameter: Record<string, unknown>) =>
    root.call('POST', '/api/v1/queries', { name: 'Saved', database: 'Demo', sql: 'select @P as p', parameters: [parameter] });
  const parameter = { ...region, name: '@P' };

  test('refuses a default that is not in the list, and values that the type cannot have', async () => {
    const refused: [Record<string, unknown>, string][] = [
      [{ ...parameter, default: 'West' }, 'parameters.0.default'],
      [{ ...parameter, multiple: true, default: '["North", "West"]' }, 'parameters.0.default'],
      [{ name: '@P', dataType: 'int', values: ['1', 'two'] }, 'parameters.0.values'],
      [{ name: '@P', dataType: 'int', valuesOpen: true }, 'parameters.0.valuesOpen'],
    ];
    for (const [each, field] of refused) await expectFieldProblem(save(each), 'field_invalid', field);
  });

  test('takes a default that differs only in case, and binds the declared spelling', async () => {
    const { queryName } = await echo('By default', { ...region, default: 'south' });
    expect((await expectStatus(caller.run(queryName), 200)).json.Data[0]).toMatchObject({ label: 'South' });
  });

  test('takes any default of an open list', async () => {
    const { queryName } = await echo('By open default', { ...region, valuesOpen: true, default: 'all' });
    expect((await expectStatus(caller.run(queryName), 200)).json.Data[0]).toMatchObject({ label: 'all' });
  });
});

test('every demo query runs with each of its listed values', async () => {
  const { json } = await expectStatus(
    root.call<{ items: { queryName: string; parameters: { name: string; values?: string[] }[] }[] }>(
      'GET',
      '/api/v1/queries?limit=1000&search=Demo',
    ),
    200,
  );
  const listed = json.items.flatMap(({ queryName, parameters }) =>
    parameters.flatMap(({ name, values = [] }) => values.slice(0, 1).map((value) => ({ queryName, name, value }))),
  );
  expect(listed.length).toBeGreaterThan(5);
  for (const { queryName, name, value } of listed) {
    const response = await caller.run(queryName, sent(name, value.toUpperCase()));
    if (response.status !== 200) await expectProblem(Promise.resolve(response), 200, queryName);
  }
});
