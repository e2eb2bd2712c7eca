import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
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
let caller: Caller;
let items: string; // rows n, name of the table
let chance: string; // 25 rows, different in every execution
let wipe: string; // its Epilogue changes every row of the table

beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_DEFAULT: '10', SLUICE_ROWS_MAX: '1000' });
  author = service.as(admin);
  caller = service.as({ key: (await createKey(author, { name: 'snapshot' })).key });
  const file = await makeDuckdbFile(service.files, 'ledger.duckdb', [
    "create table items as select i::int as n, 'first' as name from range(25) t(i)",
    "create table many as select i::int as n, 'first' as name from range(300000) t(i)",
  ]);
  const ledger = { name: 'Ledger', kind: 'duckdb', connection: { file }, writable: true };
  await expectStatus(author.call('POST', '/api/v1/databases', ledger), 201);
  ({ queryName: items } = await publish(author, {
    name: 'Items',
    database: 'Ledger',
    sql: 'select n, name from items order by n',
  }));
  ({ queryName: wipe } = await publish(author, {
    name: 'Wipe',
    database: 'Ledger',
    sql: 'select count(*) as n from items',
    epilogue: 'update items set n = 1000 - n',
  }));
  ({ queryName: chance } = await publish(author, {
    name: 'Chance',
    sql: 'select i as n, random() as r, now() as t from range(25) t(i) where i < @Count order by i',
    parameters: [{ name: '@Count', dataType: 'int', required: false, default: '25' }],
  }));
});
afterAll(() => service.close());

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const ns = (response: ApiResponse<ResultPage>) => response.json.Data.map((row) => row.n);
const codeOf = (response: ApiResponse<ResultPage>): string => {
  if (typeof response.json.QueryMoreCode !== 'string') throw new Error(`no code: ${response.text}`);
  return response.json.QueryMoreCode;
};
const count = (Value: unknown, DataType?: string) => [
  { ParameterName: '@Count', Value, ...(DataType === undefined ? {} : { DataType }) },
];

describe('a result of more than one page', () => {
  test('comes from one execution for all pages, also repeated ones', async () => {
    const first = await caller.run(chance);
    const QueryMoreCode = codeOf(first);
    const second = await caller.run(chance, [], { QueryMoreCode });
    const third = await caller.run(chance, [], { QueryMoreCode: codeOf(second) });
    expect([first, second, third].flatMap(ns)).toEqual(range(0, 25));
    const all = await caller.run(chance, [], { QueryMoreCode, RowIndex: '0', RowSize: '1000' });
    expect(all.json.Data).toEqual([first, second, third].flatMap((page) => page.json.Data));
    expect((await caller.run(chance, [], { QueryMoreCode })).text).toBe(second.text);
    expect((await caller.run(chance)).json.Data).not.toEqual(first.json.Data);
  });

  test('is not affected by changes of the table between its pages', async () => {
    const first = await caller.run(items);
    expect((await caller.run(wipe)).status).toBe(200);
    const second = await caller.run(items, [], { QueryMoreCode: codeOf(first) });
    const third = await caller.run(items, [], { QueryMoreCode: codeOf(second) });
    expect([first, second, third].flatMap(ns)).toEqual(range(0, 25));
    expect(third.json.QueryMoreCode).toBeNull();
    expect(ns(await caller.run(items))).not.toEqual(range(0, 10));
  });

  test('survives a restart of the service', async () => {
    const first = await caller.run(chance);
    const QueryMoreCode = codeOf(first);
    const before = await caller.run(chance, [], { QueryMoreCode });
    await service.restart();
    expect((await caller.run(chance, [], { QueryMoreCode })).text).toBe(before.text);
    const again = await caller.run(chance, [], { QueryMoreCode, RowIndex: '0' });
    expect(again.json.Data).toEqual(first.json.Data);
  });

  test('is not affected by a new version, which new calls get', async () => {
    const { id, queryName } = await publish(author, {
      name: 'Versions',
      sql: 'select i as n from range(25) t(i) where i >= @Least order by i',
      parameters: [{ name: '@Least', dataType: 'int', required: true }],
    });
    const old = [{ ParameterName: '@Least', Value: '2' }];
    const first = await caller.run(queryName, old);
    const change = { sql: 'select i + 100 as m from range(25) t(i) order by i', parameters: [] };
    await expectStatus(author.call('PATCH', `/api/v1/queries/${id}`, change), 200);
    expect(ns(await caller.run(queryName, old))).toEqual(range(2, 12)); // a draft changes nothing
    for (const move of ['validate', 'activate']) await expectStatus(author.call('POST', `/api/v1/queries/${id}/${move}`), 200);

    const second = await caller.run(queryName, old, { QueryMoreCode: codeOf(first) });
    expect(ns(second)).toEqual(range(12, 22));
    expect((await caller.run(queryName)).json.Data[0]).toEqual({ m: 100 });
    await expectProblem(caller.run(queryName, old), 400, 'parameter_unknown');
    const third = await caller.run(queryName, old, { QueryMoreCode: codeOf(second) });
    expect(ns(third)).toEqual(range(22, 25));
  });

  test('returns the right rows on page 200', async () => {
    const { queryName } = await publish(author, { name: 'Many', database: 'Ledger', sql: 'select n from many order by n' });
    const first = await caller.run(queryName, [], { RowSize: '1000' });
    const far = await caller.run(queryName, [], { QueryMoreCode: codeOf(first), RowIndex: '299500' });
    expect(ns(far)).toEqual(range(299_500, 300_000));
    expect(far.json).toMatchObject({ NextRowIndex: 300_000, QueryMoreCode: null, RowSize: 1000 });
    expect(ns(await caller.run(queryName, [], { QueryMoreCode: codeOf(first), RowIndex: '150000', RowSize: '2' }))).toEqual([
      150_000, 150_001,
    ]);
  });
});

describe('a code', () => {
  test('is opaque: it reveals neither query, values nor user', async () => {
    const code = codeOf(await caller.run(chance, count('24')));
    expect(code).toMatch(/^[\w-]{40,2048}$/);
    for (const word of ['Chance', 'admin', '24"']) expect(code).not.toContain(word);
  });

  test('with any character changed is 400', async () => {
    const code = codeOf(await caller.run(chance));
    const altered = [0, 1, 20, 45, 60, 100, code.length - 1].map(
      (at) => `${code.slice(0, at)}${code[at] === 'B' ? 'C' : 'B'}${code.slice(at + 1)}`,
    );
    for (const QueryMoreCode of [
      ...altered,
      code.slice(0, -1),
      code.slice(0, 50),
      `${code}A`,
      `${code}=`,
      'garbage',
      'x'.repeat(5000),
    ]) {
      await expectProblem(caller.run(chance, [], { QueryMoreCode }), 400, 'continuation_invalid');
    }
  });

  test('sent with another body is 400', async () => {
    const QueryMoreCode = codeOf(await caller.run(chance, count('24')));
    await expectProblem(caller.run(chance, [], { QueryMoreCode }), 400, 'continuation_invalid');
    await expectProblem(caller.run(chance, count('23'), { QueryMoreCode }), 400, 'continuation_invalid');
    await expectProblem(caller.run(chance, count(null), { QueryMoreCode }), 400, 'continuation_invalid');
    await expectProblem(caller.run(items, [], { QueryMoreCode }), 400, 'continuation_invalid');
    expect((await caller.run(chance, count('24'), { QueryMoreCode })).status).toBe(200);
  });

  test('accepts the same parameters in another spelling, because they are compared after casting', async () => {
    const QueryMoreCode = codeOf(await caller.run(chance, count('24', 'int')));
    const same = [count(24), count('+024'), count(' 24 ', 'BIGINT'), count('24.0', 'decimal(5,1)'), count(24.0)];
    for (const parameters of same) expect(ns(await caller.run(chance, parameters, { QueryMoreCode }))).toEqual(range(10, 20));
    const byDefault = codeOf(await caller.run(chance));
    expect((await caller.run(chance, count('25'), { QueryMoreCode: byDefault })).status).toBe(200);
  });

  test('is 403 for any other user', async () => {
    const { credential } = await createQueryUser(service, 'other');
    const other = service.as(credential);
    const mine = codeOf(await caller.run(chance));
    await expectProblem(other.run(chance, [], { QueryMoreCode: mine }), 403, 'continuation_foreign');
    const theirs = codeOf(await other.run(chance));
    await expectProblem(caller.run(chance, [], { QueryMoreCode: theirs }), 403, 'continuation_foreign');
    expect((await other.run(chance, [], { QueryMoreCode: theirs })).status).toBe(200);
  });

  test('works with every credential of its user', async () => {
    const QueryMoreCode = codeOf(await caller.run(chance));
    const byKey = await caller.run(chance, [], { QueryMoreCode });
    expect((await author.run(chance, [], { QueryMoreCode })).text).toBe(byKey.text);
  });

  test('expires 30 minutes after its last use', async () => {
    const folder = join(service.folder, 'snapshots');
    const known = new Set(await readdir(folder));
    const QueryMoreCode = codeOf(await caller.run(chance));
    const [id = ''] = (await readdir(folder)).filter((each) => !known.has(each));
    const used = join(folder, id, 'used');
    const aged = async (minutes: number) => {
      const then = Date.now() / 1000 - minutes * 60;
      await utimes(used, then, then);
    };
    await aged(29);
    expect((await caller.run(chance, [], { QueryMoreCode })).status).toBe(200);
    expect(Date.now() - (await stat(used)).mtimeMs).toBeLessThan(60_000);
    await aged(31);
    await expectProblem(caller.run(chance, [], { QueryMoreCode }), 400, 'continuation_expired');
  });

  test('of a result that is gone is 400', async () => {
    const folder = join(service.folder, 'snapshots');
    const known = new Set(await readdir(folder));
    const QueryMoreCode = codeOf(await caller.run(chance));
    const [id = 'none'] = (await readdir(folder)).filter((each) => !known.has(each));
    await caller.run(chance, [], { QueryMoreCode, RowIndex: '25' }); // waits until all rows are stored
    await rm(join(folder, id), { recursive: true });
    await expectProblem(caller.run(chance, [], { QueryMoreCode }), 400, 'continuation_expired');
  });
});
