import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { mcpOf, type ToolContent } from '../../support/http/mcp.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createKey, createUser } from '../../support/people/accounts.ts';
import {
  type Caller,
  type List,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

/** Every reason why a query must not be run, at every door that runs or shows it: the same refusal, so that none tells which. */
const SQL = 'select 1 as label, 2 as amount';

let service: TestService;
let root: Caller;
/** Keys of the callers, and the names of the queries. */
const keys = new Map<string, string>();
const names = new Map<string, string>();

beforeAll(async () => {
  service = await startTestService({ SLUICE_RATE_PER_KEY: '0' });
  root = service.as(admin);
  for (const name of ['Other', 'Disabled']) {
    const file = await makeDuckdbFile(service.files, `${name}.duckdb`, ['create table t as select 1 as n']);
    await expectStatus(root.call('POST', '/api/v1/databases', { name, kind: 'duckdb', connection: { file } }), 201);
  }
  await expectStatus(root.call('POST', '/api/v1/roles', { name: 'Inner circle', permissions: ['queries.run'] }), 201);
  names.set('unknown', 'QD_No_Such_Query');
  await createQuery('Draft', []);
  await createQuery('Validated', ['validate']);
  await createQuery('Inactive', ['validate', 'activate', 'deactivate']);
  await createQuery('Void', ['validate', 'activate', 'deactivate', 'void']);
  await createQuery('Open', ['validate', 'activate']);
  await createQuery('Elsewhere', ['validate', 'activate'], { database: 'Other' });
  await createQuery('Granted', ['validate', 'activate'], { roles: ['Inner circle'] });
  await createQuery('Of a disabled database', ['validate', 'activate'], { database: 'Disabled' });
  const { json } = await root.call<{ items: { id: string; name: string }[] }>('GET', '/api/v1/databases');
  const disabled = json.items.find(({ name }) => name === 'Disabled')?.id;
  await expectStatus(root.call('PATCH', `/api/v1/databases/${disabled}`, { disabled: true }), 200);

  const own = { name: 'narrowed', queries: [names.get('Open')] };
  keys.set('administrator', (await createKey(root)).key);
  await createCaller('user', { roles: ['Query User'], databases: ['Demo', 'Disabled'] });
  await createCaller('author', { roles: ['Query Author'], databases: ['Demo'] });
  await createCaller('without a role', { databases: ['*'] });
  await createCaller('with another role', { roles: ['Auditor'], databases: ['*'] });
  await createCaller('without a database', { roles: ['Query User'] });
  await createCaller('narrowed', { roles: ['Query User', 'Inner circle'], databases: ['*'] }, own);
}, 120_000);
afterAll(() => service.close());

async function createQuery(name: string, moves: readonly string[], more: Record<string, unknown> = {}): Promise<void> {
  const body = { name, database: 'Demo', sql: SQL, parameters: [], aiAccess: true, ...more };
  const { json } = await expectStatus(root.call<{ id: string; queryName: string }>('POST', '/api/v1/queries', body), 201);
  for (const move of moves) await expectStatus(root.call('POST', `/api/v1/queries/${json.id}/${move}`), 200);
  names.set(name, json.queryName);
}

async function createCaller(name: string, rights: Record<string, unknown>, key: Record<string, unknown> = {}): Promise<void> {
  const { caller } = await createUser(service, name, rights);
  keys.set(name, (await createKey(caller, key)).key);
}

const body = (QueryName: string) => ({ QueryName, Parameters: [] });
const embed = (queryName: string) => `?queryName=${queryName}&chartType=bar&labelColumn=label&dataColumn=amount`;
const rest: Readonly<Record<string, (by: Caller, name: string) => ReturnType<Caller['call']>>> = {
  page: (by, name) => by.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', body(name)),
  'page with a parameter that does not exist': (by, name) =>
    by.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { ...body(name), Parameters: [{ ParameterName: '@X', Value: '1' }] }),
  chart: (by, name) => by.call('POST', '/api/v1/ChartBuilder/ExecuteQuery', body(name)),
  summary: (by, name) =>
    by.call('POST', '/api/v1/ChartBuilder/Summary', { ...body(name), labelColumn: 'label', dataColumn: 'amount' }),
  'short form': (by, name) => by.call('POST', `/api/query/execute/${name}`, {}),
  parameters: (by, name) => by.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?queryName=${name}`),
  choices: (by, name) => by.call('GET', `/api/v1/queries/${name}/choices?parameter=@X`),
  export: (by, name) => by.call('POST', '/api/v1/Export/ExecuteQuery?format=csv', body(name)),
  'link of an export': (by, name) => by.call('POST', '/api/v1/Export/CreateLink?format=csv', body(name)),
  'rows by GET': (by, name) => by.call('GET', `/data/${name}.csv`),
  embed: (by, name) => by.call('POST', `/api/v1/EmbeddedChart/GetEmbedUrl${embed(name)}`),
};
const tools: Readonly<Record<string, (name: string) => ToolContent>> = {
  execute_query: (queryName) => ({ queryName }),
  execute_chart_query: (queryName) => ({ queryName }),
  start_stream: (queryName) => ({ queryName }),
  export_query: (queryName) => ({ queryName, format: 'csv' }),
  get_query_detail: (queryId) => ({ queryId }),
  get_query_parameters: (queryId) => ({ queryId }),
};

const refused: readonly (readonly [caller: string, query: string])[] = [
  ...['unknown', 'Draft', 'Validated', 'Inactive', 'Void', 'Of a disabled database'].flatMap((query) => [
    ['user', query] as const,
    ['administrator', query] as const, // who may see it cannot run it either
  ]),
  ['author', 'Draft'],
  ['user', 'Elsewhere'],
  ['user', 'Granted'],
  ['administrator', 'Granted'],
  ['without a role', 'Open'],
  ['with another role', 'Open'],
  ['without a database', 'Open'],
  ['narrowed', 'Elsewhere'],
  ['narrowed', 'Granted'],
  ['narrowed', 'unknown'],
];

describe.each(Object.keys(rest))('REST, %s', (door) => {
  test('is refused with the same message for every reason, and works otherwise', async () => {
    const call = rest[door];
    if (call === undefined) throw new Error(door);
    const messages = new Set<string>();
    for (const [caller, query] of refused) {
      const by = service.as({ key: keys.get(caller) ?? '' });
      if (caller === 'narrowed' && door === 'embed') continue; // such a key makes no embeds at all, see the matrix of routes
      const problem = await expectProblem(call(by, names.get(query) ?? ''), 403, 'query_not_accessible');
      messages.add(JSON.stringify({ ...problem, requestId: '' }));
    }
    expect([...messages]).toHaveLength(1);
    const status = /not exist|choices/.test(door) ? 400 : 200;
    for (const caller of ['user', 'narrowed']) {
      if (caller === 'narrowed' && door === 'embed') continue;
      await expectStatus(call(service.as({ key: keys.get(caller) ?? '' }), names.get('Open') ?? ''), status);
    }
  });
});

describe.each(Object.keys(tools))('MCP, %s', (tool) => {
  test('is refused with the same message for every reason, and works otherwise', async () => {
    const messages = new Set<string>();
    const sent = (query: string): ToolContent => tools[tool]?.(names.get(query) ?? '') ?? {};
    for (const [caller, query] of refused) {
      const { code, message, data } = await mcpOf(service, keys.get(caller)).refusal(tool, sent(query));
      expect([caller, query, code, data.reason]).toEqual([caller, query, 40301, 'query_not_accessible']);
      messages.add(message);
    }
    expect([...messages]).toHaveLength(1);
    for (const caller of ['user', 'narrowed']) await mcpOf(service, keys.get(caller)).tool(tool, sent('Open'));
  });
});

describe('lists', () => {
  const own = (list: readonly { queryName: string }[]) => {
    const all = [...names.values()];
    return list
      .map(({ queryName }) => queryName)
      .filter((name) => all.includes(name))
      .toSorted();
  };
  const listed = async (caller: string) => {
    const by = service.as({ key: keys.get(caller) ?? '' });
    return own((await by.call<List<{ queryName: string }>>('GET', '/api/v1/queries?limit=1000')).json.items);
  };
  const offered = async (caller: string) => {
    const { queries } = await mcpOf(service, keys.get(caller)).tool('list_queries', { limit: 200 });
    return own(queries as { queryName: string }[]);
  };
  const named = (queries: readonly string[]) => queries.map((query) => names.get(query)).toSorted();

  test.each([
    ['user', ['Open', 'Of a disabled database'], ['Open']],
    ['author', ['Draft', 'Validated', 'Inactive', 'Void', 'Open', 'Granted'], ['Open']],
    ['without a role', [], []],
    ['with another role', [], []],
    ['without a database', [], []],
    ['narrowed', ['Open'], ['Open']],
  ])('of a caller %s', async (caller, catalog, gateway) => {
    expect([await listed(caller), await offered(caller)]).toEqual([named(catalog), named(gateway)]);
  });

  test.each(['without a role', 'with another role', 'without a database'])(
    'of databases are empty for a caller %s',
    async (caller) => {
      const by = service.as({ key: keys.get(caller) ?? '' });
      expect((await by.call('GET', '/api/v1/databases')).json).toEqual({ items: [], nextCursor: null });
      expect(await mcpOf(service, keys.get(caller)).tool('list_databases')).toEqual({ databases: [] });
    },
  );

  test('of databases count the queries of a narrowed key', async () => {
    const mcp = mcpOf(service, keys.get('narrowed'));
    expect(await mcp.tool('list_databases')).toMatchObject({ databases: [{ name: 'Demo', queryCount: 1 }] });
  });
});
