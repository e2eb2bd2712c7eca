import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from '../../support/http/problem.ts';
import { createKey, createQueryUser, signIn } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { openStoreOf, storeName } from '../../support/services/metadata-store.ts';
import {
  type Caller,
  type List,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly isFavorite: boolean;
  readonly lastUsedAt: string | null;
  readonly lastRunAt: string | null;
}

let last = 0;
const now = () => (last = Math.max(last + 1, Date.now())); // runs never have the same time

let service: TestService;
let root: Caller;
let sales: { id: string; queryName: string };
let stock: { id: string; queryName: string };
beforeAll(async () => {
  service = await startTestService({}, now);
  root = service.as(admin);
  sales = await publish(root, { name: 'Zz sales', sql: 'select 1 as n', tags: ['own'] });
  stock = await publish(root, { name: 'Zz stock', sql: 'select 2 as n', tags: ['own'] });
});
afterAll(() => service.close());

const list = async (caller: Caller, filter: string) =>
  (await expectStatus(caller.call<List<Listed>>('GET', `/api/v1/queries?${filter}`), 200)).json.items;
const names = async (caller: Caller, filter: string) => (await list(caller, filter)).map(({ name }) => name);
const mark = (caller: Caller, id: string) => caller.call('PUT', `/api/v1/queries/${id}/favorite`);
const unmark = (caller: Caller, id: string) => caller.call('DELETE', `/api/v1/queries/${id}/favorite`);
const move = (id: string, to: string) => expectStatus(root.call('POST', `/api/v1/queries/${id}/${to}`), 200);

test(`a favorite belongs to one person and follows the query through its life (${storeName})`, async () => {
  const { caller: ann } = await createQueryUser(service, 'ann');
  const { caller: bob } = await createQueryUser(service, 'bob');
  for (let n = 0; n < 2; n++) await expectStatus(mark(ann, sales.id), 204);
  await expectStatus(mark(ann, stock.id), 204);
  expect(await names(ann, 'favorite=true')).toEqual(['Zz sales', 'Zz stock']);
  expect([await names(bob, 'favorite=true'), await names(root, 'favorite=true')]).toEqual([[], []]);
  await expectStatus(unmark(bob, sales.id), 204);
  expect((await ann.call('GET', `/api/v1/queries/${sales.id}`)).json).toMatchObject({ isFavorite: true });
  expect((await bob.call('GET', `/api/v1/queries/${sales.id}`)).json).toMatchObject({ isFavorite: false });

  await expectStatus(root.call('PATCH', `/api/v1/queries/${sales.id}`, { name: 'Zz turnover', isFavorite: true }), 200);
  await move(sales.id, 'validate');
  await move(sales.id, 'activate');
  await move(stock.id, 'deactivate');
  expect(await names(ann, 'favorite=true')).toEqual(['Zz turnover']);
  expect((await root.call('GET', `/api/v1/queries/${sales.id}`)).json).toMatchObject({ isFavorite: false });
  await move(stock.id, 'activate');
  expect(await names(ann, 'favorite=true')).toEqual(['Zz turnover', 'Zz stock'].toSorted());
});

test('a query that the user may not see cannot be added, but can be removed, and neither response reveals whether it exists', async () => {
  const { caller: eve } = await createQueryUser(service, 'eve');
  const hidden = await publish(root, { name: 'Hidden', sql: 'select 3 as n' });
  await expectStatus(mark(eve, hidden.id), 204);
  await expectStatus(root.call('PATCH', `/api/v1/queries/${hidden.id}`, { roles: ['Administrator'] }), 200);
  expect(await names(eve, 'favorite=true')).toEqual([]);
  const refusals = [await mark(eve, hidden.id), await mark(eve, 'unknown')];
  expect(refusals.map((each) => [each.status, problemOf(each).code])).toEqual(Array(2).fill([404, 'not_found']));
  const removals = [await unmark(eve, hidden.id), await unmark(eve, 'unknown')];
  expect(removals.map(({ status, text }) => [status, text])).toEqual(Array(2).fill([204, '']));
  await expectStatus(root.call('PATCH', `/api/v1/queries/${hidden.id}`, { roles: [] }), 200);
  expect(await names(eve, 'favorite=true')).toEqual([]);

  const { key } = await createKey(eve);
  for (const response of [await mark(service.as({ key }), hidden.id), await unmark(service.as({ key }), hidden.id)])
    expect([response.status, problemOf(response).code]).toEqual([403, 'credential_not_suitable']);
  expect((await mark(service.as(), hidden.id)).status).toBe(401);
  const nobody = service.as({ username: 'admin', password: 'wrong password' });
  expect((await mark(nobody, hidden.id)).status).toBe(401);
});

test('a person has at most 200 favorites that they can see', async () => {
  const { json } = await expectStatus(root.call<{ id: string }>('GET', '/api/v1/account'), 200);
  const create = async (name: string) => {
    const body = { name, database: 'Demo', sql: 'select 1 as n' };
    return (await expectStatus(root.call<{ id: string }>('POST', '/api/v1/queries', body), 201)).json.id;
  };
  const [first, last] = [await create('Many 0'), await create('Many more')];
  await expectStatus(mark(root, first), 204);
  const store = await openStoreOf(service);
  const [query] = await store.queries.getMany([first]);
  if (query === undefined) throw new Error('no query');
  await store.transaction(async ({ queries, queryUses }) => {
    for (let n = 1; n < 200; n++) {
      const id = `many-${n}`;
      const definition = { ...query.current.definition, name: `Many ${n}` };
      await queries.insert({
        ...query,
        id,
        queryName: `QD_Many_${n}_Demo`,
        current: { ...query.current, queryId: id, definition },
      });
      await queryUses.addFavorite(json.id, id, n);
    }
  });
  await store.close();
  expect(problemOf(await mark(root, last))).toMatchObject({ status: 409, code: 'limit_reached' });
  await expectStatus(mark(root, first), 204);
  await expectStatus(unmark(root, first), 204);
  await expectStatus(mark(root, last), 204);
});

test('recent queries are those that the person ran in the web interface; a run by anyone is shown to all', async () => {
  const { caller: rex, credential } = await createQueryUser(service, 'rex');
  const browser = service.as({ cookie: await signIn(service, credential) });
  const origin = { Origin: service.url };
  for (const { queryName } of [stock, sales]) {
    await expectStatus(browser.run(queryName, [], origin), 200);
  }
  const { key } = await createKey(rex);
  const { queryName } = await publish(root, { name: 'Zz by key', sql: 'select 4 as n', tags: ['own'] });
  await expectStatus(service.as({ key }).run(queryName), 200);
  expect(await names(rex, 'recent=true')).toEqual(['Zz turnover', 'Zz stock']);
  expect(await names(rex, 'recent=true&limit=1')).toEqual(['Zz turnover']);
  expect(await names(root, 'recent=true')).toEqual([]);
  const seen = await list(root, 'tag=own&sort=-lastRun');
  expect(seen.map(({ name }) => name)).toEqual(['Zz by key', 'Zz turnover', 'Zz stock']);
  expect(seen.every(({ lastRunAt, lastUsedAt }) => lastRunAt !== null && lastUsedAt === null)).toBe(true);

  await move(sales.id, 'deactivate');
  expect(await names(rex, 'recent=true')).toEqual(['Zz stock']);
  await move(sales.id, 'activate');
  await service.restart();
  expect(await names(rex, 'recent=true')).toEqual(['Zz turnover', 'Zz stock']);
});

test('the list is sorted in both directions, with queries without a value last, and paged', async () => {
  await publish(root, { name: 'Zz never', sql: 'select 5 as n', tags: ['own'] });
  expect(await names(root, 'tag=own&sort=-name')).toEqual(['Zz turnover', 'Zz stock', 'Zz never', 'Zz by key']);
  for (const sort of ['lastRun', '-lastRun']) expect((await names(root, `tag=own&sort=${sort}`)).at(-1)).toBe('Zz never');
  expect((await names(root, 'sort=-status&limit=1'))[0]).not.toMatch(/^Many/);
  const walked: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const path = `/api/v1/queries?sort=-name&tag=own&limit=3&cursor=${cursor}`;
    const page: List<Listed> = (await expectStatus(root.call<List<Listed>>('GET', path), 200)).json;
    walked.push(...page.items.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  expect(walked).toEqual(await names(root, 'tag=own&sort=-name'));
  expect((await root.call('GET', '/api/v1/queries?sort=size')).status).toBe(400);
  expect((await root.call('GET', '/api/v1/queries?sort=owner&cursor=gone')).status).toBe(400);
});
