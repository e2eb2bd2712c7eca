import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem, problemOf } from '../../support/http/problem.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { createKey, signIn } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type ApiResponse, admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let caller: Caller;
let key: string;
const NAME = 'QD_Orders_Demo';

beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_DEFAULT: '5', SLUICE_ROWS_MAX: '8' });
  const author = service.as(admin);
  ({ key } = await createKey(author, { name: 'strangers' }));
  caller = service.as({ key });
  await publish(author, {
    name: 'Orders',
    sql: 'select i as n, @Region as r, @Amount as a, @Paid as p, @Day as d from range(25) t(i) order by i',
    parameters: [
      { name: '@Region', dataType: 'nvarchar(20)', required: false },
      { name: '@Amount', dataType: 'decimal(38,2)', required: false },
      { name: '@Paid', dataType: 'bit', required: false },
      { name: '@Day', dataType: 'date', required: false },
    ],
  });
});
afterAll(() => service.close());

interface Route {
  readonly name: string;
  readonly path: string;
  readonly query: Record<string, unknown>; // fields that name the query
  readonly rows: (response: ApiResponse<unknown>) => readonly Record<string, unknown>[];
}

const rowsIn =
  (field: string) =>
  ({ json }: ApiResponse<unknown>): readonly Record<string, unknown>[] =>
    (json as Record<string, readonly Record<string, unknown>[]>)[field] ?? [];

const pages: readonly Route[] = [
  { name: 'the first form', path: '/api/v1/JsonBuilder/ExecuteQuery', query: { QueryName: NAME }, rows: rowsIn('Data') },
  { name: 'chart data', path: '/api/v1/ChartBuilder/ExecuteQuery', query: { QueryName: NAME }, rows: rowsIn('Data') },
  { name: 'the second form', path: `/api/query/execute/${NAME}`, query: {}, rows: rowsIn('data') },
];
const exported: Route = {
  name: 'an export',
  path: '/api/v1/Export/ExecuteQuery?format=json',
  query: { QueryName: NAME },
  rows: ({ json }) => json as readonly Record<string, unknown>[],
};
const all = [...pages, exported];

const post = ({ path, query }: Route, body: object, headers: Record<string, string> = {}) =>
  caller.call<unknown>('POST', path, { ...query, ...body }, headers);
const withQuery = (path: string, more: string) => `${path}${path.includes('?') ? '&' : '?'}${more}`;

describe.each(all)('$name', (route) => {
  const first = async (body: object) => {
    const response = await post(route, body);
    expect([response.status, response.text.slice(0, 400)]).toEqual([200, expect.any(String)]);
    return route.rows(response)[0];
  };

  test.each([
    ['an array', { Parameters: [{ ParameterName: '@Region', Value: 'North', DataType: 'nvarchar' }] }],
    ['an array in camelCase', { parameters: [{ parameterName: '@Region', value: 'North', dataType: 'nvarchar' }] }],
    ['an array in capitals', { PARAMETERS: [{ PARAMETERNAME: '@REGION', VALUE: 'North' }] }],
    ['an object', { Parameters: { '@Region': 'North' } }],
    ['an object with another case', { parameters: { '@region': 'North' } }],
    ['an object without @', { parameters: { Region: 'North' } }],
    ['a name without @', { Parameters: [{ ParameterName: 'region', Value: 'North' }] }],
  ])('takes parameters as %s', async (_, body) => {
    expect(await first(body)).toMatchObject({ n: 0, r: 'North' });
  });

  test('keeps the digits of numbers, with and without @', async () => {
    for (const name of ['@Amount', 'Amount', 'amount']) {
      const body = JSON.stringify({ ...route.query, Parameters: { x: 0 } }).replace('"x":0', `"${name}":12345678901234567890.10`);
      expect((await caller.call('POST', route.path, body)).text).toContain('12345678901234567890.10');
    }
  });

  test.each([
    [{ ParameterName: '@Amount', Value: '1.5' }, { a: 1.5 }],
    [{ ParameterName: '@Amount', Value: '1.5', DataType: null }, { a: 1.5 }],
    [{ ParameterName: '@Amount', Value: '1.5', DataType: '' }, { a: 1.5 }],
    [{ ParameterName: '@Amount', Value: '1.5', DataType: 'nvarchar(50)' }, { a: 1.5 }],
    [{ ParameterName: '@Amount', Value: '1.5', DataType: 'TEXT' }, { a: 1.5 }],
    [{ ParameterName: '@Amount', Value: '1.5', DataType: 'money' }, { a: 1.5 }],
    [{ ParameterName: '@Paid', Value: '1', DataType: 'int' }, { p: true }],
    [{ ParameterName: '@Paid', Value: 'false', DataType: 'varchar' }, { p: false }],
    [{ ParameterName: '@Day', Value: '2026-01-31', DataType: 'string' }, { d: '2026-01-31' }],
  ])('takes the DataType of %j as a hint', async (parameter, expected) => {
    expect(await first({ Parameters: [parameter] })).toMatchObject(expected);
  });

  test.each([
    [{ ParameterName: '@Amount', Value: '1', DataType: 'date' }, '@Amount'],
    [{ ParameterName: '@Day', Value: '2026-01-31', DataType: 'int' }, '@Day'],
    [{ ParameterName: '@Amount', Value: 'x', DataType: 'nvarchar' }, '@Amount'],
    [{ ParameterName: '@Amount', Value: '1', DataType: 'nvarchr' }, '@Amount'],
  ])('refuses %j', async (parameter, field) => {
    const { errors } = await expectProblem(post(route, { Parameters: [parameter] }), 400, 'parameter_invalid');
    expect(errors?.map((each) => each.field)).toEqual([field]);
  });

  test.each([
    ['Paramters', 'Parameters', { Paramters: [], Parameters: [] }],
    ['Extra', 'Known here', { Extra: null, Parameters: [] }],
    ['Parameters.0.Valu', 'Value', { Parameters: [{ ParameterName: '@Region', Valu: 'x' }] }],
    ['Parameters.0.Type', 'DataType', { Parameters: [{ ParameterName: '@Region', Value: 'x', Type: 'int' }] }],
    ['parameters.0.Name', 'parameterName', { parameters: [{ Name: '@Region', Value: 'x' }] }],
  ])('names the unknown field %s and suggests %s', async (field, suggested, body) => {
    const { errors } = await expectProblem(post(route, body), 400, 'field_unknown');
    expect(errors?.map((each) => each.field)).toEqual([field]);
    expect(errors?.[0]?.message.toLowerCase()).toContain(suggested.toLowerCase());
  });

  test('names an unknown parameter and suggests the closest', async () => {
    for (const Parameters of [{ '@Regoin': 'x' }, [{ ParameterName: '@Regoin', Value: 'x' }]]) {
      const { errors } = await expectProblem(post(route, { Parameters }), 400, 'parameter_unknown');
      expect(errors).toEqual([
        {
          field: '@Regoin',
          code: 'parameter_unknown',
          message: 'The query has no parameter "@Regoin". Did you mean "@Region"?',
        },
      ]);
    }
  });

  test('refuses a field or a parameter that is sent twice', async () => {
    const twice = await post(route, { Parameters: { '@Region': 'a', region: 'b' } });
    expect([twice.status, problemOf(twice).code, problemOf(twice).errors?.[0]?.field]).toEqual([
      400,
      'parameter_invalid',
      '@Region',
    ]);
    const fields = await post(route, { Parameters: [], parameters: [] });
    expect([fields.status, problemOf(fields).code]).toEqual([400, 'field_invalid']);
    const names = JSON.stringify({ ...route.query, Parameters: [] }).replace('"Parameters"', '"Parameters":[],"Parameters"');
    await expectProblem(caller.call('POST', route.path, names), 400, 'field_invalid');
    const values = JSON.stringify({ ...route.query, Parameters: { x: 0 } }).replace('"x":0', '"@Region":1,"@Region":2');
    const { errors } = await expectProblem(caller.call('POST', route.path, values), 400, 'parameter_invalid');
    expect(errors?.map((each) => each.field)).toEqual(['@Region']);
  });

  test('refuses an unknown name in the query string and suggests the closest', async () => {
    for (const [name, suggested] of [
      ['Rowsizes', 'RowSize'],
      ['QueryMorCode', 'QueryMoreCode'],
      ['X-API-Key', ''],
      ['QueryName', ''],
      ['_', ''],
    ] as const) {
      const sent = caller.call('POST', withQuery(route.path, `${name}=1`), { ...route.query, Parameters: [] });
      const { errors } = await expectProblem(sent, 400, 'field_unknown');
      expect(errors?.map((each) => each.field)).toEqual([name]);
      if (route !== exported) expect(errors?.[0]?.message.toLowerCase()).toContain(suggested.toLowerCase());
    }
  });

  test('lists every problem at once', async () => {
    const sent = await post(route, { Parameters: [{ ParameterName: '@Region', Value: {}, Foo: 1 }, 5], Extra: 1, Other: 2 });
    const { code, errors = [] } = problemOf(sent);
    expect([sent.status, code]).toEqual([400, 'field_unknown']);
    expect(errors.map((each) => [each.field, each.code])).toEqual([
      ['Extra', 'field_unknown'],
      ['Other', 'field_unknown'],
      ['Parameters.0.Foo', 'field_unknown'],
      ['Parameters.1', 'field_invalid'],
      ['@Region', 'parameter_invalid'],
    ]);
    const values = await post(route, { Parameters: { '@Amount': 'x', '@Paid': 2, '@Nope': 1 } });
    expect(problemOf(values).errors?.map((each) => [each.field, each.code])).toEqual([
      ['@Nope', 'parameter_unknown'],
      ['@Amount', 'parameter_invalid'],
      ['@Paid', 'parameter_invalid'],
    ]);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/problem+json',
    'application/vnd.api+json; charset=UTF-8',
    'text/json',
    undefined,
  ])('accepts a body of the type %s', async (type) => {
    const response = await sendRaw(service.url, {
      method: 'POST',
      path: route.path,
      headers: { 'X-API-Key': key, ...(type === undefined ? {} : { 'Content-Type': type }) },
      body: JSON.stringify({ ...route.query, Parameters: [] }),
    });
    expect([response.status, response.text]).toEqual([200, expect.stringContaining('"n":0')]);
  });

  test('accepts only application/json with the cookie', async () => {
    const cookie = service.as({ cookie: await signIn(service, admin) });
    const body = { ...route.query, Parameters: [] };
    expect((await cookie.call('POST', route.path, body, { Origin: service.url })).status).toBe(200);
    for (const type of ['text/json', 'application/problem+json'])
      await expectProblem(
        cookie.call('POST', route.path, body, { Origin: service.url, 'Content-Type': type }),
        415,
        'media_type_unsupported',
      );
    const untyped = await sendRaw(service.url, {
      method: 'POST',
      path: route.path,
      headers: { Host: new URL(service.url).host, Cookie: await signIn(service, admin), Origin: service.url },
      body: JSON.stringify(body),
    });
    expect(untyped.status).toBe(415);
  });

  test.each(['Bearer', 'bearer', 'BEARER  '])('accepts the key as %s', async (scheme) => {
    const headers = { Authorization: `${scheme} ${key}` };
    const body = { ...route.query, Parameters: [] };
    expect((await service.as().call('POST', route.path, body, headers)).status).toBe(200);
    const wrong = service.as().call('POST', route.path, body, { Authorization: `${scheme} slc_nonsense` });
    await expectProblem(wrong, 401, 'credential_invalid');
    const both = service.as().call('POST', route.path, body, { ...headers, 'X-API-Key': 'slc_nonsense' });
    await expectProblem(both, 401, 'credential_invalid');
  });

  test('matches its path in any case and with a trailing slash', async () => {
    const [path = '', query] = route.path.split('?');
    const search = query === undefined ? '' : `?${query.toUpperCase()}`;
    for (const spelled of [`${path}/`, path.toLowerCase(), path.toUpperCase(), `${path.toLowerCase()}/`]) {
      const response = await caller.call('POST', spelled + search, { ...route.query, Parameters: [] });
      expect([spelled, response.status]).toEqual([spelled, 200]);
    }
  });
});

describe.each(pages)('$name', (route) => {
  const numbers = async (sent: Promise<ApiResponse<unknown>>) => {
    const response = await sent;
    expect([response.status, response.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
    return route.rows(response).map((row) => row.n);
  };
  const sent = (query: string, body: object = {}, headers: Record<string, string> = {}) =>
    caller.call<unknown>(
      'POST',
      query === '' ? route.path : `${route.path}?${query}`,
      { ...route.query, Parameters: [], ...body },
      headers,
    );

  test.each([
    ['headers', '', {}, { RowIndex: '3', RowSize: '2' }, [3, 4]],
    ['the query string', 'RowIndex=3&RowSize=2', {}, {}, [3, 4]],
    ['the query string in another case', 'rowindex=3&ROWSIZE=2', {}, {}, [3, 4]],
    ['the body', '', { RowIndex: 3, RowSize: 2 }, {}, [3, 4]],
    ['the body in camelCase', '', { rowIndex: '3', rowSize: '2' }, {}, [3, 4]],
    ['the query string over headers', 'rowSize=1', {}, { RowIndex: '3', RowSize: '2' }, [3]],
    ['the body over the query string', 'rowSize=2', { rowSize: 1 }, { RowSize: '4' }, [0]],
    ['the body, where the query string would not do', 'rowSize=x', { rowSize: 1 }, { RowSize: 'y' }, [0]],
  ])('takes paging from %s', async (_, query, body, headers, expected) => {
    expect(await numbers(sent(query, body, headers))).toEqual(expected);
  });

  test.each(['null', 'undefined', ''])('treats %j in a paging header as absent', async (word) => {
    const headers = { RowIndex: word, RowSize: word, QueryMoreCode: word };
    expect(await numbers(sent('', {}, headers))).toEqual([0, 1, 2, 3, 4]);
    expect(await numbers(sent(`RowIndex=${word}&RowSize=${word}&QueryMoreCode=${word}`))).toEqual([0, 1, 2, 3, 4]);
    expect(await numbers(sent('', { RowIndex: null, RowSize: null, QueryMoreCode: null }))).toEqual([0, 1, 2, 3, 4]);
  });

  test('takes the code from a header, the query string or the body', async () => {
    const page = (await sent('', { RowSize: 2 })).json as { QueryMoreCode?: string; queryMoreCode?: string };
    const code = page.QueryMoreCode ?? page.queryMoreCode ?? '';
    expect(await numbers(sent('', {}, { QueryMoreCode: code }))).toEqual([2, 3]);
    expect(await numbers(sent('', { QueryMoreCode: '', RowSize: '' }, { QueryMoreCode: code, RowSize: '1' }))).toEqual([2]);
    expect(await numbers(sent(`querymorecode=${encodeURIComponent(code)}`))).toEqual([2, 3]);
    expect(await numbers(sent('', { queryMoreCode: code, rowSize: 1 }))).toEqual([2]);
  });

  test.each([
    ['RowSize=0', {}, 'RowSize'],
    ['rowSize=-1', {}, 'rowSize'],
    ['RowIndex=1&RowIndex=2', {}, 'RowIndex'],
    ['', { RowSize: 'many' }, 'RowSize'],
    ['', { rowindex: 1.5 }, 'rowindex'],
    ['', { QueryMoreCode: 7 }, 'QueryMoreCode'],
  ])('refuses %j %j, naming %s as it was sent', async (query, body, field) => {
    const { errors } = await expectProblem(sent(query, body), 400, 'field_invalid');
    expect(errors?.map((each) => each.field)).toEqual([field]);
  });
});

describe('the name of the query', () => {
  const run = (QueryName: string) => caller.run(QueryName);

  test('ignores case where no exact match exists', async () => {
    for (const name of [NAME, NAME.toLowerCase(), NAME.toUpperCase()]) expect((await run(name)).status).toBe(200);
    expect((await caller.call('POST', `/api/query/execute/${NAME.toLowerCase()}`, {})).status).toBe(200);
    const parameters = await caller.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?QUERYNAME=${NAME.toLowerCase()}`);
    expect(parameters.json.QueryName).toBe(NAME);
    await publish(service.as(admin), { name: 'orders', sql: "select 'the other' as o" });
    expect((await run('QD_orders_Demo')).json.Data).toEqual([{ o: 'the other' }]);
    expect((await run(NAME)).json.Data[0]).toMatchObject({ n: 0 });
    await expectProblem(run('qd_ORDERS_demo'), 403, 'query_not_accessible'); // ambiguous
    for (const name of ['QD_Orderss_Demo', 'QD_Orders_Dem%', '%', ' QD_Orders_Demo'])
      await expectProblem(run(name), 403, 'query_not_accessible');
  });

  test('is the technical name in the audit trail', async () => {
    await publish(service.as(admin), { name: 'Audited', sql: 'select 1 as one' });
    const response = await run('qd_audited_demo');
    const requestId = response.headers.get('x-request-id');
    const { json } = await service.as(admin).call<{ items: { query: string }[] }>('GET', `/api/v1/audit?requestId=${requestId}`);
    expect(json.items.map(({ query }) => query)).toEqual(['QD_Audited_Demo']);
  });

  test('may be repeated in the body of the second form, but not differ', async () => {
    const path = `/api/query/execute/${NAME}`;
    expect((await caller.call('POST', path, { QueryName: NAME, Parameters: [] })).status).toBe(200);
    const { errors } = await expectProblem(caller.call('POST', path, { queryName: 'QD_Other_Demo' }), 400, 'field_invalid');
    expect(errors?.[0]?.field).toBe('queryName');
  });

  test('is not also reported as missing if it is misspelled', async () => {
    const sent = caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryNam: NAME, Parameters: [] });
    const { errors } = await expectProblem(sent, 400, 'field_unknown');
    expect(errors?.map((each) => each.field)).toEqual(['QueryNam']);
    expect(errors?.[0]?.message).toContain('Did you mean "QueryName"?');
  });
});

test('GetQueryParameters refuses an unknown name', async () => {
  const path = '/api/v1/JsonBuilder/GetQueryParameters';
  const { errors } = await expectProblem(caller.call('GET', `${path}?name=${NAME}`), 400, 'field_unknown');
  expect(errors?.map((each) => each.field)).toContain('name');
  await expectProblem(caller.call('GET', path), 400, 'field_missing');
});

describe('an export', () => {
  const body = { QueryName: NAME, Parameters: [] };
  const path = '/api/v1/Export/ExecuteQuery';

  test('takes format and fileName in any case, from the query string or the body', async () => {
    for (const query of ['?format=CSV', '?FORMAT=csv', '?Format=Csv&filename=March'])
      expect([query, (await caller.call('POST', path + query, body)).headers.get('content-type')]).toEqual([
        query,
        'text/csv; charset=utf-8',
      ]);
    const named = await caller.call('POST', path, { ...body, Format: 'csv', FileName: 'March' });
    expect(named.headers.get('content-disposition')).toContain('filename="March.csv"');
    const { json } = await caller.call('POST', '/api/v1/export/createlink/?format=CSV&FileName=April', body);
    expect(json).toMatchObject({ format: 'csv', fileName: 'April.csv' });
    const download = new URL(String(json.downloadUrl));
    expect((await service.as().call('GET', `${download.pathname}?TOKEN=${download.searchParams.get('token')}`)).status).toBe(200);
  });

  test('refuses paging, because it would be ignored', async () => {
    for (const [query, more, headers] of [
      ['', {}, { RowSize: '2' }],
      ['', {}, { QueryMoreCode: 'x' }],
      ['&RowIndex=1', {}, {}],
      ['', { rowSize: 2 }, {}],
    ] as const) {
      const { detail } = await expectProblem(
        caller.call('POST', `${path}?format=csv${query}`, { ...body, ...more }, headers),
        400,
        'field_unknown',
      );
      expect(detail).toContain('whole result');
    }
    expect((await caller.call('POST', `${path}?format=csv`, body, { RowSize: 'null', RowIndex: '' })).status).toBe(200);
  });
});
