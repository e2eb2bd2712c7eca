import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openBrowser, takeScreenshot, type Visit, visit } from '../support/browser/browser.ts';
import { createUser } from '../support/people/accounts.ts';
import { ADMIN_PASSWORD, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`signing in (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2]): Promise<Visit> => visit(browser as Browser, service, options);

  test('opens the requested page with a title and the focus on its heading', async () => {
    const { page, close } = await open({ as: null });
    await page.goto('/account/api-keys');
    await page.waitForURL('**/sign-in?*');
    await page.getByLabel('User Name').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/account/api-keys');
    await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    await expect.poll(() => page.title()).toBe('API Keys · Sluice');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await close();
  });

  test('redirects to pages of this service only', async () => {
    const { page, close } = await open({ as: null });
    await page.goto('/sign-in?next=//elsewhere.example/');
    await signIn(page, 'admin', ADMIN_PASSWORD);
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(new URL(page.url()).origin).toBe(service.url);
    await close();
  });

  test('reports a wrong user name or password', async () => {
    const { page, close } = await open({ as: null });
    await page.goto('/sign-in');
    await signIn(page, 'admin', 'not the password');
    await page.getByRole('alert').getByText('Wrong user name or password.').waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'sign-in-wrong');
    await close();
  });

  test('reports a lock after too many attempts with its duration', async () => {
    const person = await createUser(service, 'guessed');
    const { page, close } = await open({ as: null });
    for (let attempt = 0; attempt < 6; attempt++) {
      await service.as().call('POST', '/api/v1/session', { username: 'guessed', password: 'wrong wrong wrong' });
    }
    await page.goto('/sign-in');
    await signIn(page, 'guessed', 'wrong wrong wrong');
    await page
      .getByRole('alert')
      .getByText(/Sign-in is locked. Try again in \d+ seconds/)
      .waitFor();
    expect(person.id).toBeTruthy();
    await close();
  });

  test('explains why a session ended, and continues on the same page', async () => {
    const { page, context, close } = await open({});
    await page.goto('/queries');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await context.clearCookies();
    await page.keyboard.press('Control+k'); // reads favorites
    await page.getByText('Your session has ended').waitFor();
    await signIn(page, 'admin', ADMIN_PASSWORD);
    await page.getByRole('heading', { level: 1, name: 'Queries' }).waitFor();
    await close();
  });

  test.each(['light', 'dark'] as const)('has no axe violations or console errors (%s)', async (scheme) => {
    const { page, consoleErrors, close } = await open({ as: null, scheme });
    await page.goto('/sign-in');
    await page.getByLabel('User Name').waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, `sign-in-${scheme}`);
    expect(consoleErrors()).toEqual([]);
    await close();
  });
});

async function signIn(page: Visit['page'], username: string, password: string): Promise<void> {
  await page.getByLabel('User Name').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
