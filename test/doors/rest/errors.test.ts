import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { expectProblem, type Problem } from '../../support/http/problem.ts';
import { createKey } from '../../support/people/accounts.ts';
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
let author: Caller;
let caller: Caller;

beforeAll(async () => {
  service = await startTestService();
  author = service.as(admin);
  caller = service.as({ key: (await createKey(author, { name: 'errors' })).key });
});
afterAll(() => service.close());

const CHART = '/api/v1/ChartBuilder/ExecuteQuery';
const onAllPaths = async (QueryName: string): Promise<ApiResponse<unknown>[]> => [
  await caller.run(QueryName),
  await caller.call('POST', CHART, { QueryName, Parameters: [] }),
  await caller.call('POST', `/api/query/execute/${QueryName}`, {}),
];
const logged = (problem: Problem): string =>
  service
    .log()
    .filter((line) => line.includes(problem.requestId))
    .join('\n');

test('a query over its timeout is 500 query_timed_out and is cancelled', async () => {
  const { queryName } = await publish(author, {
    name: 'Slow',
    sql: 'select count(*) as n from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7',
    timeoutSeconds: 1,
  });
  const problem = await expectProblem(caller.run(queryName), 500, 'query_timed_out');
  expect(problem.detail).toContain(problem.requestId);
  const { json } = await author.call<{ items: unknown[] }>('GET', '/api/v1/executions');
  expect(json.items).toEqual([]);
});

test('a query that times out after its first page is incomplete there', async () => {
  const { queryName } = await publish(author, {
    name: 'Slow later',
    sql: 'select a.i as n from range(100) a(i) union all select count(*) from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7',
    timeoutSeconds: 2,
  });
  const first = await caller.run(queryName, [], { RowSize: '10' });
  if (first.status === 200) {
    const QueryMoreCode = first.json.QueryMoreCode ?? '';
    await expectProblem(caller.run(queryName, [], { QueryMoreCode, RowIndex: '100' }), 500, 'result_incomplete');
  } else await expectProblem(Promise.resolve(first), 500, 'query_timed_out');
});

test('a SQL failure is 500 with a request id, and its details are only in the log under that id', async () => {
  const { queryName } = await publish(author, {
    name: 'Failing',
    sql: "select error('canary of the database') as n from range(1)",
  });
  for (const response of await onAllPaths(queryName)) {
    const problem = await expectProblem(Promise.resolve(response), 500, 'query_failed');
    expect(problem.detail).toBe(`The query failed. The detail is in the server log under request id ${problem.requestId}.`);
    expect(response.text).not.toMatch(/canary|select|error\(|duckdb|node_modules|\.ts/i);
    expect(logged(problem)).toContain('canary of the database');
  }
});

test.each([
  ['a cast', "cast('abc' || random() as int)", 'Could not convert'],
  ['an overflow', '9223372036854775807 + (random() * 0)::bigint + 1', 'Overflow'],
])('%s that fails at run time is 500 too', async (name, expression, words) => {
  const { queryName } = await publish(author, { name, sql: `select ${expression} as n` });
  const problem = await expectProblem(caller.run(queryName), 500, 'query_failed');
  expect(logged(problem)).toContain(words);
});

test('SQL that is no longer valid is 500; an unavailable database is 503 with Retry-After', async () => {
  const file = await makeDuckdbFile(service.files, 'shaky.duckdb', ['create table t as select 1 as n']);
  const database = { name: 'Shaky', kind: 'duckdb', connection: { file } };
  const { json } = await expectStatus(author.call<{ id: string }>('POST', '/api/v1/databases', database), 201);
  const { queryName } = await publish(author, { name: 'Shaky', database: 'Shaky', sql: 'select n from t' });
  expect((await caller.run(queryName)).status).toBe(200);
  const reopen = (description: string) =>
    expectStatus(author.call('PATCH', `/api/v1/databases/${json.id}`, { description }), 200);

  await rm(join(service.files, file));
  await makeDuckdbFile(service.files, file, ['create table other as select 1 as n']);
  await reopen('without its table');
  const changed = await expectProblem(caller.run(queryName), 500, 'query_failed');
  expect(logged(changed)).toContain('Table with name t does not exist');

  await writeFile(join(service.files, file), 'this is no database');
  await reopen('damaged');
  const response = await caller.run(queryName);
  const away = await expectProblem(Promise.resolve(response), 503, 'database_unavailable');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(response.text).not.toContain(service.files);
  expect(logged(away)).not.toBe('');

  await rm(join(service.files, file));
  await makeDuckdbFile(service.files, file, ['create table t as select 7 as n']);
  expect((await caller.run(queryName)).json.Data).toEqual([{ n: 7 }]);
});

test('the log contains neither keys nor passwords', async () => {
  const { key } = await createKey(author, { name: 'logged?' });
  await service.as({ key }).run('nothing');
  await service.as({ key: `${key}x` }).run('nothing');
  const all = service.log().join('\n');
  expect(all).not.toContain(key);
  expect(all).not.toContain(admin.password);
});

test('a key over its rate gets 429 with Retry-After, other keys are not affected', async () => {
  const { key } = await createKey(author, { name: 'fast' });
  const { queryName } = await publish(author, { name: 'Quick', sql: 'select 1 as n' });
  await expectStatus(author.call('PATCH', '/api/v1/settings', { ratePerKey: 2 }), 200);
  try {
    const responses = await Promise.all(Array.from({ length: 8 }, () => service.as({ key }).run(queryName)));
    const refused = responses.filter((response) => response.status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(4);
    expect(responses.filter((response) => response.status === 200).length).toBeGreaterThanOrEqual(2);
    for (const response of refused) {
      await expectProblem(Promise.resolve(response), 429, 'rate_exceeded');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await caller.run(queryName)).status).toBe(200);
    expect((await author.run(queryName)).status).toBe(200);
  } finally {
    await expectStatus(author.call('PATCH', '/api/v1/settings', { ratePerKey: null }), 200);
  }
});
