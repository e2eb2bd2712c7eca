import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { fieldsOf } from '../../support/http/problem.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { getEmbedUrl } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let caller: Caller;
let outsider: Caller;
let key: string;
let queryName: string;
beforeAll(async () => {
  service = await startTestService();
  const root = service.as(admin);
  ({ key } = await createKey(root, { name: 'problems' }));
  caller = service.as({ key });
  const { credential } = await createQueryUser(service, 'outsider', { databases: [] });
  outsider = service.as(credential);
  ({ queryName } = await publish(root, {
    name: 'Problems',
    sql: 'select @Year as label, @Region as value',
    parameters: [
      { name: '@Year', dataType: 'int', required: true },
      { name: '@Region', dataType: 'nvarchar(10)', required: false, values: ['North', 'South'] },
    ],
  }));
});
afterAll(() => service.close());

const wrong = { '@Year': 'x', '@Region': 'West', '@No': 1 };
const sorted = (fields: readonly string[]) => fields.toSorted();
const run = (by: Caller, body: unknown, headers: Record<string, string>, path = '/api/v1/JsonBuilder/ExecuteQuery') =>
  by.call('POST', path, body, headers);

test('headers, fields and parameters are refused in one response', async () => {
  const body = { QueryName: queryName, Parameters: wrong, Extra: 1 };
  const headers = { RowSize: '0', RowIndex: 'x' };
  const all = ['@No', '@Region', '@Year', 'Extra', 'RowIndex', 'RowSize'];
  for (const path of ['/api/v1/JsonBuilder/ExecuteQuery', '/api/v1/ChartBuilder/ExecuteQuery']) {
    const response = await run(caller, body, headers, path);
    expect({ status: response.status, fields: sorted(fieldsOf(response)) }).toEqual({ status: 400, fields: all });
    expect(await auditOf(service.as(admin), response)).toMatchObject({ query: queryName, status: 400, error: 'field_unknown' });
  }
  const short = await run(caller, { parameters: wrong, extra: 1 }, headers, `/api/query/execute/${queryName}`);
  expect(sorted(fieldsOf(short))).toEqual(['@No', '@Region', '@Year', 'extra', 'rowIndex', 'rowSize']);
  const exported = await run(caller, body, {}, '/api/v1/Export/ExecuteQuery?format=pdf');
  expect(sorted(fieldsOf(exported))).toEqual(['@No', '@Region', '@Year', 'Extra', 'format']);
});

test('options of an embed and parameters are refused in one response', async () => {
  const parameters = JSON.stringify(wrong);
  const form = await getEmbedUrl(caller, { queryName, parameters, chartHeight: '1', nope: '1' });
  expect(sorted(fieldsOf(form))).toEqual(['@No', '@Region', '@Year', 'chartHeight', 'nope']);
  const columns = await getEmbedUrl(caller, { queryName, parameters, labelColumn: 'nope' });
  expect(sorted(fieldsOf(columns))).toEqual(['@No', '@Region', '@Year', 'labelColumn']);
});

test('a parameter has one problem, whichever step finds it', async () => {
  const response = await run(caller, { QueryName: queryName, Parameters: { year: {}, '@Region': 'West' } }, {});
  expect(sorted(fieldsOf(response))).toEqual(['@Region', 'year']);
});

test('parameters that could not be read are not reported as missing', async () => {
  for (const body of [
    { QueryName: queryName, Parameters: 'x' },
    { QueryName: queryName, Paramters: [] },
  ])
    expect(fieldsOf(await run(caller, body, {}))).toEqual([Object.keys(body)[1]]);
  expect(fieldsOf(await run(caller, { QueryName: queryName }, {}))).toEqual(['Parameters', '@Year']);
});

test('a tool refuses arguments and parameters in one message', async () => {
  const { message } = await mcpOf(service, key).refusal('execute_query', {
    queryName,
    parameters: wrong,
    rowSize: 'x',
    extra: 1,
  });
  for (const field of ['@No', '@Region', '@Year', 'rowSize', 'extra']) expect(message).toContain(field);
});

test('a wrong form reveals nothing about a query that the caller may not run', async () => {
  const headers = { RowSize: '0' };
  const known = await run(outsider, { QueryName: queryName, Parameters: wrong }, headers);
  const unknown = await run(outsider, { QueryName: 'QD_No_such_query', Parameters: wrong }, headers);
  expect([known.status, fieldsOf(known)]).toEqual([400, ['RowSize']]);
  expect(known.text.replace(/"requestId":"[^"]+"/, '')).toBe(unknown.text.replace(/"requestId":"[^"]+"/, ''));
});
