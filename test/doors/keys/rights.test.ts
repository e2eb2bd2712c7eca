import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../../support/faults/figure.ts';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
import { type Account, type ApiKey, createKey, createUser } from '../../support/people/accounts.ts';
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
let one: { id: string; queryName: string };
let two: { id: string; queryName: string };
let reader: Account;
beforeAll(async () => {
  service = await startTestService();
  one = await publish(service.as(admin), { name: 'One', sql: 'select 1 as n' });
  two = await publish(service.as(admin), { name: 'Two', sql: 'select 2 as n' });
  reader = await createUser(service, 'reader', { roles: ['Query User'], databases: ['Demo'] });
});
afterAll(() => service.close());

const byKey = async (caller: Caller, more: Record<string, unknown> = {}) => {
  const made = await createKey(caller, more);
  return { ...made, caller: service.as({ key: made.key }) };
};
const patch = (id: string, body: unknown) => expectStatus(service.as(admin).call('PATCH', `/api/v1/users/${id}`, body), 200);

test('a key has exactly the current permissions of its user', async () => {
  const { caller, id } = await byKey(reader.caller);
  expect((await caller.run(one.queryName)).json.Data).toEqual([{ n: 1 }]);
  expect((await caller.call('GET', '/api/v1/account')).json).toMatchObject({ username: 'reader', databases: ['Demo'] });
  expect((await caller.call('GET', '/api/v1/audit')).status).toBe(403);
  await patch(reader.id, { databases: [] });
  expect((await caller.run(one.queryName)).status).toBe(403);
  await patch(reader.id, { databases: ['Demo'], roles: [] });
  expect((await caller.run(one.queryName)).status).toBe(403);
  await patch(reader.id, { roles: ['Query User'] });
  expect((await caller.run(one.queryName)).status).toBe(200);
  await reader.caller.call('DELETE', `/api/v1/account/api-keys/${id}`);
});

test('a key can be narrowed only to Active queries that its user may run', async () => {
  const hidden = await publish(service.as(admin), { name: 'For auditors', sql: 'select 3 as n', roles: ['Auditor'] });
  const create = (queries: unknown) => reader.caller.call('POST', '/api/v1/account/api-keys', { name: 'narrow', queries });
  const refused = await create([one.queryName, hidden.queryName, 'QD_No_Such_Query']);
  expect([refused.status, fieldsOf(refused)]).toEqual([400, ['queries.1', 'queries.2']]);
  expect(fieldsOf(await create([]))).toEqual(['queries']);
  expect((await create('QD_One_Demo')).status).toBe(400);
  const made = await create([one.queryName, one.queryName]);
  expect([made.status, made.json.queries]).toEqual([201, [one.queryName]]);
});

test('a narrowed key loses its query when its user loses access to it', async () => {
  const person = await createUser(service, 'losing', { roles: ['Query User'], databases: ['Demo'] });
  const { caller } = await byKey(person.caller, { queries: [one.queryName] });
  expect((await caller.run(one.queryName)).status).toBe(200);
  await patch(person.id, { databases: [] });
  expect((await caller.run(one.queryName)).status).toBe(403);
  expect((await caller.call<List<unknown>>('GET', '/api/v1/queries')).json.items).toEqual([]);
});

test('no key outlives the expiry of its user', async () => {
  const expiresAt = new Date(Date.now() + 20 * 86_400_000).toISOString();
  const guest = await createUser(service, 'guest', { expiresAt });
  for (const more of [{}, { expiresInDays: null }, { expiresInDays: 21 }])
    expect((await createKey(guest.caller, more)).expiresAt).toBe(expiresAt);
  expect(Date.parse((await createKey(guest.caller, { expiresInDays: 2 })).expiresAt ?? '')).toBeLessThan(Date.parse(expiresAt));
});

test('a key is refused while its user is disabled or expired', async () => {
  const person = await createUser(service, 'switched');
  const { caller } = await byKey(person.caller);
  const code = async () => {
    const response = await caller.call('GET', '/api/v1/account');
    return [response.status, problemOf(response).code];
  };
  expect(await code()).toEqual([200, undefined]);
  await patch(person.id, { disabled: true });
  expect(await code()).toEqual([401, 'credential_revoked']);
  await patch(person.id, { disabled: false, expiresAt: '2020-01-01' });
  expect(await code()).toEqual([401, 'credential_expired']);
  await patch(person.id, { expiresAt: null });
  expect(await code()).toEqual([200, undefined]);
});

test('audits calls under the name of the key, without its value', async () => {
  const made = await byKey(reader.caller, { name: 'The audited key' });
  const response = await made.caller.run(one.queryName);
  const path = `/api/v1/audit?requestId=${response.headers.get('x-request-id')}`;
  const { json } = await service.as(admin).call<List<Record<string, unknown>>>('GET', path);
  expect(json.items).toMatchObject([{ user: 'reader', apiKey: 'The audited key', action: 'query.execute', outcome: 'ok' }]);
  const all = await service.as(admin).call<List<ApiKey>>('GET', '/api/v1/audit?limit=1000');
  expect(all.text).not.toContain(made.key);
  expect(all.text).not.toContain(made.key.slice(13));
});

test('a narrowed key of an author sees only the active version of its queries', async () => {
  const root = service.as(admin);
  const query = await publish(root, { name: 'Drafted', sql: "select 'secret of version 1' as n" });
  const move = (name: string) => expectStatus(root.call('POST', `/api/v1/queries/${query.id}/${name}`), 200);
  await expectStatus(root.call('PATCH', `/api/v1/queries/${query.id}`, { sql: 'select 2 as n' }), 200);
  for (const name of ['validate', 'activate']) await move(name);
  await expectStatus(root.call('PATCH', `/api/v1/queries/${query.id}`, { sql: "select 'secret of the draft' as n" }), 200);
  const { caller, id } = await byKey(root, { name: 'of an author', queries: [query.queryName] });
  const read = (more = '') => caller.call('GET', `/api/v1/queries/${query.id}${more}`);

  expect((await caller.call('GET', `/api/v1/queries/${two.id}`)).status, 'another query').toBe(404);
  for (const version of ['draft', '1', '3'])
    expect([version, (await read(`?version=${version}`)).status]).toEqual([version, 404]);
  expect((await read('/versions')).status).toBe(403);
  const shown = await read();
  expect([shown.status, shown.json]).toEqual([200, expect.objectContaining({ sql: 'select 2 as n', draft: null })]);
  const listed = (await caller.call('GET', '/api/v1/queries')).text;
  expect(listed).not.toContain('secret');
  expect(listed).toContain('"draft":null');

  await move('deactivate');
  expect((await read()).status).toBe(404);
  for (const status of ['', '?status=Inactive'])
    expect((await caller.call<List<unknown>>('GET', `/api/v1/queries${status}`)).json.items).toEqual([]);
  await expectStatus(root.call('DELETE', `/api/v1/account/api-keys/${id}`), 204);
  reportFigure(29, 'a narrowed key of an author: 3 versions, 1 draft and an inactive query requested, none returned');
});
