import { expect, test } from 'vitest';
import { type Credential, credentialHeaders, credentialProblems, noCredential } from './credential.ts';
import { type CallShape, jsonCall } from './json-call.ts';

const request = {
  queryName: 'QD_Sales_Demo',
  parameters: [{ ParameterName: '@Region', Value: 'North', DataType: 'nvarchar' }],
  rowIndex: '',
  rowSize: '',
  queryMoreCode: '',
};
const call = (shape: CallShape, more = {}, credential: Credential = noCredential) =>
  jsonCall({ ...request, ...more }, shape, credential, 'real', { baseUrl: 'http://x', rowsDefault: 500 });
const bodyOf = (text: string | null): unknown => JSON.parse(text ?? '');

test('the v1 call sends paging in headers and leaves out empty fields', () => {
  const { url, headers, body } = call('v1', { rowIndex: '10', queryMoreCode: 'code' });
  expect(url).toBe('http://x/api/v1/JsonBuilder/ExecuteQuery');
  expect(headers).toEqual({
    'X-API-Key': '$SLUICE_API_KEY',
    'Content-Type': 'application/json',
    RowIndex: '10',
    QueryMoreCode: 'code',
  });
  expect(bodyOf(body)).toEqual({ QueryName: 'QD_Sales_Demo', Parameters: request.parameters });
});

test('the short form sends everything in the body, including the row size', () => {
  const { url, body } = call('short');
  expect(url).toBe('http://x/api/query/execute/QD_Sales_Demo');
  expect(bodyOf(body)).toEqual({ parameters: { '@Region': 'North' }, rowSize: 500 });
  expect(bodyOf(call('short', { rowIndex: '5', rowSize: '20' }).body)).toMatchObject({ rowIndex: 5, rowSize: 20 });
});

test('a continuation keeps the row size of the first page', () => {
  expect(bodyOf(call('short', { queryMoreCode: 'code' }).body)).toEqual({
    parameters: { '@Region': 'North' },
    queryMoreCode: 'code',
  });
});

test('shows a secret only on request', () => {
  const key = { ...noCredential, key: 'sluice_secret' };
  expect(credentialHeaders(key, 'real')).toEqual({ 'X-API-Key': 'sluice_secret' });
  expect(JSON.stringify([credentialHeaders(key, 'masked'), credentialHeaders(key, 'placeholder')])).not.toContain('secret');
  expect(credentialHeaders(key, 'placeholder')).toEqual({ 'X-API-Key': '$SLUICE_API_KEY' });
  expect(credentialHeaders(noCredential, 'placeholder')).toEqual({ 'X-API-Key': '$SLUICE_API_KEY' });
  const basic = { ...noCredential, kind: 'basic' as const, username: 'jürgen', password: 'pässword' };
  expect(credentialHeaders(basic, 'real')).toEqual({
    Authorization: 'Basic asO8cmdlbjpww6Rzc3dvcmQ=',
  });
  expect(credentialHeaders(basic, 'placeholder')).toEqual({ Authorization: 'Basic <base64(username:password)>' });
});

test('reports characters that are not allowed in a header at the field', () => {
  expect(credentialProblems({ ...noCredential, key: 'kéy\n' })).toHaveProperty('key');
  expect(credentialProblems({ ...noCredential, kind: 'basic', password: 'x' })).toHaveProperty('username');
  expect(credentialProblems(noCredential)).toEqual({});
});
