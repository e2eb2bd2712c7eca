import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../support/http/problem.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
});
afterAll(() => service.close());

type Resource = Record<string, unknown> & { id: string; version: number };

/** A body that each route accepts. */
const bodies: readonly (readonly [method: string, path: string, body: Record<string, unknown>])[] = [
  ['POST', '/queries', { name: 'New', database: 'Demo', sql: 'select 1 as one' }],
  ['POST', '/queries/preview', { database: 'Demo', sql: 'select 1 as one' }],
  ['POST', '/databases', { name: 'Other', kind: 'duckdb', connection: { file: 'x.duckdb' } }],
  ['POST', '/databases/test', { kind: 'duckdb', connection: { file: 'x.duckdb' } }],
  ['POST', '/users', { username: 'someone', password: 'four plain words here' }],
  ['POST', '/roles', { name: 'Reader', permissions: ['queries.run'] }],
  ['POST', '/account/api-keys', { name: 'key' }],
  ['PUT', '/account/password', { currentPassword: 'x', newPassword: 'y' }],
  ['POST', '/session', { username: 'x', password: 'y' }],
];

test('accepts the values of an enum in any case', async () => {
  for (const format of ['csv', 'CSV', 'Csv']) {
    const exported = await expectStatus(root.call('GET', `/api/v1/audit?format=${format}&outcome=OK`), 200);
    expect([format, exported.headers.get('content-type')]).toEqual([format, 'text/csv; charset=utf-8']);
  }
  const listed = await expectStatus(root.call<{ items: Resource[] }>('GET', '/api/v1/queries?status=ACTIVE'), 200);
  expect(new Set(listed.json.items.map(({ status }) => status))).toEqual(new Set(['Active']));
  const role = { name: 'Any case', permissions: ['Queries.Run'] };
  expect((await expectStatus(root.call('POST', '/api/v1/roles', role), 201)).json.permissions).toEqual(['queries.run']);
  await expectProblem(root.call('GET', '/api/v1/audit?format=tsv'), 400, 'field_invalid');
});

test('an empty value in a query string counts as absent, an unknown name does not', async () => {
  const { items } = (await expectStatus(root.call<{ items: Resource[] }>('GET', '/api/v1/queries?limit=&search=&cursor='), 200))
    .json;
  expect(items.length).toBeGreaterThan(1);
  await expectStatus(root.call('GET', `/api/v1/queries/${items[0]?.id}/changes?from=ACTIVE&to=1&days=`), 200);
  await expectProblem(root.call('GET', '/api/v1/queries?limits='), 400, 'field_unknown');
});

describe.each(bodies)('%s %s', (method, path, body) => {
  test('refuses an unknown field and suggests the closest', async () => {
    const [known = ''] = Object.keys(body);
    const { errors } = await expectProblem(
      root.call(method, `/api/v1${path}`, { ...body, [`${known}s`]: 1 }),
      400,
      'field_unknown',
    );
    expect(errors).toEqual([
      { field: `${known}s`, code: 'field_unknown', message: `There is no field "${known}s" here. Did you mean "${known}"?` },
    ]);
    const misspelled = Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name === known ? `${name}x` : name, value]),
    );
    const { errors: once } = await expectProblem(root.call(method, `/api/v1${path}`, misspelled), 400, 'field_unknown');
    expect(once?.map(({ field }) => field)).toEqual([`${known}x`]);
  });

  test('refuses an unknown name in the query string', async () => {
    if (path === '/session') return; // GET /session reads the query string; see below
    const { errors } = await expectProblem(root.call(method, `/api/v1${path}?verbose=1`, body), 400, 'field_unknown');
    expect(errors?.map(({ field }) => field)).toEqual(['verbose']);
  });

  test('refuses a field that is sent twice in different case', async () => {
    const [known = ''] = Object.keys(body);
    await expectProblem(root.call(method, `/api/v1${path}`, { ...body, [known.toUpperCase()]: 'x' }), 400, 'field_invalid');
  });
});

test('matches field names ignoring case, at every depth', async () => {
  const { json } = await expectStatus(
    root.call<Resource>('POST', '/api/v1/queries', {
      Name: 'Spelled',
      DATABASE: 'Demo',
      Sql: 'select @A as a',
      Parameters: [{ Name: '@A', DataType: 'int', Required: true }],
    }),
    201,
  );
  expect(json).toMatchObject({ name: 'Spelled', parameters: [{ name: '@A', dataType: 'int', required: true }] });
  const nested = { name: 'x', database: 'Demo', sql: 'select 1', parameters: [{ name: '@A', datatyp: 'int' }] };
  const { errors } = await expectProblem(root.call('POST', '/api/v1/queries', nested), 400, 'field_unknown');
  expect(errors?.map(({ field }) => field)).toEqual(['parameters.0.datatyp']);
  const limits = { name: 'x', limits: { rowsPerDays: 5 } };
  const key = await expectProblem(root.call('POST', '/api/v1/account/api-keys', limits), 400, 'field_unknown');
  expect(key.errors?.[0]).toMatchObject({ field: 'limits.rowsPerDays', message: expect.stringContaining('"rowsPerDay"') });
});

describe('PUT and PATCH accept a resource as GET returned it', () => {
  const writeBack = async (path: string) => {
    const { json } = await expectStatus(root.call<Resource>('GET', path), 200);
    await expectStatus(root.call('PUT', path, json, { 'If-Match': `"${json.version}"` }), 200);
    const again = (await root.call<Resource>('GET', path)).json;
    await expectStatus(root.call('PATCH', path, again), 200);
    for (const method of ['PUT', 'PATCH'])
      await expectProblem(root.call(method, path, { ...again, creatdBy: 'x' }), 400, 'field_unknown');
  };

  test('for a query', async () =>
    writeBack(`/api/v1/queries/${(await publish(root, { name: 'Back', sql: 'select 1 as one' })).id}`));
  test('for a user', async () => writeBack(`/api/v1/users/${(await createUser(service, 'written-back')).id}`));
  test('for a role', async () => {
    const { json } = await root.call<Resource>('POST', '/api/v1/roles', { name: 'Back', permissions: ['queries.run'] });
    await writeBack(`/api/v1/roles/${json.id}`);
  });
  test('for a database', async () => {
    const { items } = (await root.call<{ items: Resource[] }>('GET', '/api/v1/databases')).json;
    const { json } = await root.call<Resource>('GET', `/api/v1/databases/${items[0]?.id}`);
    await expectProblem(root.call('PATCH', `/api/v1/databases/${json.id}`, { desciption: 'x' }), 400, 'field_unknown');
    await expectStatus(root.call('PATCH', `/api/v1/databases/${json.id}`, { id: json.id, version: 1, Description: 'x' }), 200);
  });
});

test.each([
  ['/queries?Search=x&LIMIT=1', 200],
  ['/queries?serach=x', 400],
  ['/queries?limit=1&Limit=2', 400],
  ['/audit?Channel=rest&outcome=ok', 200],
  ['/audit?chanel=rest', 400],
  ['/account?x=1', 400],
  ['/account', 200],
  ['/session?Optional=true', 200],
  ['/session?optinal=true', 400],
  ['/ACCOUNT/', 200],
  ['/Queries/', 200],
])('GET %s returns %i', async (path, status) => {
  expect((await root.call('GET', `/api/v1${path}`)).status).toBe(status);
});

test('refuses fields in the body of an action that takes none', async () => {
  const { json } = await root.call<Resource>('POST', '/api/v1/queries', {
    name: 'Act',
    database: 'Demo',
    sql: 'select 1 as one',
  });
  const path = `/api/v1/queries/${json.id}/validate`;
  await expectProblem(root.call('POST', path, { force: true }), 400, 'field_unknown');
  await expectStatus(root.call('POST', path, {}), 200);
  await expectStatus(root.call('POST', `/api/v1/queries/${json.id}/ACTIVATE`, undefined), 200);
  await expectStatus(
    root.call('POST', path.replace('validate', 'deactivate'), '', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    200,
  );
});

test('matches setting names ignoring case, and suggests the closest for an unknown one', async () => {
  await expectStatus(root.call('PATCH', '/api/v1/settings', { rowsdefault: 900 }), 200);
  const { errors } = await expectProblem(root.call('PATCH', '/api/v1/settings', { rowDefault: 900 }), 400, 'field_unknown');
  expect(errors?.[0]?.message).toContain('"rowsDefault"');
});

test('accepts other JSON media types and Bearer keys, as execution routes do', async () => {
  const { key } = await createKey(root);
  const call = (headers: Record<string, string>) =>
    sendRaw(service.url, {
      method: 'POST',
      path: '/api/v1/queries/preview',
      headers,
      body: JSON.stringify({
        database: 'Demo',
        sql: 'select @A as a',
        parameters: [{ name: '@A', dataType: 'int' }],
        values: { a: 7 },
      }),
    });
  for (const type of [{}, { 'Content-Type': 'text/json' }, { 'Content-Type': 'application/merge-patch+json' }]) {
    const { status, text } = await call({ Authorization: `Bearer ${key}`, ...type });
    expect([status, text]).toEqual([200, '{"data":[{"a":7}],"columns":[{"name":"a","type":"numeric"}]}']);
  }
});
