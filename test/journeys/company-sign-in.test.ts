import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openBrowser, takeScreenshot, type Visit, visit } from '../support/browser/browser.ts';
import { type OidcService, startOidcService } from '../support/services/oidc-provider.ts';

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`at a company (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let oidc: OidcService;
  beforeAll(async () => {
    oidc = await startOidcService({ SLUICE_OIDC_NAME: 'Example Ltd', SLUICE_OIDC_ROLE_MAP: 'analysts=Query User' });
    oidc.provider.people.set('alice', { name: 'Alice Example', preferred_username: 'alice', groups: ['analysts'] });
    oidc.provider.people.set('bob', { preferred_username: 'bob', groups: [] });
  });
  afterAll(() => oidc.close());

  const open = (): Promise<Visit> => visit(browser as Browser, oidc.service, { as: null });

  async function signIn({ page }: Visit, login: string): Promise<void> {
    await page.getByRole('link', { name: 'Sign in with Example Ltd' }).click();
    await page.getByPlaceholder('Enter any login').fill(login);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  test('signs in at the provider and continues at the requested page, without a password to change', async () => {
    const visitor = await open();
    const { page, consoleErrors, close } = visitor;
    await page.goto('/account/password');
    await page.getByRole('link', { name: 'Sign in with Example Ltd' }).waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'sign-in-company');
    expect(consoleErrors().filter((each) => !each.includes('401'))).toEqual([]); // the pages of the provider have some
    await signIn(visitor, 'alice');
    await page.waitForURL('**/account/password');
    await page.getByText('You sign in through your company').waitFor();
    expect(await page.getByLabel('New password').count()).toBe(0);
    await takeScreenshot(page, 'password-company');
    await close();
  });

  test('shows a message on the sign-in page to users without a role', async () => {
    const visitor = await open();
    const { page, close } = visitor;
    await page.goto('/sign-in');
    await signIn(visitor, 'bob');
    await page.getByRole('alert').getByText('you have no role here yet').waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'sign-in-no-role');
    await close();
  });

  test('shows no text from the URL', async () => {
    const { page, close } = await open();
    await page.goto('/sign-in?problem=Call%20this%20number');
    await page.getByRole('alert').getByText('Sign-in failed.').waitFor();
    expect(await page.getByText('Call this number').count()).toBe(0);
    await close();
  });
});
