import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
let administrator: Caller;
let numbers: { id: string; queryName: string };

beforeAll(async () => {
  service = await startTestService();
  administrator = service.as(admin);
  const file = await makeDuckdbFile(service.files, 'other.duckdb', ['create table t as select 1 as n']);
  const other = { name: 'Other', kind: 'duckdb', connection: { file } };
  await expectStatus(administrator.call('POST', '/api/v1/databases', other), 201);
  for (const name of ['Reader', 'Auditor of mine']) {
    const permissions = name === 'Reader' ? ['queries.run'] : ['audit.view'];
    await expectStatus(administrator.call('POST', '/api/v1/roles', { name, permissions }), 201);
  }
  numbers = await publish(administrator, { name: 'Numbers', sql: 'select i as n from range(25) t(i) order by i' });
});
afterAll(() => service.close());

const deed = (id: string, verb: string) => expectStatus(administrator.call('POST', `/api/v1/queries/${id}/${verb}`), 200);
const changeUser = (id: string, change: unknown) => expectStatus(administrator.call('PATCH', `/api/v1/users/${id}`, change), 200);

/** Creates a user who has read the first page; `next` requests the second. */
async function reading(username: string, queryName = numbers.queryName) {
  const { id, credential } = await createQueryUser(service, username);
  const key = await createKey(service.as(credential), { name: username });
  const by = service.as({ key: key.key });
  const first = await expectStatus(by.run(queryName, [], { RowSize: '10' }), 200);
  const next = (caller = by) => caller.run(queryName, [], { RowSize: '10', QueryMoreCode: first.json.QueryMoreCode ?? '' });
  expect((await next()).status).toBe(200);
  return { id, credential, keyId: key.id, next };
}

describe('between two pages', () => {
  test('a revoked key gets 401, other credentials of the user keep working', async () => {
    const { credential, keyId, next } = await reading('revoked');
    await expectStatus(service.as(credential).call('DELETE', `/api/v1/account/api-keys/${keyId}`), 204);
    await expectProblem(next(), 401, 'credential_revoked');
    expect((await next(service.as(credential))).status).toBe(200);
  });

  test('a disabled, expired or deleted user: 401', async () => {
    const disabled = await reading('disabled');
    await changeUser(disabled.id, { disabled: true });
    await expectProblem(disabled.next(), 401, 'credential_revoked');
    const expired = await reading('expired');
    await changeUser(expired.id, { expiresAt: '2020-01-01' });
    await expectProblem(expired.next(), 401, 'credential_expired');
    const deleted = await reading('deleted');
    await expectStatus(administrator.call('DELETE', `/api/v1/users/${deleted.id}`), 204);
    expect((await deleted.next()).status).toBe(401);
  });

  test('a narrowed scope: 403, and 200 after it is restored', async () => {
    const { id, next } = await reading('narrowed');
    await changeUser(id, { databases: ['Other'] });
    await expectProblem(next(), 403, 'query_not_accessible');
    await changeUser(id, { databases: ['Other', 'Demo'] });
    expect((await next()).status).toBe(200);
  });

  test('a lost role: 403', async () => {
    const { id, next } = await reading('demoted');
    await changeUser(id, { roles: ['Auditor of mine'] });
    await expectProblem(next(), 403, 'query_not_accessible');
  });

  test('a query that is deactivated, or granted to other roles: 403', async () => {
    const query = await publish(administrator, { name: 'Passing', sql: 'select i as n from range(25) t(i) order by i' });
    const { next } = await reading('passing', query.queryName);
    await deed(query.id, 'deactivate');
    await expectProblem(next(), 403, 'query_not_accessible');
    await deed(query.id, 'activate');
    expect((await next()).status).toBe(200);
    await expectStatus(administrator.call('PATCH', `/api/v1/queries/${query.id}`, { roles: ['Reader'] }), 200);
    await expectProblem(next(), 403, 'query_not_accessible');
  });

  test('a disabled database: 403', async () => {
    const query = await publish(administrator, {
      name: 'Elsewhere',
      database: 'Other',
      sql: 'select i as n from range(25) t(i)',
    });
    const { next } = await reading('elsewhere', query.queryName);
    const { json } = await administrator.call<{ items: { id: string; name: string }[] }>('GET', '/api/v1/databases');
    const id = json.items.find((each) => each.name === 'Other')?.id;
    await expectStatus(administrator.call('PATCH', `/api/v1/databases/${id}`, { disabled: true }), 200);
    await expectProblem(next(), 403, 'query_not_accessible');
    await expectStatus(administrator.call('PATCH', `/api/v1/databases/${id}`, { disabled: false }), 200);
    expect((await next()).status).toBe(200);
  });
});

test('one of the roles that a query names is enough', async () => {
  const query = await publish(administrator, { name: 'Roles', sql: 'select 1 as n', roles: ['Reader', 'Query Publisher'] });
  const reader = (await createQueryUser(service, 'reader', { roles: ['Reader'] })).caller;
  expect((await reader.run(query.queryName)).status).toBe(200);
  await expectProblem(administrator.run(query.queryName), 403, 'query_not_accessible');
});
