import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { openBrowser, visit } from '../../support/browser/browser.ts';
import { addEveryEngine, type Engines, ordersOf, ordersSql } from '../../support/databases/every-engine.ts';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { createRandom } from '../../support/faults/random.ts';
import { mcpOf, rowsOf } from '../../support/http/mcp.ts';
import { expectFieldProblem, expectProblem, problemOf } from '../../support/http/problem.ts';
import { type Account, createKey, createUser, signIn } from '../../support/people/accounts.ts';
import { embedOf, getEmbedUrl, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

interface Person extends Account {
  readonly key: string;
  readonly cookie: string;
}

const browser = await openBrowser();

let service: TestService;
let engines: Engines;
let root: Caller;
let ana: Person; // sees North
let bob: Person; // sees South
let eve: Person; // has no attributes
const single = new Map<string, string>(); // technical names by database
const ids = new Map<string, string>(); // by technical name
const lists = new Map<string, string>();

beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
  root = service.as(admin);
  engines = await addEveryEngine(service);
  const bound = { dataType: 'nvarchar(20)' };
  for (const database of engines.names) {
    const region = { ...bound, name: '@Region', boundTo: 'user.attributes.region' };
    const regions = { ...bound, name: '@Regions', boundTo: 'user.attributes.regions', multiple: true };
    const name = `Orders on ${database}`;
    const one = await publish(root, { name, database, sql: ordersSql('= @Region'), parameters: [region] });
    const list = { name: `${name} of several`, database, sql: ordersSql('IN (@Regions)'), parameters: [regions] };
    const several = await publish(root, list);
    single.set(database, one.queryName);
    lists.set(database, several.queryName);
    for (const { id, queryName } of [one, several]) ids.set(queryName, id);
  }
  ana = await person('ana', { region: 'North', regions: ['North', 'East'] });
  bob = await person('bob', { region: ['South'], regions: 'South' });
  eve = await person('eve', {});
}, 120_000);
afterAll(async () => {
  await service.close();
  await engines.close();
});

async function person(username: string, attributes: Record<string, unknown>): Promise<Person> {
  const account = await createUser(service, username, { roles: ['Query User'], databases: ['*'], attributes });
  const { key } = await createKey(account.caller, { name: 'k' });
  return { ...account, key, cookie: await signIn(service, account) };
}

const nameOf = (names: ReadonlyMap<string, string>, database: string): string =>
  names.get(database) ?? expect.unreachable(database);
const setAttributes = (id: string, attributes: Record<string, unknown>) =>
  expectStatus(root.call('PATCH', `/api/v1/users/${id}`, { attributes }), 200);

/** The orders that a person sees through every door. */
async function seen({ key, cookie }: Person, queryName: string): Promise<Record<string, readonly unknown[]>> {
  const caller = service.as({ key });
  const mcp = mcpOf(service, key);
  const orders = (rows: unknown): number[] => (rows as { value: number }[]).map(({ value }) => Number(value));
  const body = { QueryName: queryName, Parameters: [] };
  const { Token } = await embedOf(caller, { queryName });
  const page = (await expectStatus(view(service.as(), Token), 200)).text;
  const exported = await expectStatus(caller.call('POST', '/api/v1/Export/ExecuteQuery?format=csv', body), 200);
  const file = await mcp.tool('export_query', { queryName, format: 'json' });
  const downloaded = await fetch(String(file.downloadUrl).replace(/^https?:\/\/[^/]+/, service.url));
  return {
    rest: orders((await expectStatus(caller.run(queryName), 200)).json.Data),
    // as the pages of the web interface call it
    page: orders((await expectStatus(service.as({ cookie }).run(queryName), 200)).json.Data),
    short: orders((await expectStatus(caller.call('POST', `/api/query/execute/${queryName}`), 200)).json.data),
    chart: orders((await expectStatus(caller.call('POST', '/api/v1/ChartBuilder/ExecuteQuery', body), 200)).json.Data),
    csv: exported.text
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => Number(line.split(',')[1])),
    mcp: orders(rowsOf(await mcp.tool('execute_query', { queryName }))),
    stream: orders(rowsOf(await mcp.tool('start_stream', { queryName }))),
    file: orders(await downloaded.json()),
    embed: regionsIn(page),
  };
}
/** The regions that an embed page shows. */
const regionsIn = (page: string): string[] => [...new Set(page.match(/North|South|East/g))].sort();

const everywhere = (...regions: readonly string[]) => {
  const orders = ordersOf(...regions);
  const doors = {
    rest: orders,
    page: orders,
    short: orders,
    chart: orders,
    csv: orders,
    mcp: orders,
    stream: orders,
    file: orders,
  };
  return { ...doors, embed: [...regions].sort() };
};

test('two users get exactly their rows of every engine through every door', async () => {
  expect(engines.names.length).toBeGreaterThanOrEqual(4);
  for (const database of engines.names) {
    expect(await seen(ana, nameOf(single, database)), database).toEqual(everywhere('North'));
    expect(await seen(bob, nameOf(single, database)), database).toEqual(everywhere('South'));
    expect(await seen(ana, nameOf(lists, database)), database).toEqual(everywhere('North', 'East'));
    expect(await seen(bob, nameOf(lists, database)), database).toEqual(everywhere('South'));
  }
}, 120_000);

/** One engine: the page runs queries of every engine by the call that is tested as `page` above. */
test.skipIf(typeof browser === 'string')('two users see exactly their rows on the page of the query', async () => {
  const shown = async (page: Page, queryName: string, count: number): Promise<number[]> => {
    await page.goto(`/queries/${ids.get(queryName)}`);
    await page.getByText('This query has no parameters.').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(new RegExp(`^${count} rows in `)).waitFor();
    const cells = Array.from({ length: count }, (_, row) => page.locator(`[data-position="${row} 1"]`).textContent());
    return (await Promise.all(cells)).map(Number);
  };
  for (const [person, one, several] of [
    [ana, ['North'], ['North', 'East']],
    [bob, ['South'], ['South']],
  ] as const) {
    const { page, close } = await visit(browser as Browser, service, { as: person });
    expect(await shown(page, nameOf(single, 'Duck'), 4)).toEqual(ordersOf(...one));
    expect(await shown(page, nameOf(lists, 'Duck'), 4 * several.length)).toEqual(ordersOf(...several));
    await close();
  }
  const { page, close } = await visit(browser as Browser, service, { as: eve });
  await page.goto(`/queries/${ids.get(nameOf(single, 'Duck'))}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('alert').getByText('user.attributes.region').waitFor();
  await close();
});

test('a sent list matches its values on every engine, and an empty one nothing', async () => {
  for (const database of engines.names) {
    const parameters = [{ name: '@Regions', dataType: 'nvarchar(20)', multiple: true }];
    const inside = await publish(root, { name: `In ${database}`, database, sql: ordersSql('IN (@Regions)'), parameters });
    const outside = await publish(root, {
      name: `Not in ${database}`,
      database,
      sql: ordersSql('NOT IN (@Regions)'),
      parameters,
    });
    const found = async ({ queryName }: { queryName: string }, Value?: unknown) => {
      const sent = Value === undefined ? [] : [{ ParameterName: '@Regions', Value }];
      return (await expectStatus(root.run(queryName, sent), 200)).json.Data.map(({ value }) => Number(value));
    };
    expect(await found(inside, ['South', 'East', 'South']), database).toEqual(ordersOf('South', 'East'));
    expect(await found(inside, 'East'), database).toEqual(ordersOf('East'));
    expect(await found(inside, [...Array.from({ length: 999 }, (_, index) => `x${index}`), 'North']), database).toEqual(
      ordersOf('North'),
    );
    expect(await found(inside, ["North') or ('1'='1"]), database).toEqual([]);
    expect(await found(outside, ['South', 'East']), database).toEqual(ordersOf('North'));
    for (const query of [inside, outside])
      for (const value of [undefined, [], null]) expect(await found(query, value), database).toEqual([]);
    const many = Array.from({ length: 1001 }, (_, index) => String(index));
    await expectFieldProblem(
      root.run(inside.queryName, [{ ParameterName: '@Regions', Value: many }]),
      'parameter_invalid',
      '@Regions',
    );
  }
});

test('200 generated attempts to send a bound value change nothing', async () => {
  const { pick, below, maybe } = createRandom(9);
  const spelled = () => {
    const name = pick(['@Region', 'Region', '@region', 'REGION', '@REGION', 'region']);
    return maybe(0.2) ? pick([` ${name}`, `${name} `, `@${name}`, `${name}_`, name.replace('i', 'í')]) : name;
  };
  const value = () =>
    pick<unknown>(['South', ['South', 'North'], null, 5, true, "South' or '1'='1", '', [], 'East', '["South"]']);
  const exactly = /^@?region$/i;
  let refusedAsBound = 0;
  for (let attempt = 0; attempt < 200; attempt++) {
    const queryName = nameOf(single, pick(engines.names));
    const name = spelled();
    const sent = value();
    const list = [{ ParameterName: name, Value: sent, ...(maybe(0.3) ? { DataType: pick(['nvarchar', 'int', '']) } : {}) }];
    const Parameters = pick<unknown>([list, { [name]: sent }, [...list, ...(below(2) ? list : [])]]);
    const caller = service.as(pick([{ key: ana.key }, ana.credential]));
    const mcp = mcpOf(service, ana.key);
    const doors: readonly (() => Promise<{ status: number; text: string }>)[] = [
      () => caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName: queryName, Parameters }),
      () => caller.call('POST', '/api/v1/ChartBuilder/ExecuteQuery', { QueryName: queryName, Parameters }),
      () =>
        caller.call('POST', `/api/query/execute/${queryName}`, {
          parameters: maybe(0.5) ? { [name]: sent } : [{ parameterName: name, value: sent }],
        }),
      () =>
        caller.call('POST', `/api/v1/Export/ExecuteQuery?format=${pick(['csv', 'json', 'ndjson'])}`, {
          QueryName: queryName,
          Parameters,
        }),
      () => getEmbedUrl(caller, { queryName, parameters: JSON.stringify(Parameters) }),
      () => mcp.call(pick(['execute_query', 'start_stream', 'execute_chart_query']), { queryName, parameters: Parameters }),
      () => mcp.call('export_query', { queryName, format: 'csv', parameters: Parameters }),
      // outside of the parameters
      () =>
        caller.call('POST', `/api/v1/JsonBuilder/ExecuteQuery?${encodeURIComponent(name)}=South`, {
          QueryName: queryName,
          Parameters: [],
        }),
      () => caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName: queryName, Parameters: [], [name]: sent }),
      () =>
        caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', {
          QueryName: queryName,
          Parameters: [],
          attributes: { region: 'South' },
        }),
      () => mcp.call('execute_query', { queryName, [name]: sent }),
    ];
    const door = below(doors.length);
    const { status, text } = await (doors[door] ?? expect.unreachable())();
    const context = `${door} ${JSON.stringify(Parameters)}: ${text.slice(0, 300)}`;
    expect(text, context).toMatch(
      /"code":"(?:parameter_bound|parameter_unknown|parameter_invalid|field_unknown|field_invalid)"|"code":-32602/,
    );
    expect([200, 400], context).toContain(status); // 200: of a JSON-RPC error
    expect(text, context).not.toMatch(/"(?:label|value)":|South,|"Data"/);
    if (door < 7 && exactly.test(name)) {
      expect(text, context).toContain('parameter_bound');
      refusedAsBound++;
    }
  }
  expect(refusedAsBound).toBeGreaterThan(80);
  expect((await expectStatus(service.as({ key: ana.key }).run(nameOf(single, 'Duck')), 200)).json.Data).toHaveLength(4);
});

describe('a query that is bound to its caller', () => {
  const queryName = () => nameOf(single, 'Duck');
  const rowsSeen = async (caller: Caller, name = queryName()) =>
    (await expectStatus(caller.run(name), 200)).json.Data.map(({ value }) => value);

  test('does not show the parameter to callers, only to authors', async () => {
    const caller = service.as({ key: ana.key });
    const mcp = mcpOf(service, ana.key);
    const declared = await expectStatus(
      caller.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?queryName=${queryName()}`),
      200,
    );
    expect(declared.json.Parameters).toEqual([]);
    expect((await mcp.tool('get_query_parameters', { queryName: queryName() })).parameters).toEqual([]);
    expect(await mcp.tool('get_query_detail', { queryId: queryName() })).toMatchObject({ parameterCount: 0, parameters: [] });
    const names = [queryName(), nameOf(lists, 'Duck')];
    const listed = async (as: Caller) => {
      const path = '/api/v1/queries?limit=1000';
      const { json } = await expectStatus(as.call<{ items: { queryName: string; parameters: unknown[] }[] }>('GET', path), 200);
      return json.items.filter((each) => names.includes(each.queryName));
    };
    expect((await listed(ana.caller)).map(({ parameters }) => parameters)).toEqual([[], []]);
    expect((await listed(root)).map(({ parameters }) => parameters.length)).toEqual([1, 1]);
    const misspelled = await expectProblem(
      caller.run(queryName(), [{ ParameterName: '@Regoin', Value: 'a' }]),
      400,
      'parameter_unknown',
    );
    expect(misspelled.detail).not.toContain('@Region');
  });

  test('is refused without the attribute, and with several values of it', async () => {
    const refused = await expectProblem(service.as({ key: eve.key }).run(queryName()), 403, 'caller_attribute_missing');
    expect(refused.detail).toContain('user.attributes.region');
    expect(await mcpOf(service, eve.key).refusal('execute_query', { queryName: queryName() })).toMatchObject({
      code: 40301,
      data: { reason: 'caller_attribute_missing' },
    });
    await setAttributes(eve.id, { region: '', regions: [] });
    for (const name of [queryName(), nameOf(lists, 'Duck')])
      await expectProblem(eve.caller.run(name), 403, 'caller_attribute_missing');
    await setAttributes(eve.id, { region: ['North', 'South'] });
    await expectProblem(eve.caller.run(queryName()), 403, 'caller_attribute_ambiguous');
    await setAttributes(eve.id, { region: 'longer than twenty characters' });
    await expectProblem(eve.caller.run(queryName()), 403, 'caller_attribute_missing');
    await setAttributes(eve.id, {});
  });

  test('records the bound value in the audit trail', async () => {
    const entry = await auditOf(root, await bob.caller.run(nameOf(lists, 'Duck')));
    expect(entry.parameters).toEqual({ '@Regions': ['South'] });
  });

  test('binds the other facts about the caller', async () => {
    const sql = `select @Name as name, @Id as id, @Email as email, @Full as "full",
      (select count(*) from (values ('Query User'), ('Auditor'), ('Administrator')) t(r) where r in (@Roles)) as roles`;
    const sources = { '@Name': 'user.name', '@Id': 'user.id', '@Email': 'user.email', '@Full': 'user.fullName' };
    const parameters = [
      ...Object.entries(sources).map(([name, boundTo]) => ({ name, dataType: 'text', boundTo })),
      { name: '@Roles', dataType: 'text', boundTo: 'user.roles', multiple: true },
    ];
    const me = await publish(root, { name: 'Me', database: 'Duck', sql, parameters });
    const person = { email: 'dan@example.org', fullName: 'Dan D' };
    const dan = await createUser(service, 'dan', { roles: ['Query User', 'Auditor'], databases: ['*'], ...person });
    const { json } = await expectStatus(dan.caller.run(me.queryName), 200);
    expect(json.Data).toEqual([{ name: 'dan', id: dan.id, email: 'dan@example.org', full: 'Dan D', roles: 2 }]);
  });

  test('uses new attributes at once, while a snapshot goes on', async () => {
    const caller = service.as({ key: bob.key });
    const narrow = await createKey(bob.caller, { name: 'narrow', queries: [queryName()] });
    const { Id, Token } = await embedOf(caller, { queryName: queryName() });
    const first = await expectStatus(caller.run(queryName(), [], { RowSize: '2' }), 200);
    await setAttributes(bob.id, { region: 'East', regions: 'South' });
    try {
      const next = await expectStatus(caller.run(queryName(), [], { QueryMoreCode: first.json.QueryMoreCode ?? '' }), 200);
      expect([...first.json.Data, ...next.json.Data].map(({ value }) => value)).toEqual(ordersOf('South'));
      expect(await rowsSeen(caller)).toEqual(ordersOf('East'));
      expect(await rowsSeen(service.as({ key: narrow.key }))).toEqual(ordersOf('East'));
      const shown = async (token: string) => regionsIn((await view(service.as(), token)).text);
      expect(await shown(Token)).toEqual(['East']);
      const renewed = await expectStatus(caller.call<{ Token: string }>('POST', `/api/v1/embeds/${Id}/regenerate`), 200);
      expect(await shown(renewed.json.Token)).toEqual(['East']);
      // a snapshot also goes on without the attribute; a new execution does not
      const again = await expectStatus(caller.run(queryName(), [], { RowSize: '2' }), 200);
      await setAttributes(bob.id, {});
      await expectStatus(caller.run(queryName(), [], { QueryMoreCode: again.json.QueryMoreCode ?? '' }), 200);
      await expectProblem(caller.run(queryName()), 403, 'caller_attribute_missing');
      expect((await view(service.as(), renewed.json.Token)).status).toBe(403);
      const sent = [{ ParameterName: '@Region', Value: 'South' }];
      await expectProblem(
        caller.run(queryName(), sent, { QueryMoreCode: again.json.QueryMoreCode ?? '' }),
        400,
        'parameter_bound',
      );
    } finally {
      await setAttributes(bob.id, { region: ['South'], regions: 'South' });
    }
  });

  test('shares results among callers with equal values only', async () => {
    const parameters = [{ name: '@Region', dataType: 'text', boundTo: 'user.attributes.region' }];
    const shared = await publish(root, {
      name: 'Shared',
      database: 'Duck',
      sql: ordersSql('= @Region'),
      parameters,
      cacheSeconds: 600,
    });
    const zoe = await person('zoe', { region: 'North' });
    const run = async ({ key }: Person) => {
      const { headers, json } = await expectStatus(service.as({ key }).run(shared.queryName, [], { RowSize: '2' }), 200);
      return [headers.get('x-cache'), json.Data.map(({ value }) => value)];
    };
    expect(await run(ana)).toEqual(['miss', ordersOf('North').slice(0, 2)]);
    expect(await run(bob)).toEqual(['miss', ordersOf('South').slice(0, 2)]);
    expect(await run(zoe)).toEqual(['hit', ordersOf('North').slice(0, 2)]);
    expect(await run(bob)).toEqual(['hit', ordersOf('South').slice(0, 2)]);
    await setAttributes(zoe.id, { region: 'South' });
    expect(await run(zoe)).toEqual(['hit', ordersOf('South').slice(0, 2)]);
  });

  test('cannot have a default, values or an unknown source', async () => {
    const body = (more: Record<string, unknown>) => ({
      name: 'Wrong',
      database: 'Duck',
      sql: ordersSql('= @Region'),
      parameters: [{ name: '@Region', dataType: 'text', boundTo: 'user.attributes.region', ...more }],
    });
    for (const [more, field] of [
      [{ default: 'North' }, 'default'],
      [{ values: ['North'] }, 'values'],
      [{ boundTo: 'user.password' }, 'boundTo'],
      [{ boundTo: 'user.attributes.' }, 'boundTo'],
    ] as const) {
      const refused = await expectStatus(root.call('POST', '/api/v1/queries', body(more)), 400);
      expect(problemOf(refused).errors?.map((each) => each.field)).toEqual([`parameters.0.${field}`]);
    }
  });

  test('is previewed as its author, or as another user by those who manage users', async () => {
    const body = {
      database: 'Duck',
      sql: ordersSql('= @Region'),
      parameters: [{ name: '@Region', dataType: 'text', boundTo: 'user.attributes.region' }],
    };
    const preview = (caller: Caller, more: Record<string, unknown> = {}) =>
      caller.call('POST', '/api/v1/queries/preview', { ...body, ...more });
    await expectProblem(preview(root), 403, 'caller_attribute_missing');
    const as = await expectStatus(preview(root, { as: 'Ana' }), 200);
    expect((as.json.data as { value: number }[]).map(({ value }) => value)).toEqual(ordersOf('North'));
    expect(await auditOf(root, as)).toMatchObject({ action: 'query.preview', parameters: { as: 'Ana' } });
    await expectFieldProblem(preview(root, { as: 'nobody' }), 'field_invalid', 'as');
    await expectProblem(preview(root, { as: 'ana', values: { Region: 'South' } }), 400, 'parameter_bound');
    const author = await createUser(service, 'author', {
      roles: ['Query Author'],
      databases: ['*'],
      attributes: { region: 'East' },
    });
    const own = await expectStatus(preview(author.caller), 200);
    expect((own.json.data as { value: number }[]).map(({ value }) => value)).toEqual(ordersOf('East'));
    await expectProblem(preview(author.caller, { as: 'ana' }), 403, 'permission_denied');
  });
});

/** Two services on one PostgreSQL and one data folder. */
test.skipIf(postgresProblem() !== null)('two replicas use a new attribute as soon as its change is confirmed', async () => {
  const url = await createDatabase();
  const here = await startTestService({ SLUICE_METADATA_URL: url });
  const there = await startTestService({ SLUICE_METADATA_URL: url, SLUICE_DATA: here.folder });
  try {
    const parameters = [{ name: '@Region', dataType: 'text', boundTo: 'user.attributes.region' }];
    const { queryName } = await publish(here.as(admin), { name: 'Mine', sql: 'select @Region as region', parameters });
    const { id, credential } = await createUser(here, 'kim', {
      roles: ['Query User'],
      databases: ['*'],
      attributes: { region: 'r0' },
    });
    const { key } = await createKey(here.as(credential), { name: 'k' });
    let confirmed = 0;
    let isOver = false;
    const load = [here, there, here, there].map(async (replica) => {
      while (!isOver) {
        const least = confirmed;
        const { json } = await expectStatus(replica.as({ key }).run(queryName), 200);
        expect(Number(String(json.Data[0]?.region).slice(1))).toBeGreaterThanOrEqual(least);
      }
    });
    for (let round = 1; round <= 15; round++) {
      const replica = round % 2 === 0 ? here : there;
      await expectStatus(replica.as(admin).call('PATCH', `/api/v1/users/${id}`, { attributes: { region: `r${round}` } }), 200);
      confirmed = round;
    }
    isOver = true;
    await Promise.all(load);
  } finally {
    await there.close();
    await here.close();
  }
});
