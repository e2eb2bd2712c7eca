import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openBrowser, takeScreenshot, type Visit, visit } from '../support/browser/browser.ts';
import { type Account, createUser } from '../support/people/accounts.ts';
import { embedOf, publishChartQuery, view } from '../support/queries/embeds.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const soon = { timeout: 10_000 }; // slow on a busy machine

describe.skipIf(typeof browser === 'string')(`Embeds (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let person: Account;
  beforeAll(async () => {
    service = await startTestService();
    await publishChartQuery(service.as(admin), 'Items');
    person = await createUser(service, 'teresa', { roles: ['Query User'], databases: ['*'] });
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);
  const createEmbed = (options: Readonly<Record<string, string>>) =>
    embedOf(person.caller, { queryName: 'QD_Items_Demo', ...options });

  test('explains how to create the first embed', async () => {
    const { page, close } = await open({ as: person });
    await page.goto('/embeds');
    await page.getByText('No embeds yet').waitFor();
    await page.locator('main').getByRole('link', { name: 'Query To Chart' }).click();
    await page.waitForURL('**/query-to-chart');
    await close();
  });

  test('lists each chart with its expiry and views, and supports search', async () => {
    const { Token } = await createEmbed({ title: 'Widgets', chartType: 'pie', expirationDays: 'never' });
    await view(service.as(), Token);
    // views are written every two seconds, and the page loads them only once
    await expect.poll(async () => (await person.caller.call('GET', '/api/v1/embeds')).text, soon).toContain('"views":1');
    const { page, close } = await open({ as: person });
    await page.goto('/embeds');
    const row = page.getByRole('row', { name: /Widgets/ }).first();
    await row.waitFor();
    await expect
      .poll(async () => (await row.getByRole('cell').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()), soon)
      .toEqual([
        'Widgets Pie Chart · value by label',
        'QD_Items_Demo',
        'Never',
        '1',
        expect.stringMatching(/ago$/),
        'Preview Copy URL Edit Regenerate Token Revoke',
      ]);
    // the picture that the viewer saw, and no further run
    await row.locator('img').waitFor();
    expect(await row.locator('img').evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(960);
    await takeScreenshot(page, 'embeds-list');
    await page.getByLabel('Search embeds').fill('no such chart');
    await page.getByText('Nothing found for “no such chart”').waitFor();
    expect(page.url()).toContain('search=no+such+chart');
    await close();
  });

  test('distinguishes charts of the same query and title, also for screen readers', async () => {
    await publishChartQuery(service.as(admin), 'Chosen', {
      sql: "select 'item' as label, @Number as value, 1 as other",
      parameters: [{ name: '@Number', dataType: 'int', required: true }],
    });
    const createAlike = (number: string, options = {}) =>
      createEmbed({
        queryName: 'QD_Chosen_Demo',
        title: 'Alike',
        parameters: JSON.stringify([{ ParameterName: '@Number', Value: number }]),
        ...options,
      });
    await createAlike('1');
    await createAlike('2');
    await createAlike('2', { dataColumn: 'other', chartType: 'line' });
    const { page, close } = await open({ as: person });
    await page.goto('/embeds?search=Alike');
    const revoke = page.getByRole('button', { name: 'Revoke Alike' });
    await expect.poll(() => revoke.count(), soon).toBe(3);
    const ids = await revoke.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-describedby')));
    const descriptions = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()));
    expect(descriptions).toEqual([
      'Line Chart · other by label · @Number = 2',
      'Bar Chart · value by label · @Number = 2',
      'Bar Chart · value by label · @Number = 1',
    ]);
    await revoke.first().click();
    await page.getByRole('dialog').getByText('Line Chart · other by label · @Number = 2').waitFor();
    await takeScreenshot(page, 'embeds-alike');
    await close();
  });

  test('shows a preview of a chart', async () => {
    await createEmbed({ title: 'Shown' });
    const { page, consoleErrors, close } = await open({ as: person });
    await page.goto('/embeds');
    await page.getByRole('button', { name: 'Preview Shown' }).click();
    await page.frameLocator('iframe[title="Preview of Shown"]').locator('#live svg').waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'embeds-preview');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('regenerates a token with another lifetime, invalidates the old URL and shows the new one', async () => {
    const { Token } = await createEmbed({ title: 'Renewed' });
    const { page, close } = await open({ as: person });
    await page.goto('/embeds');
    await page.getByRole('button', { name: 'Regenerate Token of Renewed' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Token Expiration (days)').click();
    await page.getByRole('option', { name: 'Never expire' }).click();
    expect((await view(service.as(), Token)).status).toBe(200); // not yet
    await dialog.getByRole('button', { name: 'Regenerate Token' }).click();
    await dialog.getByText('The new token never expires.').waitFor();
    const url = await dialog.getByRole('textbox', { name: 'Embed URL' }).inputValue();
    expect((await view(service.as(), Token)).status).toBe(401);
    expect((await fetch(url)).status).toBe(200);
    await expectAccessible(page);
    await takeScreenshot(page, 'embeds-regenerate');
    await close();
  });

  test('revokes an embed after confirmation, and keeps it on Cancel', async () => {
    const { Token } = await createEmbed({ title: 'Ended' });
    const { page, close } = await open({ as: person });
    await page.goto('/embeds');
    const button = page.getByRole('button', { name: 'Revoke Ended' });
    await button.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect((await view(service.as(), Token)).status).toBe(200);
    await button.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => button.count(), soon).toBe(0);
    expect((await view(service.as(), Token)).status).toBe(401);
    await close();
  });

  test('shows an Administrator the charts of all users without their URLs', async () => {
    const { Token } = await createEmbed({ title: 'Of Teresa' });
    await view(service.as(), Token);
    const { page, close } = await open();
    await page.goto('/embeds');
    const row = page.getByRole('row', { name: /Of Teresa/ });
    await row.getByText('teresa', { exact: true }).waitFor();
    expect(
      await row.getByRole('button').evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label'))),
    ).toEqual(['Regenerate Token of Of Teresa', 'Revoke Of Teresa']);
    expect(await row.locator('img').count()).toBe(0); // it shows what only the link shows
    await close();
  });
});

describe.skipIf(typeof browser === 'string')('Embeds in the Standard Edition', () => {
  test('are not available', async () => {
    const standard = await startTestService({ SLUICE_EDITION: 'standard' });
    const { page, close } = await visit(browser as Browser, standard);
    await page.goto('/embeds');
    await page.getByText('Not in the Standard Edition').waitFor();
    expect(await page.getByRole('link', { name: 'Embeds' }).count()).toBe(0);
    await page.goto('/query-to-chart?query=QD_Sales_by_region_Demo');
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page.locator('.chart-live svg').waitFor();
    expect(await page.getByRole('button', { name: 'Get Embed URL' }).count()).toBe(0);
    await close();
    await standard.close();
  });
});
