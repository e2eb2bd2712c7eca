import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { sendRawBytes, sendRaw } from '../../support/http/raw-call.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type ApiResponse, admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let caller: Caller;
let anonymous: Caller;
let queryName: string;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  ({ key } = await createKey(service.as(admin), { name: 'form' }));
  caller = service.as({ key });
  anonymous = service.as();
  ({ queryName } = await publish(service.as(admin), {
    name: 'Echo',
    sql: 'select @Text as text',
    parameters: [{ name: '@Text', dataType: 'nvarchar(50)', required: false }],
  }));
});
afterAll(() => service.close());

const EXECUTE = '/api/v1/JsonBuilder/ExecuteQuery';
const CHART = '/api/v1/ChartBuilder/ExecuteQuery';
const shortPath = () => `/api/query/execute/${queryName}`;
const json = { 'Content-Type': 'application/json' };

/** Sends these bytes on all three paths. */
async function onAllPaths(body: string | Uint8Array<ArrayBuffer> | undefined, headers: Record<string, string>) {
  const results: ApiResponse<unknown>[] = [];
  for (const path of [EXECUTE, CHART, shortPath()]) {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'X-API-Key': key, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    results.push({ status: response.status, headers: response.headers, text: await response.text(), json: undefined });
  }
  return results;
}

describe('the order of checks', () => {
  test('credential before form, form before query, query before parameters', async () => {
    const broken = '{"QueryName":';
    await expectProblem(anonymous.call('POST', EXECUTE, broken), 401, 'credential_missing');
    await expectProblem(anonymous.call('POST', EXECUTE, broken, { 'Content-Type': 'text/plain' }), 401, 'credential_missing');
    await expectProblem(anonymous.run('no such query', [], { RowSize: 'x' }), 401, 'credential_missing');
    await expectProblem(caller.call('POST', EXECUTE, broken), 400, 'body_invalid');
    await expectFieldProblem(caller.run('no such query', [], { RowSize: 'x' }), 'field_invalid', 'RowSize');
    await expectFieldProblem(caller.call('POST', EXECUTE, { QueryName: 'no such query' }), 'field_missing', 'Parameters');
    await expectProblem(
      caller.run('no such query', [{ ParameterName: '@X', Value: '1', DataType: 'gibberish' }]),
      403,
      'query_not_accessible',
    );
    await expectProblem(caller.run('no such query', [], { QueryMoreCode: 'garbage' }), 403, 'query_not_accessible');
    const unknown = [{ ParameterName: '@X', Value: '1' }];
    await expectFieldProblem(caller.run(queryName, unknown), 'parameter_unknown', '@X');
    await expectFieldProblem(caller.run(queryName, unknown, { QueryMoreCode: 'garbage' }), 'parameter_unknown', '@X');
  });
});

describe('the body', () => {
  test.each([
    ['blanks', '  '],
    ['half an object', '{"QueryName":"x"'],
    ['two objects', '{}{}'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['a number', '1'],
    ['NaN', '{"QueryName":NaN}'],
    ['single quotes', "{'QueryName':'x'}"],
    ['a comment', '{/* x */}'],
    ['a trailing comma', '{"QueryName":"x",}'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', new Uint8Array(Buffer.from('{"QueryName":"x"}', 'utf16le'))],
    ['gzip', new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
    ['21 levels', `{"QueryName":"x","Parameters":[],"a":${'['.repeat(20)}${']'.repeat(20)}}`],
    ['10,000 levels', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['a raw NUL', '{"QueryName":"a\0b"}'],
  ])('%s is 400', async (_, body) => {
    for (const result of await onAllPaths(body, json)) await expectProblem(Promise.resolve(result), 400, 'body_invalid');
  });

  test.each([undefined, ''])(
    'an empty body (%j) is 400 when fields are required, and sufficient for the short form',
    async (body) => {
      const results = await onAllPaths(body, json);
      expect(results.map(({ status }) => status)).toEqual([400, 400, 200]);
      for (const result of results.slice(0, 2)) await expectProblem(Promise.resolve(result), 400, 'body_invalid');
    },
  );

  test('accepts blanks and a byte order mark', async () => {
    const body = `\uFEFF { "QueryName": "${queryName}" , "Parameters" : [ ] } `;
    const result = await caller.call('POST', EXECUTE, body);
    expect(result.text).toBe('{"Data":[{"text":null}],"RowSize":1000,"NextRowIndex":1,"QueryMoreCode":null}');
  });

  test('refuses unknown fields, up to 20 levels deep', async () => {
    const deep = `${'['.repeat(19)}${']'.repeat(19)}`;
    const body = `{ "Extra": ${deep}, "QueryName": "${queryName}", "Parameters": [], "__proto__": {"a": 1}, "constructor": {"prototype": {}} }`;
    const { errors } = await expectProblem(caller.call('POST', EXECUTE, body), 400, 'field_unknown');
    expect(errors?.map(({ field }) => field)).toEqual(['Extra', '__proto__', 'constructor']);
  });

  test('reports at most 100 unknown fields', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, 1]));
    const { errors } = await expectProblem(
      caller.call('POST', EXECUTE, { ...fields, QueryName: queryName, Parameters: [] }),
      400,
      'field_unknown',
    );
    expect(errors).toHaveLength(100);
  });

  test('brackets within strings do not count as levels', async () => {
    const result = await caller.run(queryName, [{ ParameterName: '@Text', Value: `\\"${'['.repeat(40)}` }]);
    expect(result.json.Data).toEqual([{ text: `\\"${'['.repeat(40)}` }]);
  });

  test('more than 256 KiB is 413', async () => {
    for (const result of await onAllPaths(JSON.stringify({ filler: 'x'.repeat(256 << 10) }), json)) {
      await expectProblem(Promise.resolve(result), 413, 'payload_too_large');
    }
  });
});

describe('Content-Type', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=UTF-8', 'application/json ; x=y'])(
    'accepts %s',
    async (type) => {
      const body = JSON.stringify({ QueryName: queryName, Parameters: [] });
      for (const result of await onAllPaths(body, { 'Content-Type': type })) expect([type, result.status]).toEqual([type, 200]);
    },
  );

  test.each([
    'text/plain',
    'application/jsonx',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'garbage',
    ',',
    'application/json, text/plain',
  ])('%s is 415', async (type) => {
    const body = JSON.stringify({ QueryName: queryName, Parameters: [] });
    for (const result of await onAllPaths(body, { 'Content-Type': type }))
      await expectProblem(Promise.resolve(result), 415, 'media_type_unsupported');
    // without a credential the response is 401, whatever the type
    await expectProblem(anonymous.call('POST', EXECUTE, body, { 'Content-Type': type }), 401, 'credential_missing');
  });
});

describe('fields', () => {
  test.each([
    [{ Parameters: [] }, 'field_missing', 'QueryName'],
    [{ QueryName: null, Parameters: [] }, 'field_missing', 'QueryName'],
    [{ QueryName: '', Parameters: [] }, 'field_missing', 'QueryName'],
    [{ QueryName: 5, Parameters: [] }, 'field_invalid', 'QueryName'],
    [{ QueryName: ['x'], Parameters: [] }, 'field_invalid', 'QueryName'],
    [{ QueryName: 'x' }, 'field_missing', 'Parameters'],
    [{ QueryName: 'x', Parameters: null }, 'field_missing', 'Parameters'],
    [{ queryname: 'x' }, 'field_missing', 'Parameters'],
    [{ QueryName: 'x', Parameters: 5 }, 'field_invalid', 'Parameters'],
    [{ QueryName: 'x', Parameters: '[]' }, 'field_invalid', 'Parameters'],
    [{ QueryName: 'x', Parameters: [5] }, 'field_invalid', 'Parameters.0'],
    [{ QueryName: 'x', Parameters: [null] }, 'field_invalid', 'Parameters.0'],
    [{ QueryName: 'x', Parameters: [{ Value: '1' }] }, 'field_missing', 'Parameters.0.ParameterName'],
    [{ QueryName: 'x', Parameters: [{ ParameterName: 7, Value: '1' }] }, 'field_invalid', 'Parameters.0.ParameterName'],
  ] as const)('%j is 400 %s, naming %s', async (body, code, field) => {
    await expectFieldProblem(caller.call('POST', EXECUTE, body), code, field);
    await expectFieldProblem(caller.call('POST', CHART, body), code, field);
  });

  test('names of object properties are not query names', async () => {
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      'a\0b',
      '\ud800',
      ' ',
      'x'.repeat(5000),
      '%',
      "'; drop table x; --",
    ]) {
      await expectProblem(caller.run(name), 403, 'query_not_accessible');
    }
    await expectProblem(caller.run(` ${queryName}`), 403, 'query_not_accessible');
  });
});

describe('paths and methods', () => {
  test('unknown paths are 404', async () => {
    for (const path of [
      '/api/v1/JsonBuilder',
      '/api/v1/JsonBuilder/Nothing',
      '/api/v2/JsonBuilder/ExecuteQuery',
      '/api/query/execute',
      '/nothing',
    ]) {
      await expectProblem(caller.call('POST', path, {}), 404, 'not_found');
    }
  });

  test('other methods are 405 with the allowed ones', async () => {
    for (const path of [EXECUTE, CHART, shortPath()]) {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        const result = await caller.call(method, path);
        await expectProblem(Promise.resolve(result), 405, 'method_not_allowed');
        expect(result.headers.get('allow')).toBe('POST');
      }
    }
  });

  test('a path that cannot be decoded and one that is too long are 404', async () => {
    for (const name of ['%zz', '%ff', 'x'.repeat(3000)]) {
      const result = await sendRaw(service.url, { method: 'POST', path: `/api/query/execute/${name}` });
      expect(result.headers['content-type']).toContain('application/problem+json');
      expect(result.status).toBe(404);
      expect(JSON.parse(result.text)).toMatchObject({ code: 'not_found', requestId: result.headers['x-request-id'] });
    }
  });

  test.each([
    ['bytes that are not HTTP', 'NONSENSE\r\n\r\n', 400],
    ['headers without end', `POST ${EXECUTE} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 413],
  ])('%s get a problem with an id', async (_, bytes, status) => {
    const [head = '', body = ''] = (await sendRawBytes(service.url, bytes)).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toContain('application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status, requestId: /X-Request-Id: (.*)/.exec(head)?.[1] });
  });

  test('every response has a unique X-Request-Id', async () => {
    const results = [
      await caller.run(queryName),
      await caller.run('no'),
      await anonymous.run('no'),
      await caller.call('GET', EXECUTE),
    ];
    const ids = results.map((result) => result.headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const sent = await caller.run(queryName, [], { 'X-Request-Id': 'mine' });
    expect(sent.headers.get('x-request-id')).not.toBe('mine');
  });
});
