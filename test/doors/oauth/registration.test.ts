import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret } from '../../../src/access/hash-secret.ts';
import { type DocumentHost, startDocumentHost } from '../../support/http/document-host.ts';
import {
  askForToken,
  authorizeUrl,
  CALLBACK,
  connect,
  createApplication,
  createRegistered,
  createVerifier,
  decide,
  errorOf,
  openBrowser,
  openConsent,
  redeem,
  refresh,
  registerApplication,
  send,
} from '../../support/people/oauth.ts';
import { executeInStoreOf, openStoreOf } from '../../support/services/metadata-store.ts';
import type { Visitor } from '../../support/services/oidc-provider.ts';
import { startTestService, type TestService } from '../../support/services/service.ts';

// Anyone may register an application: the limits, and what a registration allows.

const DAY_MS = 86_400_000;
const from = (network: number): Record<string, string> => ({ 'X-Forwarded-For': `198.51.100.${network}` });

describe('self-registration', () => {
  let service: TestService;
  let browser: Visitor;
  beforeAll(async () => {
    service = await startTestService({ SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
    browser = await openBrowser(service);
  });
  afterAll(() => service.close());

  test('is limited by network', async () => {
    const responses = await Promise.all(Array.from({ length: 40 }, () => registerApplication(service, {}, from(1))));
    const refused = responses.filter(({ status }) => status === 429);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(30);
    expect(refused).toHaveLength(10);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused[0]?.text()).toContain('This network sends too many requests.');
    expect((await registerApplication(service, {}, from(2))).status).toBe(201);
    const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] });
    const headers = { 'Content-Type': 'application/json', ...from(1) };
    const spelled = await fetch(`${service.url}/mcp/oauth/Register`, { method: 'POST', headers, body });
    expect(spelled.status).toBe(429);
  });

  test('is limited in total: the oldest unused applications are removed, and none that is in use', async () => {
    const [connected, asked, used, unused] = await Promise.all(Array.from({ length: 4 }, () => createApplication(service)));
    if (connected === undefined || asked === undefined || used === undefined || unused === undefined) throw new Error('four');
    const tokens = await connect(service, connected, { browser });
    const verifier = createVerifier();
    const id = await openConsent(browser, authorizeUrl(service, asked, verifier));
    await browser.send('GET', `${service.url}/api/v1/oauth/interactions/${id}`); // the page is open
    const before = await connect(service, used, { browser });
    const store = await openStoreOf(service);
    await store.oauth.deleteGrant((await store.oauth.getToken(hashSecret(before.access_token)))?.grantId ?? '');
    // registered after all of these, by a process whose clock is ahead
    const flood = Date.now() + DAY_MS;
    await executeInStoreOf(
      service,
      `insert into oauth_clients (id, source, name, metadata, created_at, last_used_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 5000)
      select 'dyn_flood' || n, 'dynamic', 'flood', '{}', ${flood}, ${flood} from numbers`,
    );
    const next = await createApplication(service);
    const isKnown = async ({ clientId }: { clientId: string }) => (await store.oauth.getClient(clientId)) !== null;
    expect(await Promise.all([connected, asked, used, unused, next].map(isKnown))).toEqual([true, true, true, false, true]);
    await store.close();
    const code = (await decide(service, browser, id)).searchParams.get('code') ?? '';
    expect((await redeem(service, asked, code, verifier)).status).toBe(200);
    expect((await refresh(service, connected, tokens.refresh_token)).status).toBe(200);
    expect(await errorOf(refresh(service, unused, 'any'))).toEqual([401, 'invalid_client']);
    await executeInStoreOf(service, "delete from oauth_clients where id like 'dyn_flood%'");
  });

  test.each([
    ['no JSON', 'x'],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['too much', JSON.stringify({ redirect_uris: [CALLBACK], client_name: 'x'.repeat(60_000) })],
    ['a long name', JSON.stringify({ redirect_uris: [CALLBACK], client_name: 'x'.repeat(9000) })],
    ['a name that is no text', JSON.stringify({ redirect_uris: [CALLBACK], client_name: { toString: 1 } })],
    ['a prototype', '{"__proto__": {"redirect_uris": ["https://example.com/"]}}'],
    ['an unknown authentication', JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' })],
  ])('%s is refused', async (_what, body) => {
    const headers = { 'Content-Type': 'application/json', ...from(3) };
    const [status, error] = await errorOf(fetch(`${service.url}/mcp/oauth/register`, { method: 'POST', headers, body }));
    expect(status).toBe(400);
    expect(error).toMatch(/^invalid_/);
  });

  test('does not let the application choose its id, its secret or its rights', async () => {
    const registered = await createRegistered(service);
    const response = await registerApplication(
      service,
      {
        ...{ client_id: registered.clientId, client_secret: 'mine', id: registered.id, source: 'registered', managed: '*' },
        ...{ grant_types: ['client_credentials', 'implicit'], scope: 'admin', response_types: ['token'] },
      },
      from(4),
    );
    const { client_id, client_id_issued_at, ...rest }: Record<string, unknown> = JSON.parse(await response.text());
    expect([client_id, client_id_issued_at]).toEqual([expect.stringMatching(/^dyn_/), expect.any(Number)]);
    expect(rest).toMatchObject({
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    expect(Object.keys(rest)).not.toContain('client_secret');
  });

  test('with a secret: it is required later, and stored as a hash only', async () => {
    const application = await createApplication(service, { token_endpoint_auth_method: 'client_secret_basic' });
    const { secret = '', clientId } = application;
    const tokens = await connect(service, application, { browser });
    for (const wrong of ['x', secret.slice(1), `${secret} `])
      expect(await errorOf(refresh(service, { ...application, secret: wrong }, tokens.refresh_token))).toEqual([
        401,
        'invalid_client',
      ]);
    const open = { clientId, redirectUri: CALLBACK };
    expect(await errorOf(refresh(service, open, tokens.refresh_token))).toEqual([401, 'invalid_client']);
    const byPost = askForToken(service, open, {
      ...{ grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_secret: secret },
    });
    expect(await errorOf(byPost)).toEqual([401, 'invalid_client']);
    const store = await openStoreOf(service);
    expect(JSON.stringify(await store.oauth.getClient(clientId))).not.toContain(secret);
    const hash = (await store.oauth.getClient(clientId))?.secretHash ?? '';
    await store.close();
    expect(await errorOf(refresh(service, { ...application, secret: hash }, tokens.refresh_token))).toEqual([
      401,
      'invalid_client',
    ]);
    expect((await refresh(service, application, tokens.refresh_token)).status).toBe(200);
  });

  test('that was not used for 30 days is forgotten, and its next request says so', async () => {
    const [used, unused] = [await createApplication(service), await createApplication(service)];
    const tokens = await connect(service, unused, { browser });
    await connect(service, used, { browser });
    await executeInStoreOf(service, `update oauth_clients set last_used_at = 0 where id = '${unused.clientId}'`);
    const store = await openStoreOf(service);
    await store.oauth.sweep({ now: Date.now(), unusedSince: Date.now() - 30 * DAY_MS });
    await store.close();
    expect(await errorOf(refresh(service, unused, tokens.refresh_token))).toEqual([401, 'invalid_client']);
    const again = await browser.ask(authorizeUrl(service, unused, createVerifier()));
    expect([again.status, again.headers.get('location')]).toEqual([400, null]);
    expect(await again.text()).toContain('invalid_client');
    await openConsent(browser, authorizeUrl(service, used, createVerifier()));
  });

  test('unfinished sign-ins are limited', async () => {
    const application = await createApplication(service);
    const ask = () => fetch(authorizeUrl(service, application, createVerifier()), { redirect: 'manual', headers: from(5) });
    const responses = await Promise.all(Array.from({ length: 130 }, ask));
    expect(responses.filter(({ status }) => status === 303)).toHaveLength(120);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(10);
  });
});

describe('SLUICE_OAUTH_CLIENT_HOSTS', () => {
  let host: DocumentHost;
  let service: TestService;
  let browser: Visitor;
  beforeAll(async () => {
    host = await startDocumentHost();
    service = await startTestService({
      SLUICE_OAUTH_CLIENT_HOSTS: `Good.example, other.example:8443, third.example:443, localhost:${host.port}`,
      SLUICE_OAUTH_PRIVATE_HOSTS: 'localhost',
      SLUICE_TRUSTED_PROXIES: '127.0.0.1',
    });
    browser = await openBrowser(service);
  });
  afterAll(async () => {
    await service.close();
    await host.close();
  });

  test.each([
    'https://good.example/callback',
    'https://good.example:444/callback',
    'https://other.example:8443/callback',
    'https://third.example/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ])('takes %s', async (uri) => {
    expect((await registerApplication(service, { redirect_uris: [uri] }, from(1))).status).toBe(201);
  });

  test.each([
    'https://evil.example/callback',
    'https://good.example.evil.example/callback',
    'https://evilgood.example/callback',
    'https://sub.good.example/callback',
    'https://other.example/callback',
    'https://other.example:8444/callback',
    'https://third.example:8443/callback',
    'http://127.0.0.1:4711/callback',
    'http://localhost:4711/callback',
    'http://[::1]:4711/callback',
  ])('does not take %s', async (uri) => {
    const uris = ['https://good.example/callback', uri];
    const refused = await registerApplication(service, { redirect_uris: uris }, from(2));
    const why = `redirects to ${new URL(uri).host} are not allowed here`;
    expect([refused.status, await refused.json()]).toEqual([400, { error: 'invalid_redirect_uri', error_description: why }]);
    const document = host.serve(`/${encodeURIComponent(uri)}`, {});
    host.serve(new URL(document).pathname, { client_id: document, redirect_uris: uris });
    const response = await browser.ask(authorizeUrl(service, { clientId: document, redirectUri: uri }, createVerifier()));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    const page = await response.text();
    expect(page).toContain(`invalid_client_metadata: ${why}`);
    expect(page).toContain('names hosts that this Sluice does not take. Ask your administrator');
  });

  test('reads documents of listed hosts only', async () => {
    const redirects = ['https://good.example/callback'];
    const address = host.serve('/listed.json', { client_id: `${host.url}/listed.json`, redirect_uris: redirects });
    const [redirectUri = ''] = redirects;
    await openConsent(browser, authorizeUrl(service, { clientId: address, redirectUri }, createVerifier()));
    const unlisted = await startDocumentHost();
    const other = unlisted.serve('/other.json', { client_id: `${unlisted.url}/other.json`, redirect_uris: redirects });
    const response = await browser.ask(authorizeUrl(service, { clientId: other, redirectUri }, createVerifier()));
    await unlisted.close();
    expect([response.status, unlisted.requests]).toEqual([400, []]);
  });

  test('does not restrict what an administrator registers', async () => {
    const application = await createRegistered(service, { redirectUris: ['https://anywhere.example/', CALLBACK] });
    await openConsent(browser, authorizeUrl(service, application, createVerifier()));
    const tokens = await connect(service, { ...application, redirectUri: CALLBACK }, { browser });
    expect((await send(service, tokens.access_token, 'tools/list')).status).toBe(200);
  });

  test('applies to applications that registered before: they are unknown clients from then on', async () => {
    const store = await openStoreOf(service);
    const client = { id: 'dyn_before', source: 'dynamic', name: 'Before', secretHash: null, managed: null } as const;
    const metadata = { redirect_uris: ['https://evil.example/callback'], token_endpoint_auth_method: 'none' };
    await store.oauth.insertClient({ ...client, metadata, createdAt: Date.now(), lastUsedAt: Date.now() });
    await store.close();
    const asked = askForToken(service, { clientId: 'dyn_before' }, { grant_type: 'refresh_token', refresh_token: 'x' });
    expect(await errorOf(asked)).toEqual([401, 'invalid_client']);
  });
});
