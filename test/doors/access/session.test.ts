import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from '../../support/http/problem.ts';
import { cookieOf, createKey, createUser, signIn } from '../../support/people/accounts.ts';
import {
  ADMIN_PASSWORD,
  type ApiResponse,
  admin,
  expectStatus,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const post = (body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse<Record<string, unknown>>> =>
  service.as().call('POST', '/api/v1/session', body, headers);
const whoAmI = (cookie: string) => service.as({ cookie }).call('GET', '/api/v1/session');

const accountFields = [
  'id',
  'kind',
  'username',
  'fullName',
  'email',
  'roles',
  'permissions',
  'databases',
  'attributes',
  'expiresAt',
  'external',
  'canManageExecutions',
];

test('signing in sets an HttpOnly, SameSite cookie and returns the account', async () => {
  const response = await post({ username: 'admin', password: ADMIN_PASSWORD });
  expect(response.status).toBe(200);
  const [cookie = '', ...others] = response.headers.getSetCookie();
  expect(others).toEqual([]);
  const [pair = '', ...attributes] = cookie.split('; ');
  const [, id = ''] = pair.split('=');
  expect(Buffer.from(id, 'base64url')).toHaveLength(32);
  expect(attributes.toSorted()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax']);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.json).toMatchObject({ username: 'admin', roles: ['Administrator'], databases: ['*'], expiresAt: null });
  expect(response.text).not.toContain(id);
});

const installationFields = ['fileFolders', 'edition', 'mcp', 'oauth', 'version', 'baseUrl', 'rowsDefault', 'rowsMax', 'timeZone'];

test('GET session returns the account and the features of the installation', async () => {
  const cookie = await signIn(service, admin);
  const session = await whoAmI(cookie);
  expect(session.status).toBe(200);
  expect(Object.keys(session.json).toSorted()).toEqual([...accountFields, ...installationFields].toSorted());
  expect(session.json).toMatchObject({ edition: 'extended', mcp: true, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  expect(session.json).toMatchObject({ baseUrl: service.url, rowsDefault: 1000, rowsMax: 1000 });
  await expectStatus(service.as(admin).call('PATCH', '/api/v1/settings', { rowsMax: 200 }), 200);
  expect((await whoAmI(cookie)).json).toMatchObject({ rowsDefault: 200, rowsMax: 200 });
  await expectStatus(service.as(admin).call('PATCH', '/api/v1/settings', { rowsMax: null }), 200);
  expect(session.json.permissions).toContain('settings.manage');
  const account = await service.as({ cookie }).call('GET', '/api/v1/account');
  expect(Object.keys(account.json).toSorted()).toEqual(accountFields.toSorted());
  expect(session.json).toMatchObject(account.json);
  expect((await service.as().call('GET', '/api/v1/session')).status).toBe(401);
  expect((await whoAmI('sluice_session=nonsense')).status).toBe(401);
});

test('GET session?optional=true returns 200 without a session, but still refuses a wrong key', async () => {
  const optional = (who?: Parameters<typeof service.as>[0]) => service.as(who).call('GET', '/api/v1/session?optional=true');
  for (const cookie of [undefined, 'sluice_session=nonsense']) {
    const nobody = await optional(cookie === undefined ? undefined : { cookie });
    expect([nobody.status, nobody.text, nobody.headers.get('cache-control')]).toEqual([200, 'null', 'no-store']);
  }
  const cookie = await signIn(service, admin);
  expect((await optional({ cookie })).json).toMatchObject({ username: 'admin' });
  await service.as({ cookie }).call('DELETE', '/api/v1/session');
  expect((await optional({ cookie })).text, 'a session that is over').toBe('null');
  expect((await optional({ key: 'slc_nonsense' })).status).toBe(401);
  expect((await optional({ username: 'admin', password: 'certainly not this one' })).status).toBe(401);
  expect((await service.as().call('GET', '/api/v1/session?optional=perhaps')).status).toBe(400);
});

test('signing out ends the session on the server and succeeds without a session', async () => {
  const cookie = await signIn(service, admin);
  const out = await service.as({ cookie }).call('DELETE', '/api/v1/session');
  expect([out.status, out.text]).toEqual([204, '']);
  expect(out.headers.getSetCookie()[0]).toMatch(/^sluice_session=; .*Expires=Thu, 01 Jan 1970/);
  expect((await whoAmI(cookie)).status).toBe(401);
  expect((await service.as().call('DELETE', '/api/v1/session')).status).toBe(204);
});

test('a wrong password and an unknown user name get the same response, without a cookie', async () => {
  const wrong = await post({ username: 'admin', password: 'certainly not this one' });
  const unknown = await post({ username: 'nobody at all', password: 'certainly not this one' });
  for (const response of [wrong, unknown]) {
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(response.headers.getSetCookie()).toEqual([]);
  }
  const { requestId: _a, ...first } = problemOf(wrong);
  const { requestId: _b, ...second } = problemOf(unknown);
  expect(first).toEqual(second);
});

test('user names are case-insensitive', async () => {
  await createUser(service, 'Mixed Case');
  expect((await post({ username: 'mixed CASE', password: 'four plain words here' })).json).toMatchObject({
    username: 'Mixed Case',
  });
});

test('a sign-in needs JSON with both fields', async () => {
  expect((await post({ username: 'admin' })).status).toBe(400);
  expect((await post({ username: 'admin', password: 7 })).status).toBe(400);
  expect((await post('{"username":')).status).toBe(400);
  const form = await post(`username=admin&password=${ADMIN_PASSWORD}`, { 'Content-Type': 'application/x-www-form-urlencoded' });
  expect(form.status).toBe(415);
});

test('reports a disabled or expired account only with the right password', async () => {
  const disabled = await createUser(service, 'disabled', { disabled: true });
  const expired = await createUser(service, 'expired', { expiresAt: '2020-01-01' });
  for (const [person, code, words] of [
    [disabled, 'credential_revoked', 'disabled'],
    [expired, 'credential_expired', 'expired'],
  ] as const) {
    const response = await post({ username: person.username, password: person.password });
    expect(response.status).toBe(401);
    expect(problemOf(response)).toMatchObject({ code, detail: expect.stringContaining(words) });
    expect(response.headers.getSetCookie()).toEqual([]);
    const basic = await person.caller.call('GET', '/api/v1/account');
    expect([basic.status, problemOf(basic).code]).toEqual([401, code]);
    const guess = await post({ username: person.username, password: 'certainly not this one' });
    expect(problemOf(guess).code).toBe('credential_invalid');
  }
});

test('disabling a user ends sessions and Basic immediately; after enabling, a new sign-in is needed', async () => {
  const { id, username, password, caller } = await createUser(service, 'comes and goes');
  const cookie = await signIn(service, { username, password });
  expect((await caller.call('GET', '/api/v1/account')).status).toBe(200);
  await service.as(admin).call('PATCH', `/api/v1/users/${id}`, { disabled: true });
  expect((await whoAmI(cookie)).status).toBe(401);
  expect((await caller.call('GET', '/api/v1/account')).status).toBe(401);
  await service.as(admin).call('PATCH', `/api/v1/users/${id}`, { disabled: false });
  expect((await whoAmI(cookie)).status).toBe(401);
  expect((await caller.call('GET', '/api/v1/account')).status).toBe(200);
});

test('a new sign-in replaces the session of this browser and keeps those of other browsers', async () => {
  const first = await signIn(service, admin);
  const elsewhere = await signIn(service, admin);
  const second = await signIn(service, admin, { Cookie: first });
  expect(new Set([first, elsewhere, second]).size).toBe(3);
  expect((await whoAmI(first)).status).toBe(401);
  expect((await whoAmI(elsewhere)).status).toBe(200);
  expect((await whoAmI(second)).status).toBe(200);
});

test('a failed sign-in keeps the existing session', async () => {
  const cookie = await signIn(service, admin);
  await post({ username: 'admin', password: 'certainly not this one' }, { Cookie: cookie });
  expect((await whoAmI(cookie)).status).toBe(200);
});

test('a session survives a restart', async () => {
  const cookie = await signIn(service, admin);
  await service.restart();
  expect((await whoAmI(cookie)).status).toBe(200);
});

test('a password change needs the current password and ends all sessions of the user, but of no other user', async () => {
  const person = await createUser(service, 'changer');
  const cookies = [await signIn(service, person), await signIn(service, person)];
  const other = await signIn(service, admin);
  const key = await createKey(person.caller);
  const change = (currentPassword: string, newPassword: string) =>
    service.as({ cookie: cookies[0] ?? '' }).call('PUT', '/api/v1/account/password', { currentPassword, newPassword });

  const refused = await change('certainly not this one', 'another four plain words');
  expect([refused.status, problemOf(refused).errors?.[0]?.field]).toEqual([400, 'currentPassword']);
  for (const bad of ['short', 'eleven char', 'x'.repeat(1025), person.password]) {
    const weak = await change(person.password, bad);
    expect([weak.status, problemOf(weak).errors?.[0]?.field]).toEqual([400, 'newPassword']);
  }
  expect((await change(person.password, 'another four plain words')).status).toBe(204);
  for (const cookie of cookies) expect((await whoAmI(cookie)).status).toBe(401);
  expect((await person.caller.call('GET', '/api/v1/account')).status).toBe(401);
  expect((await whoAmI(other)).status).toBe(200);
  expect((await service.as({ key: key.key }).call('GET', '/api/v1/account')).status).toBe(200);
  const again = await post({ username: 'changer', password: 'another four plain words' });
  expect(again.status).toBe(200);
  expect((await whoAmI(cookieOf(again))).status).toBe(200);
});

test('sessions end when an administrator changes password or roles, but not e-mail address', async () => {
  const person = await createUser(service, 'promoted');
  const change = (body: unknown) => service.as(admin).call('PATCH', `/api/v1/users/${person.id}`, body);
  const afterChange = async (body: unknown, password = person.password): Promise<number> => {
    const cookie = await signIn(service, { username: person.username, password });
    expect((await change(body)).status).toBe(200);
    return (await whoAmI(cookie)).status;
  };
  expect(await afterChange({ email: 'promoted@example.com' })).toBe(200);
  expect(await afterChange({ roles: ['Query User'] })).toBe(401);
  expect(await afterChange({ roles: [] })).toBe(401);
  expect(await afterChange({ databases: ['Demo'] })).toBe(401);
  expect(await afterChange({ password: 'set by an administrator' })).toBe(401);
  expect(await afterChange({ fullName: 'Pro Moted' }, 'set by an administrator')).toBe(200);
});

test('deleting a user ends their sessions and keys immediately', async () => {
  const person = await createUser(service, 'leaver');
  const cookie = await signIn(service, person);
  const { key } = await createKey(person.caller);
  expect((await service.as(admin).call('DELETE', `/api/v1/users/${person.id}`)).status).toBe(204);
  expect((await whoAmI(cookie)).status).toBe(401);
  expect((await person.caller.call('GET', '/api/v1/account')).status).toBe(401);
  expect((await service.as({ key }).call('GET', '/api/v1/account')).status).toBe(401);
});

test('a credential header takes precedence over the cookie, without fallback', async () => {
  const cookie = await signIn(service, admin);
  const { caller } = await createUser(service, 'keyholder');
  const { key } = await createKey(caller);
  const me = (headers: Record<string, string>) => service.as({ cookie }).call('GET', '/api/v1/account', undefined, headers);
  expect((await me({ 'X-API-Key': key })).json.username).toBe('keyholder');
  expect((await me({ 'X-API-Key': `${key}x` })).status).toBe(401);
  expect((await me({ Authorization: 'Bearer nonsense' })).status).toBe(401);
  const basic = `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`;
  expect((await me({ 'X-API-Key': key, Authorization: basic })).json.username).toBe('keyholder');
});

test('a user has at most fifty sessions; the least recently used end first', async () => {
  const person = await createUser(service, 'everywhere');
  const cookies: string[] = [];
  for (let n = 0; n < 55; n++) cookies.push(await signIn(service, person));
  const statuses = await Promise.all(cookies.map(async (cookie) => (await whoAmI(cookie)).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(50);
  expect(statuses.at(-1)).toBe(200);
});
