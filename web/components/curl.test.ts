import { expect, test } from 'vitest';
import { callWithKey, curlOf } from './curl.ts';

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

test('a read puts its parts into the address', () => {
  const call = callWithKey('GET /api/v1/queries/{id}', { params: { id: 'a b' }, query: { version: 'draft' } }, 'k', 'http://x');
  expect(curlOf(call)).toBe(`curl 'http://x/api/v1/queries/a%20b?version=draft' \\\n  -H 'X-API-Key: k'`);
});
