import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectAccessibleInEveryLook,
  openBrowser,
  takeScreenshot,
  type Visit,
  visit,
} from '../support/browser/browser.ts';
import { type Account, createKey, createUser } from '../support/people/accounts.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

const run = promisify(execFile);
const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`My Account (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let people = 0;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const newPerson = (username: string): Promise<Account> =>
    // a repeated test needs another name
    createUser(service, `${username}-${++people}`, { roles: ['Query User'], databases: ['*'] });
  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);
  const openKeys = async (options: Parameters<typeof visit>[2]): Promise<Visit> => {
    const visited = await open(options);
    await visited.page.goto('/account/api-keys');
    await visited.page.getByText(/of 5 active/).waitFor();
    return visited;
  };

  test('creates a key for 90 days, shows it once, and it works', async () => {
    const person = await newPerson('ada');
    const { page, consoleErrors, close } = await openKeys({ as: person });
    await page.getByText('0 of 5 active').waitFor();
    await page.getByText('No API keys yet').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create API key' });
    expect(await dialog.getByRole('combobox', { name: 'Expires' }).inputValue()).toBe('90 days');
    await dialog.getByLabel('Name').fill('Nightly export');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Copy “Nightly export” now' });
    const key = (await panel.getByTestId('new-key').textContent()) ?? '';
    expect(key).toMatch(/^slc_/);
    expect((await service.as({ key }).call('GET', '/api/v1/account')).status).toBe(200);
    expect((await page.content()).split(key)).toHaveLength(2); // shown in one place only
    await page.getByText('1 of 5 active').waitFor();
    await page
      .getByRole('row', { name: /Nightly export/ })
      .getByText('in 90 days')
      .waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'api-keys-created');
    await page.reload();
    await page.getByText('1 of 5 active').waitFor();
    expect(await page.content()).not.toContain(key);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('creates a key with a tool per query, and shows which tools an assistant gets', async () => {
    const person = await newPerson('typed');
    const { page, consoleErrors, close } = await openKeys({ as: person });
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create API key' });
    await dialog.getByLabel('Name').fill('Assistant');
    const perQuery = dialog.getByRole('switch', { name: 'A tool per query for AI assistants' });
    expect(await perQuery.isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'Only these queries' }).click();
    await page.getByRole('option', { name: 'Sales by region', exact: true }).click();
    await perQuery.click();
    await dialog.getByText(/qd_sales_by_region_demo/).waitFor();
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page
      .getByRole('row', { name: /Assistant/ })
      .getByText('A tool per query')
      .waitFor();
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('the displayed call runs in a shell unchanged', async () => {
    const person = await newPerson('shell');
    const { page, close } = await openKeys({ as: person });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Shell');
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    const curl = (await page.getByRole('region', { name: 'Example call' }).textContent()) ?? '';
    const key = (await page.getByTestId('new-key').textContent()) ?? '';
    const { stdout } = await run('sh', ['-c', curl.replace(/^curl /, 'curl -s ')], {
      env: { ...process.env, SLUICE_API_KEY: key },
    });
    expect(JSON.parse(stdout)).toMatchObject({ Data: expect.any(Array), RowSize: 10 });
    await close();
  });

  test('narrows a key to queries with a custom lifetime', async () => {
    const person = await newPerson('grace');
    const { page, close } = await openKeys({ as: person });
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Board');
    await dialog.getByRole('combobox', { name: 'Expires' }).click();
    await page.getByRole('option', { name: 'Custom' }).click();
    await dialog.getByLabel('Days').fill('');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('Enter a number of days.').waitFor();
    await dialog.getByLabel('Days').fill('5');
    await dialog.getByRole('combobox', { name: 'Only these queries' }).click();
    await page.getByRole('option', { name: 'Sales by region' }).click();
    await takeScreenshot(page, 'api-keys-create');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const key = (await page.getByTestId('new-key').textContent()) ?? '';
    await page.getByText('Only QD_Sales_by_region_Demo').waitFor();
    await page.getByRole('row', { name: /Board/ }).getByText('in 5 days').waitFor();
    expect((await service.as({ key }).run('QD_Best_sellers_Demo')).status).toBe(403);
    await close();
  });

  test('sets limits of a key, reports those that are too high, and shows their usage', async () => {
    const person = await newPerson('limited');
    await service.as(admin).call('PATCH', '/api/v1/settings', { keyConcurrent: 4 });
    const { page, consoleErrors, close } = await openKeys({ as: person });
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Partner');
    expect(await dialog.getByLabel('Rows per day').isVisible()).toBe(false);
    await dialog.getByRole('button', { name: 'Limits' }).click();
    await dialog.getByLabel('Rows per day').fill('5000');
    await dialog.getByLabel('Queries at a time').fill('5');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByText('Every key is limited to 4: a key may have a lower limit, not a higher one.').waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'api-keys-limits');
    await dialog.getByLabel('Queries at a time').fill('2');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const key = (await page.getByTestId('new-key').textContent()) ?? '';
    const row = page.getByRole('row', { name: /Partner/ });
    await row.getByText('0 of 5,000 rows').waitFor();
    await row.getByText('2 at a time').waitFor();
    const { json } = await service.as({ key }).run('QD_Sales_by_region_Demo');
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.getByText('1 of 5 active').waitFor();
          return row.getByText(`${json.Data.length} of 5,000 rows`).isVisible();
        },
        { timeout: 30_000 },
      )
      .toBe(true);
    await expectAccessible(page);
    await takeScreenshot(page, 'api-keys-limited');
    expect(consoleErrors().filter((each) => !each.includes('400'))).toEqual([]);
    await service.as(admin).call('PATCH', '/api/v1/settings', { keyConcurrent: null });
    await close();
  }, 90_000);

  test('renames a key, and revokes it after confirmation', async () => {
    const person = await newPerson('lin');
    const { key } = await createKey(person.caller, { name: 'Lptop' });
    const { page, close } = await openKeys({ as: person });
    await page.getByRole('button', { name: 'Rename Lptop' }).click();
    const name = page.getByRole('dialog', { name: 'Rename “Lptop”' }).getByLabel('Name');
    await name.fill('');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByText('Enter a name for the key.').waitFor();
    await takeScreenshot(page, 'api-keys-rename');
    await name.fill('Laptop');
    await name.press('Enter');
    const button = page.getByRole('button', { name: 'Revoke Laptop' });
    await button.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect((await service.as({ key }).call('GET', '/api/v1/account')).status).toBe(200);
    await button.click();
    await takeScreenshot(page, 'api-keys-revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('0 of 5 active').waitFor();
    await page
      .getByRole('row', { name: /Laptop/ })
      .getByText('revoked')
      .waitFor();
    expect((await service.as({ key }).call('GET', '/api/v1/account')).status).toBe(401);
    await close();
  });

  test('lists the active keys of 150 first, fifty at a time, and finds others by name', async () => {
    const person = await newPerson('rotating');
    for (let made = 0; made < 150; made += 5) {
      await Promise.all([1, 2, 3, 4, 5].map((each) => createKey(person.caller, { name: `Rotated ${made + each}` })));
      await service.as(admin).call('DELETE', `/api/v1/users/${person.id}/api-keys`);
    }
    for (const name of ['Nightly export', 'Weekly export']) await createKey(person.caller, { name });
    const { page, consoleErrors, close } = await openKeys({ as: person });
    await page.getByText('2 of 5 active').waitFor();
    const rows = page.getByRole('table', { name: 'API Keys' }).locator('tbody tr');
    expect(await rows.count()).toBe(50);
    expect((await rows.allInnerTexts()).slice(0, 2).join()).toMatch(/Weekly export[^]*active[^]*Nightly export[^]*active/i);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows.count()).toBe(100);
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('Rotated 123');
    await expect.poll(() => rows.count()).toBe(1);
    await expectAccessible(page);
    await takeScreenshot(page, 'api-keys-many');
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('no such key');
    await page.getByText('Nothing found for “no such key”').waitFor();
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('disables Create at five keys and explains why', async () => {
    const person = await newPerson('full');
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await createKey(person.caller, { name });
    const { page, close } = await openKeys({ as: person });
    await page.getByText('5 of 5 active').waitFor();
    const create = page.getByRole('button', { name: 'Create key' });
    expect(await create.isDisabled()).toBe(true);
    await page.getByText('You have 5 active keys, the maximum. Revoke one to create another.').waitFor();
    await page.getByRole('button', { name: 'Revoke Three' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => create.isEnabled()).toBe(true);
    await close();
  });

  test('shows errors of the service in the dialog', async () => {
    const person = await newPerson('racer');
    const { page, close } = await openKeys({ as: person });
    await page.getByRole('button', { name: 'Create key' }).click();
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await createKey(person.caller, { name }); // in another window
    await page.getByRole('dialog').getByLabel('Name').fill('Six');
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('This account has 5 active API keys').waitFor();
    await close();
  });

  test('has no axe violations or console errors in any look', async () => {
    const person = await newPerson('looked-at');
    await createKey(person.caller, { name: 'Assistant (MCP)', expiresInDays: 17, queries: ['QD_Sales_by_region_Demo'] });
    await createKey(person.caller, { name: 'Power BI refresh', expiresInDays: null });
    const { id } = await createKey(person.caller, { name: 'Old script' });
    await person.caller.call('DELETE', `/api/v1/account/api-keys/${id}`);
    const { page, consoleErrors, close } = await openKeys({ as: person });
    await page.getByText('2 of 5 active').waitFor();
    await expectAccessibleInEveryLook(page, 'api-keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await expectAccessibleInEveryLook(page, 'api-keys-dialog');
    expect(consoleErrors()).toEqual([]);
    await close();
  }, 90_000);

  test('changes the password, shows errors at their fields and ends all sessions', async () => {
    const person = await newPerson('keeper');
    const elsewhere = await open({ as: person });
    const { page, close } = await open({ as: person });
    await page.goto('/account/password');
    const current = page.getByLabel('Current password');
    const fresh = page.getByLabel('New password');
    const change = page.getByRole('button', { name: 'Change password' });
    await current.fill('not my password at all');
    await fresh.fill('short');
    await change.click();
    await page.getByText('Use at least 12 characters.').waitFor();
    await fresh.fill('quite another four words');
    await change.click();
    await page.getByText('This is not your current password.').waitFor();
    expect(await current.getAttribute('aria-invalid')).toBe('true');
    await current.fill(person.password);
    await change.click();
    await page.getByText('Your password was changed. Sign in with the new one.').waitFor();
    await page.getByLabel('User Name').fill(person.username);
    await page.getByLabel('Password', { exact: true }).fill('quite another four words');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await elsewhere.page.goto('/account/api-keys');
    await elsewhere.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await elsewhere.close();
    await close();
  });
});
