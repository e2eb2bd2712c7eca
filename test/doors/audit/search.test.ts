import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { problemOf } from '../../support/http/problem.ts';
import { createKey, createUser, signIn } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type ApiResponse,
  type List,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

interface Entry {
  readonly at: string;
  readonly requestId: string;
  readonly user: string | null;
  readonly action: string;
  readonly parameters: Record<string, unknown> | null;
  readonly [field: string]: unknown;
}

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await makeDuckdbFile(service.files, 'a.duckdb', ['create table t (id int)']);
});
afterAll(() => service.close());

const audit = async (query: string) =>
  (await expectStatus(service.as(admin).call<List<Entry>>('GET', `/api/v1/audit?${query}`), 200)).json;
const entryOf = async (response: ApiResponse<unknown>): Promise<Entry> => {
  const { items } = await audit(`requestId=${response.headers.get('x-request-id')}`);
  expect(items).toHaveLength(1);
  return items[0] ?? expect.fail();
};

test('every change has an entry with user, action and target, without secrets', async () => {
  const cookie = await signIn(service, admin);
  const call = (method: string, path: string, body?: unknown) =>
    service.as({ cookie }).call<{ id: string }>(method, `/api/v1${path}`, body);
  const expected = async (
    response: ApiResponse<{ id: string }>,
    action: string,
    parameters: unknown,
    query: string | null = null,
  ) => {
    const entry = await entryOf(response);
    expect(entry).toMatchObject({ user: 'admin', action, query, channel: 'management', outcome: 'ok', status: response.status });
    expect([action, entry.parameters]).toEqual([action, parameters]);
    return response.json?.id;
  };
  const having = (fields: object) => expect.objectContaining(fields);

  const role = await expected(await call('POST', '/roles', { name: 'R', permissions: ['audit.view'] }), 'role.create', {
    role: 'R',
    permissions: ['audit.view'],
  });
  await expected(await call('PATCH', `/roles/${role}`, { permissions: [] }), 'role.update', {
    role: 'R',
    changed: { permissions: { from: ['audit.view'], to: [] } },
  });
  const newUser = { username: 'u', password: 'the secret of this user', roles: ['R'] };
  const user = await expected(await call('POST', '/users', newUser), 'user.create', having({ user: 'u', roles: ['R'] }));
  await expected(await call('PATCH', `/users/${user}`, { disabled: true, password: 'another secret of them' }), 'user.update', {
    user: 'u',
    changed: { disabled: { from: false, to: true }, password: 'set' },
  });
  await expected(await call('DELETE', `/users/${user}/api-keys`), 'key.revoke', { user: 'u', keys: [] });
  await expected(await call('DELETE', `/users/${user}`), 'user.delete', { user: 'u' });
  await expected(await call('DELETE', `/roles/${role}`), 'role.delete', { role: 'R' });
  const key = await expected(await call('POST', '/account/api-keys', { name: 'K' }), 'key.create', having({ key: 'K' }));
  await expected(
    await call('PATCH', `/account/api-keys/${key}`, { name: 'K2' }),
    'key.update',
    having({ key: 'K', changed: { name: { from: 'K', to: 'K2' } } }),
  );
  await expected(await call('DELETE', `/account/api-keys/${key}`), 'key.revoke', having({ key: 'K2' }));
  const newDatabase = { name: 'D', kind: 'duckdb', connection: { file: 'a.duckdb' } };
  const database = await expected(await call('POST', '/databases', newDatabase), 'database.create', {
    database: 'D',
    kind: 'duckdb',
  });
  await expected(await call('PATCH', `/databases/${database}`, { disabled: true }), 'database.update', {
    database: 'D',
    changed: ['disabled'],
  });
  await expected(await call('POST', `/databases/${database}/test`), 'database.test', { database: 'D' });
  await expected(await call('DELETE', `/databases/${database}`), 'database.delete', having({ database: 'D' }));
  const newQuery = { name: 'Q', database: 'Demo', sql: 'select 1 as n' };
  const query = await expected(await call('POST', '/queries', newQuery), 'query.create', having({ to: 'Draft' }), 'QD_Q_Demo');
  await expected(
    await call('PATCH', `/queries/${query}`, { tip: 'x' }),
    'query.update',
    { from: 'Draft', to: 'Draft', changed: ['tip'] },
    'QD_Q_Demo',
  );
  await expected(await call('PATCH', '/settings', { rowsMax: 999, rowsDefault: 999 }), 'settings.update', {
    rowsMax: { from: 1000, to: 999 },
    rowsDefault: { from: 1000, to: 999 },
  });
  await expectStatus(call('PATCH', '/settings', { rowsMax: null, rowsDefault: null }), 200);
  const preview = await call('POST', '/queries/preview', { database: 'Demo', sql: 'select 1 as n' });
  expect(await entryOf(preview)).toMatchObject({ action: 'query.preview', rows: 1, parameters: { sql: 'select 1 as n' } });
  const whole = JSON.stringify(await audit('limit=1000'));
  for (const secret of ['the secret of this user', 'another secret of them', admin.password]) expect(whole).not.toContain(secret);
});

test('a refused change has an entry with its status', async () => {
  const { caller } = await createUser(service, 'curious');
  const refused = await caller.call('POST', '/api/v1/roles', { name: 'Mine', permissions: [] });
  expect(await entryOf(refused)).toMatchObject({ user: 'curious', action: 'role.create', outcome: 'refused', status: 403 });
  const bad = await service.as(admin).call('POST', '/api/v1/users', { username: 'x' });
  expect(await entryOf(bad)).toMatchObject({ user: 'admin', action: 'user.create', outcome: 'refused', status: 400 });
});

test('sign-in, sign-out and executions have entries with every field of the contract', async () => {
  const cookie = await signIn(service, admin, { 'User-Agent': 'a browser' });
  expect((await audit('limit=1')).items[0]).toMatchObject({ action: 'session.sign-in', user: 'admin', client: 'a browser' });
  await service.as({ cookie }).call('DELETE', '/api/v1/session');
  expect((await audit('limit=1')).items[0]).toMatchObject({ action: 'session.sign-out', user: 'admin', outcome: 'ok' });

  const parameters = [
    { name: '@A', dataType: 'int', required: true },
    { name: '@Secret', dataType: 'text', masked: true },
  ];
  const { queryName } = await publish(service.as(admin), { name: 'Audited', sql: 'select @A as a, @Secret as s', parameters });
  const { key } = await createKey(service.as(admin), { name: 'The key' });
  const sent = [
    { ParameterName: '@A', Value: '7' },
    { ParameterName: '@Secret', Value: 'hush' },
  ];
  const response = await expectStatus(service.as({ key }).run(queryName, sent, { 'User-Agent': 'a client' }), 200);
  expect(await entryOf(response)).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    requestId: response.headers.get('x-request-id'),
    user: 'admin',
    apiKey: 'The key',
    action: 'query.execute',
    query: queryName,
    queryVersion: 1,
    parameters: { '@A': '7', '@Secret': '***' },
    channel: 'rest',
    outcome: 'ok',
    status: 200,
    error: null,
    rows: 1,
    bytes: expect.any(Number),
    durationMs: expect.any(Number),
    address: '127.0.0.1',
    client: 'a client',
    kind: 'person',
    viewer: null,
    application: null,
    cached: false,
  });
});

test('filters work alone and combined', async () => {
  const person = await createUser(service, 'Filtered', { roles: ['Query User'], databases: ['Demo'] });
  const { queryName } = await publish(service.as(admin), { name: 'Filtered query', sql: 'select 1 as n' });
  const startedAt = new Date(Date.now() - 1).toISOString();
  await expectStatus(person.caller.run(queryName), 200);
  await expectStatus(person.caller.run('QD_Elsewhere'), 403);
  await expectStatus(
    person.caller.call('POST', '/api/v1/ChartBuilder/ExecuteQuery', { QueryName: queryName, Parameters: [] }),
    200,
  );
  const seen = async (query: string) => (await audit(query)).items.map(({ channel, outcome }) => `${channel} ${outcome}`);
  expect(await seen('user=filtered'), 'newest first, the name in any case').toEqual(['chart ok', 'rest refused', 'rest ok']);
  expect(await seen('user=filtered&outcome=refused')).toEqual(['rest refused']);
  expect(await seen('user=Filtered&channel=chart')).toEqual(['chart ok']);
  expect(await seen(`user=Filtered&query=${queryName}`)).toEqual(['chart ok', 'rest ok']);
  expect(await seen(`user=Filtered&from=${startedAt}`)).toHaveLength(3);
  expect(await seen(`user=Filtered&to=${startedAt}`)).toEqual([]);
  expect(await seen('user=Filtered&from=2020-01-01&to=2020-12-31')).toEqual([]);
  expect(await seen('user=nobody')).toEqual([]);
  for (const bad of ['channel=smoke', 'outcome=maybe', 'from=yesterday', 'limit=0', 'limit=1001', 'format=pdf'])
    expect([bad, (await service.as(admin).call('GET', `/api/v1/audit?${bad}`)).status]).toEqual([bad, 400]);
});

test('pages have no gaps or duplicates while new entries are written', async () => {
  const { caller } = await createUser(service, 'Paged');
  for (let i = 0; i < 7; i++) await caller.run(`QD_${i}`);
  const seen: unknown[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: List<Entry> = await audit(`user=Paged&limit=3&cursor=${encodeURIComponent(cursor)}`);
    seen.push(...page.items.map(({ query }) => query));
    cursor = page.nextCursor;
    await caller.run('QD_new');
  }
  expect(seen).toEqual(['QD_6', 'QD_5', 'QD_4', 'QD_3', 'QD_2', 'QD_1', 'QD_0']);
});

test('the CSV export applies the filters and guards cells against formulas', async () => {
  const { caller } = await createUser(service, '=cmd|calc');
  for (const client of ['+1', '-1', '@sum(a1)', 'a "quoted", cell', 'plain'])
    await caller.run('QD_None', [], { 'User-Agent': client });
  const csv = await service.as(admin).call('GET', `/api/v1/audit?format=csv&user=${encodeURIComponent('=cmd|calc')}`);
  expect(csv.status).toBe(200);
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
  const [header, ...lines] = csv.text.trimEnd().split('\r\n');
  expect(header).toBe(
    'at,requestId,user,apiKey,action,query,queryVersion,parameters,channel,outcome,status,rows,bytes,durationMs,address,client,cached,error,kind,viewer,application',
  );
  expect(lines).toHaveLength(5);
  for (const line of lines) expect(line).toContain(",'=cmd|calc,");
  expect(lines.map((line) => /127\.0\.0\.1,(.*),false,query_not_accessible,person,,$/.exec(line)?.[1])).toEqual([
    'plain',
    '"a ""quoted"", cell"',
    "'@sum(a1)",
    "'-1",
    "'+1",
  ]);
});

test('reading needs audit.view, and no route changes entries', async () => {
  const { caller: auditor } = await createUser(service, 'auditor', { roles: ['Auditor'] });
  const { caller: author } = await createUser(service, 'author', { roles: ['Query Publisher'], databases: ['*'] });
  expect((await auditor.call('GET', '/api/v1/audit')).status).toBe(200);
  for (const format of ['json', 'csv']) {
    const refused = await author.call('GET', `/api/v1/audit?format=${format}`);
    expect([refused.status, problemOf(refused).detail]).toEqual([403, expect.stringContaining('audit.view')]);
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect((await service.as(admin).call(method, '/api/v1/audit')).status).toBe(405);
});
