import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, takeScreenshot, type Visit, visit } from '../support/browser/browser.ts';
import { createUser } from '../support/people/accounts.ts';
import { type TestService, startTestService } from '../support/services/service.ts';

const browser = await openBrowser();
const SLOW = { timeout: 15_000 };

const LONG_MS = 120_000; // axe is slow on a busy machine

describe.skipIf(typeof browser === 'string')(`Roles (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);
  const dialogOf = (page: Page): Locator => page.getByRole('dialog');
  const buttonsOf = (row: Locator) => row.getByRole('button').allInnerTexts();
  const rowOf = (page: Page, name: RegExp) => page.getByRole('row', { name });

  test('creates, changes and deletes a role', async () => {
    const { page, consoleErrors, close } = await open();
    await page.goto('/roles');
    await page.getByRole('button', { name: 'New role' }).click();
    const dialog = dialogOf(page);
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Watcher');
    await dialog.getByRole('checkbox', { name: 'audit.view' }).click();
    await dialog.getByRole('button', { name: 'Create role' }).click();
    await page.getByText('Created the role “Watcher”.').waitFor();
    const row = page.getByRole('row', { name: /Watcher/ });
    await row.getByText('audit.view').waitFor();
    await page.getByRole('button', { name: 'Edit Watcher' }).click();
    await dialog.getByRole('checkbox', { name: 'queries.run' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('queries.run').waitFor();
    await page.getByRole('button', { name: 'Delete Watcher' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => row.count(), SLOW).toBe(0);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('a role in use cannot be deleted, and Administrator is read-only', async () => {
    await createUser(service, 'holder', { roles: ['Query Author'] });
    const { page, close } = await open();
    await page.goto('/roles');
    await page.getByRole('button', { name: 'Delete Query Author' }).click();
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('A user still holds this role, or a query names it.').waitFor();
    await takeScreenshot(page, 'roles-in-use');
    expect(await buttonsOf(rowOf(page, /Built-in/))).toEqual(['View']);
    await page.getByRole('button', { name: 'View Administrator' }).click();
    await dialogOf(page).getByText('cannot be changed').waitFor();
    expect(await dialogOf(page).getByRole('checkbox').count()).toBe(0);
    await takeScreenshot(page, 'roles-administrator');
    await close();
  });

  test('a user cannot grant a permission that they lack', async () => {
    const person = await createUser(service, 'giver', { roles: ['Security Administrator'] });
    const { page, close } = await open({ as: person });
    await page.goto('/roles?edit=new');
    const dialog = dialogOf(page);
    await dialog.getByText('You can grant only permissions that you have.').waitFor();
    expect(await dialog.getByRole('checkbox', { name: 'audit.view' }).isEnabled()).toBe(true);
    expect(await dialog.getByRole('checkbox', { name: 'queries.run' }).isEnabled()).toBe(false);
    await close();
  });

  test(
    'the form has no axe violations or console errors in any look',
    async () => {
      const { page, consoleErrors, close } = await open();
      await page.goto('/roles');
      await page.getByRole('button', { name: 'Edit Auditor' }).click();
      await dialogOf(page).getByRole('textbox', { name: 'Name' }).waitFor();
      await expectAccessibleInEveryLook(page, 'roles-form');
      expect(consoleErrors()).toEqual([]);
      await close();
    },
    LONG_MS,
  );
});
