import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, takeScreenshot, type Visit, visit } from '../support/browser/browser.ts';
import { programProblem } from '../support/debian-packages.ts';
import { freePort } from '../support/http/free-port.ts';
import { embedOf, publishChartQuery } from '../support/queries/embeds.ts';
import { type OidcService, startOidcService } from '../support/services/oidc-provider.ts';
import { type Proxy, startNginx } from '../support/services/proxies.ts';
import { admin, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const problem = typeof browser === 'string' ? browser : await programProblem('nginx');
const LONG = 120_000;

const named = `below a path of nginx (${problem ?? 'Chromium'})`;
describe.skipIf(problem !== null).each([
  ['that keeps it', ''],
  ['that removes it', '/'],
])(`${named} %s`, (_, slash) => {
  let nginx: Proxy;
  let oidc: OidcService;
  let service: TestService;
  let direct: string;
  let queryId: string;
  beforeAll(async () => {
    const port = await freePort();
    direct = `http://127.0.0.1:${port}`;
    nginx = await startNginx(
      (listen) => `server {
  listen 127.0.0.1:${listen};
  location /sluice/ { proxy_pass ${direct}${slash}; }
  location / { return 404; }
}`,
    );
    oidc = await startOidcService({
      SLUICE_PORT: String(port),
      SLUICE_BASE_URL: `${nginx.url}/sluice`,
      SLUICE_OIDC_NAME: 'Example Ltd',
      SLUICE_OIDC_ROLE_MAP: 'analysts=Query User',
    });
    ({ service } = oidc);
    oidc.provider.people.set('alice', { name: 'Alice Example', preferred_username: 'alice', groups: ['analysts'] });
    ({ id: queryId } = await publishChartQuery(service.as(admin), 'Items'));
  });
  afterAll(async () => {
    await oidc.close();
    await nginx.remove();
  });

  interface WatchedVisit extends Visit {
    /** Requests to the proxy outside the base path, and failed requests and responses. */
    problems(): readonly string[];
  }

  async function open(): Promise<WatchedVisit> {
    const opened = await visit(browser as Browser, service, { as: null });
    const problems: string[] = [];
    opened.context.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === nginx.url && !pathname.startsWith('/sluice/')) problems.push(`outside: ${request.url()}`);
    });
    opened.context.on('requestfailed', (request) => {
      // leaving a page aborts its requests
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()}`);
    });
    opened.context.on('response', (response) => {
      if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
    });
    return { ...opened, problems: () => problems };
  }

  const pathOf = (page: Page): string => page.url().slice(nginx.url.length);
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const follow = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await heading(page, name);
  };

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('User Name').fill(admin.username);
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  test(
    'signs in, runs queries, draws and shares a chart, and signs out',
    async () => {
      const { page, context, consoleErrors, problems, close } = await open();
      await page.goto(`${service.url}/`);
      await signIn(page);
      await heading(page, 'Home');
      expect(pathOf(page)).toBe('/sluice/');
      expect((await context.cookies()).map(({ name, path }) => [name, path])).toEqual([['sluice_session', '/sluice']]);

      await follow(page, 'Query To JSON');
      await page.getByLabel('Query Name').fill('Items');
      await page.getByRole('option', { name: /Items/ }).click();
      await page.getByRole('button', { name: 'Run Test API' }).click();
      await page.getByText(/^200 /).waitFor();
      await page.getByRole('button', { name: 'Generate Code Snippet' }).click();
      const snippet = page.getByRole('region', { name: /snippet$/ }).last();
      await expect.poll(() => snippet.textContent()).toContain(`${service.url}/api/v1/JsonBuilder/ExecuteQuery`);
      expect(pathOf(page)).toMatch(/^\/sluice\/query-to-json\?/);
      await takeScreenshot(page, `base-path-query-to-json-${slash === '' ? 'kept' : 'removed'}`);

      await follow(page, 'Query To Chart');
      await page.getByLabel('Query Name').click();
      await page.getByRole('option', { name: /Items/ }).click();
      await page.getByRole('button', { name: 'Run Query' }).click();
      await page.getByRole('button', { name: 'Generate Chart' }).click();
      await page.getByRole('img', { name: /^Bar Chart/ }).waitFor();
      await page.getByRole('button', { name: 'Get Embed URL' }).click();
      await page.getByRole('button', { name: 'Create Embed URL' }).click();
      await page.frameLocator('iframe').locator('.live #live svg').waitFor();
      await takeScreenshot(page, `base-path-embed-${slash === '' ? 'kept' : 'removed'}`);
      await page.keyboard.press('Escape');

      await follow(page, 'AI gateway');
      await page.getByText(`${service.url}/mcp`).first().waitFor();

      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await heading(page, 'Sign in');
      expect(pathOf(page)).toMatch(/^\/sluice\/sign-in/);
      expect(await context.cookies()).toEqual([]);
      await page.waitForLoadState('networkidle');
      expect([...problems(), ...consoleErrors()]).toEqual([]);
      await close();
    },
    LONG,
  );

  test('opens a deep link after the sign-in, reloads it, and goes back and forth', async () => {
    const { page, consoleErrors, problems, close } = await open();
    await page.goto(`${service.url}/queries/${queryId}?tab=sql`);
    await heading(page, 'Sign in');
    expect(new URL(page.url()).searchParams.get('next')).toBe(`/sluice/queries/${queryId}?tab=sql`);
    await signIn(page);
    await heading(page, 'Items');
    expect(pathOf(page)).toBe(`/sluice/queries/${queryId}?tab=sql`);
    await page.reload();
    await heading(page, 'Items');
    await follow(page, 'Queries');
    expect(pathOf(page)).toBe('/sluice/queries');
    await page.goBack();
    await heading(page, 'Items');
    await page.goto(`${service.url}/no/such/page`);
    await heading(page, 'Page not found');
    await page.getByRole('link', { name: 'Home' }).last().click();
    await heading(page, 'Home');
    expect([...problems(), ...consoleErrors()]).toEqual([]);
    await close();
  });

  test.each([
    '/sluice/sign-in?next=//elsewhere.example/',
    '/sluice//elsewhere.example/',
    '/sluice/sign-in?next=/sluice//elsewhere.example',
  ])('stays below the path after the sign-in at %s', async (path) => {
    const { page, close } = await open();
    await page.goto(nginx.url + path);
    await signIn(page);
    await page.getByRole('button', { name: /^Account of/ }).waitFor();
    expect(page.url()).toMatch(new RegExp(`^${service.url}/`));
    await close();
  });

  test('signs in at the provider and continues at the requested page', async () => {
    const { page, problems, close } = await open();
    await page.goto(`${service.url}/account/password`);
    await page.getByRole('link', { name: 'Sign in with Example Ltd' }).click();
    await page.getByPlaceholder('Enter any login').fill('alice');
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('You sign in through your company').waitFor();
    expect(pathOf(page)).toBe('/sluice/account/password');
    expect(problems().filter((each) => each.includes(nginx.url))).toEqual([]);
    await close();
  });

  test('shows the API reference', async () => {
    const { page, consoleErrors, problems, close } = await open();
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { name: 'Sluice', exact: true }).first().waitFor();
    await page.getByText('JsonBuilder').first().waitFor(); // from the document
    expect(pathOf(page)).toMatch(/^\/sluice\/docs\//);
    await takeScreenshot(page, `base-path-docs-${slash === '' ? 'kept' : 'removed'}`);
    expect([...problems(), ...consoleErrors()]).toEqual([]);
    await close();
  });

  test('shows an embedded chart in a frame on another page', async () => {
    const { IframeCode } = await embedOf(service.as(admin), { queryName: 'QD_Items_Demo', title: 'Items' });
    const { page, consoleErrors, problems, close } = await open();
    const html = `<!doctype html><title>Elsewhere</title><link rel="icon" href="data:,">${IframeCode}`;
    const elsewhere = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(html));
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
    await page.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`);
    await page.frameLocator('iframe').locator('.live #live svg').waitFor();
    expect([...problems(), ...consoleErrors()]).toEqual([]);
    await close();
    elsewhere.close();
  });

  test('moves a page that was opened past the proxy below the path', async () => {
    const { page, consoleErrors, close } = await open();
    await page.goto(`${direct}/queries?search=items`);
    await signIn(page);
    await heading(page, 'Queries');
    expect(page.url()).toBe(`${direct}/sluice/queries?search=items`);
    expect(consoleErrors()).toEqual([]);
    await close();
  });
});
