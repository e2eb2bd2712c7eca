import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
let author: Caller;
let caller: Caller;

beforeAll(async () => {
  service = await startTestService();
  author = service.as(admin);
  caller = service.as({ key: (await createKey(author, { name: 'execute' })).key });
});
afterAll(() => service.close());

test('the response has exactly four fields and is not cacheable', async () => {
  const { queryName } = await publish(author, { name: 'One', sql: "select 1 as n, 'x' as t" });
  const response = await caller.run(queryName);
  expect(response.text).toBe('{"Data":[{"n":1,"t":"x"}],"RowSize":1000,"NextRowIndex":1,"QueryMoreCode":null}');
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

test('1000 rows are the default and the maximum', async () => {
  const { queryName } = await publish(author, { name: 'Rows', sql: 'select i as n from range(1500) t(i) order by i' });
  for (const headers of [{}, { RowSize: '1000' }, { RowSize: '1001' }, { RowSize: '5000' }]) {
    const { json } = await caller.run(queryName, [], headers);
    expect([json.Data.length, json.RowSize, json.NextRowIndex, typeof json.QueryMoreCode]).toEqual([1000, 1000, 1000, 'string']);
  }
  const next = await caller.run(queryName, [], { RowIndex: '1000' });
  expect([next.json.Data.length, next.json.NextRowIndex, next.json.QueryMoreCode]).toEqual([500, 1500, null]);
});

test.each(['gzip', 'br', 'zstd'])('a page of 8 KiB or more is compressed with %s when the caller accepts it', async (coding) => {
  const { queryName } = await publish(author, {
    name: `Long ${coding}`,
    sql: "select i as n, 'ä' as t from range(1500) t(i) order by i",
  });
  const calls = [
    ['/api/v1/JsonBuilder/ExecuteQuery', { QueryName: queryName, Parameters: [] }],
    ['/api/v1/ChartBuilder/ExecuteQuery', { QueryName: queryName, Parameters: [] }],
    [`/api/query/execute/${queryName}`, {}],
  ] as const;
  for (const [path, body] of calls) {
    const get = (accepted: string, rows = '1000') =>
      caller.call('POST', path, body, { 'Accept-Encoding': accepted, RowSize: rows });
    const [plain, coded] = await Promise.all([get('identity'), get(`deflate, ${coding}`)]);
    expect([plain.headers.get('content-encoding'), coded.headers.get('content-encoding')]).toEqual([null, coding]);
    expect(coded.headers.get('vary')).toBe('Accept-Encoding');
    expect(coded.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(withoutCode(coded.text)).toBe(withoutCode(plain.text));
    expect(Number(coded.headers.get('content-length'))).toBeLessThan(plain.text.length / 2);
    const short = await get(coding, '1');
    expect([short.status, short.headers.get('content-encoding')]).toEqual([200, null]);
  }
});

const withoutCode = (text: string): string => text.replace(/"queryMoreCode":".*?"/i, '');

test('the RowSize settings take effect with the next call', async () => {
  const { queryName } = await publish(author, { name: 'Set', sql: 'select i as n from range(100) t(i)' });
  await expectStatus(author.call('PATCH', '/api/v1/settings', { rowsDefault: 5, rowsMax: 20 }), 200);
  try {
    expect((await caller.run(queryName)).json.RowSize).toBe(5);
    expect((await caller.run(queryName, [], { RowSize: '50' })).json.Data).toHaveLength(20);
  } finally {
    await expectStatus(author.call('PATCH', '/api/v1/settings', { rowsDefault: null, rowsMax: null }), 200);
  }
});

test('all queries of the demo catalog run', async () => {
  const { json } = await author.call<{ items: { queryName: string; parameters: { required: boolean }[]; status: string }[] }>(
    'GET',
    '/api/v1/queries?search=QD_&limit=1000',
  );
  const names = json.items.filter((each) => each.status === 'Active').map((each) => each.queryName);
  expect(names.length).toBeGreaterThanOrEqual(20);
  for (const name of names) {
    const { json: found } = await caller.call<{ Parameters: { ParameterName: string; Required: boolean }[] }>(
      'GET',
      `/api/v1/JsonBuilder/GetQueryParameters?queryName=${name}`,
    );
    if (found.Parameters.some((parameter) => parameter.Required)) continue;
    expect([name, (await caller.run(name, [], { RowSize: '5' })).status]).toEqual([name, 200]);
  }
});
