import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditItem, auditOf } from '../../support/audit-entries.ts';
import { PASSWORD, createKey, createQueryUser, signIn } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type ApiResponse,
  type Caller,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

let service: TestService;
let administrator: Caller;
let query: { id: string; queryName: string; version: number };
let key: { id: string; key: string };

beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_DEFAULT: '10' });
  administrator = service.as(admin);
  query = await publish(administrator, {
    name: 'Audited',
    sql: 'select i as n, @Region as r, @Secret as s, @Count as c from range(@Count) t(i) order by i',
    parameters: [
      { name: '@Region', dataType: 'nvarchar(50)', required: false, default: 'all' },
      { name: '@Secret', dataType: 'nvarchar(50)', required: false, masked: true },
      { name: '@Count', dataType: 'int', required: true },
    ],
  });
  const { credential } = await createQueryUser(service, 'reader');
  key = await createKey(service.as(credential), { name: 'reporting' });
});
afterAll(() => service.close());

const secret = { ParameterName: '@Secret', Value: 'canary-secret' };
const count = (Value: unknown) => ({ ParameterName: '@Count', Value, DataType: 'int' });
const entryOf = (response: ApiResponse<unknown>) => auditOf(administrator, response);

const usual = (): Partial<AuditItem> => ({
  user: 'reader',
  apiKey: 'reporting',
  action: 'query.execute',
  query: query.queryName,
  queryVersion: 1,
  channel: 'rest',
  outcome: 'ok',
  status: 200,
  address: expect.stringMatching(/127\.0\.0\.1|::1/),
  client: 'the tests',
});
const agent = { 'User-Agent': 'the tests' };

test('records user, query, cast values, rows and bytes of an execution', async () => {
  const before = Date.now();
  const response = await service.as({ key: key.key }).run(query.queryName, [secret, count('+05')], agent);
  const entry = await entryOf(response);
  expect(entry).toMatchObject({ ...usual(), rows: 5, parameters: { '@Region': 'all', '@Secret': '***', '@Count': '5' } });
  const data = response.text.slice('{"Data":['.length, response.text.indexOf('],"RowSize"'));
  expect(entry.bytes).toBe(Buffer.byteLength(data));
  expect(entry.durationMs).toBeGreaterThanOrEqual(0);
  expect(Date.parse(entry.at)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(entry.at)).toBeLessThanOrEqual(Date.now());
  expect(JSON.stringify(entry)).not.toContain('canary');
});

test('records a masked NULL as null', async () => {
  const response = await service.as({ key: key.key }).run(query.queryName, [count(1)]);
  expect((await entryOf(response)).parameters).toEqual({ '@Region': 'all', '@Secret': null, '@Count': '1' });
});

test('records each page as an entry with the version that ran', async () => {
  const caller = service.as({ key: key.key });
  const first = await caller.run(query.queryName, [count(25)], agent);
  expect(await entryOf(first)).toMatchObject({ ...usual(), rows: 10 });
  await expectStatus(administrator.call('PATCH', `/api/v1/queries/${query.id}`, { timeoutSeconds: 30 }), 200);
  for (const move of ['validate', 'activate'])
    await expectStatus(administrator.call('POST', `/api/v1/queries/${query.id}/${move}`), 200);
  const headers = { ...agent, QueryMoreCode: first.json.QueryMoreCode ?? '', RowIndex: '20' };
  const last = await caller.run(query.queryName, [count(25)], headers);
  expect(await entryOf(last)).toMatchObject({ ...usual(), action: 'query.next-page', rows: 5, queryVersion: 1 });
  const anew = await caller.run(query.queryName, [count(25)], agent);
  expect(await entryOf(anew)).toMatchObject({ ...usual(), queryVersion: 2 });
});

test('records chart data, the short form, Basic, the cookie and parameter discovery', async () => {
  const byKey = service.as({ key: key.key });
  const body = { QueryName: query.queryName, Parameters: [count(3)] };
  const chart = await byKey.call('POST', '/api/v1/ChartBuilder/ExecuteQuery', body, agent);
  expect(await entryOf(chart)).toMatchObject({ ...usual(), channel: 'chart', rows: 3, queryVersion: 2 });
  const short = await byKey.call('POST', `/api/query/execute/${query.queryName}`, { parameters: { '@Count': 3 } }, agent);
  expect(await entryOf(short)).toMatchObject({ ...usual(), rows: 3, queryVersion: 2, parameters: { '@Count': '3' } });
  const basic = await service.as({ username: 'READER', password: PASSWORD }).run(query.queryName, [count(1)], agent);
  expect(await entryOf(basic)).toMatchObject({ ...usual(), apiKey: null, rows: 1, queryVersion: 2 });
  const cookie = await service
    .as({ cookie: await signIn(service, { username: 'reader', password: PASSWORD }) })
    .run(query.queryName, [count(1)], agent);
  expect(await entryOf(cookie)).toMatchObject({ ...usual(), channel: 'ui', apiKey: null, rows: 1, queryVersion: 2 });
  const discovery = await byKey.call(
    'GET',
    `/api/v1/JsonBuilder/GetQueryParameters?queryName=${query.queryName}`,
    undefined,
    agent,
  );
  expect(await entryOf(discovery)).toMatchObject({ ...usual(), action: 'query.parameters', queryVersion: 2, rows: null });
});

test('records refusals with their status and the fields known at that point', async () => {
  const caller = service.as({ key: key.key });
  const refused = { outcome: 'refused', rows: null, bytes: null };
  const missing = await service.as().run(query.queryName, [count(1)]);
  expect(await entryOf(missing)).toMatchObject({ ...refused, status: 401, user: null, apiKey: null, query: null });
  const wrong = await service.as({ username: 'reader', password: 'wrong, wrong, wrong' }).run(query.queryName);
  expect(await entryOf(wrong)).toMatchObject({ ...refused, status: 401, user: 'reader', query: null });
  const form = await caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', '{');
  expect(await entryOf(form)).toMatchObject({ ...refused, status: 400, user: 'reader', apiKey: 'reporting', query: null });
  const type = await caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', '{}', { 'Content-Type': 'text/plain' });
  expect(await entryOf(type)).toMatchObject({ ...refused, status: 415 });
  const unknown = await caller.run('QD_Nothing_Demo');
  expect(await entryOf(unknown)).toMatchObject({ ...refused, status: 403, query: 'QD_Nothing_Demo', queryVersion: null });
  const parameter = await caller.run(query.queryName, [secret]);
  expect(await entryOf(parameter)).toMatchObject({ ...refused, status: 400, query: query.queryName, queryVersion: 2 });
  const code = await caller.run(query.queryName, [count(1)], { QueryMoreCode: 'garbage' });
  expect(await entryOf(code)).toMatchObject({ ...refused, status: 400, action: 'query.next-page' });
});

test('records a refused next page of a query that is no longer Active', async () => {
  const paused = await publish(administrator, { name: 'Paused', sql: 'select i from range(25) t(i)' });
  const first = await service.as({ key: key.key }).run(paused.queryName);
  await expectStatus(administrator.call('POST', `/api/v1/queries/${paused.id}/deactivate`), 200);
  const next = await service.as({ key: key.key }).run(paused.queryName, [], { QueryMoreCode: first.json.QueryMoreCode ?? '' });
  expect(await entryOf(next)).toMatchObject({
    action: 'query.next-page',
    query: paused.queryName,
    outcome: 'refused',
    status: 403,
  });
});

test('records failures with status 500, the query and masked values', async () => {
  const { queryName } = await publish(administrator, {
    name: 'Failing',
    sql: 'select error(@Secret) as n from range(1)',
    parameters: [{ name: '@Secret', dataType: 'nvarchar(50)', required: true, masked: true }],
  });
  const response = await service.as({ key: key.key }).run(queryName, [secret]);
  expect(await entryOf(response)).toMatchObject({
    ...usual(),
    client: expect.anything(),
    query: queryName,
    outcome: 'failed',
    status: 500,
    rows: null,
    parameters: { '@Secret': '***' },
  });
});

test('filters by user, query, channel and outcome, and never shows a masked value', async () => {
  const find = async (filter: string) =>
    (await administrator.call<{ items: AuditItem[] }>('GET', `/api/v1/audit?limit=1000&${filter}`)).json.items;
  expect(new Set((await find('user=reader')).map((entry) => entry.user))).toEqual(new Set(['reader']));
  expect(new Set((await find(`query=${query.queryName}`)).map((entry) => entry.query))).toEqual(new Set([query.queryName]));
  expect(new Set((await find('channel=chart')).map((entry) => entry.channel))).toEqual(new Set(['chart']));
  expect(new Set((await find('outcome=failed')).map((entry) => entry.status))).toEqual(new Set([500]));
  const { text } = await administrator.call('GET', '/api/v1/audit?format=csv');
  expect(text).toContain(query.queryName);
  expect(text).not.toContain('canary-secret');
});
