import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectNoHorizontalScroll, openBrowser, takeScreenshot, visit } from '../support/browser/browser.ts';
import { ADMIN_PASSWORD, admin, startTestService, type TestService } from '../support/services/service.ts';

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

  test('a person sorts and filters the rows of a result and hides a column', async () => {
    const { page, consoleErrors, close } = await visit(browser as Browser, service, { width: 380 });
    const { json } = await service.as(admin).run('QD_Sales_by_month_Demo');
    const inOneYear = json.Data.filter(({ Month }) => String(Month).startsWith('2024'));
    const most = Math.max(...inOneYear.map(({ Orders }) => Number(Orders)));
    await page.goto('/queries');
    const card = page.getByRole('list', { name: 'Queries' }).getByRole('listitem').filter({ hasText: 'QD_Sales_by_month_Demo' });
    await card.getByRole('link', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const rows = page.getByRole('list', { name: 'Rows of Sales by month' }).getByRole('listitem');
    await page.getByRole('combobox', { name: 'Sort rows' }).selectOption('Orders, descending');
    await page.getByRole('searchbox', { name: 'Filter rows' }).fill('2024-');
    await page.getByText(`${inOneYear.length} of ${json.Data.length} rows match.`).waitFor();
    await expect.poll(() => rows.count()).toBe(inOneYear.length);
    expect(await rows.first().textContent()).toContain(`Orders${most.toLocaleString('en')}`);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Net revenue' }).uncheck();
    await page.keyboard.press('Escape');
    await expect.poll(() => rows.getByText('Net revenue', { exact: true }).count()).toBe(0);
    await takeScreenshot(page, 'phone-arranged-rows');
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(() => rows.first().textContent()).toContain('Row 1');
    expect(consoleErrors()).toEqual([]);
    await close();
  });
});
