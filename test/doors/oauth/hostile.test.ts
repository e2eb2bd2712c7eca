import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawBodies } from '../../support/faults/hostile.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { CALLBACK, createRegistered, type OAuthApplication } from '../../support/people/oauth.ts';
import { startTestService, type TestService } from '../../support/services/service.ts';

// The authorization server reports every malformed request as a mistake of the caller, without details of the service.

let service: TestService;
let application: OAuthApplication;
beforeAll(async () => {
  service = await startTestService({ SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
  application = await createRegistered(service, { tokenEndpointAuthMethod: 'client_secret_basic' });
});
afterAll(() => service.close());

const LEAKS = /\bat \S+ \(|node_modules|\.ts:\d+|sqlite|postgres|insert into|select .+ from|TypeError|RangeError|server_error/i;

const hostile = [
  ...['', '%20', '%00', 'a%00b', '%FF%FE', '%ED%A0%80', '%', '%zz', '%E2%80%AE', '%0d%0aSet-Cookie:%20x=y', '%22%3E%3Cscript%3E'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '[]',
    '{}',
    'null',
    '-1',
    '1e309',
    "'%20or%201=1--",
    '..%2f..%2f',
    'x'.repeat(6000),
  ],
  ...[
    'https%3A%2F%2F127.0.0.1%3A1%2Fx',
    'https%3A%2F%2F',
    'data%3A,x',
    'urn%3Ax',
    'a&a',
    'a&%00',
    '~',
    '~~',
    'a~b~c',
    'e30.e30.',
  ],
];

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

let networks = 0;
async function expectRefused({ method, path, headers = {}, body = '' }: Sent): Promise<void> {
  // each from another network, because requests are limited
  const from = { 'X-Forwarded-For': `198.${18 + (++networks >> 16)}.${(networks >> 8) & 255}.${networks & 255}` };
  const { status, text } = await sendRaw(service.url, {
    method,
    path: `/mcp/oauth${path}`,
    headers: { ...from, ...headers },
    body,
  });
  const request = `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${String(body).slice(0, 300)}`;
  expect([request, status >= 300 && status < 500, LEAKS.exec(text)?.[0]]).toEqual([request, true, undefined]);
}

async function expectAllRefused(requests: readonly Sent[]): Promise<void> {
  expect(requests.length).toBeGreaterThan(100);
  const rest = requests.values();
  const client = async (): Promise<void> => {
    for (const each of rest) await expectRefused(each);
  };
  await Promise.all(Array.from({ length: 8 }, client));
}

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const asked = {
  response_type: 'code',
  client_id: 'dyn_x',
  redirect_uri: encodeURIComponent(CALLBACK),
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  ...{
    state: 'x',
    scope: 'queries',
    resource: 'x',
    prompt: 'consent',
    response_mode: 'query',
    max_age: '1',
    claims: '{}',
    nonce: 'x',
  },
  ...{ request: 'x', request_uri: 'x', registration: 'x', login_hint: 'x', id_token_hint: 'x', acr_values: 'x', ui_locales: 'x' },
};
const read = new Set(['client_id', 'redirect_uri', 'code_challenge', 'state', 'scope', 'resource', 'response_type', 'prompt']);
const textOf = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${value.replace('a&', `a&${name}=`)}`)
    .join('&');

test('parameters of an authorization request', async () => {
  const { request: _request, request_uri: _uri, registration: _registration, ...known } = asked;
  const base = { ...known, client_id: application.clientId, resource: encodeURIComponent(service.url) };
  const parameters = Object.keys(asked).flatMap((name) =>
    (read.has(name) ? hostile : hostile.slice(0, 4)).map((value) => textOf({ ...base, [name]: value })),
  );
  const resumed = hostile.filter((each) => !each.includes('&'));
  await expectAllRefused([
    ...parameters.map((query): Sent => ({ method: 'GET', path: `/authorize?${query}` })),
    ...resumed.map((value): Sent => {
      const headers = { Cookie: `sluice_oauth_resume=${value}; sluice_oauth_interaction=${value}` };
      return { method: 'GET', path: `/authorize/${value}`, headers };
    }),
  ]);
});

test('parameters of the other endpoints, and credentials of applications', async () => {
  const Authorization = `Basic ${Buffer.from(`${application.clientId}:${application.secret}`).toString('base64')}`;
  const requests = [
    ['/token', { grant_type: 'authorization_code', code: 'x', code_verifier: 'x', redirect_uri: 'x' }],
    ['/token', { grant_type: 'refresh_token', refresh_token: 'x', scope: 'x', resource: 'x', client_id: 'x' }],
    ['/token', { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'x' }],
    ['/revoke', { token: '~', token_type_hint: 'x', client_id: 'x', client_secret: 'x' }],
  ] as const;
  const credentials = ['', '!!!', 'x', ...hostile.map((each) => Buffer.from(`${each}:${each}`).toString('base64'))];
  await expectAllRefused([
    ...requests.flatMap(([path, fields]) =>
      Object.keys(fields).flatMap((name) =>
        hostile.map((value): Sent => {
          const headers = name === 'client_id' || path === '/revoke' ? form : { ...form, Authorization };
          return { method: 'POST', path, headers, body: textOf({ ...fields, [name]: value }) };
        }),
      ),
    ),
    ...credentials.map((value): Sent => {
      const headers = { ...form, Authorization: `Basic ${value}` };
      return { method: 'POST', path: '/token', headers, body: 'grant_type=refresh_token&refresh_token=x' };
    }),
  ]);
});

test('bodies', async () => {
  const types = ['application/json', form['Content-Type'], 'text/plain', 'multipart/form-data; boundary=x'];
  const values = [
    null,
    0,
    '',
    [],
    {},
    '\0',
    'x',
    ['\0'],
    [[]],
    { a: 1 },
    '__proto__',
    'x'.repeat(9000),
    -1,
    true,
    ['https://\0'],
  ];
  const names = ['redirect_uris', 'client_name', 'grant_types', 'response_types', 'token_endpoint_auth_method', 'software_id'];
  await expectAllRefused([
    ...['/register', '/token', '/revoke'].flatMap((path) =>
      rawBodies.flatMap((make) =>
        types.map((type): Sent => {
          const { bytes, headers = {} } = make();
          return { method: 'POST', path, headers: { 'Content-Type': type, ...headers }, body: bytes };
        }),
      ),
    ),
    ...names.flatMap((name) =>
      values.map((value): Sent => {
        const body = JSON.stringify({ redirect_uris: ['not an address'], [name]: value });
        return { method: 'POST', path: '/register', headers: { 'Content-Type': 'application/json' }, body };
      }),
    ),
  ]);
});
