import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
import { type ApiKey, createApplication, createUser, PASSWORD, signIn } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  admin,
  type ApiResponse,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let queryName: string;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  queryName = (await publish(root, { name: 'One', sql: 'select 1 as one' })).queryName;
});
afterAll(() => service.close());

interface AuditItem {
  readonly user: string;
  readonly kind: string | null;
  readonly action: string;
}
const newApplication = {
  kind: 'application',
  fullName: 'Nightly reports',
  owner: 'admin',
  roles: ['Query User'],
  databases: ['*'],
};
const create = (caller: Caller, body: unknown) => caller.call<Record<string, unknown>>('POST', '/api/v1/users', body);
const refusalOf = (response: ApiResponse) => [response.status, fieldsOf(response)];
const run = (caller: Caller) => caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName: queryName, Parameters: [] });

test('an application has an owner and keys, and calls with them', async () => {
  const { id, createKey } = await createApplication(service, 'reports', { attributes: { region: 'North' } });
  const made = await root.call('GET', `/api/v1/users/${id}`);
  expect(made.json).toMatchObject({ kind: 'application', owner: 'admin', email: '', external: false, lastUsedAt: null });
  const { key, expiresAt } = await createKey({ name: 'Production', expiresInDays: null });
  expect(expiresAt).toBeNull();
  const called = await expectStatus(run(service.as({ key })), 200);
  expect((await service.as({ key }).call('GET', '/api/v1/account')).json).toMatchObject({
    kind: 'application',
    username: 'reports',
  });

  const requestId = called.headers.get('x-request-id');
  const trail = await root.call<List<AuditItem>>('GET', `/api/v1/audit?requestId=${requestId}`);
  expect(trail.json.items).toMatchObject([{ user: 'reports', kind: 'application', viewer: null, apiKey: 'Production' }]);
  const ofAdmin = await root.call<List<AuditItem>>('GET', '/api/v1/audit?user=admin&action=key.create&limit=1');
  expect(ofAdmin.json.items).toMatchObject([{ kind: 'person', parameters: { user: 'reports', key: 'Production' } }]);
  await expect
    .poll(async () => (await root.call('GET', `/api/v1/users/${id}`)).json.lastUsedAt, { timeout: 20_000 })
    .not.toBeNull();
  const listed = await root.call<List<{ username: string; kind: string; lastUsedAt: string | null }>>('GET', '/api/v1/users');
  expect(listed.json.items.find(({ username }) => username === 'admin')).toMatchObject({ kind: 'person', lastUsedAt: null });
  expect(listed.json.items.find(({ username }) => username === 'reports')?.lastUsedAt).toMatch(/Z$/);
});

test('refuses fields that its kind of account does not have', async () => {
  const body = { ...newApplication, username: 'wrong' };
  expect(refusalOf(await create(root, { ...body, password: PASSWORD }))).toEqual([400, ['password']]);
  expect(refusalOf(await create(root, { ...body, email: 'a@example.org' }))).toEqual([400, ['email']]);
  expect(refusalOf(await create(root, { ...body, owner: undefined }))).toEqual([400, ['owner']]);
  expect(refusalOf(await create(root, { ...body, owner: null }))).toEqual([400, ['owner']]);
  expect(refusalOf(await create(root, { ...body, owner: 'nobody at all' }))).toEqual([400, ['owner']]);
  expect(refusalOf(await create(root, { ...body, kind: 'robot' }))).toEqual([400, ['kind']]);
  expect(refusalOf(await create(root, { username: 'wrong', password: PASSWORD, owner: 'admin' }))).toEqual([400, ['owner']]);
  expect(refusalOf(await create(root, { username: 'wrong' }))).toEqual([400, ['password']]);
  const { id } = await createApplication(service, 'alone');
  expect(refusalOf(await create(root, { ...body, owner: 'alone' })), 'a person owns it').toEqual([400, ['owner']]);
  const patch = (change: unknown) => root.call('PATCH', `/api/v1/users/${id}`, change);
  expect(refusalOf(await patch({ password: PASSWORD }))).toEqual([400, ['password']]);
  expect(refusalOf(await patch({ email: 'a@example.org' }))).toEqual([400, ['email']]);
  expect(refusalOf(await patch({ owner: null }))).toEqual([400, ['owner']]);
});

test('is sent back as it was read; its kind stays and its owner changes', async () => {
  const { id } = await createApplication(service, 'steady');
  const before = await root.call('GET', `/api/v1/users/${id}`);
  const replaced = await expectStatus(root.call('PUT', `/api/v1/users/${id}`, before.json), 200);
  expect(replaced.json).toMatchObject({ kind: 'application', owner: 'admin', roles: ['Query User'] });
  const changed = await expectStatus(root.call('PATCH', `/api/v1/users/${id}`, { kind: 'person', fullName: 'x' }), 200);
  expect(changed.json.kind).toBe('application');

  const person = await createUser(service, 'leaving');
  expect((await root.call('PATCH', `/api/v1/users/${id}`, { owner: 'leaving' })).json.owner).toBe('leaving');
  await expectStatus(root.call('DELETE', `/api/v1/users/${person.id}`), 204);
  expect((await root.call('GET', `/api/v1/users/${id}`)).json.owner).toBeNull();
});

test('a person creates their own keys, and nobody more than five', async () => {
  const { id } = await createUser(service, 'person');
  const refused = await root.call('POST', `/api/v1/users/${id}/api-keys`, { name: 'theirs' });
  expect([refused.status, problemOf(refused).code]).toEqual([409, 'state_conflict']);
  const { id: application, createKey } = await createApplication(service, 'five keys');
  for (let count = 0; count < 5; count++) await createKey({ name: `key ${count}` });
  const sixth = await root.call('POST', `/api/v1/users/${application}/api-keys`, { name: 'sixth' });
  expect([sixth.status, problemOf(sixth).code]).toEqual([409, 'limit_reached']);
  const narrowed = await root.call('POST', `/api/v1/users/${application}/api-keys`, { name: 'x', queries: ['QD_None'] });
  expect(refusalOf(narrowed)).toEqual([400, ['queries.0']]);
});

test('nothing that a password or a session can do works for it', async () => {
  const { id, createKey } = await createApplication(service, 'program', { roles: ['Administrator'] });
  const { key, id: keyId } = await createKey();
  for (const password of ['', PASSWORD, 'null']) {
    expect((await service.as({ username: 'program', password }).call('GET', '/api/v1/account')).status).toBe(401);
    const session = await service.as().call('POST', '/api/v1/session', { username: 'program', password });
    expect([400, 401]).toContain(session.status);
  }
  const asKey = service.as({ key });
  const denied: readonly (readonly [string, string, unknown?])[] = [
    ['PUT', '/account/password', { currentPassword: '', newPassword: PASSWORD }],
    ['GET', '/account/api-keys'],
    ['POST', '/account/api-keys', { name: 'more' }],
    ['POST', `/users/${id}/api-keys`, { name: 'more' }],
    ['DELETE', `/users/${id}/api-keys/${keyId}`],
    ['PATCH', `/users/${id}`, { fullName: 'me' }],
    ['POST', '/users', { ...newApplication, username: 'child' }],
    ['GET', '/home'],
  ];
  for (const [method, path, body] of denied) {
    const refused = await asKey.call(method, `/api/v1${path}`, body);
    expect([path, refused.status, problemOf(refused).code]).toEqual([path, 403, 'credential_not_suitable']);
  }
});

test('an application does not count as the last Administrator', async () => {
  await createApplication(service, 'administering program', { roles: ['Administrator'] });
  const { json } = await root.call<{ id: string }>('GET', '/api/v1/account');
  const refused = await root.call('PATCH', `/api/v1/users/${json.id}`, { disabled: true });
  expect([refused.status, problemOf(refused).code]).toEqual([409, 'state_conflict']);
});

test('nobody who lacks a right of the application gets a key of it', async () => {
  const security = await createUser(service, 'security', {
    roles: ['Security Administrator', 'Query User'],
    databases: ['Demo'],
  });
  const keyOf = (id: string) => security.caller.call<ApiKey>('POST', `/api/v1/users/${id}/api-keys`, { name: 'mine' });
  const equal = await createApplication(service, 'equal', { databases: ['Demo'] });
  expect((await keyOf(equal.id)).status).toBe(201);
  const wider = await createApplication(service, 'wider scope');
  expect((await keyOf(wider.id)).status).toBe(403);
  const publisher = await createApplication(service, 'publishing', { roles: ['Query Publisher'], databases: ['Demo'] });
  expect((await keyOf(publisher.id)).status).toBe(403);
  // an Active query that is bound to an attribute: its key would show rows that the manager may not see
  await publish(root, {
    name: 'Bound',
    sql: 'select @Region as region',
    parameters: [{ name: '@Region', dataType: 'nvarchar', required: true, boundTo: 'user.attributes.region' }],
  });
  const north = await createApplication(service, 'northern', { databases: ['Demo'], attributes: { region: 'North' } });
  expect((await keyOf(north.id)).status).toBe(403);
});

test('disabling, expiry and deletion end its keys, and its key ends with it', async () => {
  const { id, createKey } = await createApplication(service, 'ending', { expiresAt: '2999-12-31' });
  const { key, expiresAt } = await createKey({ name: 'long', expiresInDays: null });
  expect(expiresAt).toBe('2999-12-31T23:59:59.999Z');
  const status = async () => (await run(service.as({ key }))).status;
  expect(await status()).toBe(200);
  await expectStatus(root.call('PATCH', `/api/v1/users/${id}`, { disabled: true }), 200);
  expect(await status()).toBe(401);
  const refused = await root.call('POST', `/api/v1/users/${id}/api-keys`, { name: 'late' });
  expect([refused.status, problemOf(refused).code]).toEqual([409, 'state_conflict']);
  await expectStatus(root.call('PATCH', `/api/v1/users/${id}`, { disabled: false }), 200);
  expect(await status()).toBe(200);
  await expectStatus(root.call('DELETE', `/api/v1/users/${id}`), 204);
  expect(await status()).toBe(401);
  expect(await signIn(service, admin), 'persons go on').not.toBe('');
});
