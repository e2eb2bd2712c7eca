import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/accounts.ts';
import {
  type Caller,
  type List,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

interface Query {
  readonly id: string;
  readonly queryName: string;
  readonly status: string;
  readonly version: number;
  readonly [field: string]: unknown;
}
type State = 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
type Move = 'validate' | 'activate' | 'deactivate' | 'void' | 'restore' | 'edit';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const moves: readonly Move[] = ['validate', 'activate', 'deactivate', 'void', 'restore', 'edit'];

/** All transitions of the lifecycle; any other is 409. */
const table: Readonly<Record<State, Partial<Record<Move, State>>>> = {
  Draft: { validate: 'Validated', void: 'Void', edit: 'Draft' },
  Validated: { activate: 'Active', void: 'Void', edit: 'Draft' },
  Active: { deactivate: 'Inactive', edit: 'Active' },
  Inactive: { activate: 'Active', void: 'Void', edit: 'Draft' },
  Void: { restore: 'Draft' },
};
const wayTo: Readonly<Record<State, readonly Move[]>> = {
  Draft: [],
  Validated: ['validate'],
  Active: ['validate', 'activate'],
  Inactive: ['validate', 'activate', 'deactivate'],
  Void: ['void'],
};

let count = 0;
async function queryIn(state: State): Promise<Query> {
  const body = { name: `Query ${count++}`, database: 'Demo', sql: 'select 1 as n', parameters: [] };
  const { json } = await expectStatus(service.as(admin).call<Query>('POST', '/api/v1/queries', body), 201);
  for (const step of wayTo[state]) await expectStatus(move(service.as(admin), json.id, step), 200);
  return json;
}
function move(caller: Caller, id: string, name: Move, headers: Record<string, string> = {}) {
  if (name === 'edit') return caller.call<Query>('PATCH', `/api/v1/queries/${id}`, { sql: `select ${++count} as n` }, headers);
  return caller.call<Query>('POST', `/api/v1/queries/${id}/${name}`, undefined, headers);
}
const get = async (id: string) => (await service.as(admin).call<Query>('GET', `/api/v1/queries/${id}`)).json;

test.each(Object.keys(table) as State[])(
  'from %s each transition leads to the state in the table or is 409 without effect',
  async (state) => {
    for (const name of moves) {
      const { id } = await queryIn(state);
      const before = await get(id);
      expect(before.status).toBe(state);
      const response = await move(service.as(admin), id, name);
      const to = table[state][name];
      if (to === undefined) {
        expect([name, response.status, problemOf(response).code]).toEqual([name, 409, 'state_conflict']);
        expect(await get(id)).toEqual(before);
      } else {
        expect([name, response.status, response.json.status]).toEqual([name, 200, to]);
        expect(await get(id)).toEqual(response.json);
      }
    }
  },
);

test('a query can be run from its activation until its deactivation', async () => {
  const { id, queryName } = await queryIn('Draft');
  const ran = async () => (await service.as(admin).run(queryName)).status;
  const seen: (string | number)[] = ['Draft', await ran()];
  for (const name of ['validate', 'activate', 'deactivate', 'activate', 'deactivate', 'void', 'restore'] as const) {
    const { json } = await expectStatus(move(service.as(admin), id, name), 200);
    seen.push(json.status, await ran());
  }
  expect(seen).toEqual(
    [
      ['Draft', 403],
      ['Validated', 403],
      ['Active', 200],
      ['Inactive', 403],
      ['Active', 200],
      ['Inactive', 403],
      ['Void', 403],
      ['Draft', 403],
    ].flat(),
  );
});

test('all refusals to run a query that is not Active are identical', async () => {
  const bodies = new Set<string>();
  for (const state of ['Draft', 'Validated', 'Inactive', 'Void'] as const) {
    const response = await service.as(admin).run((await queryIn(state)).queryName);
    expect(response.status).toBe(403);
    bodies.add(JSON.stringify({ ...problemOf(response), requestId: '' }));
  }
  bodies.add(JSON.stringify({ ...problemOf(await service.as(admin).run('QD_No_Such_Query')), requestId: '' }));
  expect(bodies.size).toBe(1);
});

test('validating requires queries.author, other transitions queries.publish', async () => {
  const { caller: author } = await createUser(service, 'author', { roles: ['Query Author'], databases: ['Demo'] });
  const { caller: user } = await createUser(service, 'user', { roles: ['Query User'], databases: ['Demo'] });
  const role = { name: 'Only publishes', permissions: ['queries.publish'] };
  await expectStatus(service.as(admin).call('POST', '/api/v1/roles', role), 201);
  const { caller: publisher } = await createUser(service, 'publisher', { roles: ['Only publishes'], databases: ['Demo'] });
  const refused = async (caller: Caller, state: State, name: Move) =>
    (await move(caller, (await queryIn(state)).id, name)).status;

  for (const [state, name] of [
    ['Validated', 'activate'],
    ['Active', 'deactivate'],
    ['Draft', 'void'],
    ['Void', 'restore'],
  ] as const) {
    expect([name, await refused(author, state, name)]).toEqual([name, 403]);
    expect([name, await refused(publisher, state, name)]).toEqual([name, 200]);
  }
  for (const name of ['validate', 'edit'] as const) {
    expect([name, await refused(author, 'Draft', name)]).toEqual([name, 200]);
    expect([name, await refused(publisher, 'Draft', name)]).toEqual([name, 403]);
  }
  expect(await refused(user, 'Active', 'deactivate'), 'seen, but not to be moved').toBe(403);
  expect(await refused(user, 'Draft', 'validate'), 'a Draft is not even seen').toBe(404);
});

test('a query is 404 for a user without its database in scope', async () => {
  const { caller } = await createUser(service, 'far author', { roles: ['Query Publisher'], databases: [] });
  const { id } = await queryIn('Validated');
  for (const name of moves) expect([name, (await move(caller, id, name)).status]).toEqual([name, 404]);
  expect((await caller.call('GET', `/api/v1/queries/${id}/versions`)).status).toBe(404);
});

test('a transition with If-Match applies to that version only', async () => {
  const { id } = await queryIn('Draft');
  await expectStatus(move(service.as(admin), id, 'edit', { 'If-Match': '"1"' }), 200);
  const lost = await move(service.as(admin), id, 'validate', { 'If-Match': '"1"' });
  expect([lost.status, problemOf(lost).code]).toEqual([412, 'version_conflict']);
  expect((await move(service.as(admin), id, 'edit', { 'If-Match': '"1"' })).status).toBe(412);
  const validated = await move(service.as(admin), id, 'validate', { 'If-Match': '"2"' });
  expect([validated.status, validated.headers.get('etag')]).toEqual([200, '"2"']);
});

test('audits each transition with user, old and new state, also refused ones', async () => {
  const { id, queryName } = await queryIn('Draft');
  for (const name of ['validate', 'activate', 'deactivate', 'void', 'edit', 'restore', 'activate'] as const)
    await move(service.as(admin), id, name);
  const { json } = await service.as(admin).call<List<Query>>('GET', `/api/v1/audit?query=${queryName}`);
  const trail = json.items.map(({ action, user, parameters, outcome }) => ({ action, user, parameters, outcome })).toReversed();
  const entry = (action: string, from: string | null, to: string | null, outcome = 'ok') => ({
    action: `query.${action}`,
    user: 'admin',
    parameters: expect.objectContaining({ from, to }),
    outcome,
  });
  expect(trail).toEqual([
    entry('create', null, 'Draft'),
    entry('validate', 'Draft', 'Validated'),
    entry('activate', 'Validated', 'Active'),
    entry('deactivate', 'Active', 'Inactive'),
    entry('void', 'Inactive', 'Void'),
    entry('update', 'Void', null, 'refused'),
    entry('restore', 'Void', 'Draft'),
    entry('activate', 'Draft', null, 'refused'),
  ]);
});

test('of parallel activations one succeeds, the others get 409', async () => {
  const { id } = await queryIn('Validated');
  const statuses = (await Promise.all(Array.from({ length: 8 }, () => move(service.as(admin), id, 'activate')))).map(
    (response) => response.status,
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409 || status === 412)).toHaveLength(7);
});
