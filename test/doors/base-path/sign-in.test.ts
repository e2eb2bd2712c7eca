import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/http/free-port.ts';
import { cookieOf } from '../../support/people/accounts.ts';
import { type OidcService, startOidcService, Visitor } from '../../support/services/oidc-provider.ts';
import { admin, callerOf, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

describe('OIDC sign-in below a path', () => {
  let oidc: OidcService;
  let origin: string;
  beforeAll(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    oidc = await startOidcService({
      SLUICE_PORT: String(port),
      SLUICE_BASE_URL: `${origin}/sluice`,
      SLUICE_OIDC_ROLE_MAP: 'analysts=Query User',
    });
    oidc.provider.people.set('alice', { preferred_username: 'alice', groups: ['analysts'] });
    oidc.provider.people.set('bob', { preferred_username: 'bob', groups: [] });
  });
  afterAll(() => oidc.close());

  const leadsTo = (response: Response): [number, string | null] => [response.status, response.headers.get('location')];

  test('returns to the sign-in page while the provider is unavailable', async () => {
    oidc.provider.serve(null); // before its metadata is cached
    const response = await new Visitor().ask(`${oidc.service.url}/api/v1/session/oidc?next=/queries`);
    expect(leadsTo(response)).toEqual([302, '/sluice/sign-in?problem=provider_unavailable&next=%2Fsluice%2Fqueries']);
    oidc.provider.serve(`${oidc.service.url}/api/v1/session/oidc/callback`);
  });

  test.each([
    [undefined, '/sluice/'],
    ['/queries?search=a', '/sluice/queries?search=a'],
    ['/sluice/queries', '/sluice/queries'],
    ['//elsewhere.example', '/sluice/'],
    ['/sluice//elsewhere.example', '/sluice/'],
    ['/sluice/..//elsewhere.example', '/sluice/'],
    ['/sluice\\elsewhere.example', '/sluice/'],
    ['https://elsewhere.example/queries', '/sluice/'],
    ['/sluice/sign-in', '/sluice/'],
  ])('continues from next=%s at %s', async (next, expected) => {
    const visitor = new Visitor();
    const response = await visitor.signIn(oidc.service, 'alice', next);
    expect(leadsTo(response)).toEqual([302, expected]);
    const cookies = response.headers.getSetCookie().map((line) => /^(\w+)=.*; Path=([^;]+)/.exec(line)?.slice(1));
    expect(cookies).toEqual([
      ['sluice_oidc', '/sluice/api/v1/session/oidc'],
      ['sluice_session', '/sluice'],
    ]);
    expect((await visitor.ask(`${oidc.service.url}/api/v1/account`)).status).toBe(200);
  });

  test('accepts a callback whose path a proxy has removed', async () => {
    const visitor = new Visitor();
    const callback = await visitor.signInAtProvider(`${oidc.service.url}/api/v1/session/oidc`, 'alice');
    const attempt = visitor.cookie(callback, 'sluice_oidc') ?? '';
    const response = await fetch(callback.replace(`${origin}/sluice`, origin), {
      redirect: 'manual',
      headers: { Cookie: `sluice_oidc=${attempt}` },
    });
    expect(leadsTo(response)).toEqual([302, '/sluice/']);
  });

  test('reports a problem on the sign-in page below the path', async () => {
    expect(leadsTo(await new Visitor().signIn(oidc.service, 'bob'))).toEqual([302, '/sluice/sign-in?problem=no_role']);
  });
});

describe('two services on one host', () => {
  let root: TestService;
  let below: TestService;
  let belowUrl: string;
  beforeAll(async () => {
    root = await startTestService({ SLUICE_DEMO: 'off' });
    const port = await freePort();
    belowUrl = `http://127.0.0.1:${port}/sluice`;
    below = await startTestService({ SLUICE_DEMO: 'off', SLUICE_PORT: String(port), SLUICE_BASE_URL: belowUrl });
  });
  afterAll(async () => {
    await root.close();
    await below.close();
  });

  test('each use their own session, although browsers send the one of the root to both', async () => {
    const own = cookieOf(await expectStatus(below.as().call('POST', '/api/v1/session', admin), 200));
    const other = cookieOf(await expectStatus(root.as().call('POST', '/api/v1/session', admin), 200));
    // browsers send the cookie of the longer path first (RFC 6265, 5.4)
    const both = callerOf(() => belowUrl, { cookie: `${own}; ${other}` });
    expect((await both.call('GET', '/api/v1/account')).status).toBe(200);
    await expectStatus(both.call('DELETE', '/api/v1/session'), 204);
    expect((await root.as({ cookie: other }).call('GET', '/api/v1/account')).status).toBe(200);
    const foreign = callerOf(() => belowUrl, { cookie: other });
    expect((await foreign.call('GET', '/api/v1/session?optional=true')).json).toBeNull();
  });
});

test.each(['/api', '/API/v1', '/api/query', '/mcp', '/docs', '/openapi.json', '/assets', '/embed', '/livez', '/favicon.svg'])(
  'refuses to start below %s, which is a path of its own',
  async (path) => {
    const starting = startTestService({ SLUICE_DEMO: 'off', SLUICE_BASE_URL: `https://example.com${path}` });
    await expect(starting).rejects.toThrow(`bad value for SLUICE_BASE_URL: its path ${path} is that of the service's own `);
  },
);
