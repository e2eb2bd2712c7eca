import { expect, test } from 'vitest';
import { callWithKey, curlOf, keyFromVariable } from './curl.ts';

test('a call with a body names method, headers and body, quoted for a shell', () => {
  const call = callWithKey(
    'POST /api/v1/JsonBuilder/ExecuteQuery',
    { headers: { RowSize: '10', RowIndex: undefined }, body: { QueryName: "QD_It's", Parameters: [] } },
    '<API_KEY>',
    'https://data.example.com',
  );
  expect(curlOf(call)).toBe(`curl -X POST 'https://data.example.com/api/v1/JsonBuilder/ExecuteQuery' \\
  -H 'X-API-Key: <API_KEY>' \\
  -H 'RowSize: 10' \\
  -H 'Content-Type: application/json' \\
  -d '{"QueryName":"QD_It'\\''s","Parameters":[]}'`);
});

test('without a key the command reads it from a variable, so that it works where that is set', () => {
  const call = { method: 'GET', url: 'http://x/', headers: { 'X-API-Key': keyFromVariable }, body: null };
  expect(curlOf(call)).toBe(`curl 'http://x/' \\\n  -H "X-API-Key: $SLUICE_API_KEY"`);
});

test('a read puts its parts into the address', () => {
  const call = callWithKey('GET /api/v1/queries/{id}', { params: { id: 'a b' }, query: { version: 'draft' } }, 'k', 'http://x');
  expect(curlOf(call)).toBe(`curl 'http://x/api/v1/queries/a%20b?version=draft' \\\n  -H 'X-API-Key: k'`);
});
