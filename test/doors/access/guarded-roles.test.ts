import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../../support/faults/figure.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { type Account, createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type ApiResponse,
  type Caller,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

const PASSWORD = 'another plain phrase';
let service: TestService;
let root: Caller;
let queryName: string;
let finance: string;
let lead: Account; // manages users, runs queries, is not in Finance
let insider: Account; // the same, and in Finance
let accountant: Account; // in Finance
let attempts = 0;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  const role = async (name: string, permissions: readonly string[]) =>
    (await expectStatus(root.call<{ id: string }>('POST', '/api/v1/roles', { name, permissions }), 201)).json.id;
  finance = await role('Finance', ['queries.run']);
  await role('Lead', ['users.manage', 'queries.run']);
  ({ queryName } = await publish(root, { name: 'Salaries', sql: 'select 1 as n', roles: ['Finance'] }));
  lead = await createUser(service, 'lead', { roles: ['Lead'], databases: ['*'] });
  insider = await createUser(service, 'insider', { roles: ['Lead', 'Finance'], databases: ['*'] });
  accountant = await createUser(service, 'accountant', { roles: ['Finance'], databases: ['Demo'] });
});
afterAll(async () => {
  reportFigure(25, `${attempts} attempts to obtain a role that a query names, or an account that holds it, none succeeded`);
  await service.close();
});

const write = (by: Caller, method: string, path: string, body?: unknown): Promise<ApiResponse> =>
  by.call(method, `/api/v1${path}`, body);
async function expectRefused(response: Promise<ApiResponse<unknown>>, missing: string): Promise<void> {
  attempts++;
  expect((await expectProblem(response, 403, 'permission_denied')).detail).toContain(missing);
}
const newAccount = (username: string, roles: readonly string[]) => ({ username, password: PASSWORD, roles, databases: ['Demo'] });

test('only holders of a role and Administrators can grant it once a query names it, also to a new account', async () => {
  await expectProblem(lead.caller.run(queryName), 403, 'query_not_accessible');
  await expectRefused(write(lead.caller, 'POST', '/users', newAccount('double', ['Finance'])), 'Finance');
  const { id } = await createUser(service, 'plain', { roles: [], databases: ['Demo'] });
  await expectRefused(write(lead.caller, 'PATCH', `/users/${id}`, { roles: ['Finance'] }), 'Finance');
  await expectRefused(write(lead.caller, 'PUT', `/users/${id}`, { username: 'plain', roles: ['Finance'] }), 'Finance');
  await expectStatus(write(insider.caller, 'POST', '/users', newAccount('second', ['Finance'])), 201);
  expect((await service.as({ username: 'second', password: PASSWORD }).run(queryName)).status).toBe(200);
  await expectStatus(write(root, 'PATCH', `/users/${id}`, { roles: ['Finance'] }), 200);
});

test('a role that no query names can be granted by any user manager who has its permissions', async () => {
  await expectStatus(root.call('POST', '/api/v1/roles', { name: 'Plain', permissions: ['queries.run'] }), 201);
  await expectStatus(write(lead.caller, 'POST', '/users', newAccount('ordinary', ['Plain'])), 201);
});

test.each([
  ['a draft', []],
  ['a deactivated query', ['validate', 'activate', 'deactivate']],
  ['a Void query', ['void']],
])('a role counts as named when %s names it', async (what, moves) => {
  const name = `Of ${what}`;
  await expectStatus(root.call('POST', '/api/v1/roles', { name, permissions: [] }), 201);
  const query = { name, database: 'Demo', sql: 'select 1 as n', roles: [name] };
  const { id } = (await expectStatus(root.call<{ id: string }>('POST', '/api/v1/queries', query), 201)).json;
  for (const move of moves) await expectStatus(write(root, 'POST', `/queries/${id}/${move}`), 200);
  await expectRefused(write(lead.caller, 'POST', '/users', newAccount(`for ${what}`, [name])), name);
});

test('refuses to change the password of an account that holds such a role', async () => {
  const path = `/users/${accountant.id}`;
  const { id: keyId } = await createKey(accountant.caller);
  await expectRefused(write(lead.caller, 'PATCH', path, { password: PASSWORD }), 'Finance');
  await expectRefused(write(lead.caller, 'PATCH', path, { email: 'lead@example.com' }), 'Finance');
  await expectRefused(write(lead.caller, 'PUT', path, { username: 'accountant', password: PASSWORD }), 'Finance');
  await expectRefused(write(lead.caller, 'DELETE', path), 'Finance');
  await expectRefused(write(lead.caller, 'GET', `${path}/api-keys`), 'Finance');
  await expectRefused(write(lead.caller, 'DELETE', `${path}/api-keys/${keyId}`), 'Finance');
  await expectRefused(write(lead.caller, 'DELETE', `${path}/api-keys`), 'Finance');
  await expectStatus(write(insider.caller, 'PATCH', path, { email: 'accountant@example.com' }), 200);
  expect((await accountant.caller.run(queryName)).status).toBe(200);
});

test('refuses to rename such a role or change its permissions unless the caller holds it', async () => {
  await expectRefused(write(lead.caller, 'PATCH', `/roles/${finance}`, { name: 'Everyone' }), 'Finance');
  await expectRefused(write(lead.caller, 'PATCH', `/roles/${finance}`, { permissions: [] }), 'Finance');
  await expectRefused(
    write(lead.caller, 'PUT', `/roles/${finance}`, { name: 'Finance', permissions: ['users.manage'] }),
    'Finance',
  );
  await expectRefused(write(lead.caller, 'DELETE', `/roles/${finance}`), 'Finance');
  await expectStatus(write(insider.caller, 'PATCH', `/roles/${finance}`, { name: 'Finance and pay' }), 200);
  await expectStatus(write(insider.caller, 'PATCH', `/roles/${finance}`, { name: 'Finance' }), 200);
});

test('a publisher of some databases cannot create an account that publishes in others', async () => {
  for (const [name, permissions] of [
    ['Publishing lead', ['users.manage', 'queries.publish']],
    ['Only publishing', ['queries.publish']],
  ] as const)
    await expectStatus(root.call('POST', '/api/v1/roles', { name, permissions }), 201);
  const publisher = await createUser(service, 'publishing lead', { roles: ['Publishing lead'], databases: [] });
  await expectRefused(write(publisher.caller, 'POST', '/users', newAccount('proxy', ['Only publishing'])), 'Administrator');
  await expectStatus(
    write(publisher.caller, 'POST', '/users', { ...newAccount('helper', ['Only publishing']), databases: [] }),
    201,
  );
});

test('refuses to change the password of an account with a wider database scope than the caller has', async () => {
  const narrow = await createUser(service, 'narrow lead', { roles: ['Lead'], databases: [] });
  const security = await createUser(service, 'security', { roles: ['Security Administrator'], databases: [] });
  const wide = await createUser(service, 'wide', { roles: [], databases: ['Demo'] });
  await createKey(wide.caller);
  for (const { caller } of [narrow, security]) {
    await expectRefused(
      write(caller, 'PATCH', `/users/${wide.id}`, { password: PASSWORD }),
      'Only an Administrator may do this.',
    );
    await expectRefused(write(caller, 'PATCH', `/users/${wide.id}`, { email: 'me@example.com' }), 'Administrator');
    await expectRefused(
      write(caller, 'PUT', `/users/${wide.id}`, { username: 'wide', databases: ['Demo'], email: 'a@b.c' }),
      'Administrator',
    );
    await expectRefused(write(caller, 'GET', `/users/${wide.id}/api-keys`), 'Administrator');
    await expectRefused(write(caller, 'DELETE', `/users/${wide.id}/api-keys`), 'Administrator');
  }
  await expectRefused(write(narrow.caller, 'POST', '/users', newAccount('reader', ['Lead'])), 'Administrator');
  await expectRefused(write(narrow.caller, 'POST', '/users', newAccount('for later', [])), 'Administrator');
  await expectStatus(write(security.caller, 'PATCH', `/users/${wide.id}`, { disabled: true }), 200);
  await expectStatus(write(lead.caller, 'PATCH', `/users/${wide.id}`, { password: PASSWORD }), 200);
});
