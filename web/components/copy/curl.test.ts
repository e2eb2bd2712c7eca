import { expect, test } from 'vitest';
import { callWithKey, curlOf, keyFromVariable } from './curl.ts';

test('writes method, headers and body, quoted for a shell', () => {
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

test('reads the key from an environment variable if there is none', () => {
  const call = { method: 'GET', url: 'http://x/', headers: { 'X-API-Key': keyFromVariable }, body: null };
  expect(curlOf(call)).toBe(`curl 'http://x/' \\\n  -H "X-API-Key: $SLUICE_API_KEY"`);
});

test('writes path and query parameters into the URL', () => {
  const call = callWithKey('GET /api/v1/queries/{id}', { params: { id: 'a b' }, query: { version: 'draft' } }, 'k', 'http://x');
  expect(curlOf(call)).toBe(`curl 'http://x/api/v1/queries/a%20b?version=draft' \\\n  -H 'X-API-Key: k'`);
});
