import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectFieldProblem } from '../../support/http/problem.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type ApiResponse,
  admin,
  type Caller,
  type ResultPage,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

let service: TestService;
let caller: Caller;
let numbers: string; // 0 to 24
let upTo: string; // 0 to @Count - 1

beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_DEFAULT: '7', SLUICE_ROWS_MAX: '10' });
  const author = service.as(admin);
  caller = service.as({ key: (await createKey(author, { name: 'paging' })).key });
  ({ queryName: numbers } = await publish(author, { name: 'Numbers', sql: 'select i as n from range(25) t(i) order by i' }));
  ({ queryName: upTo } = await publish(author, {
    name: 'Up to',
    sql: 'select i as n from range(@Count) t(i) order by i',
    parameters: [{ name: '@Count', dataType: 'int', required: true }],
  }));
});
afterAll(() => service.close());

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const count = (value: unknown, DataType?: string) => [
  { ParameterName: '@Count', Value: value, ...(DataType === undefined ? {} : { DataType }) },
];

function page(response: ApiResponse<ResultPage>) {
  expect(response.status, response.text).toBe(200);
  const { Data, RowSize, NextRowIndex, QueryMoreCode, ...others } = response.json;
  expect(others).toEqual({});
  return { rows: Data.map((row) => row.n), RowSize, NextRowIndex, code: QueryMoreCode };
}
const get = async (headers: Record<string, string> = {}, name = numbers) => page(await caller.run(name, [], headers));

async function firstCode(headers: Record<string, string> = {}): Promise<string> {
  const { code } = await get(headers);
  if (code === null) throw new Error('one page only');
  return code;
}

describe('RowSize', () => {
  test('defaults to the server setting', async () => {
    expect(await get()).toEqual({ rows: range(0, 7), RowSize: 7, NextRowIndex: 7, code: expect.any(String) });
  });

  test('is used up to the maximum and clamped beyond', async () => {
    for (const [asked, used] of [
      ['1', 1],
      ['10', 10],
      ['11', 10],
      ['007', 7],
      ['1000000', 10],
      ['99999999999999999999', 10],
    ] as const) {
      const { rows, RowSize } = await get({ RowSize: asked });
      expect([asked, rows, RowSize]).toEqual([asked, range(0, used), used]);
    }
  });

  test.each(['0', '-1', 'ten', '1.5', '1e2', '0x10', '+5', '5 5', '5,5', 'NaN', 'none', '²'])('%s is 400', async (RowSize) => {
    await expectFieldProblem(caller.run(numbers, [], { RowSize }), 'field_invalid', 'RowSize');
  });

  test('headers are case-insensitive', async () => {
    expect((await get({ ROWSIZE: '3', rowindex: '2' })).rows).toEqual([2, 3, 4]);
  });
});

describe('RowIndex without a code', () => {
  test('runs the query again and skips rows', async () => {
    expect(await get({ RowIndex: '5', RowSize: '3' })).toMatchObject({
      rows: [5, 6, 7],
      NextRowIndex: 8,
      code: expect.any(String),
    });
    expect(await get({ RowIndex: '0' })).toMatchObject({ rows: range(0, 7) });
    expect(await get({ RowIndex: '22' })).toMatchObject({ rows: [22, 23, 24], NextRowIndex: 25, code: null });
  });

  test('returns a code that continues from there and can go back', async () => {
    const { code } = await get({ RowIndex: '5', RowSize: '3' });
    const QueryMoreCode = code ?? '';
    expect((await get({ QueryMoreCode })).rows).toEqual([8, 9, 10]);
    expect((await get({ QueryMoreCode, RowIndex: '0' })).rows).toEqual([0, 1, 2]);
  });

  test('past the end returns no rows and no code', async () => {
    for (const RowIndex of ['25', '26', '1000000000', '99999999999999999999']) {
      const response = await get({ RowIndex });
      expect(response).toMatchObject({ rows: [], RowSize: 7, code: null });
    }
    expect((await get({ RowIndex: '30' })).NextRowIndex).toBe(30);
  });

  test.each(['-1', '-0', 'x', '1.0', '1e3', '', ' '])('%j', async (RowIndex) => {
    if (RowIndex.trim() === '') expect((await get({ RowIndex })).rows).toEqual(range(0, 7));
    else await expectFieldProblem(caller.run(numbers, [], { RowIndex }), 'field_invalid', 'RowIndex');
  });
});

describe('QueryMoreCode', () => {
  test('returns every row once and is null exactly when no rows remain', async () => {
    for (const size of [1, 4, 5, 10]) {
      const seen: unknown[] = [];
      let headers: Record<string, string> = { RowSize: String(size) };
      let pages = 0;
      for (;;) {
        const { rows, code, NextRowIndex } = await get(headers);
        seen.push(...rows);
        pages++;
        expect(NextRowIndex).toBe(seen.length);
        expect(code === null).toBe(seen.length === 25);
        if (code === null) break;
        headers = { RowSize: String(size), RowIndex: String(NextRowIndex), QueryMoreCode: code };
      }
      expect(seen).toEqual(range(0, 25));
      expect(pages).toBe(Math.ceil(25 / size));
    }
  });

  test.each([
    [0, 0],
    [1, 1],
    [6, 6],
    [7, 7],
  ])('%i rows fit one page: no code', async (rows, next) => {
    const response = page(await caller.run(upTo, count(rows)));
    expect(response).toEqual({ rows: range(0, rows), RowSize: 7, NextRowIndex: next, code: null });
  });

  test('one row more has a code, and the next page one row', async () => {
    const { code } = page(await caller.run(upTo, count(8)));
    const last = page(await caller.run(upTo, count(8), { QueryMoreCode: code ?? '' }));
    expect(last).toEqual({ rows: [7], RowSize: 7, NextRowIndex: 8, code: null });
  });

  test('two full pages end with the second', async () => {
    const { code } = page(await caller.run(upTo, count(14)));
    const last = page(await caller.run(upTo, count(14), { QueryMoreCode: code ?? '', RowIndex: '7' }));
    expect(last).toEqual({ rows: range(7, 14), RowSize: 7, NextRowIndex: 14, code: null });
  });

  test('returns its next page without RowIndex, and any page with it', async () => {
    const QueryMoreCode = await firstCode({ RowSize: '5' });
    expect((await get({ QueryMoreCode })).rows).toEqual(range(5, 10));
    expect((await get({ QueryMoreCode, RowIndex: '20' })).rows).toEqual(range(20, 25));
    expect((await get({ QueryMoreCode, RowIndex: '0' })).rows).toEqual(range(0, 5));
    expect((await get({ QueryMoreCode, RowIndex: '13' })).rows).toEqual(range(13, 18));
    expect(await get({ QueryMoreCode, RowIndex: '25' })).toMatchObject({ rows: [], NextRowIndex: 25, code: null });
    expect(await get({ QueryMoreCode, RowIndex: '500' })).toMatchObject({ rows: [], NextRowIndex: 500, code: null });
  });

  test('continues with the page size it was issued with unless RowSize changes it', async () => {
    const first = await firstCode({ RowSize: '4' });
    const second = await get({ QueryMoreCode: first });
    expect(second).toMatchObject({ rows: range(4, 8), RowSize: 4 });
    const third = await get({ QueryMoreCode: second.code ?? '', RowSize: '9' });
    expect(third).toMatchObject({ rows: range(8, 17), RowSize: 9 });
    const fourth = await get({ QueryMoreCode: third.code ?? '' });
    expect(fourth).toMatchObject({ rows: range(17, 25), RowSize: 9, code: null });
    expect(await get({ QueryMoreCode: first, RowSize: '5000' })).toMatchObject({ rows: range(4, 14), RowSize: 10 });
  });

  test('empty headers are treated as absent', async () => {
    expect(await get({ RowIndex: '', RowSize: '', QueryMoreCode: '' })).toMatchObject({ rows: range(0, 7), RowSize: 7 });
    const QueryMoreCode = await firstCode();
    expect((await get({ QueryMoreCode, RowIndex: '', RowSize: '' })).rows).toEqual(range(7, 14));
  });

  test('a page can be requested again and is the same, also the first one by its code', async () => {
    const QueryMoreCode = await firstCode();
    const read = (RowIndex: string) => caller.run(numbers, [], { QueryMoreCode, RowIndex });
    expect((await read('7')).text).toBe((await read('7')).text);
    expect((await read('0')).json.Data).toEqual((await caller.run(numbers)).json.Data);
    const many = await Promise.all(Array.from({ length: 10 }, () => read('14')));
    expect(new Set(many.map((response) => response.text)).size).toBe(1);
  });

  test('invalid paging headers are 400 with a code as well', async () => {
    const QueryMoreCode = await firstCode();
    await expectFieldProblem(caller.run(numbers, [], { QueryMoreCode, RowIndex: 'x' }), 'field_invalid', 'RowIndex');
    await expectFieldProblem(caller.run(numbers, [], { QueryMoreCode, RowSize: '0' }), 'field_invalid', 'RowSize');
  });
});
