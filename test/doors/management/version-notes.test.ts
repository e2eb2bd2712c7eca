import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from '../../support/http/problem.ts';
import { createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type List, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

interface Query {
  readonly id: string;
  readonly queryName: string;
  readonly status: string;
  readonly version: number;
  readonly note?: string;
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  service.as(admin).call<Query>(method, `/api/v1/queries${path}`, body, headers);
const ok = async (...sent: Parameters<typeof call>): Promise<Query> => (await expectStatus(call(...sent), 200)).json;
const notes = async (id: string) => {
  const { json } = await service.as(admin).call<List<Query>>('GET', `/api/v1/queries/${id}/versions`);
  return json.items.map(({ version, note }) => [version, note]);
};
const activate = async (id: string) => {
  await ok('POST', `/${id}/validate`);
  await ok('POST', `/${id}/activate`);
};
const changed = async (queryName: string) => {
  const { json } = await service
    .as(admin)
    .call<List<{ parameters: { changed: readonly string[] } }>>(
      'GET',
      `/api/v1/audit?action=query.update&outcome=ok&query=${queryName}`,
    );
  return json.items.map(({ parameters }) => parameters.changed);
};

test('a note belongs to the draft that is edited, and the next version starts without one', async () => {
  const body = { name: 'Noted', database: 'Demo', sql: 'select 1 as n' };
  const { json } = await expectStatus(call('POST', '', { ...body, note: 'First' }), 201);
  const { id, queryName } = json;
  expect(json).toMatchObject({ version: 1, note: 'First' });
  expect(await ok('PUT', `/${id}`, { ...body, sql: 'select 2 as n' })).toMatchObject({ version: 2, note: 'First' });
  expect(await ok('PATCH', `/${id}`, { sql: 'select 3 as n', note: 'Third' })).toMatchObject({ version: 3, note: 'Third' });
  await activate(id);

  await ok('PATCH', `/${id}`, { sql: 'select 4 as n' });
  await ok('PATCH', `/${id}`, { sql: 'select 5 as n', note: 'Fifth' });
  await ok('PUT', `/${id}`, { ...body, sql: 'select 6 as n' });
  expect(await ok('GET', `/${id}`)).toMatchObject({ version: 3, note: 'Third' });
  expect(await ok('GET', `/${id}?version=draft`)).toMatchObject({ version: 6, note: 'Fifth' });
  expect(await ok('GET', `/${id}?version=1`)).toMatchObject({ version: 1, note: 'First' });
  await activate(id);
  await ok('PATCH', `/${id}`, { tip: 'Labels make a version, too' });
  const expected = [
    [7, ''],
    [6, 'Fifth'],
    [5, 'Fifth'],
    [4, ''],
    [3, 'Third'],
    [2, 'First'],
    [1, 'First'],
  ];
  expect(await notes(id)).toEqual(expected);
  expect(await changed(queryName)).toEqual([['tip'], ['sql'], ['sql', 'note'], ['sql'], ['sql', 'note'], ['sql']]);
});

test('a note alone changes at once, without a version, a draft or another validation', async () => {
  const { id, queryName } = await publish(service.as(admin), { name: 'Annotated', sql: 'select 1 as n' });
  const active = await ok('PATCH', `/${id}`, { note: 'Why' });
  expect(active).toMatchObject({ status: 'Active', version: 1, note: 'Why', draft: null });
  await ok('POST', `/${id}/deactivate`);
  expect(await ok('PATCH', `/${id}`, { note: 'Paused' })).toMatchObject({ status: 'Inactive', version: 1, note: 'Paused' });
  await ok('POST', `/${id}/activate`);

  await ok('PATCH', `/${id}`, { sql: 'select 2 as n' });
  await ok('POST', `/${id}/validate`);
  const stale = await call('PATCH', `/${id}`, { note: 'Of version 1?' }, { 'If-Match': '"1"' });
  expect(stale.status).toBe(412);
  const drafted = await ok('PATCH', `/${id}`, { note: 'Second' }, { 'If-Match': '"2"' });
  expect(drafted).toMatchObject({ version: 1, note: 'Paused', draft: { version: 2, status: 'Validated' } });
  expect(await ok('PATCH', `/${id}`, { note: 'Second' })).toMatchObject({ draft: { version: 2, status: 'Validated' } });
  expect(await notes(id)).toEqual([
    [2, 'Second'],
    [1, 'Paused'],
  ]);
  await ok('POST', `/${id}/activate`);
  expect(await ok('PATCH', `/${id}`, { note: null })).toMatchObject({ status: 'Active', version: 2, note: '', draft: null });
  expect(await changed(queryName)).toEqual([['note'], [], ['note'], ['sql'], ['note'], ['note']]);
});

test('a restored version names the one that it comes from, unless a note is sent', async () => {
  const { id } = await publish(service.as(admin), { name: 'Restored', sql: 'select 1 as n' });
  await ok('PATCH', `/${id}`, { sql: 'select 2 as n', note: 'Second' });
  await ok('POST', `/${id}/versions/1/restore`);
  await ok('POST', `/${id}/versions/2/restore`, { note: 'Back again' });
  await ok('POST', `/${id}/versions/2/restore`);
  expect(await notes(id)).toEqual([
    [4, 'Back again'],
    [3, 'Restored from version 1'],
    [2, 'Second'],
    [1, ''],
  ]);
});

test('a note of 501 characters is refused', async () => {
  const { id } = await publish(service.as(admin), { name: 'Long', sql: 'select 1 as n' });
  const note = 'x'.repeat(501);
  const body = { name: 'Longer', database: 'Demo', sql: 'select 1 as n' };
  for (const [method, path, sent] of [
    ['POST', '', body],
    ['PUT', `/${id}`, body],
    ['PATCH', `/${id}`, {}],
    ['POST', `/${id}/versions/1/restore`, {}],
  ] as const) {
    const refused = await call(method, path, { ...sent, note });
    expect(refused.status).toBe(400);
    expect(problemOf(refused)).toMatchObject({
      code: 'field_invalid',
      errors: [{ field: 'note', message: 'Expected at most 500 characters.' }],
    });
  }
  expect(await ok('PATCH', `/${id}`, { note: note.slice(1) })).toMatchObject({ note: note.slice(1) });
});

test('query users and restricted keys do not see notes, and authors do', async () => {
  const { id, queryName } = await publish(service.as(admin), { name: 'Internal', sql: 'select 1 as n' });
  await ok('PATCH', `/${id}`, { note: 'Between authors' });
  const user = await createUser(service, 'user', { roles: ['Query User'], databases: ['Demo'] });
  const author = await createUser(service, 'author', { roles: ['Query Author'], databases: ['Demo'] });
  const restricted = service.as(await createKey(author.caller, { queries: [queryName] }));
  for (const caller of [user.caller, restricted]) {
    for (const path of [`/${id}`, '?search=internal', `/${id}/versions`]) {
      expect((await caller.call('GET', `/api/v1/queries${path}`)).text).not.toContain('Between authors');
    }
    expect((await expectStatus(caller.call<Query>('GET', `/api/v1/queries/${id}`), 200)).json).not.toHaveProperty('note');
    expect((await caller.call('PATCH', `/api/v1/queries/${id}`, { note: 'Mine' })).status).toBe(403);
  }
  expect((await author.caller.call<Query>('GET', `/api/v1/queries/${id}`)).json.note).toBe('Between authors');
  expect((await expectStatus(author.caller.call<Query>('PATCH', `/api/v1/queries/${id}`, { note: 'Mine' }), 200)).json.note).toBe(
    'Mine',
  );
});
