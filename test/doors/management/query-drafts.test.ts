import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type List, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

interface Query {
  readonly id: string;
  readonly queryName: string;
  readonly status: string;
  readonly version: number;
  readonly sql: string;
  readonly draft: { readonly version: number; readonly status: string } | null;
  readonly [field: string]: unknown;
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  service.as(admin).call<Query>(method, `/api/v1/queries/${path}`, body, headers);
const ok = async (...sent: Parameters<typeof call>): Promise<Query> => (await expectStatus(call(...sent), 200)).json;
const ran = async (queryName: string) => (await expectStatus(service.as(admin).run(queryName), 200)).json.Data;

test('editing an Active query creates a draft; callers get the old version until the draft is activated', async () => {
  const { id, queryName } = await publish(service.as(admin), { name: 'Careful', sql: 'select 1 as n' });
  const edited = await ok('PATCH', id, { sql: 'select 2 as n' });
  expect(edited).toMatchObject({ status: 'Active', version: 1, sql: 'select 1 as n', draft: { version: 2, status: 'Draft' } });
  expect(await ok('GET', `${id}?version=draft`)).toMatchObject({ status: 'Draft', version: 2, sql: 'select 2 as n' });
  expect(await ran(queryName)).toEqual([{ n: 1 }]);

  const early = await call('POST', `${id}/activate`);
  expect([early.status, problemOf(early).code]).toEqual([409, 'state_conflict']);
  expect(await ok('POST', `${id}/validate`)).toMatchObject({ status: 'Active', draft: { version: 2, status: 'Validated' } });
  expect(await ran(queryName)).toEqual([{ n: 1 }]);
  expect(await ok('POST', `${id}/activate`)).toMatchObject({ status: 'Active', version: 2, draft: null, sql: 'select 2 as n' });
  expect(await ran(queryName)).toEqual([{ n: 2 }]);
  expect((await call('GET', `${id}?version=draft`)).status).toBe(404);
});

test('a discarded draft does not affect callers, and its version can be restored', async () => {
  const { id, queryName } = await publish(service.as(admin), { name: 'Discarded', sql: 'select 1 as n' });
  await ok('PATCH', id, { sql: 'select 2 as n' });
  const stale = await call('DELETE', `${id}/draft`, undefined, { 'If-Match': '1' });
  expect([stale.status, problemOf(stale).code]).toEqual([412, 'version_conflict']);
  const discarded = await call('DELETE', `${id}/draft`, undefined, { 'If-Match': '2' });
  expect([discarded.status, discarded.text]).toEqual([204, '']);
  expect(await ok('GET', id)).toMatchObject({ status: 'Active', version: 1, draft: null });
  expect(await ran(queryName)).toEqual([{ n: 1 }]);
  const again = await call('DELETE', `${id}/draft`);
  expect([again.status, problemOf(again).code]).toEqual([409, 'state_conflict']);

  const requestId = discarded.headers.get('x-request-id');
  const trail = await service.as(admin).call<List<unknown>>('GET', `/api/v1/audit?requestId=${requestId}`);
  expect(trail.json.items).toMatchObject([
    {
      action: 'query.discard-draft',
      query: queryName,
      queryVersion: 2,
      parameters: { from: 'Draft', to: 'discarded', draft: 2, entry: { from: 'Active', to: 'Active' } },
    },
  ]);
  const versions = await service
    .as(admin)
    .call<List<{ version: number; status: string | null }>>('GET', `/api/v1/queries/${id}/versions`);
  expect(versions.json.items.map(({ version, status }) => [version, status])).toEqual([
    [2, null],
    [1, 'current'],
  ]);
  expect(await ok('POST', `${id}/versions/2/restore`)).toMatchObject({ version: 1, draft: { version: 3, status: 'Draft' } });
});

test('an invalid draft does not affect callers, and the next edit returns it to Draft', async () => {
  const { id, queryName } = await publish(service.as(admin), { name: 'Broken draft', sql: 'select 1 as n' });
  await ok('PATCH', id, { sql: 'select nothing from nowhere' });
  const refused = await call('POST', `${id}/validate`);
  expect([refused.status, problemOf(refused).code]).toEqual([400, 'sql_invalid']);
  expect(await ran(queryName)).toEqual([{ n: 1 }]);
  await ok('PATCH', id, { sql: 'select 2 as n' });
  await ok('POST', `${id}/validate`);
  expect(await ok('PATCH', id, { sql: 'select 3 as n' })).toMatchObject({ draft: { version: 4, status: 'Draft' } });
  expect((await call('POST', `${id}/activate`)).status).toBe(409);
});

test('deactivating an Active query keeps its draft', async () => {
  const { id, queryName } = await publish(service.as(admin), { name: 'Paused', sql: 'select 1 as n' });
  await ok('PATCH', id, { sql: 'select 2 as n' });
  expect(await ok('POST', `${id}/deactivate`)).toMatchObject({ status: 'Inactive', draft: { version: 2 } });
  expect((await service.as(admin).run(queryName)).status).toBe(403);
  await ok('POST', `${id}/validate`);
  expect(await ok('POST', `${id}/activate`)).toMatchObject({ status: 'Active', version: 2, draft: null });
  expect(await ran(queryName)).toEqual([{ n: 2 }]);
});

test('a query user sees neither the draft nor its existence', async () => {
  const { caller } = await createUser(service, 'user', { roles: ['Query User'], databases: ['Demo'] });
  const { id } = await publish(service.as(admin), { name: 'Secret plans', sql: 'select 1 as n' });
  await ok('PATCH', id, { sql: "select 'secret plan' as n" });
  const seen = await caller.call<Query>('GET', `/api/v1/queries/${id}`);
  expect(seen.json).toMatchObject({ draft: null, version: 1 });
  expect(seen.text).not.toContain('secret plan');
  for (const version of ['draft', '2'])
    expect((await caller.call('GET', `/api/v1/queries/${id}?version=${version}`)).status).toBe(404);
  const list = await caller.call<List<Query>>('GET', '/api/v1/queries?search=secret');
  expect(list.json.items).toMatchObject([{ name: 'Secret plans', draft: null }]);
  expect(list.text).not.toContain('secret plan');
});

test('all versions are listed, newest first, and an earlier one can be restored as an edit', async () => {
  const { id, queryName } = await publish(service.as(admin), { name: 'History', sql: 'select 1 as n' });
  for (const n of [2, 3]) {
    await ok('PATCH', id, { sql: `select ${n} as n` });
    await ok('POST', `${id}/validate`);
    await ok('POST', `${id}/activate`);
  }
  const versions = async () => (await service.as(admin).call<List<Query>>('GET', `/api/v1/queries/${id}/versions`)).json.items;
  expect((await versions()).map(({ version, status, sql, createdBy }) => [version, status, sql, createdBy])).toEqual([
    [3, 'current', 'select 3 as n', 'admin'],
    [2, null, 'select 2 as n', 'admin'],
    [1, null, 'select 1 as n', 'admin'],
  ]);
  expect(await ok('GET', `${id}?version=1`)).toMatchObject({ version: 1, sql: 'select 1 as n' });
  expect((await call('GET', `${id}?version=9`)).status).toBe(404);
  expect((await call('GET', `${id}?version=x`)).status).toBe(400);

  expect(await ok('POST', `${id}/versions/1/restore`)).toMatchObject({ version: 3, draft: { version: 4, status: 'Draft' } });
  expect(await ran(queryName)).toEqual([{ n: 3 }]);
  await ok('POST', `${id}/validate`);
  await ok('POST', `${id}/activate`);
  expect(await ran(queryName)).toEqual([{ n: 1 }]);
  expect((await versions())[0]).toMatchObject({ version: 4, status: 'current', sql: 'select 1 as n' });
  expect((await call('POST', `${id}/versions/99/restore`)).status).toBe(404);
  expect((await call('POST', `${id}/versions/0/restore`)).status).toBe(400);
});

test('a Void query keeps its versions, but none can be restored', async () => {
  const { json } = await service
    .as(admin)
    .call<Query>('POST', '/api/v1/queries', { name: 'Put away', database: 'Demo', sql: 'select 1 as n' });
  await ok('POST', `${json.id}/void`);
  expect((await call('POST', `${json.id}/versions/1/restore`)).status).toBe(409);
  expect((await call('GET', `${json.id}/versions`)).status).toBe(200);
});

test('labels of an Active query change immediately, without a draft', async () => {
  const { id, queryName } = await publish(service.as(admin), { name: 'Labeled', sql: 'select 1 as n' });
  const labels = { description: 'What it is', tip: 'How to use it', tags: ['a', 'b'], aiAccess: false, roles: ['Auditor'] };
  const changed = await ok('PATCH', id, labels);
  expect(changed).toMatchObject({ ...labels, status: 'Active', draft: null, version: 2 });
  expect((await service.as(admin).run(queryName)).status, 'roles take effect immediately').toBe(403);
  expect(await ok('PATCH', id, { roles: null, tags: null, description: null })).toMatchObject({
    roles: [],
    tags: [],
    description: '',
    tip: 'How to use it',
    draft: null,
  });
  expect(await ran(queryName)).toEqual([{ n: 1 }]);
  const found = await service.as(admin).call<List<Query>>('GET', '/api/v1/queries?search=labeled');
  expect(found.json.items).toMatchObject([{ tip: 'How to use it', status: 'Active' }]);
});

test('labels changed together with the SQL take effect immediately, the SQL with the draft', async () => {
  const { id, queryName } = await publish(service.as(admin), { name: 'Both', sql: 'select 1 as n' });
  const edited = await ok('PATCH', id, { sql: 'select 2 as n', tip: 'new tip' });
  expect(edited).toMatchObject({ tip: 'new tip', sql: 'select 1 as n', draft: { status: 'Draft' } });
  const later = await ok('PATCH', id, { tip: 'newer tip' });
  expect(later).toMatchObject({ tip: 'newer tip', sql: 'select 1 as n', draft: { status: 'Draft' } });
  expect(await ok('GET', `${id}?version=draft`)).toMatchObject({ tip: 'newer tip', sql: 'select 2 as n' });
  expect(await ran(queryName)).toEqual([{ n: 1 }]);
});

test('changing a label keeps a validated draft validated', async () => {
  const { id } = await publish(service.as(admin), { name: 'Kept valid', sql: 'select 1 as n' });
  await ok('PATCH', id, { sql: 'select 2 as n' });
  await ok('POST', `${id}/validate`);
  expect(await ok('PATCH', id, { tip: 'a tip' })).toMatchObject({ draft: { status: 'Validated' } });
  expect(await ok('POST', `${id}/activate`)).toMatchObject({ sql: 'select 2 as n', tip: 'a tip' });
});

test('saving without a change creates no version', async () => {
  const { id } = await publish(service.as(admin), { name: 'Same', sql: 'select 1 as n' });
  expect(await ok('PATCH', id, { sql: 'select 1 as n', tip: '' })).toMatchObject({ version: 1, draft: null });
  expect(await ok('PUT', id, { name: 'Same', database: 'Demo', sql: 'select 1 as n', parameters: [] })).toMatchObject({
    version: 1,
    draft: null,
  });
});

test('a draft that was read before somebody narrowed the roles cannot be saved over them', async () => {
  const { id } = await publish(service.as(admin), { name: 'Narrowed', sql: 'select 1 as n' });
  await ok('PATCH', id, { sql: 'select 2 as n' });
  const read = await expectStatus(call('GET', `${id}?version=draft`), 200);
  const etag = { 'If-Match': read.headers.get('etag') ?? '' };
  await ok('PATCH', id, { roles: ['Administrator'], aiAccess: false });
  const lost = await call('PUT', id, { ...read.json, sql: 'select 3 as n' }, etag);
  expect([lost.status, problemOf(lost).code]).toEqual([412, 'version_conflict']);
  expect((await call('POST', `${id}/validate`, undefined, etag)).status).toBe(412);
  expect(await ok('GET', id)).toMatchObject({ roles: ['Administrator'], aiAccess: false });
});

test('If-Match on an edit refers to the draft if one exists', async () => {
  const { id } = await publish(service.as(admin), { name: 'Raced', sql: 'select 1 as n' });
  const edit = async (sql: string, version: number) => (await call('PATCH', id, { sql }, { 'If-Match': `"${version}"` })).status;
  expect(await edit('select 2 as n', 1)).toBe(200);
  expect(await edit('select 3 as n', 1)).toBe(412);
  expect(await edit('select 3 as n', 2)).toBe(200);
});
