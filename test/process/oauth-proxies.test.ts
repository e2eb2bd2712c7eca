import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programProblem } from '../support/debian-packages.ts';
import { freePort } from '../support/http/free-port.ts';
import {
  askForToken,
  authorizeUrl,
  CALLBACK,
  createApplication,
  createVerifier,
  decide,
  errorOf,
  openBrowser,
  openConsent,
  redeem,
  refresh,
  send,
  tokensOf,
} from '../support/people/oauth.ts';
import { generations, SdkApplication } from '../support/people/sdk-application.ts';
import { publish } from '../support/queries/publish.ts';
import {
  type Proxy,
  readShippedHaproxy,
  readShippedNginx,
  readShippedNginxBelowPath,
  startHaproxy,
  startNginx,
} from '../support/services/proxies.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const problem = await programProblem('nginx', 'haproxy');

describe.skipIf(problem !== null).each([
  ['deploy/nginx.conf', '', (url: string) => startNginx(readShippedNginx(url))],
  ['deploy/nginx.conf with its locations for /sluice', '/sluice', (url: string) => startNginx(readShippedNginxBelowPath(url))],
  ['deploy/haproxy.cfg', '', (url: string) => startHaproxy(readShippedHaproxy(url))],
] as const)(`signing in from AI applications behind %s ${problem ?? ''}`.trim(), (_file, path, start) => {
  let proxy: Proxy;
  let service: TestService;
  let base: { url: string };
  let numbers: string;
  beforeAll(async () => {
    const port = String(await freePort());
    proxy = await start(`http://127.0.0.1:${port}`);
    base = { url: proxy.url + path };
    service = await startTestService({
      ...{ SLUICE_PORT: port, SLUICE_BASE_URL: base.url, SLUICE_ALLOWED_HOSTS: '127.0.0.1' },
      SLUICE_TRUSTED_PROXIES: 'loopback',
    });
    // HAProxy checks every two seconds
    await waitUntil(
      () => fetch(`${base.url}/readyz`),
      ({ ok }) => ok,
      30_000,
    );
    numbers = (await publish(service.as(admin), { name: 'Numbers', sql: 'select * from range(5) as t(n)' })).queryName;
  });
  afterAll(async () => {
    await service.close();
    await proxy?.remove();
  });

  test('serves its metadata at each form of their path, and none for /mcp', async () => {
    const issuer = `${base.url}/mcp/oauth`;
    const refused = await send(base, undefined, 'tools/list');
    const [, announced = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    for (const address of [announced, `${proxy.url}/.well-known/oauth-protected-resource${path}/mcp/oauth`])
      expect([address, await (await fetch(address)).json()]).toEqual([address, expect.objectContaining({ resource: issuer })]);
    for (const address of [
      `${proxy.url}/.well-known/oauth-authorization-server${path}/mcp/oauth`,
      `${proxy.url}/.well-known/openid-configuration${path}/mcp/oauth`,
      `${issuer}/.well-known/openid-configuration`,
    ])
      expect([address, await (await fetch(address)).json()]).toEqual([
        address,
        expect.objectContaining({ issuer, token_endpoint: `${issuer}/token` }),
      ]);
    for (const name of ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'])
      for (const below of ['', '/mcp', path, `${path}/mcp`])
        expect([name, below, (await fetch(`${proxy.url}/.well-known/${name}${below}`)).status]).toEqual([name, below, 404]);
  });

  test.each(generations)('%s: calls a tool with nothing but the address', async (generation) => {
    const application = new SdkApplication({ url: `${base.url}/mcp/oauth`, generation, redirectUrl: CALLBACK });
    const asked = await application.connect();
    if (!(asked instanceof URL)) throw new Error('connected without a person');
    const browser = await openBrowser(base);
    await application.finish((await decide(base, browser, await openConsent(browser, asked.href))).searchParams);
    const client = await application.connect();
    if (client instanceof URL) throw new Error('not connected');
    const called = await client.callTool({ name: 'execute_query', arguments: { queryName: numbers } });
    expect(called).toMatchObject({ structuredContent: { Data: [{ n: 0 }, {}, {}, {}, {}] } });
    await client.close();
  });

  test('each endpoint responds: register, authorize, token, revoke and keys', async () => {
    const application = await createApplication(base, { token_endpoint_auth_method: 'client_secret_basic' });
    const browser = await openBrowser(base);
    const verifier = createVerifier();
    const id = await openConsent(browser, authorizeUrl(base, application, verifier));
    const code = (await decide(base, browser, id)).searchParams.get('code') ?? '';
    const tokens = await tokensOf(redeem(base, application, code, verifier));
    const { access_token: token, refresh_token } = await tokensOf(refresh(base, application, tokens.refresh_token));
    expect((await send(base, token, 'tools/list')).status).toBe(200);
    const revoked = await fetch(`${base.url}/mcp/oauth/revoke`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${application.clientId}:${application.secret}`).toString('base64')}` },
      body: new URLSearchParams({ token: refresh_token }),
    });
    expect([revoked.status, (await send(base, token, 'tools/list')).status]).toEqual([200, 401]);
    expect(await errorOf(askForToken(base, { clientId: 'unknown' }, { grant_type: 'refresh_token' }))).toEqual([
      401,
      'invalid_client',
    ]);
    expect(await (await fetch(`${base.url}/mcp/oauth/jwks`)).json()).toMatchObject({ keys: [{ use: 'sig' }] });
    const unknown = await fetch(`${base.url}/mcp/oauth/authorize?client_id=unknown`);
    expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining('does not know the application')]);
  });
});
