import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectAccessibleInEveryLook,
  openBrowser,
  takeScreenshot,
  type Visit,
  visit,
} from '../support/browser/browser.ts';
import { createKey, createUser } from '../support/people/accounts.ts';
import { createSigner, sign } from '../support/people/viewers.ts';
import { publish } from '../support/queries/publish.ts';
import { type List, type TestService, admin, startTestService } from '../support/services/service.ts';

const browser = await openBrowser();
const SLOW = { timeout: 15_000 };

interface User {
  readonly id: string;
  readonly username: string;
  readonly roles: readonly string[];
  readonly databases: readonly string[];
  readonly expiresAt: string | null;
  readonly disabled: boolean;
}

const LONG_MS = 120_000; // axe is slow on a busy machine

describe.skipIf(typeof browser === 'string')(`Users (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);
  const findUser = async (name: string) =>
    (await service.as(admin).call<List<User>>('GET', `/api/v1/users?search=${name}`)).json.items[0];
  const dialogOf = (page: Page): Locator => page.getByRole('dialog');
  const choose = async (page: Page, field: string, ...options: readonly string[]) => {
    await dialogOf(page).getByRole('combobox', { name: field }).click();
    for (const name of options) await page.getByRole('option', { name, exact: true }).click();
    await page.keyboard.press('Tab');
  };
  const buttonsOf = (row: Locator) => row.getByRole('button').allInnerTexts();
  const hasFocus = (field: Locator) => field.evaluate((element) => element.matches(':focus'));
  const rowOf = (page: Page, name: RegExp) => page.getByRole('row', { name });

  test('a new user has no access without roles and databases', async () => {
    const { page, consoleErrors, close } = await open();
    await page.goto('/users');
    await page.getByRole('button', { name: 'New user' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText('This user sees nothing without a role and a database.').waitFor();
    await dialog.getByRole('textbox', { name: 'User Name' }).fill('nora');
    await dialog.getByLabel(/^Password/).fill('four plain words here');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await page.getByText('Created the user “nora”.').waitFor();
    const row = page.getByRole('row', { name: /nora/ });
    await row.getByText('None: no permissions').waitFor();
    await row.getByText('None: sees no data').waitFor();
    expect(await findUser('nora')).toMatchObject({ roles: [], databases: [], expiresAt: null, disabled: false });

    await page.getByRole('button', { name: 'Edit nora' }).click();
    expect(page.url()).toContain('edit=');
    await choose(page, 'Roles', 'Query User', 'Auditor');
    await dialog.getByText('This user cannot run queries without a database.').waitFor();
    await choose(page, 'Databases', 'Demo');
    await dialog.getByRole('textbox', { name: 'Expires' }).fill('2999-12-31');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved “nora” and signed them out everywhere.').waitFor();
    expect(await findUser('nora')).toMatchObject({
      roles: ['Auditor', 'Query User'],
      databases: ['Demo'],
      expiresAt: '2999-12-31T23:59:59.999Z',
    });
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel'), SLOW).toBe('Edit nora');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('creates an application and a key for it', async () => {
    const { page, consoleErrors, close } = await open();
    await page.goto('/users');
    await page.getByRole('button', { name: 'New user' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText('Application', { exact: true }).click();
    expect(await dialog.getByLabel(/Password|Email/).count()).toBe(0);
    expect(await dialog.getByRole('textbox', { name: 'Owner' }).inputValue()).toBe('admin');
    await dialog.getByRole('textbox', { name: 'User Name' }).fill('portal');
    await choose(page, 'Roles', 'Query User');
    await choose(page, 'Databases', 'Demo');
    await expectAccessible(page);
    await takeScreenshot(page, 'users-new-application');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await rowOf(page, /portal/)
      .getByText('Application of admin')
      .waitFor();
    expect(await findUser('portal')).toMatchObject({ kind: 'application', owner: 'admin', roles: ['Query User'] });

    await page.getByRole('button', { name: 'Keys of portal' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Create API key' }).getByRole('textbox', { name: 'Name' }).fill('Production');
    await page.getByRole('dialog', { name: 'Create API key' }).getByRole('button', { name: 'Create' }).click();
    const key = await page.getByTestId('new-key').innerText();
    expect((await service.as({ key }).call('GET', '/api/v1/account')).json).toMatchObject({ username: 'portal' });
    await page.getByRole('button', { name: 'Revoke Production' }).waitFor();
    await takeScreenshot(page, 'users-keys-of-an-application');

    await page.getByText('No keys: the application signs no tokens.').waitFor();
    await page.getByRole('button', { name: 'Create secret' }).click();
    const secret = Buffer.from(await page.getByTestId('new-secret').innerText(), 'base64url');
    await page.getByText('A secret (HS256).').waitFor();
    const { id = '' } = (await findUser('portal')) ?? {};
    const claims = { iss: id, aud: service.url, sub: 'vera', queries: [] };
    const viewer = service.as({ token: await sign({ alg: 'HS256', key: secret }, claims) });
    expect((await viewer.run('QD_Sales_by_region_Demo')).status, 'known, without a query').toBe(403);
    await expect
      .poll(
        async () => (await service.as(admin).call<List<unknown>>('GET', `/api/v1/users/${id}/viewers`)).json.items.length,
        SLOW,
      )
      .toBe(1);
    await page.reload();
    await page.getByRole('button', { name: 'Block vera' }).click();
    await page.getByRole('dialog', { name: 'Block “vera”?' }).getByRole('button', { name: 'Block' }).click();
    await page.getByRole('button', { name: 'Unblock vera' }).waitFor();
    expect((await viewer.run('QD_Sales_by_region_Demo')).status).toBe(401);
    await page.getByRole('searchbox', { name: 'Search viewers' }).fill('ver');
    await page.getByRole('button', { name: 'Block “ver”' }).waitFor(); // also beside names that contain it
    await page.getByRole('searchbox', { name: 'Search viewers' }).fill('mallory');
    await page.getByRole('button', { name: 'Block “mallory”' }).click();
    await page.getByRole('dialog', { name: 'Block “mallory”?' }).getByRole('button', { name: 'Block' }).click();
    await page.getByRole('button', { name: 'Unblock mallory' }).waitFor();
    expect(await page.getByRole('button', { name: 'Unblock vera' }).count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Search viewers' }).fill('');
    await page.getByRole('button', { name: 'Unblock vera' }).waitFor();
    for (let number = 0; number < 60; number++)
      await service.as(admin).call('POST', `/api/v1/users/${id}/viewers/guest ${number}/block`);
    await page.reload();
    const viewers = page.getByRole('region', { name: 'Viewers of the last 30 days' });
    await viewers.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => viewers.getByRole('button', { name: /^Unblock / }).count(), SLOW).toBe(62);
    await page.getByRole('searchbox', { name: 'Search viewers' }).fill('x'.repeat(190));
    await page.getByRole('button', { name: /^Block “x+”/ }).click();
    const asked = page.getByRole('dialog', { name: /^Block “x+”/ });
    await asked.waitFor();
    const cut =
      'document.querySelector(".mantine-Modal-title").scrollWidth > document.querySelector(".mantine-Modal-header").clientWidth';
    expect(await page.evaluate(cut)).toBe(false);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await page.setViewportSize({ width: 380, height: 800 });
    await takeScreenshot(page, 'users-viewers-of-an-application-narrow');
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth'), SLOW).toBeLessThanOrEqual(380);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('searchbox', { name: 'Search viewers' }).fill('');
    await page.getByRole('button', { name: 'Copy iss' }).waitFor();
    await page.getByRole('button', { name: 'Set public keys' }).click();
    const keys = page.getByRole('textbox', { name: 'Public keys' });
    const save = page.getByRole('button', { name: 'Save keys' });
    for (const [text, problem] of [
      ['{"keys": [', 'no valid JSON'],
      ['-----BEGIN PUBLIC KEY-----', 'PEM'],
      ['nowhere', 'An https address is expected.'],
    ] as const) {
      await keys.fill(text);
      await save.click();
      await page.getByRole('alert').getByText(problem).waitFor();
    }
    await keys.fill(JSON.stringify(createSigner('ES256', 'k1').jwk));
    await save.click();
    await page.getByText('Public keys: k1 (ES256)').waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'users-viewers-of-an-application');
    expect(consoleErrors(), 'of the refused address').toEqual([expect.stringContaining('400')]);
    await close();
  });

  test('a lazily loaded form takes the focus and returns it', async () => {
    const { page, consoleErrors, close } = await open();
    const code = Promise.withResolvers<void>();
    await page.route('**/user-editor-*.js', async (route) => {
      await code.promise;
      await route.continue();
    });
    await page.goto('/users');
    const opener = page.getByRole('button', { name: 'New user' });
    await opener.press('Enter');
    await dialogOf(page).waitFor();
    code.resolve();
    await expect.poll(() => hasFocus(dialogOf(page).getByRole('textbox', { name: 'User Name' })), { timeout: 10_000 }).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => hasFocus(opener), { timeout: 10_000 }).toBe(true);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('shows errors of the service at their fields', async () => {
    const { page, close } = await open();
    await page.goto('/users?edit=new');
    const dialog = dialogOf(page);
    await dialog.getByRole('textbox', { name: 'User Name' }).fill('ADMIN');
    await dialog.getByLabel(/^Password/).fill('short');
    await dialog.getByRole('textbox', { name: 'Email' }).fill('nowhere');
    await dialog.getByRole('textbox', { name: 'Expires' }).fill('soon');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await dialog.getByText('Expected an email address.').waitFor();
    await dialog.getByText('Expected an ISO 8601 date or time.').waitFor();
    await takeScreenshot(page, 'users-refused');
    await dialog.getByRole('textbox', { name: 'Email' }).fill('');
    await dialog.getByRole('textbox', { name: 'Expires' }).fill('');
    await dialog.getByLabel(/^Password/).fill('four plain words here');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await dialog.getByText('Another user has this user name').waitFor();
    await close();
  });

  test('the last Administrator cannot be demoted, and the form explains why', async () => {
    const { page, close } = await open();
    await page.goto('/users');
    await page.getByRole('button', { name: 'Edit admin' }).waitFor();
    expect(await buttonsOf(rowOf(page, /^admin\b/)), 'not even deleted').toEqual(['Edit', 'Keys', 'Applications']);
    await page.getByRole('button', { name: 'Edit admin' }).click();
    await dialogOf(page).getByRole('link', { name: 'My Account' }).waitFor();
    expect(
      await dialogOf(page)
        .getByLabel(/Password/)
        .count(),
      'their own, which needs the current one',
    ).toBe(0);
    await dialogOf(page).getByRole('switch', { name: 'Disabled' }).press('Space');
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await dialogOf(page).getByText('This is the last Administrator').waitFor();
    expect(await findUser('admin')).toMatchObject({ disabled: false });
    await close();
  });

  test('deletes a user after confirmation', async () => {
    await createUser(service, 'gone');
    const { page, close } = await open();
    await page.goto('/users?search=gone');
    const button = page.getByRole('button', { name: 'Delete gone' });
    await button.click();
    await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
    expect(await findUser('gone')).toBeDefined();
    await button.click();
    await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing found for “gone”').waitFor();
    expect(await findUser('gone')).toBeUndefined();
    await close();
  });

  test(
    'revokes the keys of a user one by one and all together',
    async () => {
      const { caller } = await createUser(service, 'keeper', { roles: ['Query User'], databases: ['*'] });
      const keys = await Promise.all(['Nightly', 'Laptop', 'Script'].map((name) => createKey(caller, { name })));
      const { page, close } = await open();
      await page.goto('/users?search=keeper');
      await page.getByRole('button', { name: 'Keys of keeper' }).click();
      await page.getByRole('button', { name: 'Revoke Nightly' }).click();
      await page.getByRole('dialog', { name: 'Revoke “Nightly”?' }).getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('Revoked “Nightly”.').waitFor();
      const statusOf = async (index: number) =>
        (await service.as({ key: keys[index]?.key ?? '' }).call('GET', '/api/v1/account')).status;
      expect([await statusOf(0), await statusOf(1)]).toEqual([401, 200]);
      await expectAccessible(page);
      await takeScreenshot(page, 'users-keys');
      await page.getByRole('button', { name: 'Revoke all' }).click();
      await page
        .getByRole('dialog', { name: /Revoke “all keys/ })
        .getByRole('button', { name: 'Revoke' })
        .click();
      await expect.poll(() => page.getByRole('button', { name: 'Revoke all' }).count(), SLOW).toBe(0);
      expect([await statusOf(1), await statusOf(2)]).toEqual([401, 401]);
      await close();
    },
    LONG_MS,
  );

  test('shows fields that a query is bound to as locked', async () => {
    const root = service.as(admin);
    await root.call('POST', '/api/v1/roles', { name: 'Lead', permissions: ['users.manage', 'queries.run'] });
    const lead = await createUser(service, 'regional lead', { roles: ['Lead'], databases: ['*'] });
    await createUser(service, 'north clerk', { attributes: { region: 'North', office: '7' } });
    const parameters = ['user.email', 'user.attributes.region'].map((boundTo, index) => ({
      name: `@P${index}`,
      dataType: 'nvarchar(50)',
      boundTo,
    }));
    const { id } = await publish(root, { name: 'Bound', sql: 'select @P0 as a, @P1 as b', parameters });
    const { page, close } = await open({ as: lead });
    try {
      await page.goto('/users');
      await page.getByRole('button', { name: 'Edit north clerk' }).click();
      await dialogOf(page).getByText('Active queries show rows by email, the attribute region.').waitFor();
      expect(await dialogOf(page).getByLabel('Email').isDisabled()).toBe(true);
      expect(await dialogOf(page).getByLabel('Values of attribute 1').isDisabled()).toBe(true);
      expect(await dialogOf(page).getByLabel('Values of attribute 2').isDisabled()).toBe(false);
      await takeScreenshot(page, 'user-locked-fields');
      await expectAccessible(page);
    } finally {
      await close();
      await root.call('POST', `/api/v1/queries/${id}/deactivate`);
    }
  });

  test('a user manager cannot grant more than they have', async () => {
    const person = await createUser(service, 'warden', { roles: ['Security Administrator'] });
    await createUser(service, 'reader', { roles: ['Auditor'] });
    const { page, consoleErrors, close } = await open({ as: person });
    await page.goto('/users');
    await page.getByRole('button', { name: 'Edit reader' }).waitFor();
    expect(await buttonsOf(rowOf(page, /reader/))).toEqual(['Edit', 'Keys', 'Applications', 'Delete']);
    expect(await buttonsOf(rowOf(page, /\badmin\b/)), 'can do more than they').toEqual([]);
    await page.getByRole('button', { name: 'Edit reader' }).click();
    await dialogOf(page).getByRole('combobox', { name: 'Roles' }).click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Auditor', 'Security Administrator']);
    await page.keyboard.press('Escape');
    await dialogOf(page).getByRole('combobox', { name: 'Databases' }).fill('No such');
    await page.keyboard.press('Enter');
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await dialogOf(page).getByText('No such: There is no database with this name.').waitFor();
    await page.goto('/users');
    await page.getByRole('button', { name: 'Edit warden' }).click();
    await dialogOf(page).getByText('This is your own account.').waitFor();
    expect(await dialogOf(page).getByRole('combobox', { name: 'Roles' }).count()).toBe(0);
    expect(await dialogOf(page).getByRole('button', { name: 'Save' }).isDisabled(), 'nothing can be changed').toBe(true);
    expect(consoleErrors().filter((text) => !text.includes('400'))).toEqual([]);
    await close();
  });

  test(
    'the form has no axe violations or console errors in any look',
    async () => {
      const { page, consoleErrors, close } = await open();
      await page.goto('/users');
      await page.getByRole('button', { name: 'New user' }).click();
      await dialogOf(page).getByRole('textbox', { name: 'User Name' }).waitFor();
      await expectAccessibleInEveryLook(page, 'users-form');
      expect(consoleErrors()).toEqual([]);
      await close();
    },
    LONG_MS,
  );
});
