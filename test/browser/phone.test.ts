import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectNoHorizontalScroll, openBrowser, takeScreenshot, visit } from '../support/browser/browser.ts';
import { ADMIN_PASSWORD, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`a phone (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  test('a person signs in, runs a query and reads its rows without sideways scrolling', async () => {
    const { page, consoleErrors, close } = await visit(browser as Browser, service, { width: 380, as: null });
    await page.goto('/queries');
    await page.getByLabel('User Name').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const card = page.getByRole('list', { name: 'Queries' }).getByRole('listitem').filter({ hasText: 'QD_Sales_by_month_Demo' });
    await card.getByRole('link', { name: 'Run' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sales by month' }).waitFor();
    const run = page.getByRole('button', { name: 'Run', exact: true });
    const rows = page.getByRole('list', { name: 'Rows of Sales by month' }).getByRole('listitem');
    await run.click();
    await rows.first().waitFor();
    const { json } = await service.as({ username: 'admin', password: ADMIN_PASSWORD }).run('QD_Sales_by_month_Demo');
    const [first] = json.Data;
    for (const column of Object.keys(first ?? {})) await rows.first().getByText(column, { exact: true }).waitFor();
    expect(await rows.count()).toBe(Math.min(25, json.Data.length));
    await rows.first().scrollIntoViewIfNeeded();
    await takeScreenshot(page, 'phone-rows');
    await page.getByRole('button', { name: 'Show more rows' }).click();
    await expect.poll(() => rows.count()).toBe(Math.min(50, json.Data.length));
    await expectNoHorizontalScroll(page);
    const sideways = await page.evaluate(`[...document.querySelectorAll('main *')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .filter((element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX))
      .map(({ className }) => className)`);
    expect(sideways).toEqual([]);
    await expectAccessible(page);
    expect(consoleErrors()).toEqual([]);
    await close();
  });
});
