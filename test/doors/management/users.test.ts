import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/accounts.ts';
import { type List, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

interface User {
  readonly id: string;
  readonly username: string;
  readonly version: number;
  readonly [field: string]: unknown;
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
});
afterAll(() => service.close());

const PASSWORD = 'four plain words here';
const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  service.as(admin).call<User>(method, `/api/v1/users${path}`, body, headers);
const create = (body: Record<string, unknown>) => call('POST', '', { password: PASSWORD, ...body });

test('a user is created with all fields, and the password is never returned', async () => {
  const response = await create({
    username: 'Ada Lovelace',
    fullName: 'Augusta Ada King',
    email: 'ada@example.com',
    roles: ['Query User', 'Auditor'],
    databases: ['*'],
    expiresAt: '2099-12-31T12:00:00Z',
  });
  expect(response.status).toBe(201);
  expect(response.json).toEqual({
    id: expect.any(String),
    kind: 'person',
    owner: null,
    lastUsedAt: null,
    username: 'Ada Lovelace',
    fullName: 'Augusta Ada King',
    email: 'ada@example.com',
    roles: expect.arrayContaining(['Query User', 'Auditor']),
    databases: ['*'],
    attributes: {},
    expiresAt: '2099-12-31T12:00:00.000Z',
    disabled: false,
    external: false,
    createdAt: expect.stringMatching(/Z$/),
    version: 1,
    canEdit: true,
    canEditRights: true,
    canDelete: true,
    lockedFields: [],
  });
  expect(response.headers.get('etag')).toBe('"1"');
  const read = await call('GET', `/${response.json.id}`);
  expect([read.json, read.headers.get('etag')]).toEqual([response.json, '"1"']);
  expect(read.text).not.toContain('assword');
  expect((await create({ username: 'bare' })).json).toMatchObject({ roles: [], databases: [], expiresAt: null, disabled: false });
});

test('a user name is unique ignoring case, also after a change, and has no colon', async () => {
  const { json } = await create({ username: 'Grace' });
  await create({ username: 'Heidi' });
  const again = await create({ username: 'GRACE' });
  expect([again.status, problemOf(again).code]).toEqual([409, 'name_taken']);
  expect((await call('PATCH', `/${json.id}`, { username: 'heidi' })).status).toBe(409);
  expect((await call('PATCH', `/${json.id}`, { username: 'GRACE' })).json.username, 'their own, in another case').toBe('GRACE');
  for (const username of ['with:colon', '', ' x', 'x ', 'x'.repeat(101), 'tab\there', 'a\u200bdmin', '\u202eadmin', 7]) {
    const refused = await create({ username });
    expect([username, refused.status, fieldsOf(refused)]).toEqual([username, 400, ['username']]);
  }
});

test('every invalid field is named', async () => {
  const wrong: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{ username: 'x', password: 'short' }, ['password']],
    [{ username: 'x', password: undefined }, ['password']],
    [{ username: 'x', email: 'no address' }, ['email']],
    [{ username: 'x', expiresAt: 'tomorrow' }, ['expiresAt']],
    [{ username: 'x', expiresAt: '2026-02-30' }, ['expiresAt']],
    [{ username: 'x', roles: ['Auditor', 'No such role'] }, ['roles.1']],
    [{ username: 'x', databases: ['No such database'] }, ['databases.0']],
    [{ username: 'x', databases: ['*', 'Demo'] }, ['databases']],
    [{ username: 'x', roles: 'Auditor' }, ['roles']],
    [{ username: 'x', disabled: 'yes' }, ['disabled']],
    [{ username: 'a:b', password: 'short', email: 'none' }, ['username', 'password', 'email']],
  ];
  for (const [body, fields] of wrong) {
    const refused = await create(body);
    expect([body, refused.status, fieldsOf(refused)]).toEqual([body, 400, fields]);
  }
  expect((await call('POST', '', '[1]')).status).toBe(400);
  expect((await call('POST', '', 'nonsense')).status).toBe(400);
});

test('PATCH changes the given fields, PUT replaces all but the password, read-only fields are ignored', async () => {
  const { json } = await create({ username: 'Ivan', fullName: 'Ivan I', email: 'ivan@example.com', roles: ['Auditor'] });
  const patched = await call('PATCH', `/${json.id}`, { fullName: 'Ivan II', id: 'other', version: 99, createdAt: 'never' });
  expect(patched.json).toEqual({ ...json, fullName: 'Ivan II', version: 2 });
  expect(patched.headers.get('etag')).toBe('"2"');
  const put = await call('PUT', `/${json.id}`, { username: 'Ivan', email: 'new@example.com' });
  expect(put.json).toEqual({ ...json, fullName: '', email: 'new@example.com', roles: [], version: 3 });
  expect((await call('PUT', `/${json.id}`, { fullName: 'x' })).status, 'a name is needed').toBe(400);
  expect((await service.as({ username: 'ivan', password: PASSWORD }).call('GET', '/api/v1/account')).status).toBe(200);
});

test('one’s own password can only be changed on the account, with the current one', async () => {
  const { id, caller, password } = await createUser(service, 'owner', { roles: ['Administrator'], databases: ['*'] });
  const wanted = { username: 'owner', password: 'taken with a session', roles: ['Administrator'], databases: ['*'] };
  for (const method of ['PATCH', 'PUT'] as const) {
    const refused = await caller.call(method, `/api/v1/users/${id}`, wanted);
    expect([method, refused.status, fieldsOf(refused)]).toEqual([method, 400, ['password']]);
    expect(problemOf(refused).errors?.[0]?.message).toContain('PUT /api/v1/account/password');
  }
  const change = { currentPassword: password, newPassword: 'four other plain words' };
  expect((await caller.call('PUT', '/api/v1/account/password', change)).status).toBe(204);
  await expectStatus(call('PATCH', `/${id}`, { password: 'set by another one' }), 200);
  await expectStatus(call('DELETE', `/${id}`), 204); // later tests expect one Administrator
});

test('If-Match refuses a change based on an outdated version', async () => {
  const { json } = await create({ username: 'Judy' });
  const change = (version: string) => call('PATCH', `/${json.id}`, { fullName: version }, { 'If-Match': version });
  expect((await change('"1"')).status).toBe(200);
  const lost = await change('"1"');
  expect([lost.status, problemOf(lost).code]).toEqual([412, 'version_conflict']);
  expect((await change('2')).status).toBe(200);
  expect((await change('W/"3"')).status).toBe(200);
  expect((await change('*')).status).toBe(200);
  expect((await change('nonsense')).status).toBe(400);
  expect((await call('PUT', `/${json.id}`, { username: 'Judy' }, { 'If-Match': '"1"' })).status).toBe(412);
  expect((await call('DELETE', `/${json.id}`, undefined, { 'If-Match': '"1"' })).status).toBe(412);
  expect((await call('GET', `/${json.id}`)).json).toMatchObject({ fullName: '*', version: 5 });
  expect((await call('DELETE', `/${json.id}`, undefined, { 'If-Match': '"5"' })).status).toBe(204);
});

test('DELETE returns 204, removes the user and frees the name', async () => {
  const { json } = await create({ username: 'Ken' });
  const gone = await call('DELETE', `/${json.id}`);
  expect([gone.status, gone.text]).toEqual([204, '']);
  expect((await call('GET', `/${json.id}`)).status).toBe(404);
  expect((await call('DELETE', `/${json.id}`)).status).toBe(404);
  expect((await call('PATCH', `/${json.id}`, {})).status).toBe(404);
  expect((await create({ username: 'ken' })).status).toBe(201);
});

test('the list is sorted by name, paged and searchable', async () => {
  for (const name of ['zeta 1', 'Zeta 2', 'zeta 3']) await create({ username: name });
  const list = async (query: string) =>
    (await expectStatus(service.as(admin).call<List<User>>('GET', `/api/v1/users?${query}`), 200)).json;
  expect((await list('search=ZETA')).items.map(({ username }) => username)).toEqual(['zeta 1', 'Zeta 2', 'zeta 3']);
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await list(`search=zeta&limit=1&cursor=${encodeURIComponent(cursor)}`);
    seen.push(...page.items.map(({ username }) => username));
    cursor = page.nextCursor ?? '';
  } while (cursor !== '');
  expect(seen).toEqual(['zeta 1', 'Zeta 2', 'zeta 3']);
  expect((await list('search=100%25')).items).toEqual([]);
});

test('an expiry given as a date lasts until the end of that day', async () => {
  const { json } = await create({ username: 'Leo', expiresAt: '2099-05-05' });
  expect(json.expiresAt).toBe('2099-05-05T23:59:59.999Z');
  expect((await call('PATCH', `/${json.id}`, { expiresAt: null })).json.expiresAt).toBeNull();
});

test('a user can neither grant a permission that they lack nor change users who have it', async () => {
  const { caller } = await createUser(service, 'security', { roles: ['Security Administrator'] });
  const make = (body: Record<string, unknown>) => caller.call<User>('POST', '/api/v1/users', { password: PASSWORD, ...body });
  expect((await make({ username: 'fine', roles: ['Auditor'] })).status).toBe(201);
  for (const role of ['Administrator', 'Query User', 'Query Author']) {
    const refused = await make({ username: 'too much', roles: [role] });
    expect([role, refused.status, problemOf(refused).code]).toEqual([role, 403, 'permission_denied']);
  }
  const auditor = (await make({ username: 'an auditor' })).json;
  expect((await caller.call('PATCH', `/api/v1/users/${auditor.id}`, { roles: ['Query User'] })).status).toBe(403);
  const user = await createUser(service, 'a query user', { roles: ['Query User'] });
  const [administrator] = (await service.as(admin).call<List<User>>('GET', '/api/v1/users?search=admin')).json.items;
  for (const id of [user.id, administrator?.id]) {
    for (const [method, path, body] of [
      ['PATCH', '', { password: 'now it is mine' }],
      ['DELETE', '', undefined],
      ['GET', '/api-keys', undefined],
      ['DELETE', '/api-keys', undefined],
    ] as const)
      expect((await caller.call(method, `/api/v1/users/${id}${path}`, body)).status).toBe(403);
  }
  const { json: me } = await caller.call<User>('GET', '/api/v1/account');
  expect((await caller.call('PATCH', `/api/v1/users/${me.id}`, { roles: ['Auditor', 'Administrator'] })).status).toBe(403);
  expect((await service.as(admin).call('GET', '/api/v1/account')).json.roles).toEqual(['Administrator']);
});

test('the last Administrator cannot be disabled, demoted, expired or deleted until there is another one', async () => {
  const [first] = (await service.as(admin).call<List<User>>('GET', '/api/v1/users?search=admin')).json.items;
  const refusals = [
    { disabled: true },
    { roles: [] },
    { roles: ['Query User'] },
    { expiresAt: '2099-01-01' },
    { expiresAt: '2020-01-01' },
  ];
  for (const body of refusals) {
    const refused = await call('PATCH', `/${first?.id}`, body);
    expect([body, refused.status, problemOf(refused).code]).toEqual([body, 409, 'state_conflict']);
  }
  expect((await call('PUT', `/${first?.id}`, { username: 'admin' })).status).toBe(409);
  expect((await call('DELETE', `/${first?.id}`)).status).toBe(409);

  const second = await createUser(service, 'the second one', { roles: ['Administrator'], databases: ['*'] });
  expect((await call('DELETE', `/${first?.id}`)).status, 'not oneself').toBe(409);
  const disabled = await second.caller.call('PATCH', `/api/v1/users/${first?.id}`, { disabled: true });
  expect(disabled.status).toBe(200);
  expect((await service.as(admin).call('GET', '/api/v1/account')).status).toBe(401);
  expect(
    (await second.caller.call('PATCH', `/api/v1/users/${second.id}`, { roles: [] })).status,
    'a disabled one does not count',
  ).toBe(409);
  expect((await second.caller.call('PATCH', `/api/v1/users/${first?.id}`, { disabled: false })).status).toBe(200);
  expect((await call('DELETE', `/${second.id}`)).status).toBe(204);
});
