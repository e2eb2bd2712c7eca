import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type List, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

interface Role {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly version: number;
  readonly builtIn: boolean;
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  service.as(admin).call<Role>(method, `/api/v1/roles${path}`, body, headers);
const create = (name: string, permissions: readonly string[] = []) => call('POST', '', { name, permissions });
const list = async () => (await service.as(admin).call<List<Role>>('GET', '/api/v1/roles')).json.items;

test('the seed roles exist, sorted by name', async () => {
  expect((await list()).map(({ name, builtIn }) => [name, builtIn])).toEqual([
    ['Administrator', true],
    ['Auditor', false],
    ['Query Author', false],
    ['Query Publisher', false],
    ['Query User', false],
    ['Security Administrator', false],
  ]);
});

test('a role is created, read, changed, replaced and deleted, with its version as ETag', async () => {
  const made = await create('Analyst', ['audit.view', 'queries.run', 'queries.run']);
  expect(made.status).toBe(201);
  const role = {
    id: made.json.id,
    name: 'Analyst',
    permissions: ['queries.run', 'audit.view'],
    version: 1,
    builtIn: false,
    canGrant: true,
    canEdit: true,
  };
  expect(made.json).toEqual(role);
  expect(made.headers.get('etag')).toBe('"1"');
  expect((await call('GET', `/${role.id}`)).json).toEqual(role);
  const patched = await call('PATCH', `/${role.id}`, { permissions: ['queries.run'] }, { 'If-Match': '"1"' });
  expect(patched.json).toEqual({ ...role, permissions: ['queries.run'], version: 2 });
  expect((await call('PATCH', `/${role.id}`, { name: 'Other' }, { 'If-Match': '"1"' })).status).toBe(412);
  expect((await call('PUT', `/${role.id}`, { name: 'Analysts', permissions: [] })).json).toMatchObject({
    name: 'Analysts',
    permissions: [],
    version: 3,
  });
  expect((await call('PUT', `/${role.id}`, { name: 'Analysts' })).status, 'PUT needs the whole').toBe(400);
  expect((await call('DELETE', `/${role.id}`, undefined, { 'If-Match': '"1"' })).status).toBe(412);
  expect((await call('DELETE', `/${role.id}`)).status).toBe(204);
  expect((await call('GET', `/${role.id}`)).status).toBe(404);
});

test('names are unique ignoring case, and unknown permissions are refused', async () => {
  const taken = await create('AUDITOR');
  expect([taken.status, problemOf(taken).code]).toEqual([409, 'name_taken']);
  expect(fieldsOf(await create(''))).toEqual(['name']);
  expect(fieldsOf(await create('x', ['queries.run', 'queries.fly']))).toEqual(['permissions.1']);
  expect(fieldsOf(await call('POST', '', { name: 'x' }))).toEqual(['permissions']);
});

test('Administrator can be neither changed nor deleted', async () => {
  const id = (await list()).find(({ builtIn }) => builtIn)?.id;
  for (const response of [
    await call('PATCH', `/${id}`, { permissions: [] }),
    await call('PATCH', `/${id}`, { name: 'Boss' }),
    await call('PUT', `/${id}`, { name: 'Administrator', permissions: ['queries.run'] }),
    await call('DELETE', `/${id}`),
  ])
    expect([response.status, problemOf(response).code]).toEqual([409, 'state_conflict']);
});

test('a role in use cannot be deleted, whether a user holds it or a query or its draft names it', async () => {
  const { json: role } = await create('Used');
  const remove = async () => {
    const response = await call('DELETE', `/${role.id}`);
    return [response.status, problemOf(response)?.code];
  };
  const person = await createUser(service, 'holder', { roles: ['Used'] });
  expect(await remove()).toEqual([409, 'in_use']);
  await service.as(admin).call('PATCH', `/api/v1/users/${person.id}`, { roles: [] });
  const query = await publish(service.as(admin), { name: 'Names a role', sql: 'select 1 as n', roles: ['Used'] });
  expect(await remove()).toEqual([409, 'in_use']);
  await expectStatus(service.as(admin).call('PATCH', `/api/v1/queries/${query.id}`, { roles: [] }), 200);
  expect(await remove()).toEqual([204, undefined]);
});

test('a user can neither grant nor revoke role permissions that they lack', async () => {
  const { caller } = await createUser(service, 'security', { roles: ['Security Administrator'] });
  const refused = await caller.call('POST', '/api/v1/roles', { name: 'Mine', permissions: ['users.manage', 'queries.run'] });
  expect([refused.status, problemOf(refused).code]).toEqual([403, 'permission_denied']);
  const made = await caller.call<Role>('POST', '/api/v1/roles', { name: 'Mine', permissions: ['users.manage'] });
  expect(made.status).toBe(201);
  expect((await caller.call('PATCH', `/api/v1/roles/${made.json.id}`, { permissions: ['settings.manage'] })).status).toBe(403);
  const author = (await list()).find(({ name }) => name === 'Query Author')?.id;
  for (const [method, body] of [
    ['PATCH', { permissions: [] }],
    ['PUT', { name: 'Query Author', permissions: [] }],
    ['DELETE', undefined],
  ] as const)
    expect((await caller.call(method, `/api/v1/roles/${author}`, body)).status).toBe(403);
});

test('authors see the names of the roles that queries may name, and nothing else', async () => {
  const { caller: author } = await createUser(service, 'author', { roles: ['Query Author'], databases: ['Demo'] });
  const { caller: user } = await createUser(service, 'user', { roles: ['Query User'], databases: ['Demo'] });
  const { json } = await expectStatus(author.call<List<Role>>('GET', '/api/v1/roles'), 200);
  expect(json.items).toEqual((await list()).map(({ id, name }) => ({ id, name })));
  const [first] = json.items;
  const one = await author.call<Role>('GET', `/api/v1/roles/${first?.id}`);
  expect([one.status, one.json]).toEqual([200, { id: first?.id, name: first?.name }]);
  for (const [path, status] of [
    ['', 403],
    [`/${first?.id}`, 404],
  ] as const)
    expect((await user.call('GET', `/api/v1/roles${path}`)).status).toBe(status);
  for (const [method, path, body] of [
    ['POST', '', { name: 'x', permissions: [] }],
    ['PATCH', `/${first?.id}`, { name: 'x' }],
    ['DELETE', `/${first?.id}`, undefined],
  ] as const)
    expect((await author.call(method, `/api/v1/roles${path}`, body)).status).toBe(403);
});

test('a renamed role keeps its holders and queries', async () => {
  const { json: role } = await create('Before', ['queries.run']);
  const { caller } = await createUser(service, 'renamed', { roles: ['Before'], databases: ['Demo'] });
  const query = await publish(service.as(admin), { name: 'For the renamed', sql: 'select 1 as n', roles: ['Before'] });
  await expectStatus(call('PATCH', `/${role.id}`, { name: 'After' }), 200);
  expect((await caller.call('GET', '/api/v1/account')).json.roles).toEqual(['After']);
  expect((await service.as(admin).call('GET', `/api/v1/queries/${query.id}`)).json.roles).toEqual(['After']);
  expect((await caller.run(query.queryName)).status).toBe(200);
});
