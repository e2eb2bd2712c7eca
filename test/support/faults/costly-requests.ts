const BODY = 249 << 10; // just below the limit of a body
const HEADER = 15_000; // just below the limit of all headers
const SIGN_IN = 4000; // just below that of a sign-in
const PARTS = 4500; // just below the limit of parts of a message

export interface CostlyRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Requests without a valid credential that are as expensive as their size allows, one line each. */
export function createCostlyRequests(): readonly CostlyRequest[] {
  return [
    ...messages.map(([name, body, headers = {}]) => ({
      name: `mcp, ${name}`,
      method: 'POST',
      path: '/mcp',
      body,
      headers: { ...json, ...headers },
    })),
    ...signIns.map(([name, body]) => ({
      name: `sign-in, ${name}`,
      method: 'POST',
      path: '/api/v1/session',
      body,
      headers: json,
    })),
    ...bodies.map(([name, method, path, body, headers = json]) => ({ name: `body, ${name}`, method, path, body, headers })),
    ...heads.map(([name, path, headers = {}]) => ({ name: `head, ${name}`, method: 'GET', path, headers })),
  ];
}

const json = { 'Content-Type': 'application/json' };
const wrongKey = { ...json, 'X-API-Key': 'slc_00000000_wrong' };

const fill = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const items = (item: string, length: number): string => `${item},`.repeat(Math.floor(length / (item.length + 1))).slice(0, -1);
const repeatItems = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join();
const call = (sent: string, name = 'execute_query'): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${sent}}}`;
const batch = (message: string, count = 20): string => `[${Array(count).fill(message).join()}]`;
const batches = { 'MCP-Protocol-Version': '2025-03-26' };

const messages: readonly [name: string, body: string, headers?: Record<string, string>][] = [
  ['negative zeros', `[${items('-0', BODY)}]`],
  ['negative zeros as values', call(`{"parameters":{"@A":[${items('-0', 3 * PARTS)}]}}`)],
  ['more of them', call(`{"parameters":{"@A":[${items('-0', BODY)}]}}`)],
  ['exponents as values', call(`{"parameters":[{"Value":[${items('1e5', 4 * PARTS)}]}]}`)],
  ['long numbers as values', call(`{"parameters":[{"Value":[${items(fill('123456789', 25), 26 * PARTS)}]}]}`)],
  ['one number', call(`{"parameters":{"@A":${fill('1', BODY)}}}`)],
  ['names of arguments', call(`{${repeatItems(PARTS, (n) => `"${n}a":1`)}}`)],
  ['names that resemble the key', call(`{${repeatItems(PARTS, (n) => `"a_p-i_k-e_${n}":1`)}}`)],
  ['a long name that resembles the key', call(`{"${fill('-_', BODY)}":1}`)],
  ['names that end in the same', call(`{${repeatItems(PARTS, (n) => `"${fill('k', 15)}${n}":1`)}}`)],
  ['escaped names', call(`{${repeatItems(PARTS, (n) => `"\\u0041${n}":1`)}}`)],
  ['repeated names', `{${repeatItems(PARTS, (n) => `"k${n >> 1}":1`)}}`],
  ['too many names', `{${repeatItems(28_000, (n) => `"${n}":1`)}}`],
  ['objects of different shapes', `[${repeatItems(PARTS / 2, (n) => `{"k${n}":1}`)}]`],
  ['empty objects', `[${repeatItems(PARTS, () => '{}')}]`],
  ['too many empty objects', `[${items('{}', BODY)}]`],
  ['nested objects', `[${repeatItems(PARTS / 36, () => `${'{"a":'.repeat(18)}0${'}'.repeat(18)}`)}]`],
  ['brackets', '['.repeat(BODY)],
  ['strings', `[${items('""', BODY)}]`],
  ['different strings', `[${repeatItems(30_000, (n) => `"${n * 65_536}"`)}]`],
  ['escapes', `"${fill('\\"', BODY - 2)}"`],
  ['an open string', `"${fill('a', BODY)}`],
  ['blanks', `${fill(' ', BODY)}1`],
  ['no JSON', `[${items('-0', BODY)}`],
  ['a long key', call(`{"apiKey":"slc_${fill('a', BODY)}"}`)],
  ['many keys in a text', call(`{"apiKey":"${fill('slc_abcdefgh_', BODY)}"}`)],
  ['a long method', `{"jsonrpc":"2.0","id":1,"method":"${fill('slc_a', BODY)}"}`],
  ['a long tool', call('{}', fill('slc_00000000_a', BODY))],
  ['a long resource', `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"${fill('slc_a', BODY)}"}}`],
  ['a long id', `{"jsonrpc":"2.0","id":"${fill('\\u0000', BODY)}","method":"ping"}`],
  ['a long client name', call(`{},"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"${fill('\\u0007', BODY)}"}}`)],
  ['a long state', call(`{},"requestState":"${fill('aA', BODY)}"`)],
  ['parameters as a text', call(`{"parameters":"[${items('-0', BODY)}]"}`)],
  ['the chart App', '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://sluice/chart"}}'],
  [
    'the chart App 20 times',
    batch('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://sluice/chart"}}'),
    batches,
  ],
  ['the tools 20 times', batch('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'), batches],
  ['20 calls', batch(call(`{${repeatItems(PARTS / 30, (n) => `"apikey${n}":1`)}}`)), batches],
  ['20 unknown tools', batch(call('{}', fill('slc_a', 12_000))), batches],
  ['a long charset', '{}', { 'Content-Type': `application/json;charset=${fill(' ', HEADER)}"x` }],
  ['many charsets', '{}', { 'Content-Type': `application/json${fill(';charset=" ', HEADER)}` }],
  ['a long parameter of the type', '{}', { 'Content-Type': `application/json;${fill('a', HEADER)}` }],
  ['a long version', '{}', { 'MCP-Protocol-Version': fill('slc_a', HEADER) }],
  ['a long Mcp-Name', call('{}'), { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Name': `=?base64?${fill('A', HEADER)}!` }],
  ['a long key in a header', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', { 'X-API-Key': fill('slc_', HEADER) }],
  ['a long bearer', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', { Authorization: `Bearer${fill(' \t', HEADER)}x` }],
];

const signIns: readonly [name: string, body: string][] = [
  ['negative zeros', `{"username":"a","password":[${items('-0', SIGN_IN - 50)}]}`],
  ['a large body', `{"username":"a","password":[${items('-0', BODY)}]}`],
  ['unknown names', `{${repeatItems(400, (n) => `"usernam${n}":1`)}}`],
  ['a long user name', `{"username":"${fill('İ', SIGN_IN / 3)}","password":"x"}`],
  ['marks to be sorted', `{"username":"nobody","password":"a${fill('\u0301\u0316', SIGN_IN / 2 - 50)}"}`],
];

const query = '/api/v1/JsonBuilder/ExecuteQuery';
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const bodies: readonly [name: string, method: string, path: string, body: string, headers?: Record<string, string>][] = [
  ['REST without a key', 'POST', query, `{"Parameters":[{"Value":[${items('-0', BODY - 50)}]}]}`],
  ['REST with a wrong key', 'POST', query, `{"Parameters":[{"Value":[${items('-0', BODY - 50)}]}]}`, wrongKey],
  ['short form', 'POST', '/api/query/execute/x', `{${repeatItems(20_000, (n) => `"${n}":1`)}}`],
  ['chart', 'POST', '/api/v1/ChartBuilder/ExecuteQuery', `[${items('{}', BODY)}]`],
  ['export', 'POST', '/api/v1/Export/ExecuteQuery?format=csv', `[${items('-0', BODY)}]`, wrongKey],
  ['management', 'POST', '/api/v1/users', `[${items('-0', BODY)}]`, wrongKey],
  ['management, an unknown cookie', 'POST', '/api/v1/queries', `[${items('-0', BODY)}]`, { ...json, Cookie: 'sluice_session=x' }],
  ['a form', 'POST', '/api/v1/EmbeddedChart/GetEmbedUrl', fill('a=1&', BODY), form],
  ['a form of names', 'POST', '/api/v1/EmbeddedChart/GetEmbedUrl', fill('%41&', BODY), form],
  ['multipart', 'POST', query, fill('--a\r\n', BODY), { 'Content-Type': 'multipart/form-data; boundary=a' }],
  ['compressed', 'POST', '/mcp', fill('\x1f', BODY), { ...json, 'Content-Encoding': 'gzip' }],
  ['an unknown path', 'POST', '/nothing', `[${items('-0', BODY)}]`],
];

const token = '/api/v1/EmbeddedChart/RenderByToken?token=';
const account = '/api/v1/account';
const basicAuthorization = (text: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(text).toString('base64')}`,
});
const heads: readonly [name: string, path: string, headers?: Record<string, string>][] = [
  ['an embed token', `${token}${fill('a', HEADER)}`],
  ['an embed token of parts', `${token}${fill('a.', HEADER)}`],
  ['an embed picture', `/api/v1/EmbeddedChart/RenderImage?format=png&token=${fill('aA_-', HEADER)}`],
  ['a download token', `/api/v1/Export/Download?token=${fill('aA_-', HEADER)}`],
  ['names in the query string', `${token}x&${fill('a&', HEADER)}`],
  [
    'different names in the query string',
    `/api/v1/JsonBuilder/GetQueryParameters?${repeatItems(2500, (n) => `&${n}`).replaceAll(',', '')}`,
  ],
  ['one name in the query string', `/api/v1/EmbeddedChart/GetEmbedUrl?${fill('title=a&', HEADER)}`],
  ['encoded names in the query string', `/api/v1/session?${fill('%41%3d', HEADER)}`],
  ['the names of a session', `/api/v1/session?${repeatItems(2500, (n) => `&o${n}`).replaceAll(',', '')}`],
  ['an encoded path', `/api/v1/${fill('%41', HEADER)}`],
  ['a path that cannot be decoded', `/api/v1/queries/${fill('%ff', HEADER)}`],
  ['slashes', fill('/', HEADER)],
  ['dots', `/${fill('../', HEADER)}`],
  ['a file', `/assets/${fill('..%2f', HEADER)}`],
  ['a query name', `/api/v1/queries/${fill('a-', 990)}/choices`],
  ['a cookie', account, { Cookie: fill('a=1;', HEADER) }],
  ['separators in a cookie', account, { Cookie: fill('; ', HEADER) }],
  ['encoded cookies', account, { Cookie: `sluice_session=${fill('%41', HEADER)}` }],
  ['quotes in a cookie', account, { Cookie: fill('"=";', HEADER) }],
  ['a session', account, { Cookie: `sluice_session=${fill('a', HEADER)}` }],
  ['a sign-in attempt', '/api/v1/session/oidc/callback?code=a&state=b', { Cookie: `sluice_oidc=${fill('aA_-', HEADER)}` }],
  ['a callback', `/api/v1/session/oidc/callback?${fill('state=a&', HEADER)}`],
  ['a next page', `/api/v1/session/oidc?next=${fill('/%2f', HEADER)}`],
  ['a bearer', account, { Authorization: `Bearer ${fill('a ', HEADER)}` }],
  ['blanks in a bearer', account, { Authorization: `Bearer${fill(' ', HEADER)}a b` }],
  ['blanks in Basic', account, { Authorization: `Basic${fill(' ', HEADER)}a b` }],
  ['Basic without a colon', account, basicAuthorization(fill('a', 11_000))],
  ['Basic of padding', account, { Authorization: `Basic ${fill('=', HEADER)}` }],
  ['a user name', account, basicAuthorization(`${fill('İ', 5000)}:x`)],
  ['marks to be sorted', account, basicAuthorization(`nobody:a${fill('\u0301\u0316', 5500)}`)],
  ['an API key', account, { 'X-API-Key': `slc_${fill('a', HEADER)}` }],
  ['parts of an API key', account, { 'X-API-Key': fill('slc_a_', HEADER) }],
  ['a User-Agent', query, { ...wrongKey, 'User-Agent': fill('slc_00000000_a', HEADER) }],
  ['an Origin', account, { Origin: `http://${fill('a.', HEADER)}` }],
  ['a Host', '/api/v1/session/options', { Host: fill('a.', HEADER) }],
  ['forwarded addresses', account, { 'X-Forwarded-For': fill('1.1.1.1,', HEADER) }],
  ['commas of forwarded addresses', account, { 'X-Forwarded-For': fill(' ,', HEADER) }],
  ['forwarded hosts', account, { 'X-Forwarded-Host': fill('a,', HEADER), 'X-Forwarded-Proto': 'https' }],
  ['codings', '/openapi.json', { 'Accept-Encoding': fill('gzip;q=0,', HEADER) }],
  ['blanks of codings', token, { 'Accept-Encoding': `gzip${fill(' ', HEADER)}x` }],
  ['media types', '/mcp', { Accept: fill('text/event-', HEADER) }],
  ['media types of a picture', `/api/v1/EmbeddedChart/RenderImage?token=x`, { Accept: fill('text/htm ', HEADER) }],
  ['a version', account, { 'If-Match': fill('W/"1', HEADER) }],
  ['a trace', account, { traceparent: fill('00-', HEADER) }],
  ['a token of metrics', '/metrics', { Authorization: `Bearer ${fill('a', HEADER)}` }],
  ['names of headers', account, Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`x${n}`, '1']))],
  ['the first page', '/'],
  ['the API document', '/openapi.json'],
  ['health', '/readyz'],
];
