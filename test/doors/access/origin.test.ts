import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/http/free-port.ts';
import { problemOf } from '../../support/http/problem.ts';
import { cookieOf } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type TestCredential,
  type TestService,
  admin,
  callerOf,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

let service: TestService;
let port: number;
let cookie: string;
let query: { id: string; queryName: string };

beforeAll(async () => {
  port = await freePort();
  service = await startTestService({
    SLUICE_PORT: String(port),
    SLUICE_BASE_URL: 'https://sluice.example.com',
    SLUICE_ALLOWED_ORIGINS: 'https://portal.example.com',
    SLUICE_ALLOWED_HOSTS: 'sluice.internal',
  });
  const signedIn = await expectStatus(as().call('POST', '/api/v1/session', admin), 200);
  cookie = cookieOf(signedIn);
  query = await publish(as(admin), { name: 'One', sql: 'select 1 as one' });
});
afterAll(() => service.close());

// the base URL is an external name; the calls stay on the loopback interface
const as = (credential?: TestCredential) => callerOf(() => `http://127.0.0.1:${port}`, credential);

const foreign = [
  'https://evil.example.com',
  'null',
  'https://sluice.example.com.evil.com',
  'http://sluice.example.com',
  'https://sluice.example.com:444',
  'http://127.0.0.1',
  'http://127.0.0.1:1',
  'file://',
  'nonsense',
];
const ours = () => [
  'https://sluice.example.com',
  'https://portal.example.com',
  `http://127.0.0.1:${port}`,
  `http://localhost:${port}`,
  `http://[::1]:${port}`,
];

const calls = (): readonly (readonly [string, string, unknown, number])[] => [
  ['POST', '/api/v1/session', admin, 200],
  ['PATCH', `/api/v1/queries/${query.id}`, { tip: 'a tip' }, 200],
  ['POST', '/api/v1/account/api-keys', { name: 'k', expiresInDays: 0 }, 400],
  ['POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName: query.queryName, Parameters: [] }, 200],
  ['POST', '/api/v1/ChartBuilder/ExecuteQuery', { QueryName: query.queryName, Parameters: [] }, 200],
  ['POST', `/api/query/execute/${query.queryName}`, {}, 200],
  ['DELETE', '/api/v1/executions/none', undefined, 404],
];

test.each(foreign)('refuses the session cookie from a page of %s', async (origin) => {
  for (const [method, path, body] of [...calls(), ['DELETE', '/api/v1/session', undefined] as const]) {
    const result = await as({ cookie }).call(method, path, body, { Origin: origin });
    expect([path, result.status, problemOf(result).code]).toEqual([path, 403, 'origin_not_allowed']);
    expect(result.headers.get('access-control-allow-origin')).toBeNull();
  }
  expect((await as({ cookie }).call('GET', '/api/v1/session')).status, 'the session lives on').toBe(200);
});

test('accepts the cookie from the base URL, loopback names on the service port and configured origins', async () => {
  for (const origin of ours()) {
    for (const [method, path, body, status] of calls().slice(1)) {
      const result = await as({ cookie }).call(method, path, body, { Origin: origin });
      expect([origin, path, result.status]).toEqual([origin, path, status]);
      expect(result.headers.get('access-control-allow-origin')).toBe(origin);
    }
    expect((await as().call('POST', '/api/v1/session', admin, { Origin: origin })).status).toBe(200);
  }
});

test('accepts the cookie without an Origin, and keys and passwords with any Origin', async () => {
  expect((await as({ cookie }).call('PATCH', `/api/v1/queries/${query.id}`, { tip: 'another tip' })).status).toBe(200);
  const other = { Origin: 'https://evil.example.com' };
  expect((await as(admin).call('PATCH', `/api/v1/queries/${query.id}`, { tip: 'a third tip' }, other)).status).toBe(200);
});

test('accepts the cookie only under a known Host, which defeats DNS rebinding', async () => {
  expect(await statusUnder('evil.example.com')).toBe(403);
  for (const host of [
    'sluice.example.com',
    'sluice.internal',
    `sluice.internal:${port}`,
    `localhost:${port}`,
    'portal.example.com',
  ])
    expect([host, await statusUnder(host)]).toEqual([host, 404]);
});

test('requires JSON for a change by cookie, even without a body', async () => {
  const paths = [
    ['POST', '/api/v1/account/api-keys'],
    ['PATCH', `/api/v1/queries/${query.id}`],
    ['POST', `/api/v1/queries/${query.id}/deactivate`],
    ['POST', '/api/v1/JsonBuilder/ExecuteQuery'],
  ] as const;
  for (const [method, path] of paths) {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const result = await as({ cookie }).call(method, path, '{"name":"x"}', { 'Content-Type': type });
      expect([path, type, result.status]).toEqual([path, type, 415]);
    }
  }
  const { json } = await as({ cookie }).call('GET', `/api/v1/queries/${query.id}`);
  expect(json.status).toBe('Active');
  const charset = { 'Content-Type': 'application/json; charset=utf-8' };
  expect((await as({ cookie }).call('PATCH', `/api/v1/queries/${query.id}`, '{"tip":"utf"}', charset)).status).toBe(200);
  expect((await as({ cookie }).call('POST', `/api/v1/queries/${query.id}/deactivate`)).status, 'no body, no type').toBe(200);
});

test('marks the cookie Secure when the base URL is https', async () => {
  const result = await as().call('POST', '/api/v1/session', admin);
  expect(result.headers.getSetCookie()[0]?.split('; ')).toContain('Secure');
});

test('allows preflight requests from known Origins only', async () => {
  const preflight = (origin: string) =>
    as().call('OPTIONS', '/api/v1/queries', undefined, { Origin: origin, 'Access-Control-Request-Method': 'POST' });
  const allowed = await preflight('https://portal.example.com');
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://portal.example.com');
  expect(allowed.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
  expect(allowed.headers.get('access-control-allow-credentials'), 'the cookie stays at home').toBeNull();
  const refused = await preflight('https://evil.example.com');
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  expect([refused.status, problemOf(refused).code]).toEqual([403, 'origin_not_allowed']);
});

/** The status of a change, by cookie, to a resource that does not exist. */
async function statusUnder(host: string): Promise<number> {
  const sent = request({ host: '127.0.0.1', port, method: 'DELETE', path: '/api/v1/executions/none', headers: { host, cookie } });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}
