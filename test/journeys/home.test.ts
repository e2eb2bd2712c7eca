import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, takeScreenshot, type Visit, visit } from '../support/browser/browser.ts';
import { createKey, createQueryUser, createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, type List, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`Home (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const open = async (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
    const visited = await visit(browser as Browser, service, options);
    await visited.page.goto('/');
    await visited.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    return visited;
  };
  const part = (page: Visit['page'], name: string) => page.getByRole('region', { name, exact: true });
  const idOf = async (search: string) =>
    (await service.as(admin).call<List<{ id: string }>>('GET', `/api/v1/queries?search=${search}`)).json.items[0]?.id ?? '';

  test('guides a new installation through its first steps', async () => {
    const { page, consoleErrors, close } = await open();
    const steps = part(page, 'First steps');
    await steps.getByRole('link', { name: /Find it in the audit trail/ }).waitFor();
    expect(await steps.getByRole('link').allInnerTexts()).toEqual([
      expect.stringContaining('Run a demo query'),
      expect.stringContaining('Copy a cURL'),
      expect.stringContaining('Create an API key'),
      expect.stringContaining('Draw a chart'),
      expect.stringContaining('Embed it'),
      expect.stringContaining('Publish a query'),
      expect.stringContaining('Find it in the audit trail'),
    ]);
    await page.getByText(/^No runs, no favorites, no drafts, no failures in 7 days, and nothing new in 30 days\./).waitFor();
    await page.getByRole('link', { name: 'Write a query' }).waitFor();
    for (const name of ['Last 24 hours', 'Slowest queries', 'Running now', 'Favorites', 'Your drafts'])
      expect(await part(page, name).count()).toBe(0);
    await takeScreenshot(page, 'home-new');
    await steps.getByRole('link', { name: /Run a demo query/ }).click();
    await page.waitForURL('**/queries/*');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('checks off completed steps, and can be hidden permanently', async () => {
    const { key } = await createKey(service.as(admin), { name: 'First' });
    await service.as({ key }).run('QD_Sales_by_region_Demo');
    const { page, close } = await open();
    const steps = part(page, 'First steps');
    await steps.getByRole('link', { name: 'Run a demo query (done)' }).waitFor();
    await steps.getByRole('link', { name: 'Copy a cURL command (done)' }).waitFor();
    await steps.getByRole('link', { name: 'Create an API key (done)' }).waitFor();
    expect(await steps.getByRole('link', { name: '(done)' }).count()).toBe(3);
    await steps.getByRole('button', { name: 'Hide first steps' }).click();
    await page.reload();
    await part(page, 'At a glance').waitFor();
    expect(await steps.count()).toBe(0);
    await close();
  });

  test('an analyst finds favorites, the last results of recent queries, and what is new', async () => {
    const person = await createQueryUser(service, 'reader');
    const favorite = await idOf('Best sellers');
    const visited = await visit(browser as Browser, service, { as: person });
    const { page, context, consoleErrors, close } = visited;
    await context.request.put(`/api/v1/queries/${favorite}/favorite`, { headers: { origin: service.url } });
    await page.goto(`/queries/${await idOf('Sales by region')}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/rows in /).waitFor();
    await publish(service.as(admin), { name: 'Fresh figures', sql: 'select 1 as one' });
    let executions = 0;
    page.on('request', (request) => void (executions += /ExecuteQuery/.test(request.url()) ? 1 : 0));
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await part(page, 'Favorites').getByRole('link', { name: 'Best sellers', exact: true }).waitFor();
    await part(page, 'Your recent queries')
      .getByText(/ago · \d+ rows in \d+/)
      .waitFor();
    await part(page, 'What is new')
      .getByText(/^New .* by admin$/)
      .first()
      .waitFor();
    expect(await part(page, 'What is new').getByRole('link').first().innerText()).toBe('Fresh figures');
    for (const name of ['Last 24 hours', 'Your drafts', 'Running now']) expect(await part(page, name).count()).toBe(0);
    const glance = part(page, 'At a glance');
    await glance.getByRole('list', { name: 'Net revenue by Region' }).getByText('Central Europe').waitFor();
    expect(executions, 'opening the page runs nothing').toBe(0);
    await expectAccessibleInEveryLook(page, 'home-analyst');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('shows the rows and charts of this session, and none of them to the next user', { timeout: 90_000 }, async () => {
    const [first, second] = [await createQueryUser(service, 'first'), await createQueryUser(service, 'second')];
    const { page, consoleErrors, close } = await open({ as: first });
    const recent = part(page, 'Your recent queries');
    const rows = recent.getByRole('table', { name: 'Last result of Sales by region' });
    await page.goto(`/queries/${await idOf('Sales by region')}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/rows in /).waitFor();
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await rows.getByRole('cell', { name: '1,590,477.67' }).waitFor();
    await recent.getByText('First 5 of 6 rows, 3 of 4 columns').waitFor();

    await recent.getByRole('link', { name: 'Chart of Sales by region' }).click();
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page.getByRole('button', { name: 'View data as table' }).waitFor();
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await recent.locator('.chart-live svg').waitFor();
    await part(page, 'First steps').getByRole('link', { name: 'Draw a chart (done)' }).waitFor();
    expect(await rows.count()).toBe(0);
    await expectAccessibleInEveryLook(page, 'home-results');

    await recent.getByRole('link', { name: 'Run Sales by region' }).click();
    await page.getByText(/rows in /).waitFor();
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await rows.waitFor();

    await page.getByRole('button', { name: /^Account of first/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('User Name').fill(second.username);
    await page.getByLabel('Password', { exact: true }).fill(second.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(/^No runs/).waitFor();
    expect(await rows.count()).toBe(0);
    expect(await recent.count()).toBe(0);
    expect(await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')).not.toContain('Central Europe');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test(
    'an author finds drafts and failures, an administrator load, errors and keys that end soon',
    { timeout: 60_000 },
    async () => {
      const author = await createUser(service, 'writer', { roles: ['Query Publisher'], databases: ['*'] });
      const { queryName } = await publish(author.caller, { name: 'Breaks', sql: "select error('no') as e" });
      await author.caller.call('POST', '/api/v1/queries', { name: 'Half done', database: 'Demo', sql: 'select 1 as one' });
      await service.as(admin).run(queryName);
      await createKey(author.caller, { name: 'Ends soon', expiresInDays: 7 });
      const writer = await open({ as: author });
      await part(writer.page, 'Your drafts').getByRole('link', { name: 'Half done' }).waitFor();
      await part(writer.page, 'Failures of your queries').getByText('The only call failed').waitFor();
      await part(writer.page, 'API keys that end soon').getByText('in 7 days').waitFor();
      expect(await part(writer.page, 'Running now').count()).toBe(0);
      await expectAccessibleInEveryLook(writer.page, 'home-author');
      expect(writer.consoleErrors()).toEqual([]);
      await writer.close();

      const database = { name: 'Gone', kind: 'postgres', connection: { host: '127.0.0.1', port: 1, user: 'u', database: 'd' } };
      const { json } = await service.as(admin).call<{ id: string }>('POST', '/api/v1/databases', database);
      await service.as(admin).call('POST', `/api/v1/databases/${json.id}/test`);
      const { page, consoleErrors, close } = await open();
      await part(page, 'API keys that end soon').getByRole('link', { name: 'Ends soon of writer' }).waitFor();
      await part(page, 'Databases that failed their test').getByRole('link', { name: 'Gone' }).waitFor();
      await part(page, 'Last 24 hours')
        .getByRole('link', { name: /[1-9]\d* Failed/ })
        .waitFor();
      await part(page, 'Queries').getByRole('link', { name: '1 Draft' }).waitFor();
      await expectAccessibleInEveryLook(page, 'home-administrator');
      await part(page, 'Queries').getByRole('link', { name: '1 Draft' }).click();
      await page.waitForURL('**/queries?status=Draft');
      expect(consoleErrors()).toEqual([]);
      await close();
    },
  );

  test('indicates when there are more calls than it has read', async () => {
    const { page, close } = await open();
    await page.route('**/api/v1/home', async (route) => {
      const result = await route.fetch();
      const home = await result.json();
      const since = new Date().toISOString();
      await route.fulfill({ response: result, json: { ...home, lastDay: { ...home.lastDay, since } } });
    });
    await page.reload();
    await part(page, 'Last 24 hours')
      .getByText(/Of the last 1,000 calls, since \d{1,2}:\d\d/)
      .waitFor();
    await part(page, 'Last 24 hours')
      .getByRole('link', { name: /\d\+ Calls$/ })
      .waitFor();
    await close();
  });

  test('shows only what the permissions of a user allow', async () => {
    const newcomer = await open({ as: await createUser(service, 'newcomer') });
    await newcomer.page.getByText('You have no role yet').waitFor();
    expect(newcomer.consoleErrors()).toEqual([]);
    await newcomer.close();
    const auditor = await open({ as: await createUser(service, 'auditor', { roles: ['Auditor'] }) });
    await part(auditor.page, 'Slowest queries').getByRole('link', { name: 'QD_Sales_by_region_Demo' }).waitFor();
    for (const name of ['Queries', 'Favorites', 'Running now']) expect(await part(auditor.page, name).count()).toBe(0);
    expect(auditor.consoleErrors()).toEqual([]);
    await auditor.close();
  });
});
