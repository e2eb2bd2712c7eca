import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DocumentHost, startDocumentHost } from '../../support/http/document-host.ts';
import {
  authorizeUrl,
  CALLBACK,
  connect,
  createVerifier,
  errorOf,
  openBrowser,
  openConsent,
  refresh,
  send,
} from '../../support/people/oauth.ts';
import type { Visitor } from '../../support/services/oidc-provider.ts';
import { startTestService, type TestService } from '../../support/services/service.ts';

// Applications that a document describes at the address that is their client id.

let named: DocumentHost; // a private host that the settings allow
let other: DocumentHost; // a private host that they do not
let service: TestService;
let browser: Visitor;
beforeAll(async () => {
  [named, other] = [await startDocumentHost(), await startDocumentHost()];
  service = await startTestService({ SLUICE_OAUTH_PRIVATE_HOSTS: named.host, SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
  browser = await openBrowser(service);
});
afterAll(async () => {
  await service.close();
  await other.close();
  await named.close();
});

let documents = 0;
/** Publishes a document with its address as `client_id` unless `fields` says otherwise. */
function publish(fields: object = {}, host = named): string {
  const path = `/client-${++documents}.json`;
  const address = host.url + path;
  return host.serve(path, { client_id: address, client_name: 'Documented', redirect_uris: [CALLBACK], ...fields });
}
const ask = (clientId: string, redirectUri = CALLBACK): Promise<Response> =>
  browser.ask(authorizeUrl(service, { clientId, redirectUri }, createVerifier()));
/** Refused on an error page of the service, without a redirect. */
async function expectRefused(clientId: string, redirectUri?: string): Promise<void> {
  const response = await ask(clientId, redirectUri);
  expect([clientId, response.status, response.headers.get('location')]).toEqual([clientId, 400, null]);
}

test('an application with a document is connected; its host is verified, its name is not', async () => {
  const clientId = publish({ client_uri: 'https://example.com', logo_uri: 'https://example.com/logo.png' });
  const application = { clientId, redirectUri: CALLBACK };
  const id = await openConsent(browser, authorizeUrl(service, application, createVerifier()));
  const asked = await (await browser.send('GET', `${service.url}/api/v1/oauth/interactions/${id}`)).json();
  expect(asked).toMatchObject({
    application: { name: 'Documented', clientId, source: 'document', documentHost: named.host },
    redirect: { kind: 'loopback', host: '127.0.0.1:4711' },
  });
  const tokens = await connect(service, application, { browser });
  expect((await send(service, tokens.access_token, 'tools/list')).status).toBe(200);
  expect((await refresh(service, application, tokens.refresh_token)).status).toBe(200);
  expect(named.requests.filter((path) => clientId.endsWith(path))).toHaveLength(1);
});

test('an application that prefers to authenticate with keys is connected without them, if it allows that', async () => {
  const clientId = publish({
    ...{ token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] },
    ...{ token_endpoint_auth_signing_alg: 'RS256', jwks_uri: `${named.url}/keys` },
  });
  const tokens = await connect(service, { clientId, redirectUri: CALLBACK }, { browser });
  expect((await send(service, tokens.access_token, 'tools/list')).status).toBe(200);
  expect(named.requests).not.toContain('/keys');
});

describe('no document is read', () => {
  test('from a private address, whatever it is called', async () => {
    const path = new URL(publish({}, other)).pathname;
    const { port } = other;
    for (const host of [
      ...['localhost', 'localhost.', 'LOCALHOST', '127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0'],
      ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '127.0.0.1.'],
    ])
      await expectRefused(`https://${host}:${port}${path}`);
    expect(other.requests).toEqual([]);
  });

  test('with a reason that strangers see: that is in the log', async () => {
    const address = `https://127.0.0.1:${other.port}/client.json`;
    const page = await (await ask(address)).text();
    expect(page).toContain('client_id metadata document fetch failed');
    expect(page).not.toContain('public address');
    const [line] = service.log().filter((each) => each.includes(address));
    expect(line).toContain('A public address is expected.');
  });

  test('from addresses of networks and clouds', async () => {
    for (const host of [
      '10.0.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '168.63.129.16',
      '[fd00::1]',
      '[fe80::1]',
      '100.100.100.200',
    ])
      await expectRefused(`https://${host}/latest/meta-data`);
  });

  test('from a private address by a redirect', async () => {
    const target = publish({}, other);
    for (const status of [301, 302, 307, 308])
      await expectRefused(
        named.serve(`/redirect-${status}`, (_request, response) => void response.writeHead(status, { Location: target }).end()),
      );
    expect(other.requests).toEqual([]);
  });

  test('from a public name that resolves to a private address', async () => {
    const { lookup } = dns;
    const answers: unknown[] = [];
    // faked, because no real server can do it here: a public name that resolves to loopback
    const fake = (
      host: string,
      options: dns.LookupAllOptions,
      callback: (error: Error | null, found: dns.LookupAddress[]) => void,
    ) => {
      if (host !== 'rebinding.example') return lookup(host, options, callback);
      answers.push(host);
      return callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    dns.lookup = fake as typeof dns.lookup;
    syncBuiltinESMExports();
    try {
      await expectRefused(`https://rebinding.example:${other.port}/client.json`);
    } finally {
      dns.lookup = lookup;
      syncBuiltinESMExports();
    }
    expect([answers.length, other.requests]).toEqual([1, []]); // the address that was checked is the one that is used
  });

  test('for a request without a person', async () => {
    const clientId = publish();
    const path = new URL(clientId).pathname;
    for (const endpoint of ['token', 'revoke']) {
      const body = new URLSearchParams({ client_id: clientId, grant_type: 'refresh_token', refresh_token: 'x', token: 'x' });
      const sent = fetch(`${service.url}/mcp/oauth/${endpoint}`, { method: 'POST', body });
      expect((await errorOf(sent))[1]).toBe('invalid_client');
    }
    expect(named.requests).not.toContain(path);
  });

  test('from an address that cannot be that of a document', async () => {
    const { pathname } = new URL(publish());
    for (const clientId of [
      `http://${named.host}${pathname}`,
      `https://user@${named.host}${pathname}`,
      `https://user:password@${named.host}${pathname}`,
      `https://${named.host}${pathname}#fragment`,
      `https://${named.host}/x/..${pathname}`,
      `https://${named.host}/%2e%2e${pathname}`,
      `https:/${named.host}${pathname}`,
      `https://${named.host}\\@evil.example${pathname}`,
      'file:///etc/passwd',
    ])
      await expectRefused(clientId);
    expect(named.requests).not.toContain(pathname);
  });

  test('at an address that a document names', async () => {
    const more = { jwks_uri: `${named.url}/jwks`, sector_identifier_uri: `${named.url}/sector`, logo_uri: `${named.url}/logo` };
    const clientId = publish({ ...more, subject_type: 'pairwise' });
    await openConsent(browser, authorizeUrl(service, { clientId, redirectUri: CALLBACK }, createVerifier()));
    const body = { client_name: 'x', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none', ...more };
    await fetch(`${service.url}/mcp/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(named.requests.filter((path) => ['/jwks', '/sector', '/logo'].includes(path))).toEqual([]);
  });
});

describe('a document is refused', () => {
  test.each([
    ['of another application', { client_id: 'https://example.com/client.json' }],
    ['without its address', { client_id: undefined }],
    ['with a secret', { client_secret: 'published' }],
    ['with an authentication by secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['with keys', { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://example.com/keys' }],
    ['without redirects', { redirect_uris: [] }],
    ['with a redirect by http', { redirect_uris: [CALLBACK, 'http://example.com/callback'] }],
    ['with a redirect to script', { redirect_uris: [CALLBACK, 'javascript:alert(1)'] }],
    [
      'with a hundred redirects',
      { redirect_uris: [CALLBACK, ...Array.from({ length: 99 }, (_, n) => `https://a.example/${n}`)] },
    ],
    ['with other redirects', { redirect_uris: ['https://example.com/callback'] }],
  ])('%s', async (_what, fields) => expectRefused(publish(fields)));

  test.each([
    ['that is too large', `{"x": "${'x'.repeat(70_000)}"}`, 200],
    ['that is no JSON', '<html>', 200],
    ['that is a list', '[]', 200],
    ['that is null', 'null', 200],
    ['that is missing', '{}', 404],
    ['that is an error', '{}', 500],
  ])('%s', async (_what, text, status) =>
    expectRefused(named.serve(`/text-${++documents}`, (_request, response) => void response.writeHead(status).end(text))),
  );

  test('that never ends, after some seconds and without delaying others', async () => {
    let isClosed = false;
    const slow = named.serve('/slow', (request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"client_id": "');
      const drip = setInterval(() => response.write('x'), 200);
      request.socket.on('close', () => {
        clearInterval(drip);
        isClosed = true;
      });
    });
    const waiting = expectRefused(slow);
    await openConsent(browser, authorizeUrl(service, { clientId: publish(), redirectUri: CALLBACK }, createVerifier()));
    expect(isClosed).toBe(false);
    await waiting;
    await expect.poll(() => isClosed).toBe(true);
  });
});

test('rights and types in a document have no effect', async () => {
  const clientId = publish({
    ...{ application_type: 'web', grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'client_credentials'] },
    ...{ response_types: ['token'], scope: 'admin', client_name: undefined, default_max_age: 1 },
  });
  const tokens = await connect(service, { clientId, redirectUri: 'http://127.0.0.1:9/callback' }, { browser });
  expect(tokens.scope).toBe('queries');
  const body = new URLSearchParams({ client_id: clientId, grant_type: 'client_credentials' });
  expect((await errorOf(fetch(`${service.url}/mcp/oauth/token`, { method: 'POST', body })))[0]).toBe(400);
});
