import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let caller: Caller;
let key: string;
let queryName: string;

beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_DEFAULT: '7', SLUICE_ROWS_MAX: '10' });
  const author = service.as(admin);
  ({ key } = await createKey(author, { name: 'short form' }));
  caller = service.as({ key });
  ({ queryName } = await publish(author, {
    name: 'Umsätze 日本',
    sql: 'select i as n, @Text as t, @Amount as a, @Flag as f from range(25) t(i) order by i',
    parameters: [
      { name: '@Text', dataType: 'nvarchar(50)', required: false, default: 'x' },
      { name: '@Amount', dataType: 'decimal(38,2)', required: false },
      { name: '@Flag', dataType: 'bit', required: false },
    ],
  }));
});
afterAll(() => service.close());

interface ShortPage {
  readonly data: readonly Record<string, unknown>[];
  readonly rowSize: number;
  readonly nextRowIndex: number;
  readonly queryMoreCode: string | null;
}
const post = (body: unknown, headers: Record<string, string> = {}) =>
  caller.call<ShortPage>('POST', `/api/query/execute/${encodeURIComponent(queryName)}`, body, headers);
const rows = async (body: unknown, headers?: Record<string, string>) => (await post(body, headers)).json.data.map((row) => row.n);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

test('the query name is part of the path, URL-encoded', async () => {
  expect(queryName).toBe('QD_Umsatze_日本_Demo');
  expect((await post({})).status).toBe(200);
  await expectProblem(caller.call('POST', '/api/query/execute/QD_Nothing_Demo', {}), 403, 'query_not_accessible');
  await expectProblem(caller.call('POST', '/api/query/execute/', {}), 404, 'not_found');
});

test('no body is treated as {}, with or without a length and a type; another type is 415', async () => {
  const path = `/api/query/execute/${encodeURIComponent(queryName)}`;
  const bodies: Record<string, string>[] = [
    {},
    { 'Content-Length': '0' },
    { 'Content-Type': 'application/json' },
    { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': '0' },
  ];
  const send = (headers: Record<string, string>) =>
    sendRaw(service.url, { method: 'POST', path, headers: { Host: new URL(service.url).host, 'X-API-Key': key, ...headers } });
  for (const headers of bodies) {
    const { status, text } = await send(headers);
    expect([headers, status, JSON.parse(text).rowSize]).toEqual([headers, 200, 7]);
  }
  expect(JSON.parse((await send({ RowSize: '2' })).text)).toMatchObject({ rowSize: 2, nextRowIndex: 2 });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense'])
    expect([type, (await send({ 'Content-Type': type, 'Content-Length': '0' })).status]).toEqual([type, 415]);
  expect((await sendRaw(service.url, { method: 'POST', path, headers: { Host: new URL(service.url).host } })).status).toBe(401);
});

test('the response is the same in camelCase', async () => {
  const { text, json, headers } = await post({ rowSize: 2, parameters: { '@Amount': '1.5' } });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(text).toBe(
    `{"data":[{"n":0,"t":"x","a":1.50,"f":null},{"n":1,"t":"x","a":1.50,"f":null}],"rowSize":2,"nextRowIndex":2,"queryMoreCode":"${json.queryMoreCode}"}`,
  );
});

describe('parameters', () => {
  const cells = async (parameters: unknown) => {
    const { text } = await post(
      typeof parameters === 'string' ? `{"rowSize":1,"parameters":${parameters}}` : { rowSize: 1, parameters },
    );
    return /"n":0,(.*?)\}/.exec(text)?.[1] ?? text;
  };

  test('an object of names and values: strings, numbers, booleans, null', async () => {
    expect(await cells({ '@Text': 'a', '@Amount': 2.5, '@Flag': true })).toBe('"t":"a","a":2.50,"f":true');
    expect(await cells({ '@Text': null, '@Flag': false })).toBe('"t":null,"a":null,"f":false');
    expect(await cells({ '@Text': 5 })).toBe('"t":"5","a":null,"f":null');
    expect(await cells('{"@Amount":123456789012345678901234567890.10}')).toContain('"a":"123456789012345678901234567890.10"');
    expect(await cells('{"@Text":1.50}')).toContain('"t":"1.50"');
  });

  test('a list of parameterName, value and dataType', async () => {
    const list = [
      { parameterName: '@Text', value: 'b', dataType: 'varchar(3)' },
      { parameterName: '@Amount', value: 7 },
    ];
    expect(await cells(list)).toBe('"t":"b","a":7.00,"f":null');
    expect(await cells('[{"parameterName":"@Amount","value":12345678901234567890}]')).toContain('"a":"12345678901234567890.00"');
  });

  test('none, null, an empty list and an empty object mean no parameters', async () => {
    for (const parameters of [undefined, null, [], {}]) expect(await cells(parameters)).toBe('"t":"x","a":null,"f":null');
  });

  test('refusals name the parameter or the field', async () => {
    const refused = (parameters: unknown, code: Parameters<typeof expectFieldProblem>[1], field: string) =>
      expectFieldProblem(post({ parameters }), code, field);
    await refused({ '@Amount': 'x' }, 'parameter_invalid', '@Amount');
    await refused({ '@Nobody': 1 }, 'parameter_unknown', '@Nobody');
    await refused({ '@Text': ['x'] }, 'parameter_invalid', '@Text');
    await refused({ '@Text': {} }, 'parameter_invalid', '@Text');
    await refused({ '@Flag': 2 }, 'parameter_invalid', '@Flag');
    await refused({ '@Amount': '' }, 'parameter_invalid', '@Amount');
    await refused([{ parameterName: '@Text', value: 'x', dataType: 'int' }], 'parameter_invalid', '@Text');
    await refused([{ value: 'x' }], 'field_missing', 'parameters.0.parameterName');
    await refused('x', 'field_invalid', 'parameters');
    await refused(5, 'field_invalid', 'parameters');
    await expectFieldProblem(post('{"parameters":{"__proto__":"x"}}'), 'parameter_unknown', '__proto__');
  });
});

describe('paging', () => {
  test('is part of the body', async () => {
    expect(await rows({})).toEqual(range(0, 7));
    expect(await rows({ rowSize: 3 })).toEqual(range(0, 3));
    expect(await rows({ rowSize: 3, rowIndex: 20 })).toEqual(range(20, 23));
    expect((await post({ rowSize: 500 })).json.rowSize).toBe(10);
    expect((await post({ rowSize: 1e30 })).json.rowSize).toBe(10);
    expect((await post({ rowIndex: 25 })).json).toEqual({ data: [], rowSize: 7, nextRowIndex: 25, queryMoreCode: null });
  });

  test('returns all rows', async () => {
    const seen: unknown[] = [];
    let queryMoreCode: string | null = null;
    do {
      const { json } = await post({ rowSize: 10, queryMoreCode, ...(queryMoreCode === null ? {} : { rowIndex: seen.length }) });
      seen.push(...json.data.map((row) => row.n));
      expect(json.nextRowIndex).toBe(seen.length);
      queryMoreCode = json.queryMoreCode;
    } while (queryMoreCode !== null);
    expect(seen).toEqual(range(0, 25));
  });

  test('in the body takes precedence over headers', async () => {
    expect(await rows({}, { RowSize: '2', RowIndex: '3' })).toEqual([3, 4]);
    expect(await rows({ rowSize: 4, rowIndex: 10 }, { RowSize: '2', RowIndex: '3' })).toEqual(range(10, 14));
    expect(await rows({ rowSize: 4 }, { RowSize: 'x' })).toEqual(range(0, 4));
    expect(await rows({ rowSize: null, rowIndex: null, queryMoreCode: null }, { RowSize: '2' })).toEqual([0, 1]);
    const { json: first } = await post({ rowSize: 5 });
    const QueryMoreCode = first.queryMoreCode ?? '';
    expect(await rows({}, { QueryMoreCode })).toEqual(range(5, 10));
    const { json: second } = await post({}, { QueryMoreCode });
    expect(await rows({ queryMoreCode: second.queryMoreCode }, { QueryMoreCode })).toEqual(range(10, 15));
  });

  test.each([
    [{ rowSize: 0 }, 'rowSize'],
    [{ rowSize: -1 }, 'rowSize'],
    [{ rowSize: 1.5 }, 'rowSize'],
    [{ rowSize: true }, 'rowSize'],
    [{ rowSize: 'x' }, 'rowSize'],
    [{ rowSize: [5] }, 'rowSize'],
    [{ rowIndex: -1 }, 'rowIndex'],
    [{ rowIndex: 0.5 }, 'rowIndex'],
    [{ rowIndex: {} }, 'rowIndex'],
    [{ queryMoreCode: 5 }, 'queryMoreCode'],
    [{ queryMoreCode: {} }, 'queryMoreCode'],
  ])('%j is 400, naming %s', async (body, field) => {
    await expectFieldProblem(post(body), 'field_invalid', field);
  });

  test('codes work across all forms', async () => {
    const { json } = await post({ rowSize: 5, parameters: { '@Amount': 1 } });
    const body = { QueryName: queryName, Parameters: [{ ParameterName: '@Amount', Value: '1.00', DataType: 'money' }] };
    const headers = { QueryMoreCode: json.queryMoreCode ?? '' };
    const page = await caller.call<{ Data: { n: number }[]; QueryMoreCode: string }>(
      'POST',
      '/api/v1/JsonBuilder/ExecuteQuery',
      body,
      headers,
    );
    expect(page.json.Data.map((row) => row.n)).toEqual(range(5, 10));
    const chart = await caller.call<{ Data: { n: number }[]; QueryMoreCode: string }>(
      'POST',
      '/api/v1/ChartBuilder/ExecuteQuery',
      body,
      {
        QueryMoreCode: page.json.QueryMoreCode,
      },
    );
    expect(chart.json.Data.map((row) => row.n)).toEqual(range(10, 15));
    expect(await rows({ queryMoreCode: chart.json.QueryMoreCode, parameters: { '@Amount': '1' } })).toEqual(range(15, 20));
  });
});
