import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { addEveryEngine, type Engines, ordersOf, ordersSql } from '../support/databases/every-engine.ts';
import { createRandom } from '../support/faults/random.ts';
import { mcpOf, rowsOf } from '../support/http/mcp.ts';
import { expectFieldProblem } from '../support/http/problem.ts';
import { createPeople, type Person, publishBoundOrders, regionsIn } from '../support/queries/bound-orders.ts';
import { embedOf, getEmbedUrl, view } from '../support/queries/embeds.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();

let service: TestService;
let engines: Engines;
let root: Caller;
let ana: Person;
let bob: Person;
let eve: Person;
const single = new Map<string, string>(); // technical names by database
const ids = new Map<string, string>(); // by technical name
const lists = new Map<string, string>();

beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
  root = service.as(admin);
  engines = await addEveryEngine(service);
  for (const database of engines.names) {
    const published = await publishBoundOrders(root, database);
    single.set(database, published.single.queryName);
    lists.set(database, published.list.queryName);
    for (const { id, queryName } of Object.values(published)) ids.set(queryName, id);
  }
  ({ ana, bob, eve } = await createPeople(service));
}, 120_000);
afterAll(async () => {
  await service.close();
  await engines.close();
});

const nameOf = (names: ReadonlyMap<string, string>, database: string): string =>
  names.get(database) ?? expect.unreachable(database);

/** The orders that a user receives through every door. */
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

/** On one engine, because the page runs queries of every engine by the call that is tested as `page` above. */
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
