import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
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
let root: Caller;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
});
afterAll(() => service.close());

test('every list returns 400 naming an invalid cursor', async () => {
  const { id } = await publish(root, { name: 'Listed', sql: 'select 1 as n' });
  await createKey(root);
  const lists = ['users', 'roles', 'databases', 'queries', 'audit', 'executions', 'account/api-keys', `queries/${id}/versions`];
  for (const list of lists) {
    for (const cursor of ['nonsense', 'WyJhIl0', '%00', 'WzEsMl0.']) {
      const response = await root.call('GET', `/api/v1/${list}?cursor=${cursor}`);
      // two integers are a valid position in the audit trail
      if (list === 'audit' && cursor.startsWith('WzEsMl0')) continue;
      expect([list, cursor, response.status, ...fieldsOf(response)]).toEqual([list, cursor, 400, 'cursor']);
    }
    expect((await root.call('GET', `/api/v1/${list}?cursor=`)).status).toBe(200);
  }
});

test('compresses a long list on request, but not a short one or the audit trail', async () => {
  const description = 'What it is for, at some length. '.repeat(100);
  for (let n = 0; n < 4; n++) await publish(root, { name: `Wordy ${n}`, sql: 'select 1 as n', description });
  const response = (path: string, coding: string) =>
    root.call('GET', `/api/v1/${path}`, undefined, { 'Accept-Encoding': coding });
  for (const coding of ['br', 'gzip', 'zstd']) {
    const list = await response('queries?search=wordy', coding);
    expect([list.headers.get('content-encoding'), list.headers.get('vary')]).toEqual([coding, 'Accept-Encoding']);
    expect(list.json).toMatchObject({ items: [0, 1, 2, 3].map((n) => ({ name: `Wordy ${n}` })) });
  }
  const codingOf = async (path: string, coding: string) => (await response(path, coding)).headers.get('content-encoding');
  expect(await codingOf('queries?search=wordy', 'identity')).toBeNull();
  expect(await codingOf('queries?search=wordy&limit=1', 'gzip')).toBeNull();
  expect(await codingOf('audit?limit=1000', 'gzip'), 'strangers write into it').toBeNull();
});

test('the versions of a query are paged', async () => {
  const { id } = await publish(root, { name: 'Versioned', sql: 'select 1 as n' });
  for (let n = 2; n <= 4; n++) {
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { sql: `select ${n} as n` }), 200);
    for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
  }
  const page = async (query: string) =>
    (await expectStatus(root.call<List<{ version: number }>>('GET', `/api/v1/queries/${id}/versions${query}`), 200)).json;
  expect((await page('')).items.map((each) => each.version)).toEqual([4, 3, 2, 1]);
  const first = await page('?limit=3');
  expect(first.items.map((each) => each.version)).toEqual([4, 3, 2]);
  const rest = await page(`?limit=3&cursor=${first.nextCursor}`);
  expect([rest.items.map((each) => each.version), rest.nextCursor]).toEqual([[1], null]);
});

test('a user is 404 for callers who may not see users', async () => {
  const { id, caller } = await createUser(service, 'plain', { roles: ['Query User'], databases: ['*'] });
  const { id: other } = await createUser(service, 'other');
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { fullName: 'x' }],
    ['DELETE', '', undefined],
    ['GET', '/api-keys', undefined],
  ] as const) {
    for (const each of [id, other, 'unknown']) {
      const response = await caller.call(method, `/api/v1/users/${each}${path}`, body);
      expect([method, response.status, problemOf(response).code]).toEqual([method, 404, 'not_found']);
    }
  }
  expect((await caller.call('GET', '/api/v1/users')).status).toBe(403);
  const { json } = await root.call<List<{ id: string }>>('GET', '/api/v1/roles');
  const role = `/api/v1/roles/${json.items[0]?.id}`;
  const { caller: author } = await createUser(service, 'author', { roles: ['Query Author'], databases: ['*'] });
  expect([(await caller.call('GET', role)).status, (await author.call('GET', role)).status]).toEqual([404, 200]);
  expect([(await caller.call('DELETE', role)).status, (await author.call('DELETE', role)).status]).toEqual([404, 403]);
});

test('the settings show the base URL and the port in effect', async () => {
  const { json } = await root.call<{ settings: { name: string; value?: unknown; configured?: unknown }[] }>(
    'GET',
    '/api/v1/settings',
  );
  const named = (name: string) => json.settings.find((each) => each.name === name);
  expect(named('baseUrl')).toMatchObject({ value: service.url, configured: null });
  expect(named('port')).toMatchObject({ value: Number(new URL(service.url).port), configured: 0 });
});

test('a repeated name in a parameter object is 400', async () => {
  const parameters = [{ name: '@A', dataType: 'int', required: false }];
  const { queryName } = await publish(root, { name: 'Twice', sql: 'select @A as a', parameters });
  const run = (body: string) => root.call('POST', `/api/query/execute/${queryName}`, body);
  const response = await run('{"parameters":{"@A":1,"@A":2}}');
  expect([response.status, problemOf(response).code, fieldsOf(response)]).toEqual([400, 'parameter_invalid', ['@A']]);
  expect((await run('{"parameters":{"@A":2}}')).status).toBe(200);
});
