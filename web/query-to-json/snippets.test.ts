import { expect, test } from 'vitest';
import { noCredential } from './credential.ts';
import { jsonCall } from './json-call.ts';
import { languages } from './snippets.ts';

const service = { baseUrl: 'https://data.example.com', rowsDefault: 1000 };

// cURL, JavaScript and Python are run against the service in test/browser/query-to-json.test.ts

const request = {
  queryName: 'QD_Größe_数_Demo',
  parameters: [{ ParameterName: '@Text', Value: `It's “quoted” ‘curly’ \u2028 😀 $(id)`, DataType: 'nvarchar' }],
  rowIndex: '',
  rowSize: '20',
  queryMoreCode: '',
};

test('writes only ASCII for PowerShell, with doubled quotes', () => {
  const call = jsonCall(request, 'v1', { ...noCredential, key: "key'with$quotes" }, 'real', service);
  const text = languages.find(({ id }) => id === 'powershell')?.write(call, 'Data') ?? '';
  // oxlint-disable-next-line no-control-regex -- the range of ASCII
  expect(text).toMatch(/^[\x00-\x7f]*$/);
  expect(text).toContain("'X-API-Key' = 'key''with$quotes'");
  const body = /\$body = '((?:[^']|'')*)'\n/.exec(text)?.[1]?.replaceAll("''", "'") ?? '';
  expect(JSON.parse(body)).toEqual({ QueryName: request.queryName, Parameters: request.parameters });
});

test.each([
  ['curl', '-H "X-API-Key: $SLUICE_API_KEY"'],
  ['javascript', '"X-API-Key": process.env.SLUICE_API_KEY,'],
  ['python', '"X-API-Key": os.environ["SLUICE_API_KEY"],'],
  ['powershell', "'X-API-Key' = $env:SLUICE_API_KEY"],
])('reads the key from an environment variable in %s', (language, expected) => {
  const call = jsonCall(request, 'v1', { ...noCredential, key: 'slc_secret' }, 'placeholder', service);
  const text = languages.find(({ id }) => id === language)?.write(call, 'Data') ?? '';
  expect(text).toContain(expected);
  expect(text).not.toContain('slc_secret');
  expect(text.includes('import os')).toBe(language === 'python');
});

test.each(languages)('$label contains the URL, the credential and the row size', ({ write }) => {
  const text = write(jsonCall(request, 'v1', noCredential, 'masked', service), 'Data');
  expect(text).toContain('https://data.example.com/api/v1/JsonBuilder/ExecuteQuery');
  expect(text).toContain('<API_KEY>');
  expect(text).toMatch(/RowSize\W+20/);
});
