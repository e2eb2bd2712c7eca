import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type Caller,
  type List,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

let service: TestService;
let open: { id: string; queryName: string };
beforeAll(async () => {
  service = await startTestService();
  open = await publish(service.as(admin), { name: 'Open', sql: 'select 1 as n' });
});
afterAll(() => service.close());

const patchUser = (id: string, body: unknown) => expectStatus(service.as(admin).call('PATCH', `/api/v1/users/${id}`, body), 200);
const names = async (caller: Caller, kind: string) =>
  (await expectStatus(caller.call<List<{ name: string }>>('GET', `/api/v1/${kind}?limit=1000`), 200)).json.items.map(
    ({ name }) => name,
  );
const ran = async (caller: Caller, name = open.queryName) => (await caller.run(name)).status;

test('a narrower database scope takes effect immediately for lists and executions', async () => {
  const { id, caller } = await createUser(service, 'narrowed', { roles: ['Query User'], databases: ['*'] });
  const { key } = await createKey(caller);
  expect([await ran(caller), await ran(service.as({ key }))]).toEqual([200, 200]);
  await patchUser(id, { databases: [] });
  expect([await ran(caller), await ran(service.as({ key }))]).toEqual([403, 403]);
  expect(await names(caller, 'queries')).toEqual([]);
  expect((await caller.call('GET', `/api/v1/queries/${open.id}`)).status).toBe(404);
});

test('changed permissions of a role take effect immediately in existing sessions', async () => {
  const role = { name: 'Shifting', permissions: ['queries.run'] };
  const { json } = await expectStatus(service.as(admin).call<{ id: string }>('POST', '/api/v1/roles', role), 201);
  const { caller } = await createUser(service, 'shifted', { roles: ['Shifting'], databases: ['Demo'] });
  const permit = (permissions: readonly string[]) =>
    expectStatus(service.as(admin).call('PATCH', `/api/v1/roles/${json.id}`, { permissions }), 200);
  expect(await ran(caller)).toBe(200);
  expect((await caller.call('GET', '/api/v1/audit')).status).toBe(403);
  await permit(['audit.view']);
  expect(await ran(caller)).toBe(403);
  expect((await caller.call('GET', '/api/v1/audit')).status).toBe(200);
  await permit([]);
  expect((await caller.call('GET', '/api/v1/audit')).status).toBe(403);
});

test('a query that names roles is visible to and run by their holders only, as soon as it names them', async () => {
  const { caller: user } = await createUser(service, 'plain user', { roles: ['Query User'], databases: ['Demo'] });
  const { caller: both } = await createUser(service, 'auditing user', { roles: ['Query User', 'Auditor'], databases: ['Demo'] });
  const { caller: auditor } = await createUser(service, 'mere auditor', { roles: ['Auditor'], databases: ['Demo'] });
  const { id, queryName } = await publish(service.as(admin), { name: 'Restricted', sql: 'select 1 as n' });
  const grant = (roles: readonly string[] | null) =>
    expectStatus(service.as(admin).call('PATCH', `/api/v1/queries/${id}`, { roles }), 200);
  const all = async () => [await ran(user, queryName), await ran(both, queryName), await ran(auditor, queryName)];
  expect(await all(), 'no role named: every user who may run queries').toEqual([200, 200, 403]);
  await grant(['Auditor']);
  expect(await all()).toEqual([403, 200, 403]);
  expect(await names(user, 'queries')).not.toContain('Restricted');
  expect(await names(both, 'queries')).toContain('Restricted');
  expect((await user.call('GET', `/api/v1/queries/${id}`)).status).toBe(404);
  expect(await ran(service.as(admin), queryName), 'no exception for administrators').toBe(403);
  await grant(null);
  expect(await all()).toEqual([200, 200, 403]);
});

test('a query user can read an Active query, but not its versions, and not change it', async () => {
  const { caller: user } = await createUser(service, 'runner', { roles: ['Query User'], databases: ['Demo'] });
  expect((await user.call('GET', `/api/v1/queries/${open.id}`)).status).toBe(200);
  expect((await user.call('GET', `/api/v1/queries/${open.id}/versions`)).status).toBe(403);
  expect((await user.call('PATCH', `/api/v1/queries/${open.id}`, { tip: 'x' })).status).toBe(403);
});

test('each seed role has exactly its documented permissions', async () => {
  const everything = [
    'queries.run',
    'queries.author',
    'queries.publish',
    'queries.epilogue',
    'embeds.create',
    'links.create',
    'databases.manage',
    'users.manage',
    'audit.view',
    'settings.manage',
  ];
  const seeds = {
    Administrator: everything,
    'Query User': ['queries.run', 'embeds.create', 'links.create'],
    'Query Author': ['queries.run', 'embeds.create', 'links.create', 'queries.author'],
    'Query Publisher': ['queries.run', 'embeds.create', 'links.create', 'queries.author', 'queries.publish'],
    'Security Administrator': ['users.manage', 'audit.view'],
    Auditor: ['audit.view'],
  };
  for (const [role, permissions] of Object.entries(seeds)) {
    const { caller } = await createUser(service, `the ${role}`, { roles: [role], databases: ['Demo'] });
    const { json } = await caller.call<{ permissions: string[] }>('GET', '/api/v1/account');
    expect([role, json.permissions.toSorted()]).toEqual([role, permissions.toSorted()]);
  }
});
