import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/http/free-port.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import {
  authorizeUrl,
  createApplication,
  createVerifier,
  decide,
  openBrowser,
  openConsent,
  redeem,
  registerApplication,
  send,
  tokensOf,
} from '../../support/people/oauth.ts';
import { admin, callerOf, startTestService, type TestService } from '../../support/services/service.ts';

const wellKnown = ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'] as const;
const problem = 'application/problem+json; charset=utf-8';

/** Every address of section 13 of the interface. */
const addresses: readonly (readonly ['GET' | 'POST', string])[] = [
  ['POST', '/mcp/oauth'],
  ['GET', '/mcp/oauth'],
  ...wellKnown.map((name) => ['GET', `/.well-known/${name}/mcp/oauth`] as const),
  ['GET', '/mcp/oauth/.well-known/openid-configuration'],
  ['GET', '/mcp/oauth/authorize'],
  ['GET', '/mcp/oauth/jwks'],
  ['POST', '/mcp/oauth/token'],
  ['POST', '/mcp/oauth/register'],
  ['POST', '/mcp/oauth/revoke'],
];
const managed = ['/api/v1/account/applications', '/api/v1/oauth/clients', '/api/v1/oauth/interactions/x'];

const statusesOf = (url: string, headers: Record<string, string> = {}) =>
  Promise.all(
    addresses.map(async ([method, path]) => {
      const sent = { 'Content-Type': 'application/json', ...headers };
      const response = await fetch(url + path, { method, headers: sent, ...(method === 'POST' ? { body: '{}' } : {}) });
      return [path, response.status, response.headers.get('www-authenticate')] as const;
    }),
  );

interface Reached {
  readonly url: string; // of the service's port, whatever its base URL
  readonly service: TestService;
}

async function withService(environment: Record<string, string>, work: (reached: Reached) => Promise<void>): Promise<void> {
  const port = String(await freePort());
  const service = await startTestService({ SLUICE_PORT: port, SLUICE_ALLOWED_HOSTS: '127.0.0.1', ...environment });
  try {
    await work({ url: `http://127.0.0.1:${port}`, service });
  } finally {
    await service.close();
  }
}

test.each([
  ['SLUICE_OAUTH=off', { SLUICE_OAUTH: 'off' }, 200],
  ['SLUICE_MCP=off', { SLUICE_MCP: 'off' }, 404],
  ['a base URL that is neither https nor loopback', { SLUICE_BASE_URL: 'http://sluice.intranet.example' }, 200],
])('with %s there is no OAuth anywhere', async (_name, environment, gateway) => {
  await withService(environment, async ({ url }) => {
    expect(await statusesOf(url)).toEqual(addresses.map(([, path]) => [path, 404, null]));
    const caller = callerOf(() => url, admin);
    for (const path of managed) expect([path, (await caller.call('GET', path)).status]).toEqual([path, 404]);
    expect((await mcpOf({ url }).rpc('ping')).status).toBe(gateway);
  });
});

test('SLUICE_OAUTH=on turns it on where the base URL would not', async () => {
  await withService({ SLUICE_BASE_URL: 'http://sluice.intranet.example', SLUICE_OAUTH: 'on' }, async ({ url }) => {
    const metadata = await fetch(`${url}/.well-known/oauth-protected-resource/mcp/oauth`);
    expect(await metadata.json()).toMatchObject({ resource: 'http://sluice.intranet.example/mcp/oauth' });
  });
});

test('SLUICE_MCP_ALLOW holds for every address', async () => {
  await withService({ SLUICE_MCP_ALLOW: '10.0.0.0/8', SLUICE_TRUSTED_PROXIES: '127.0.0.1' }, async ({ url }) => {
    for (const headers of [{}, { 'X-Forwarded-For': '192.0.2.1' }])
      expect(await statusesOf(url, headers)).toEqual(addresses.map(([, path]) => [path, 403, null]));
    const inside = await statusesOf(url, { 'X-Forwarded-For': '10.1.2.3' });
    expect(inside.filter(([, status]) => status === 403 || status === 404)).toEqual([]);
  });
});

test('pages of other origins may read the metadata, and nothing else', async () => {
  await withService({ SLUICE_ALLOWED_ORIGINS: 'https://inspector.example' }, async ({ url }) => {
    const [evil, known] = [{ Origin: 'https://evil.example' }, { Origin: 'https://inspector.example' }];
    for (const [method, path] of addresses.filter(([, each]) => !each.endsWith('/jwks') && !each.endsWith('/authorize'))) {
      const preflight = { method: 'OPTIONS', headers: { ...evil, 'Access-Control-Request-Method': method } };
      const isMetadata = path.includes('.well-known');
      const allowed = (await fetch(url + path, preflight)).headers.get('access-control-allow-origin');
      expect([path, allowed]).toEqual([path, isMetadata ? '*' : null]);
      const sent = {
        method,
        headers: { ...evil, 'Content-Type': 'application/json' },
        ...(method === 'POST' ? { body: '{}' } : {}),
      };
      const response = await fetch(url + path, sent);
      expect([path, response.status === 403]).toEqual([path, !isMetadata]);
      expect([path, response.headers.get('access-control-allow-origin')]).toEqual([path, isMetadata ? '*' : null]);
    }
    const registered = await registerApplication({ url }, {}, known);
    expect([registered.status, registered.headers.get('access-control-allow-origin')]).toEqual([201, known.Origin]);
    expect(registered.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

test('addresses and cookies follow the base URL, whatever a caller says', async () => {
  const base = 'https://sluice.example.com/sluice';
  await withService({ SLUICE_BASE_URL: base }, async ({ url }) => {
    const application = await createApplication({ url });
    const forged = {
      ...{ 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http', 'X-Forwarded-Prefix': '/evil' },
      ...{ Forwarded: 'host=evil.example;proto=http' },
    };
    for (const name of ['oauth-authorization-server', 'openid-configuration'] as const) {
      const { text } = await sendRaw(url, { method: 'GET', path: `/.well-known/${name}/sluice/mcp/oauth`, headers: forged });
      expect(JSON.parse(text)).toMatchObject({ issuer: `${base}/mcp/oauth`, token_endpoint: `${base}/mcp/oauth/token` });
      expect(text).not.toContain('evil');
    }
    const path = authorizeUrl({ url }, application, createVerifier(), { resource: 'https://sluice.example.com/' }).slice(
      url.length,
    );
    const { status, headers } = await sendRaw(url, { method: 'GET', path: `/sluice${path}`, headers: forged });
    expect([status, headers.location]).toEqual([303, expect.stringMatching(/^\/sluice\/connect\//)]);
    for (const line of headers['set-cookie'] ?? [])
      expect(line).toMatch(/; path=\/sluice\/(api|mcp)\/.*; samesite=lax; secure; httponly/i);
  });
});

describe.each(['/sluice', ''])('below a path, from a proxy that sends "%s"', (prefix) => {
  let url: string;
  let origin: string;
  let service: TestService;
  beforeAll(async () => {
    const port = String(await freePort());
    origin = `http://127.0.0.1:${port}`;
    service = await startTestService({ SLUICE_PORT: port, SLUICE_BASE_URL: `${origin}/sluice` });
    url = origin + prefix;
  });
  afterAll(() => service.close());

  test('it is found where clients look', async () => {
    const base = `${origin}/sluice`;
    const refused = await send({ url }, undefined, 'tools/list');
    const found = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    expect(found).toBe(`${base}/.well-known/oauth-protected-resource/mcp/oauth`);
    for (const metadata of [found, `${origin}/.well-known/oauth-protected-resource/sluice/mcp/oauth`])
      expect(await (await fetch(metadata)).json()).toMatchObject({
        resource: `${base}/mcp/oauth`,
        authorization_servers: [`${base}/mcp/oauth`],
      });
    for (const path of [
      '/.well-known/oauth-authorization-server/sluice/mcp/oauth',
      '/.well-known/openid-configuration/sluice/mcp/oauth',
      '/sluice/mcp/oauth/.well-known/openid-configuration',
    ])
      expect(await (await fetch(origin + path)).json()).toMatchObject({ issuer: `${base}/mcp/oauth` });
  });

  test('and not from /mcp', async () => {
    for (const name of wellKnown)
      for (const path of [`/${name}`, `/${name}/mcp`, `/${name}/sluice`, `/${name}/sluice/mcp`]) {
        const response = await fetch(`${origin}/.well-known${path}`);
        expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 404, problem]);
      }
    for (const name of wellKnown)
      for (const start of ['/sluice/.well-known', '/sluice/mcp/.well-known'])
        expect([start, (await fetch(`${origin}${start}/${name}`)).status]).toEqual([start, 404]);
  });

  test('an application is connected', async () => {
    const base = { url: `${origin}/sluice` };
    const browser = await openBrowser(base);
    for (const resource of [`${origin}/sluice/mcp/oauth`, `${origin}/sluice/mcp/oauth/`, origin, `${origin}/`]) {
      const application = await createApplication({ url });
      const verifier = createVerifier();
      const id = await openConsent(browser, authorizeUrl(base, application, verifier, { resource }));
      const code = (await decide(base, browser, id)).searchParams.get('code') ?? '';
      const tokens = await tokensOf(redeem({ url }, application, code, verifier, { resource }));
      expect([resource, (await send({ url }, tokens.access_token, 'tools/list')).status]).toEqual([resource, 200]);
    }
  });
});
