import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createQueryUser, signIn } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  admin,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Figure {
  readonly name: string;
  readonly points: readonly { readonly label: string; readonly value: number }[];
  readonly unit: string | null;
}

interface Demo {
  readonly chart: unknown;
  readonly parameters: readonly { readonly required: boolean; readonly default?: unknown }[];
}

const needsNoInput = (each: Demo['parameters'][number]): boolean => !each.required || each.default !== undefined;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const figuresOf = async (caller: Caller, names = '') =>
  (
    await expectStatus(
      caller.call<{ figures: readonly Figure[] }>('GET', `/api/v1/figures${names === '' ? '' : `?queries=${names}`}`),
      200,
    )
  ).json.figures;
const inBrowser = async (person: { username: string; password: string }) => service.as({ cookie: await signIn(service, person) });
const sql = `select * from (values ('a', 1), ('b', 2)) t("Group", "Amount")`;
const origin = () => ({ origin: service.url });

test('reads figures without running or auditing anything', async () => {
  const reader = await createQueryUser(service, 'reader');
  await expectStatus(reader.caller.run('QD_Sales_by_month_Demo'), 200);
  const entries = async () => (await service.as(admin).call<List<unknown>>('GET', '/api/v1/audit?limit=200')).json.items.length;
  const before = await entries();
  expect(await figuresOf(reader.caller)).toMatchObject([{ name: 'Sales by month', unit: 'month', labels: 48 }]);
  await reader.caller.call('GET', '/api/v1/home');
  expect(await entries()).toBe(before);
});

test('shows a figure only to people who may run the query now', async () => {
  const person = await createQueryUser(service, 'mover');
  expect((await figuresOf(person.caller, 'QD_Sales_by_month_Demo')).length).toBe(1);
  await expectStatus(service.as(admin).call('PATCH', `/api/v1/users/${person.id}`, { databases: [] }), 200);
  expect(await figuresOf(person.caller, 'QD_Sales_by_month_Demo')).toEqual([]);
  expect(await figuresOf(person.caller)).toEqual([]);
});

test('shows the rows of a user to nobody else unless the author shares results', async () => {
  const { queryName } = await publish(service.as(admin), { name: 'Not shared', sql });
  const [first, second] = [await createQueryUser(service, 'first'), await createQueryUser(service, 'second')];
  const [one, two] = [await inBrowser(first), await inBrowser(second)];
  await expectStatus(one.run(queryName, [], origin()), 200);
  expect(await figuresOf(one, queryName)).toMatchObject([
    {
      points: [
        { label: 'b', value: 2 },
        { label: 'a', value: 1 },
      ],
    },
  ]);
  expect(await figuresOf(two, queryName)).toEqual([]);
  expect(await figuresOf(service.as(admin), queryName)).toEqual([]);
});

test('keeps rows of one identity from another, also if the author shares results', async () => {
  const { queryName } = await publish(service.as(admin), {
    name: 'Of the caller',
    sql: `select @Who as "Who", 1 as "Amount"`,
    parameters: [{ name: '@Who', dataType: 'nvarchar(50)', required: true, boundTo: 'user.name' }],
    cacheSeconds: 300,
  });
  const [third, fourth] = [await createQueryUser(service, 'third'), await createQueryUser(service, 'fourth')];
  await expectStatus(third.caller.run(queryName), 200);
  expect(await figuresOf(third.caller, queryName)).toMatchObject([{ points: [{ label: 'third' }] }]);
  expect(await figuresOf(fourth.caller, queryName)).toEqual([]);
});

test('keeps figures over a restart', async () => {
  expect((await figuresOf(service.as(admin), 'QD_Sales_by_month_Demo')).length).toBe(1);
  await service.restart();
  expect((await figuresOf(service.as(admin), 'QD_Sales_by_month_Demo')).length).toBe(1);
});

test('draws the figures of the demo once, at the first start, in the name of the service', { timeout: 60_000 }, async () => {
  const fresh = await startTestService({ SLUICE_DATA: await mkdtemp(join(tmpdir(), 'sluice-first-')) });
  try {
    const root = fresh.as(admin);
    const { json: catalog } = await root.call<List<Demo>>('GET', '/api/v1/queries?limit=100');
    const charts = catalog.items.filter(({ chart, parameters }) => chart !== null && parameters.every(needsNoInput)).length;
    const runs = async () =>
      (await root.call<List<{ channel: string; outcome: string }>>('GET', '/api/v1/audit?action=query.figure&limit=200')).json
        .items;
    await waitUntil(runs, (entries) => entries.length === charts);
    expect(new Set((await runs()).map(({ channel, outcome }) => `${channel} ${outcome}`))).toEqual(new Set(['management ok']));
    const figures = await waitUntil(
      () => figuresOf(root),
      (drawn) => drawn.filter(({ unit }) => unit !== null).length === 3,
    );
    expect(figures.map(({ unit }) => unit !== null)).toEqual([true, true, true, false, false, false]); // trends first
    const { json } = await root.call<{ lastDay: { calls: number } }>('GET', '/api/v1/home');
    expect(json.lastDay.calls).toBe(0);
    await fresh.restart();
    expect(await figuresOf(root)).toHaveLength(6);
    expect(await runs()).toHaveLength(charts);
  } finally {
    await fresh.close();
  }
});
