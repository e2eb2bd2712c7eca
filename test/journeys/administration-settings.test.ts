import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settings } from '../../src/config/config.ts';
import { openBrowser, takeScreenshot, type Visit, visit } from '../support/browser/browser.ts';
import { createUser } from '../support/people/accounts.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const TOKEN = 'the token of the metrics';
const SLOW = { timeout: 15_000 };

describe.skipIf(typeof browser === 'string')(`Settings (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ SLUICE_ROWS_DEFAULT: '500', SLUICE_METRICS_TOKEN: TOKEN });
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);
  const settingNow = async (name: string): Promise<unknown> => {
    const { json } = await service.as(admin).call<{ settings: { name: string; value?: unknown }[] }>('GET', '/api/v1/settings');
    return json.settings.find((setting) => setting.name === name)?.value;
  };
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

  test('shows every setting with the source of its value, and secrets without a value', async () => {
    const { page, consoleErrors, close } = await open();
    await page.goto('/settings');
    await page.getByRole('table').waitFor();
    const text = await page.locator('main').textContent();
    for (const { key, env } of Object.values(settings)) {
      expect(text).toContain(key);
      expect(text).toContain(env);
    }
    const token = page.getByRole('row', { name: /metrics\.token/ });
    await token.getByText('Set (hidden)').waitFor();
    await page
      .getByRole('row', { name: /backup\.passphrase/ })
      .getByText('Not set')
      .waitFor();
    expect(await page.content()).not.toContain(TOKEN);
    expect(await field(page, 'Default Row Size').inputValue()).toBe('500');
    await page.getByText('Default 1,000 · configured 500').waitFor();
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('changes a setting and resets it to its configured value', async () => {
    const { page, close } = await open();
    await page.goto('/settings');
    await field(page, 'Default Row Size').fill('250');
    await page.getByRole('switch', { name: 'Guard against formulas' }).press('Space');
    await page.getByText('Not saved: Default Row Size, Guard against formulas').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. The change applies to the next call.').waitFor();
    expect([await settingNow('rowsDefault'), await settingNow('guardFormulas')]).toEqual([250, false]);
    await takeScreenshot(page, 'settings-changed');
    await page.getByRole('button', { name: 'Reset to the configured value of Default Row Size' }).click();
    await expect.poll(() => field(page, 'Default Row Size').inputValue(), SLOW).toBe('500');
    expect([await settingNow('rowsDefault'), await settingNow('guardFormulas')]).toEqual([500, false]);
    await close();
  });

  test('shows a refused value at its field without changing anything', async () => {
    const { page, close } = await open();
    await page.goto('/settings');
    await field(page, 'Query timeout').fill('4000');
    await field(page, 'Largest Row Size').fill('900');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Expected at most 300.').waitFor();
    await field(page, 'Query timeout').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Expected a whole number.').waitFor();
    expect([await settingNow('queryTimeoutSeconds'), await settingNow('rowsMax')]).toEqual([60, 1000]);
    await page.getByRole('button', { name: 'Undo changes' }).click();
    expect(await field(page, 'Largest Row Size').inputValue()).toBe('1,000');
    await close();
  });

  test('the search filters both lists and is part of the URL', async () => {
    const { page, close } = await open();
    await page.goto('/settings?search=snapshot');
    await page.getByRole('row', { name: /snapshots\.maxBytes / }).waitFor();
    expect(await field(page, 'Largest Row Size').count()).toBe(0);
    await page.getByLabel('Search settings').fill('no such setting');
    await page.getByText('Nothing found for “no such setting”').waitFor();
    await close();
  });

  test('shows a message to users who may not manage settings', async () => {
    const person = await createUser(service, 'ruth', { roles: ['Query User'], databases: ['*'] });
    const { page, close } = await open({ as: person });
    await page.goto('/settings');
    await page.getByText('This page needs the permission settings.manage').waitFor();
    await close();
  });
});
