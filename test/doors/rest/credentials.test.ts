import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../support/http/problem.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { PASSWORD, createKey, createQueryUser, signIn } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  ADMIN_PASSWORD,
  type Caller,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';

let service: TestService;
let administrator: Caller;
let anonymous: Caller;
let queryName: string;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  administrator = service.as(admin);
  anonymous = service.as();
  ({ queryName } = await publish(administrator, { name: 'One', sql: 'select 1 as one' }));
  ({ key } = await createKey(administrator, { name: 'credentials' }));
});
afterAll(() => service.close());

const basic = (username: string, password: string, scheme = 'Basic'): { Authorization: string } => ({
  Authorization: `${scheme} ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
const asAdmin = basic('admin', ADMIN_PASSWORD);
const executePaths = () => [
  ['/api/v1/JsonBuilder/ExecuteQuery', { QueryName: queryName, Parameters: [] }] as const,
  ['/api/v1/ChartBuilder/ExecuteQuery', { QueryName: queryName, Parameters: [] }] as const,
  [`/api/query/execute/${queryName}`, {}] as const,
];

describe('credentials', () => {
  test('accepts Basic in any letter case on every execution path', async () => {
    for (const scheme of ['Basic', 'BASIC', 'basic']) {
      for (const [path, body] of executePaths()) {
        const response = await anonymous.call('POST', path, body, basic('admin', ADMIN_PASSWORD, scheme));
        expect([scheme, path, response.status]).toEqual([scheme, path, 200]);
      }
    }
  });

  test('the user name of Basic is case-insensitive, the password is not', async () => {
    expect((await anonymous.run(queryName, [], basic('ADMIN', ADMIN_PASSWORD))).status).toBe(200);
    await expectProblem(anonymous.run(queryName, [], basic('admin', ADMIN_PASSWORD.toUpperCase())), 401, 'credential_invalid');
  });

  test('a password may contain colons and non-ASCII characters', async () => {
    const password = 'käse: a:b:c — 日本';
    await expectStatus(
      administrator.call('POST', '/api/v1/users', { username: 'zoë', password, roles: ['Query User'], databases: ['*'] }),
      201,
    );
    expect((await anonymous.run(queryName, [], basic('zoë', password))).status).toBe(200);
  });

  test('accepts an API key on every execution path', async () => {
    for (const [path, body] of executePaths()) {
      expect((await anonymous.call('POST', path, body, { 'X-API-Key': key })).status).toBe(200);
    }
  });

  test('a key takes precedence over Authorization, without fallback for an invalid key', async () => {
    expect((await anonymous.run(queryName, [], { 'X-API-Key': key, ...basic('admin', 'wrong') })).status).toBe(200);
    const bad = anonymous.run(queryName, [], { 'X-API-Key': `${key.slice(0, -1)}_`, ...asAdmin });
    await expectProblem(bad, 401, 'credential_invalid');
  });

  test('Authorization does not fall back to the cookie', async () => {
    const cookie = await signIn(service, admin);
    const response = anonymous.run(queryName, [], { Cookie: cookie, Authorization: 'Bearer abc' });
    await expectProblem(response, 401, 'credential_invalid');
  });

  test('distinguishes a missing from an invalid credential, and challenges for Basic', async () => {
    for (const [path, body] of executePaths()) {
      await expectProblem(anonymous.call('POST', path, body), 401, 'credential_missing');
    }
    const { headers } = await sendRaw(service.url, { method: 'POST', path: '/api/v1/JsonBuilder/ExecuteQuery' });
    expect(headers['www-authenticate']).toBe('Basic realm="Sluice", charset="UTF-8"');
    const browser = await anonymous.run(queryName); // fetch sends Sec-Fetch-Mode like browsers
    expect(browser.headers.get('www-authenticate')).toBeNull();
  });

  test.each([
    ['an unknown user', () => basic('nobody', 'whatever it may be')],
    ['no colon', () => ({ Authorization: `Basic ${Buffer.from('admin').toString('base64')}` })],
    ['no base64', () => ({ Authorization: 'Basic %%%' })],
    ['another scheme', () => ({ Authorization: 'Bearer abc' })],
    ['a scheme alone', () => ({ Authorization: 'Basic' })],
    ['a key in Authorization', () => ({ Authorization: `Basic ${key}` })],
    ['text that is not a key', () => ({ 'X-API-Key': 'abc' })],
    ['a key with a blank in it', () => ({ 'X-API-Key': `${key} ${key}` })],
  ])('%s is 401', async (_, headers) => {
    await expectProblem(anonymous.run(queryName, [], headers()), 401, 'credential_invalid');
  });

  test('an expired user is 401, by Basic and by key', async () => {
    const { id, credential } = await createQueryUser(service, 'leaver');
    const own = await createKey(service.as(credential), { name: 'leaver' });
    expect((await service.as({ key: own.key }).run(queryName)).status).toBe(200);
    await expectStatus(administrator.call('PATCH', `/api/v1/users/${id}`, { expiresAt: '2020-01-01' }), 200);
    await expectProblem(service.as({ key: own.key }).run(queryName), 401, 'credential_expired');
    await expectProblem(service.as(credential).run(queryName), 401, 'credential_expired');
  });

  test('a revoked key and one of a disabled user are 401', async () => {
    const { id, credential } = await createQueryUser(service, 'changing');
    const owner = service.as(credential);
    const revoked = await createKey(owner, { name: 'revoked' });
    const kept = await createKey(owner, { name: 'kept' });
    await expectStatus(owner.call('DELETE', `/api/v1/account/api-keys/${revoked.id}`), 204);
    await expectProblem(service.as({ key: revoked.key }).run(queryName), 401, 'credential_revoked');
    expect((await service.as({ key: kept.key }).run(queryName)).status).toBe(200);
    await expectStatus(administrator.call('PATCH', `/api/v1/users/${id}`, { disabled: true }), 200);
    await expectProblem(service.as({ key: kept.key }).run(queryName), 401, 'credential_revoked');
    await expectProblem(owner.run(queryName), 401, 'credential_revoked');
  });
});

describe('the session cookie', () => {
  let cookie: string;
  beforeAll(async () => {
    await createQueryUser(service, 'browser');
    cookie = await signIn(service, { username: 'browser', password: PASSWORD });
  });

  test('runs queries on every execution path', async () => {
    for (const [path, body] of executePaths()) {
      expect((await anonymous.call('POST', path, body, { Cookie: cookie, Origin: service.url })).status).toBe(200);
      expect((await anonymous.call('POST', path, body, { Cookie: cookie })).status).toBe(200);
    }
  });

  test('with a foreign Origin, or null, is 403', async () => {
    for (const [path, body] of executePaths()) {
      for (const Origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
        await expectProblem(anonymous.call('POST', path, body, { Cookie: cookie, Origin }), 403, 'origin_not_allowed');
      }
    }
  });

  test('under a foreign Host is 403', async () => {
    const body = JSON.stringify({ QueryName: queryName, Parameters: [] });
    const headers = { Host: 'evil.example', Cookie: cookie, 'Content-Type': 'application/json' };
    const { status } = await sendRaw(service.url, { method: 'POST', path: '/api/v1/JsonBuilder/ExecuteQuery', headers, body });
    expect(status).toBe(403);
  });

  test('a key or password works with any Origin', async () => {
    const Origin = 'https://elsewhere.example';
    expect((await anonymous.run(queryName, [], { 'X-API-Key': key, Origin })).status).toBe(200);
    expect((await anonymous.run(queryName, [], { ...asAdmin, Origin })).status).toBe(200);
  });

  test('does not execute by GET', async () => {
    for (const [path] of executePaths()) {
      const response = anonymous.call('GET', path, undefined, { Cookie: cookie });
      await expectProblem(response, 405, 'method_not_allowed');
    }
  });

  test('ends with its session', async () => {
    const other = { cookie: await signIn(service, { username: 'browser', password: PASSWORD }) };
    expect((await service.as(other).run(queryName)).status).toBe(200);
    await expectStatus(service.as(other).call('DELETE', '/api/v1/session'), 204);
    await expectProblem(service.as(other).run(queryName), 401, 'credential_invalid');
  });
});
