import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, takeScreenshot, type Visit, visit } from '../support/browser/browser.ts';
import { createKey, createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

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
    await part(page, 'Last 24 hours').getByRole('link', { name: '0 Calls' }).waitFor();
    await part(page, 'Slowest queries').getByText('No queries ran in the last 24 hours.').waitFor();
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
    await part(page, 'Your recent queries').getByRole('link', { name: 'Sales by region' }).waitFor();
    expect(await steps.count()).toBe(0);
    await close();
  });

  test('counts queries by status, calls and errors, and lists the slowest', async () => {
    const query = await publish(service.as(admin), { name: 'Doomed', sql: 'select 1 as one' });
    await service.as(admin).call('POST', `/api/v1/queries/${query.id}/deactivate`);
    await service.as(admin).run('QD_Best_sellers_Demo');
    await service.as(admin).run('QD_No_such_Demo');
    const { page, close } = await open();
    await part(page, 'Queries').getByRole('link', { name: '1 Inactive' }).waitFor();
    await part(page, 'Last 24 hours').getByRole('link', { name: '1 Refused' }).waitFor();
    await part(page, 'Slowest queries').getByRole('link', { name: 'Best sellers' }).waitFor();
    await part(page, 'Your recent queries').getByRole('link', { name: 'Doomed' }).waitFor();
    await part(page, 'Queries').getByRole('link', { name: '1 Inactive' }).click();
    await page.waitForURL('**/queries?status=Inactive');
    await close();
  });

  test('indicates when there are more calls than it has read', async () => {
    const { page, close } = await open();
    await page.route('**/api/v1/audit?from=*', async (route) => {
      const result = await route.fetch();
      await route.fulfill({ response: result, json: { ...(await result.json()), nextCursor: 'more' } });
    });
    await page.reload();
    await part(page, 'Last 24 hours')
      .getByText(/Of the last 1,000 calls, since \d\d:\d\d/)
      .waitFor();
    await close();
  });

  test('shows only what the permissions of a user allow', async () => {
    const person = await createUser(service, 'reader', { roles: ['Query User'], databases: ['*'] });
    const reader = await open({ as: person });
    await part(reader.page, 'Queries')
      .getByRole('link', { name: /Active/ })
      .waitFor();
    expect(await part(reader.page, 'Last 24 hours').count()).toBe(0);
    expect(await reader.page.getByText('Publish a query').count()).toBe(0);
    expect(reader.consoleErrors()).toEqual([]);
    await reader.close();
    const newcomer = await open({ as: await createUser(service, 'newcomer') });
    await newcomer.page.getByText('You have no role yet').waitFor();
    expect(newcomer.consoleErrors()).toEqual([]);
    await newcomer.close();
    const auditor = await open({ as: await createUser(service, 'auditor', { roles: ['Auditor'] }) });
    await part(auditor.page, 'Slowest queries').getByRole('link', { name: 'QD_Best_sellers_Demo' }).waitFor();
    expect(await part(auditor.page, 'Queries').count()).toBe(0);
    expect(auditor.consoleErrors()).toEqual([]);
    await auditor.close();
  });
});
