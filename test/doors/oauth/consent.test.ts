import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createQueryUser, signIn } from '../../support/people/accounts.ts';
import {
  authorizeUrl,
  connect,
  createRegistered,
  createVerifier,
  decide,
  errorOf,
  type OAuthApplication,
  openBrowser,
  openConsent,
  redeem,
} from '../../support/people/oauth.ts';
import type { Visitor } from '../../support/services/oidc-provider.ts';
import {
  admin,
  expectStatus,
  type List,
  startTestService,
  type TestCredential,
  type TestService,
} from '../../support/services/service.ts';

// A connection needs a click of the user, in the browser that the application opened.

const INTERACTION = 'sluice_oauth_interaction';
const RESUME = 'sluice_oauth_resume';

let service: TestService;
let application: OAuthApplication;
let browser: Visitor;
let id: string;
let verifier: string;
beforeAll(async () => {
  service = await startTestService();
  application = await createRegistered(service);
});
afterAll(() => service.close());
beforeEach(async () => {
  browser = await openBrowser(service);
  verifier = createVerifier();
  id = await openConsent(browser, authorizeUrl(service, application, verifier));
});

const path = (verb = ''): string => `/api/v1/oauth/interactions/${id}${verb === '' ? '' : `/${verb}`}`;
const connectedCount = async (credential: TestCredential = admin): Promise<number> =>
  (await service.as(credential).call<List<unknown>>('GET', '/api/v1/account/applications?limit=200')).json.items.length;
const cookieIn = (visitor: Visitor, name: string, at: string): string => visitor.cookie(service.url + at, name) ?? '';

/** Sends both cookies of the sign-in that this browser began, with another credential or none. */
const withCookiesOf = (visitor: Visitor, more = ''): Record<string, string> => {
  const names = [INTERACTION, `${INTERACTION}.sig`];
  return { Cookie: [...names.map((name) => `${name}=${cookieIn(visitor, name, path())}`), more].filter(Boolean).join('; ') };
};

describe('an application cannot be allowed', () => {
  test.each(['', 'allow', 'cancel'])('without a person: /%s', async (verb) => {
    const sent = service
      .as()
      .call(verb === '' ? 'GET' : 'POST', path(verb), verb === 'allow' ? {} : undefined, withCookiesOf(browser));
    expect((await sent).status).toBe(401);
  });

  test('by a password or a key instead of the session of a browser', async () => {
    const { key } = (await service.as(admin).call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'key' })).json;
    for (const credential of [admin, { key }]) {
      const sent = await service.as(credential).call('POST', path('allow'), {}, withCookiesOf(browser));
      expect([401, 403]).toContain(sent.status);
    }
  });

  test('in another browser, although the same person is signed in there', async () => {
    const other = await openBrowser(service);
    for (const [method, verb] of [
      ['GET', ''],
      ['POST', 'allow'],
      ['POST', 'cancel'],
    ] as const)
      expect((await other.send(method, service.url + path(verb), verb === 'allow' ? {} : undefined)).status).toBe(404);
  });

  test('with a cookie that the service did not sign, or that of another request', async () => {
    const session = await signIn(service, admin);
    const forged = `${INTERACTION}=${id}; ${INTERACTION}.sig=${'x'.repeat(27)}; ${session}`;
    expect((await service.as().call('POST', path('allow'), {}, { Cookie: forged })).status).toBe(404);
    const mine = withCookiesOf(browser, session);
    const another = await openConsent(browser, authorizeUrl(service, application, createVerifier()));
    const sent = await service.as().call('POST', `/api/v1/oauth/interactions/${another}/allow`, {}, mine);
    expect(sent.status).toBe(404);
  });

  test('by a page of another site, by a form, or by a link', async () => {
    const cookies = withCookiesOf(browser, await signIn(service, admin));
    const send = (method: string, headers: Record<string, string>, body?: string) =>
      fetch(service.url + path('allow'), {
        method,
        headers: { ...cookies, ...headers },
        ...(body === undefined ? {} : { body }),
      });
    const json = { 'Content-Type': 'application/json' };
    expect((await send('POST', { ...json, Origin: 'https://evil.example' }, '{}')).status).toBe(403);
    expect((await send('POST', { ...json, Origin: 'null' }, '{}')).status).toBe(403);
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])
      expect((await send('POST', { 'Content-Type': type }, '{}')).status).toBe(415);
    expect([404, 405]).toContain((await send('GET', {})).status);
    expect((await send('OPTIONS', { Origin: 'https://evil.example' })).headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    { days: 0 },
    { days: 366 },
    { days: 1.5 },
    { days: '30' },
    { days: -1 },
    { queries: ['QD_Not_There'] },
    { queries: '*' },
  ])('with the choice %j', async (choice) => {
    expect((await browser.send('POST', service.url + path('allow'), choice)).status).toBe(400);
  });

  test.each(['none', 'login', 'consent', 'select_account', 'create', 'consent login'])(
    'by prompt=%s, although the application was allowed before',
    async (prompt) => {
      await connect(service, application, { browser });
      const response = await browser.ask(authorizeUrl(service, application, createVerifier(), { prompt, max_age: '3600' }));
      expect(response.headers.get('location') ?? '').not.toContain('code=');
    },
  );

  beforeEach(async (context) => {
    const before = await connectedCount();
    const isConnecting = context.task.name.startsWith('by prompt');
    context.onTestFinished(async () => expect(await connectedCount()).toBe(before + (isConnecting ? 1 : 0)));
  });
});

test('the cookies of a request are for its addresses only, and not for scripts', async () => {
  const response = await browser.ask(authorizeUrl(service, application, createVerifier()));
  const [, uid = ''] = /\/connect\/([\w-]+)$/.exec(response.headers.get('location') ?? '') ?? [];
  const lines = response.headers.getSetCookie();
  const paths = lines.map((line) => [/^[^=]+/.exec(line)?.[0], /path=([^;]+)/.exec(line)?.[1]]);
  expect(paths).toEqual([
    [INTERACTION, `/api/v1/oauth/interactions/${uid}`],
    [`${INTERACTION}.sig`, `/api/v1/oauth/interactions/${uid}`],
    [RESUME, `/mcp/oauth/authorize/${uid}`],
    [`${RESUME}.sig`, `/mcp/oauth/authorize/${uid}`],
  ]);
  for (const line of lines) expect(line).toMatch(/; samesite=lax; httponly$/i);
});

test('a request can be decided once', async () => {
  const before = await connectedCount();
  const answers = await Promise.all(Array.from({ length: 5 }, () => browser.send('POST', service.url + path('allow'), {})));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
  const { redirectTo = '' }: { redirectTo?: string } = JSON.parse(
    (await Promise.all(answers.filter(({ status }) => status === 200).map((each) => each.text())))[0] ?? '{}',
  );
  expect((await browser.send('POST', service.url + path('cancel'))).status).toBe(404);
  expect((await browser.send('GET', service.url + path())).status).toBe(404);
  expect((await browser.ask(redirectTo)).headers.get('location')).toContain('code=');
  expect((await browser.ask(redirectTo)).headers.get('location') ?? '').not.toContain('code=');
  expect(await connectedCount()).toBe(before + 1);
});

test('the link back fails in another browser, so that nobody can connect an application to the account of another user', async () => {
  const { redirectTo }: { redirectTo: string } = JSON.parse(
    await (await browser.send('POST', service.url + path('allow'), {})).text(),
  );
  const victim = await openBrowser(service, (await createQueryUser(service, 'victim')).credential);
  const response = await victim.ask(redirectTo);
  expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  expect(await response.text()).toContain('The application cannot be connected');
});

test('the code goes to the person who decided, not to one who signed in meanwhile', async () => {
  const other = await createQueryUser(service, 'meanwhile');
  const before = await connectedCount();
  const { redirectTo }: { redirectTo: string } = JSON.parse(
    await (await browser.send('POST', service.url + path('allow'), {})).text(),
  );
  await browser.send('POST', `${service.url}/api/v1/session`, other.credential);
  const back = new URL((await browser.ask(redirectTo)).headers.get('location') ?? '');
  expect([back.searchParams.get('error'), back.searchParams.get('code')]).toEqual(['access_denied', null]);
  expect([await connectedCount(), await connectedCount(other.credential)]).toEqual([before, 0]);
});

test('the code is for the person who decides, also if another one was signed in when the application asked', async () => {
  const other = await createQueryUser(service, 'decides');
  await browser.send('POST', `${service.url}/api/v1/session`, other.credential);
  const code = (await decide(service, browser, id)).searchParams.get('code') ?? '';
  expect((await redeem(service, application, code, verifier)).status).toBe(200);
  expect(await connectedCount(other.credential)).toBe(1);
});

test('a user who is disabled meanwhile cannot connect an application', async () => {
  const person = await createQueryUser(service, 'disabled');
  const opened = await openBrowser(service, person.credential);
  const own = createVerifier();
  const asked = await openConsent(opened, authorizeUrl(service, application, own));
  const code = (await decide(service, opened, asked)).searchParams.get('code') ?? '';
  await expectStatus(service.as(admin).call('PATCH', `/api/v1/users/${person.id}`, { disabled: true }), 200);
  expect(await errorOf(redeem(service, application, code, own))).toEqual([400, 'invalid_grant']);
});
