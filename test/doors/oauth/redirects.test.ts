import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  authorizeUrl,
  createRegistered,
  createVerifier,
  decide,
  errorOf,
  type OAuthApplication,
  openBrowser,
  openConsent,
  redeem,
  registerApplication,
} from '../../support/people/oauth.ts';
import type { Visitor } from '../../support/services/oidc-provider.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

// Only the application that the user allowed receives the code.

const WEB = 'https://app.example.com/callback';
const LOOPBACK = 'http://127.0.0.1:4711/callback';
const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback';

let service: TestService;
let application: OAuthApplication;
let browser: Visitor;
beforeAll(async () => {
  service = await startTestService({ SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
  application = await createRegistered(service, { redirectUris: [WEB, LOOPBACK, 'http://localhost:4711/callback', CURSOR] });
  browser = await openBrowser(service);
});
afterAll(() => service.close());

const ask = (redirectUri: string): Promise<Response> =>
  browser.ask(authorizeUrl(service, { ...application, redirectUri }, createVerifier()));

/** Each from another network, because registrations are limited. */
let networks = 0;
const fromElsewhere = () => ({ 'X-Forwarded-For': `198.51.100.${++networks}` });

/** Refused on an error page of the service, without a redirect. */
async function expectPage(response: Response, text: string): Promise<void> {
  const page = await response.text();
  expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; frame-ancestors 'none'$/,
  );
  expect(page).toContain('The application cannot be connected');
  expect(page).toContain(text);
  expect(page).toContain(response.headers.get('x-request-id'));
  expect(page).not.toMatch(/<script|<form|<meta http-equiv|href=/i);
}

describe('a code is sent to a registered address only:', () => {
  test.each([
    ['another path', `${WEB}2`],
    ['a path below', `${WEB}/`],
    ['a path that leads there', `${WEB}/../callback`],
    ['a path of other letters', 'https://app.example.com/Callback'],
    ['an encoded path', 'https://app.example.com/c%61llback'],
    ['a query', `${WEB}?next=https://evil.example`],
    ['a fragment', `${WEB}#fragment`],
    ['an empty fragment', `${WEB}#`],
    ['a user name', 'https://user@app.example.com/callback'],
    ['a host behind a user name', 'https://app.example.com@evil.example/callback'],
    ['a host behind a backslash', 'https://evil.example\\@app.example.com/callback'],
    ['a longer host', 'https://app.example.com.evil.example/callback'],
    ['a subdomain', 'https://evil.app.example.com/callback'],
    ['the host above', 'https://example.com/callback'],
    ['a host with a dot', 'https://app.example.com./callback'],
    ['another port', 'https://app.example.com:444/callback'],
    ['the default port', 'https://app.example.com:443/callback'],
    ['capital letters', 'https://APP.example.com/callback'],
    ['http', 'http://app.example.com/callback'],
    ['no scheme', '//app.example.com/callback'],
    ['spaces', ` ${WEB}`],
    ['a line break', 'https://app.example.com/\ncallback'],
    ['another loopback path', 'http://127.0.0.1:4711/other'],
    ['a loopback query', `${LOOPBACK}?x=1`],
    ['another loopback address', 'http://127.0.0.2:4711/callback'],
    ['IPv6 loopback', 'http://[::1]:4711/callback'],
    ['loopback by https', 'https://127.0.0.1:4711/callback'],
    ['a loopback user name', 'http://evil@127.0.0.1:4711/callback'],
    ['a host behind a loopback port', 'http://127.0.0.1:4711@evil.example/callback'],
    ['a host that begins like loopback', 'http://127.0.0.1.evil.example:4711/callback'],
    ['a host that begins like localhost', 'http://localhost.evil.example:4711/callback'],
    ['the address of another scheme', 'cursor://evil/oauth/callback'],
    ['another scheme', 'cursorx://anysphere.cursor-mcp/oauth/callback'],
    ['a scheme with a query', `${CURSOR}?x`],
    ['script', 'javascript:alert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['nothing', ''],
  ])('%s is refused on a page, without a redirect', async (_what, redirectUri) => {
    await expectPage(await ask(redirectUri), redirectUri === '' ? 'is not valid' : 'an address that does not belong to it');
  });

  test('two addresses in one request are refused', async () => {
    const url = `${authorizeUrl(service, { ...application, redirectUri: WEB }, createVerifier())}&redirect_uri=https%3A%2F%2Fevil.example`;
    const response = await browser.ask(url);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test.each([WEB, LOOPBACK, 'http://127.0.0.1:5/callback', 'http://localhost:60000/callback', CURSOR])(
    '%s is one of them',
    async (redirectUri) => {
      const id = await openConsent(browser, authorizeUrl(service, { ...application, redirectUri }, createVerifier()));
      const asked = await (await browser.send('GET', `${service.url}/api/v1/oauth/interactions/${id}`)).json();
      expect(asked).toMatchObject({ redirect: { host: redirectUri === CURSOR ? 'cursor:' : new URL(redirectUri).host } });
      const back = await decide(service, browser, id, 'cancel');
      expect(back.href.startsWith(redirectUri)).toBe(true);
    },
  );

  test('the token request names the same one again', async () => {
    const verifier = createVerifier();
    const id = await openConsent(browser, authorizeUrl(service, { ...application, redirectUri: LOOPBACK }, verifier));
    const code = (await decide(service, browser, id)).searchParams.get('code') ?? '';
    const elsewhere = redeem(service, { ...application, redirectUri: 'http://127.0.0.1:5/callback' }, code, verifier);
    expect(await errorOf(elsewhere)).toEqual([400, 'invalid_grant']);
  });
});

test.each([
  ['unknown', 'dyn_unknown', 'does not know the application'],
  ['unknown and full of markup', '"><script>alert(1)</script>', 'does not know the application'],
  ['registered before', 'app_of-another-time', 'does not know the application'],
  ['without an id', '', 'is not valid'],
])('no redirect follows for an application that is %s', async (_what, clientId, text) => {
  await expectPage(await browser.ask(authorizeUrl(service, { clientId, redirectUri: WEB }, createVerifier())), text);
});

describe('before a person has decided, an error', () => {
  const mistakes: [string, Record<string, string | undefined>, string][] = [
    ['a scope', { scope: 'admin' }, 'invalid_scope'],
    ['a resource', { resource: 'https://evil.example/' }, 'invalid_target'],
    ['a missing challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a response type', { response_type: 'token' }, 'invalid_request'],
    ['no person to ask', { prompt: 'none' }, 'required'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a scope, by form', { scope: 'admin', response_mode: 'form_post' }, 'invalid_'],
  ];
  // otherwise a link to the service could redirect to any address
  test.each(mistakes)('of an application that registered itself is shown on our page: %s', async (_what, more, error) => {
    const response = await registerApplication(service, { redirect_uris: ['https://evil.example/'] }, fromElsewhere());
    const { client_id: clientId }: { client_id: string } = JSON.parse(await response.text());
    const own = { clientId, redirectUri: 'https://evil.example/' };
    await expectPage(await browser.ask(authorizeUrl(service, own, createVerifier(), more)), error);
  });

  test.each(mistakes.slice(0, 5))('of a registered application is sent to it: %s', async (_what, more, error) => {
    const { headers } = await browser.ask(authorizeUrl(service, { ...application, redirectUri: WEB }, createVerifier(), more));
    const location = headers.get('location') ?? '';
    expect([location.startsWith(`${WEB}?`) || location.startsWith(`${WEB}#`), location]).toEqual([
      true,
      expect.stringContaining(error),
    ]);
  });
});

describe('no application is registered with', () => {
  test.each([
    'http://app.example.com/callback',
    'http://192.168.1.1/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://localhost@evil.example/callback',
    'https://user:password@app.example.com/callback',
    'https://app.example.com/callback#fragment',
    'https://app.example.com/call back',
    'https://evil.example\\@app.example.com/',
    'https://localhost/callback',
    'https://127.0.0.1/callback',
    'https://exämple.com/callback',
    '/callback',
    'callback',
    'javascript:alert(document.cookie)',
    'JavaScript://app.example.com/%0aalert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://app.example.com/x',
    'file:///etc/passwd',
    'view-source:https://app.example.com',
    'about:blank',
    'chrome-extension://abc/page.html',
    'ws://app.example.com/',
    'ftp://app.example.com/',
    'smb://app.example.com/share',
    'ldap://app.example.com/',
    'ssh://app.example.com/',
    'mailto:someone@example.com',
    'sms:+491234',
    'intent://scan/#Intent;scheme=zxing;end',
    'ms-msdt:/id',
    'search-ms:query=x&crumb=location:\\\\evil',
    'ms-officecmd:{}',
    `https://app.example.com/${'x'.repeat(2000)}`,
  ])('%s as its address', async (uri) => {
    expect(await errorOf(registerApplication(service, { redirect_uris: [CURSOR, uri] }, fromElsewhere()))).toEqual([
      400,
      'invalid_redirect_uri',
    ]);
    const byAdministrator = await service
      .as(admin)
      .call('POST', '/api/v1/oauth/clients', { name: 'Assistant', redirectUris: [WEB, uri] });
    expect(byAdministrator.status).toBe(400);
    expect(byAdministrator.text).toContain('redirectUris.1');
  });

  test.each([[[]], [undefined], ['https://app.example.com/'], [[1]], [[['https://app.example.com/']]], [{}], [null]])(
    'these addresses: %j',
    async (uris) => {
      const [status] = await errorOf(registerApplication(service, { redirect_uris: uris }, fromElsewhere()));
      expect(status).toBe(400);
    },
  );
});

test('an application may have its own scheme beside loopback addresses, whatever type it sends', async () => {
  for (const type of ['web', 'native', undefined]) {
    const uris = [CURSOR, 'http://localhost:8787/callback', 'http://[::1]/callback', 'com.example.app:/callback'];
    const response = await registerApplication(service, { application_type: type, redirect_uris: uris }, fromElsewhere());
    expect([response.status, await response.json()]).toEqual([201, expect.objectContaining({ redirect_uris: uris })]);
  }
});
