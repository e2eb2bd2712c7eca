import { readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type ApiResponse,
  type Caller,
  type ResultPage,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

let service: TestService;
let author: Caller;
let ann: Caller;
let ben: Caller;
let benId: string;
let passedMs = 0; // milliseconds that the service clock is ahead

beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_DEFAULT: '10', SLUICE_ROWS_MAX: '1000' }, () => Date.now() + passedMs);
  author = service.as(admin);
  ann = (await createQueryUser(service, 'ann')).caller;
  const made = await createQueryUser(service, 'ben');
  benId = made.id;
  ben = service.as(made.credential);
});
afterAll(() => service.close());

const CHANCE = 'select i as n, random() as r from range(25) t(i) where i < @Count order by i';
const parameters = [{ name: '@Count', dataType: 'int', required: false, default: '25' }];
let names = 0;
/** A query with different rows in every execution. */
const chance = (more: Record<string, unknown> = {}) =>
  publish(author, { name: `Chance ${++names}`, sql: CHANCE, parameters, cacheSeconds: 600, ...more });
const count = (Value: unknown, DataType?: string) => [
  { ParameterName: '@Count', Value, ...(DataType === undefined ? {} : { DataType }) },
];
const cacheOf = ({ headers }: ApiResponse<unknown>) => headers.get('x-cache');
const codeOf = (response: ApiResponse<ResultPage>) => response.json.QueryMoreCode ?? '';
const noCache = { 'Cache-Control': 'max-age=0, No-Cache' };

describe('identical calls of a query with cacheSeconds', () => {
  test('share one execution across users, each with a separate code', async () => {
    const { queryName } = await chance();
    const first = await ann.run(queryName);
    const second = await ben.run(queryName);
    expect([cacheOf(first), cacheOf(second)]).toEqual(['miss', 'hit']);
    expect(first.headers.get('age')).toBeNull();
    expect(Number(second.headers.get('age'))).toBeLessThan(60);
    expect(second.json.Data).toEqual(first.json.Data);
    expect([(await auditOf(author, first)).cached, (await auditOf(author, second)).cached]).toEqual([false, true]);
    expect(await auditOf(author, second)).toMatchObject({ action: 'query.execute', rows: 10, queryVersion: 1, user: 'ben' });

    const mine = await ben.run(queryName, [], { QueryMoreCode: codeOf(second) });
    expect(mine.json.Data).toHaveLength(10);
    expect(cacheOf(mine)).toBeNull();
    await expectProblem(ben.run(queryName, [], { QueryMoreCode: codeOf(first) }), 403, 'continuation_foreign');
    await expectProblem(ann.run(queryName, [], { QueryMoreCode: codeOf(second) }), 403, 'continuation_foreign');
  });

  test('are those with the same values after casting', async () => {
    const { queryName } = await chance();
    const first = await ann.run(queryName, count('5'));
    expect((await ann.run(queryName, count('+05', 'bigint'))).json.Data).toEqual(first.json.Data);
    expect((await ann.run(queryName, count(5))).json.Data).toEqual(first.json.Data);
    expect(cacheOf(await ann.run(queryName, count(6)))).toBe('miss');
    expect(cacheOf(await ann.run(queryName))).toBe('miss');
    expect(cacheOf(await ann.run(queryName, count(25)))).toBe('hit'); // the default, spelled out
  });

  test('can request other pages of it in every form', async () => {
    const { queryName } = await chance();
    const all = await ann.run(queryName, [], { RowSize: '1000' });
    expect(all.json.QueryMoreCode).toBeNull();
    const middle = await ben.run(queryName, [], { RowIndex: '5', RowSize: '7' });
    expect([cacheOf(middle), middle.json.Data]).toEqual(['hit', all.json.Data.slice(5, 12)]);
    expect(codeOf(middle)).not.toBe('');
    const past = await ben.run(queryName, [], { RowIndex: '30' });
    expect([past.json.Data, past.json.QueryMoreCode]).toEqual([[], null]);

    const body = { QueryName: queryName, Parameters: [] };
    const chart = await ben.call<ResultPage & { Columns: unknown }>('POST', '/api/v1/ChartBuilder/ExecuteQuery', body);
    expect([cacheOf(chart), chart.json.Data]).toEqual(['hit', all.json.Data.slice(0, 10)]);
    expect(chart.json.Columns).toEqual(['n', 'r'].map((Name) => ({ Name, Type: 'numeric' })));
    const short = await ben.call('POST', `/api/query/execute/${queryName}`, { rowSize: 25 });
    expect([cacheOf(short), short.json.data]).toEqual(['hit', all.json.Data]);
  });

  test('share empty results as well', async () => {
    const { queryName } = await chance();
    expect(cacheOf(await ann.run(queryName, count(0)))).toBe('miss');
    const again = await ann.run(queryName, count(0));
    expect([cacheOf(again), again.json.Data, again.json.QueryMoreCode]).toEqual(['hit', [], null]);
  });

  test('run once when they arrive in parallel', async () => {
    const { queryName } = await chance({ sql: `${CHANCE}, (select count(*) from range(30000000) u(j) where j % 7 = 3)` });
    const responses = await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 ? ann : ben).run(queryName)));
    expect(responses.map(cacheOf).sort()).toEqual([...Array(7).fill('hit'), 'miss']);
    expect(new Set(responses.map((each) => JSON.stringify(each.json.Data))).size).toBe(1);
  });

  test('run again with no-cache, and then share that result', async () => {
    const { queryName } = await chance();
    const first = await ann.run(queryName);
    const fresh = await ann.run(queryName, [], noCache);
    expect(cacheOf(fresh)).toBe('miss');
    expect(fresh.json.Data).not.toEqual(first.json.Data);
    expect((await ben.run(queryName)).json.Data).toEqual(fresh.json.Data);
    const next = await ann.run(queryName, [], { QueryMoreCode: codeOf(first), RowIndex: '0' });
    expect(next.json.Data).toEqual(first.json.Data); // readers of the older result are not affected
  });

  test('run again after cacheSeconds, or when the files are gone', async () => {
    const { queryName: brief } = await chance({ cacheSeconds: 60 });
    const first = await ann.run(brief);
    expect(cacheOf(await ann.run(brief))).toBe('hit');
    passedMs += 60_000;
    const later = await ann.run(brief);
    expect(cacheOf(later)).toBe('miss');
    expect(later.json.Data).not.toEqual(first.json.Data);

    const { queryName } = await chance();
    const folder = join(service.folder, 'snapshots');
    const known = new Set(await readdir(folder));
    await ann.run(queryName, count(3));
    const made = (await readdir(folder)).filter((name) => !known.has(name) && /^[0-9a-f]{32}$/.test(name));
    for (const name of made) await rm(join(folder, name), { recursive: true });
    expect(cacheOf(await ann.run(queryName, count(3)))).toBe('miss');
  });

  test('find it after a restart, and after half an hour without use', async () => {
    const { queryName } = await chance({ cacheSeconds: 86_400 });
    const folder = join(service.folder, 'snapshots');
    const known = new Set(await readdir(folder));
    const first = await ann.run(queryName);
    await service.restart();
    const [id = ''] = (await readdir(folder)).filter((name) => !known.has(name) && !name.startsWith('shared-'));
    const then = Date.now() / 1000 - 45 * 60;
    await utimes(join(folder, id, 'used'), then, then);
    const second = await ben.run(queryName);
    expect([cacheOf(second), second.json.Data]).toEqual(['hit', first.json.Data]);
  });
});

describe('a revoked permission or a changed query takes effect immediately', () => {
  test('for a query that is deactivated', async () => {
    const { id, queryName } = await chance();
    await ann.run(queryName);
    await expectStatus(author.call('POST', `/api/v1/queries/${id}/deactivate`), 200);
    await expectProblem(ann.run(queryName), 403, 'query_not_accessible');
  });

  test('for a user without the database in scope', async () => {
    const { queryName } = await chance();
    expect((await ben.run(queryName)).status).toBe(200);
    await expectStatus(author.call('PATCH', `/api/v1/users/${benId}`, { databases: [] }), 200);
    await expectProblem(ben.run(queryName), 403, 'query_not_accessible');
    await expectStatus(author.call('PATCH', `/api/v1/users/${benId}`, { databases: ['*'] }), 200);
    expect(cacheOf(await ben.run(queryName))).toBe('hit');
  });

  test('for a new version', async () => {
    const { id, queryName } = await chance();
    await ann.run(queryName);
    await expectStatus(author.call('PATCH', `/api/v1/queries/${id}`, { sql: CHANCE.replace('i as n', 'i + 100 as n') }), 200);
    expect(cacheOf(await ann.run(queryName))).toBe('hit'); // a draft changes nothing
    for (const move of ['validate', 'activate']) await expectStatus(author.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    const response = await ann.run(queryName);
    expect([cacheOf(response), response.json.Data[0]?.n]).toEqual(['miss', 100]);
  });

  test('for a database with a changed connection', async () => {
    for (const name of ['one', 'two']) {
      await makeDuckdbFile(service.files, `${name}.duckdb`, [`create table which as select '${name}' as file`]);
    }
    const made = { name: 'Moving', kind: 'duckdb', connection: { file: 'one.duckdb' } };
    const { json } = await expectStatus(author.call<{ id: string }>('POST', '/api/v1/databases', made), 201);
    const { queryName } = await publish(author, {
      name: 'Which',
      database: 'Moving',
      sql: 'select file from which',
      cacheSeconds: 60,
    });
    expect((await ann.run(queryName)).json.Data).toEqual([{ file: 'one' }]);
    await expectStatus(author.call('PATCH', `/api/v1/databases/${json.id}`, { connection: { file: 'two.duckdb' } }), 200);
    expect((await ann.run(queryName)).json.Data).toEqual([{ file: 'two' }]);
  });
});

describe('nothing is shared', () => {
  test('by a query without cacheSeconds', async () => {
    for (const cacheSeconds of [null, 0]) {
      const { queryName } = await chance({ cacheSeconds });
      const [first, second] = [await ann.run(queryName), await ann.run(queryName)];
      expect([cacheOf(first), cacheOf(second), second.headers.get('age')]).toEqual([null, null, null]);
      expect(first.json.Data).not.toEqual(second.json.Data);
    }
  });

  test('by one with an Epilogue', async () => {
    await makeDuckdbFile(service.files, 'log.duckdb', ['create table log (n integer)']);
    const database = { name: 'Log', kind: 'duckdb', connection: { file: 'log.duckdb' }, writable: true };
    await expectStatus(author.call('POST', '/api/v1/databases', database), 201);
    const { queryName } = await publish(author, {
      name: 'Logging',
      database: 'Log',
      sql: 'select count(*) as n from log',
      epilogue: 'insert into log values (1)',
      cacheSeconds: 600,
    });
    for (const n of [0, 1, 2]) {
      const response = await author.run(queryName);
      expect([response.json.Data, cacheOf(response)]).toEqual([[{ n }], null]);
    }
  });

  test('of a result that failed or reached its limit', async () => {
    const failing = `select i as n, case when i = 60000 then error('broken') else 0 end as e from range(100000) t(i)`;
    for (const more of [{ sql: failing, parameters: [] }, { maxRows: 15 }]) {
      const { queryName } = await chance(more);
      const first = await ann.run(queryName);
      expect([first.status, cacheOf(first)]).toEqual([200, 'miss']);
      await expectProblem(ann.run(queryName, [], { QueryMoreCode: codeOf(first), RowIndex: '99000' }), 500, 'result_incomplete');
      expect(cacheOf(await ann.run(queryName))).toBe('miss');
    }
  });

  test('of a call that failed', async () => {
    const { queryName } = await chance({
      sql: "select case when @Count < 0 then error('no') else 'yes' end as answer",
    });
    for (let time = 0; time < 2; time++) await expectProblem(ann.run(queryName, count(-1)), 500, 'query_failed');
    expect(cacheOf(await ann.run(queryName, count(1)))).toBe('miss');
  });
});
