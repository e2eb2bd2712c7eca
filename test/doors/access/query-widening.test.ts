import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../../support/faults/figure.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { type Account, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type ApiResponse,
  type Caller,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

const SQL = 'select 1 as n';
let service: TestService;
let root: Caller;
let author: Account;
let publisher: Account;
let outsider: Account;
let attempts = 0;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  for (const name of ['Finance', 'Staff'])
    await expectStatus(root.call('POST', '/api/v1/roles', { name, permissions: ['queries.run'] }), 201);
  const file = `${service.files}/ledger.sqlite`;
  new DatabaseSync(file).exec('create table runs (n integer)');
  const ledger = { name: 'Ledger', kind: 'sqlite', connection: { file }, writable: true };
  await expectStatus(root.call('POST', '/api/v1/databases', ledger), 201);
  author = await createUser(service, 'author', { roles: ['Query Author'], databases: ['Demo'] });
  publisher = await createUser(service, 'publisher', { roles: ['Query Publisher'], databases: ['Demo'] });
  outsider = await createUser(service, 'outsider', { roles: ['Query User'], databases: ['Demo'] });
});
afterAll(async () => {
  reportFigure(19, `${attempts} attempts to widen an Active query without queries.publish, none succeeded`);
  await service.close();
});

interface Shown {
  readonly roles: readonly string[];
  readonly aiAccess: boolean;
}

let queries = 0;
/** An Active query, limited to Finance and closed to AI since its second version; the first version was open to all. */
async function limitedQuery(): Promise<{ id: string; queryName: string }> {
  const query = await publish(root, { name: `Limited ${++queries}`, sql: SQL });
  await expectStatus(root.call('PATCH', `/api/v1/queries/${query.id}`, { roles: ['Finance'], aiAccess: false }), 200);
  return query;
}
const wordingOf = (of: number) => ({ name: `Limited ${of}`, database: 'Demo', sql: SQL });
const shown = async (id: string) => (await expectStatus(root.call<Shown>('GET', `/api/v1/queries/${id}`), 200)).json;
const write = (by: Caller, method: string, id: string, body?: unknown, rest = ''): Promise<ApiResponse<Shown>> =>
  by.call<Shown>(method, `/api/v1/queries/${id}${rest}`, body);

async function expectLimited(id: string, queryName: string): Promise<void> {
  attempts++;
  expect(await shown(id)).toMatchObject({ roles: ['Finance'], aiAccess: false });
  await expectProblem(outsider.caller.run(queryName), 403, 'query_not_accessible');
}

test.each([
  ['a PUT that does not name them', (id: string, n: number) => write(author.caller, 'PUT', id, wordingOf(n))],
  [
    'a PUT that changes the SQL and does not name them',
    (id: string, n: number) => write(author.caller, 'PUT', id, { ...wordingOf(n), sql: 'select 2 as n' }),
  ],
  ['restoring a version', (id: string) => write(author.caller, 'POST', id, undefined, '/versions/1/restore')],
  ['restoring a version by a publisher', (id: string) => write(publisher.caller, 'POST', id, undefined, '/versions/1/restore')],
])('%s keeps roles and AI access', async (_, attempt) => {
  const { id, queryName } = await limitedQuery();
  expect((await attempt(id, queries)).json).toMatchObject({ roles: ['Finance'], aiAccess: false });
  await expectLimited(id, queryName);
});

test('restoring and activating a version keeps roles and AI access', async () => {
  const { id, queryName } = await limitedQuery();
  await expectStatus(write(author.caller, 'PATCH', id, { sql: 'select 2 as n' }), 200);
  await expectStatus(write(author.caller, 'POST', id, undefined, '/validate'), 200);
  await expectStatus(write(publisher.caller, 'POST', id, undefined, '/activate'), 200);
  await expectStatus(write(author.caller, 'POST', id, undefined, '/versions/1/restore'), 200);
  await expectStatus(write(author.caller, 'POST', id, undefined, '/validate'), 200);
  await expectStatus(write(publisher.caller, 'POST', id, undefined, '/activate'), 200);
  await expectLimited(id, queryName);
});

test.each([
  ['PATCH', { roles: [] }],
  ['PATCH', { roles: null }],
  ['PATCH', { roles: ['Finance', 'Query User'] }],
  ['PATCH', { roles: ['Staff'] }],
  ['PATCH', { aiAccess: true }],
  ['PATCH', { roles: [], sql: 'select 3 as n' }],
  ['PATCH', { aiAccess: true, sql: 'select 3 as n' }],
  ['PUT', { roles: [] }],
  ['PUT', { roles: null }],
  ['PUT', { aiAccess: true }],
  ['PUT', { aiAccess: true, sql: 'select 3 as n' }],
])('widening an Active query needs queries.publish: %s %j', async (method, change) => {
  const { id, queryName } = await limitedQuery();
  const body = method === 'PUT' ? { ...wordingOf(queries), ...change } : change;
  const refused = await expectProblem(write(author.caller, method, id, body), 403, 'permission_denied');
  expect(refused.detail).toContain('queries.publish');
  await expectLimited(id, queryName);
  const after = (await expectStatus(write(publisher.caller, method, id, body), 200)).json;
  if ('aiAccess' in change) expect(after.aiAccess).toBe(true);
  if ('roles' in change) expect(after.roles).toEqual(change.roles ?? []);
});

test('widening the active version beside a draft needs queries.publish too', async () => {
  const { id, queryName } = await limitedQuery();
  await expectStatus(write(author.caller, 'PATCH', id, { sql: 'select 4 as n' }), 200);
  await expectProblem(write(author.caller, 'PATCH', id, { roles: [] }), 403, 'permission_denied');
  await expectProblem(write(author.caller, 'PATCH', id, { aiAccess: true }), 403, 'permission_denied');
  await expectStatus(author.caller.call('DELETE', `/api/v1/queries/${id}/draft`), 204);
  await expectLimited(id, queryName);
});

test('an author can narrow an Active query without queries.publish', async () => {
  const { id, queryName } = await publish(root, { name: 'Narrowed', sql: SQL });
  await expectStatus(write(author.caller, 'PATCH', id, { roles: ['Finance', 'Staff'], aiAccess: false }), 200);
  await expectStatus(write(author.caller, 'PATCH', id, { roles: ['Finance'] }), 200);
  await expectLimited(id, queryName);
});

test('widening a query that is not Active takes effect when a publisher activates it', async () => {
  const { id, queryName } = await limitedQuery();
  await expectStatus(write(root, 'POST', id, undefined, '/deactivate'), 200);
  await expectStatus(write(author.caller, 'PATCH', id, { roles: [], aiAccess: true }), 200);
  await expectProblem(outsider.caller.run(queryName), 403, 'query_not_accessible');
  await expectStatus(write(author.caller, 'POST', id, undefined, '/validate'), 200);
  await expectProblem(write(author.caller, 'POST', id, undefined, '/activate'), 403, 'permission_denied');
  await expectStatus(write(publisher.caller, 'POST', id, undefined, '/activate'), 200);
  expect((await outsider.caller.run(queryName)).status).toBe(200);
});

test('voiding and restoring a query keeps roles and AI access', async () => {
  const { id, queryName } = await limitedQuery();
  for (const move of ['deactivate', 'void', 'restore', 'validate', 'activate'])
    await expectStatus(write(root, 'POST', id, undefined, `/${move}`), 200);
  await expectLimited(id, queryName);
});

test('a role that a query names can be renamed, which keeps the restriction, but not deleted', async () => {
  const role = { name: 'Passing', permissions: ['queries.run'] };
  const { id: roleId } = (await expectStatus(root.call<{ id: string }>('POST', '/api/v1/roles', role), 201)).json;
  const { id, queryName } = await publish(root, { name: 'Passing', sql: SQL, roles: ['Passing'] });
  await expectStatus(root.call('PATCH', `/api/v1/roles/${roleId}`, { name: 'Renamed' }), 200);
  await expectProblem(root.call('DELETE', `/api/v1/roles/${roleId}`), 409, 'in_use');
  expect(await shown(id)).toMatchObject({ roles: ['Renamed'] });
  await expectProblem(outsider.caller.run(queryName), 403, 'query_not_accessible');
});

test('a publisher without the database of the active version cannot widen it, even if the database of the draft is in scope', async () => {
  const { id, queryName } = await limitedQuery();
  const aside = await createUser(service, 'aside', { roles: ['Query Publisher'], databases: ['Ledger'] });
  await expectStatus(write(root, 'PATCH', id, { database: 'Ledger' }), 200);
  await expectProblem(write(aside.caller, 'PATCH', id, { roles: [] }), 400, 'field_invalid');
  await expectProblem(write(aside.caller, 'PATCH', id, { aiAccess: true }), 400, 'field_invalid');
  await expectLimited(id, queryName);
});

test('removing an Epilogue does not open a query to AI, adding one closes it', async () => {
  const writing = { name: 'Writing', database: 'Ledger', sql: SQL, epilogue: 'insert into runs values (1)' };
  const { id, queryName } = await publish(root, writing);
  expect(await shown(id)).toMatchObject({ aiAccess: false });
  const plain = { name: 'Writing', database: 'Ledger', sql: SQL };
  await expectStatus(write(root, 'PUT', id, plain), 200);
  for (const move of ['validate', 'activate']) await expectStatus(write(root, 'POST', id, undefined, `/${move}`), 200);
  expect(await shown(id)).toMatchObject({ aiAccess: false, epilogue: null });
  const { key } = (await expectStatus(root.call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'k' }), 201)).json;
  expect((await mcpOf(service, key).refusal('execute_query', { queryName })).code).toBe(40301);
  await expectStatus(write(root, 'PATCH', id, { aiAccess: true }), 200);
  await expectStatus(write(root, 'PUT', id, writing), 200);
  expect(await shown(id)).toMatchObject({ aiAccess: false });
});
