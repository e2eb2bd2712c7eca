import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { createKey, createUser } from '../support/people/accounts.ts';
import { embedOf, publishChartQuery } from '../support/queries/embeds.ts';
import { linkOf } from '../support/queries/links.ts';
import { root } from '../support/repository/source-files.ts';
import { ADMIN_PASSWORD, type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

const browser = await openBrowser();
const pages = await pagesOfTheRouter();

test('finds the pages of the router', () => {
  expect(pages).toEqual(expect.arrayContaining(['/', '/queries/$id/edit', '/account/password']));
});

describe.skipIf(typeof browser === 'string')(`every page (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let queryId: string;
  beforeAll(async () => {
    service = await startTestService();
    ({ queryId } = await fill(service));
  });
  afterAll(() => service.close());

  test('logs nothing to the console from sign-in to sign-out', async () => {
    const { page, consoleErrors, close } = await visit(browser as Browser, service, { as: null });
    await page.goto('/');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(consoleErrors()).toEqual([]);
    await page.getByLabel('User Name').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  describe('visited by one user', () => {
    let visited: Visit;
    beforeAll(async () => {
      visited = await visit(browser as Browser, service);
    });
    afterAll(() => visited.close());

    test.each(pages)(
      '%s has no axe violations, console errors or horizontal overflow in any look',
      async (path) => {
        const { page, consoleErrors } = visited;
        const before = consoleErrors().length;
        await page.goto(path.replace('$id', queryId));
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
        await expectAccessibleInEveryLook(page, `page${path.replaceAll('/', '-').replace('$', '')}`);
        expect(consoleErrors().slice(before)).toEqual([]);
      },
      60_000,
    );
  });
});

/** The paths in web/app/routes.tsx, so that a new page is tested automatically, and one that does not exist. */
async function pagesOfTheRouter(): Promise<readonly string[]> {
  const routes = await readFile(join(root, 'web', 'app', 'routes.tsx'), 'utf8');
  return [...[...routes.matchAll(/\bpage\('([^']+)'/g)].map(([, path = '']) => path), '/no-such-page'];
}

/** Creates content for each page. */
async function fill(service: TestService): Promise<{ queryId: string }> {
  const caller = service.as(admin);
  const { id } = await publishChartQuery(caller, 'Items');
  const { key } = await createKey(caller, { name: 'Nightly export', queries: ['QD_Items_Demo'] });
  await service.as({ key }).run('QD_Items_Demo');
  await caller.run('QD_No_such_query_Demo');
  await embedOf(caller, { queryName: 'QD_Items_Demo', title: 'Items' });
  await linkOf(caller, { queryName: 'QD_Items_Demo', name: 'Items' });
  await createUser(service, 'teresa', { fullName: 'Teresa of the long name', roles: ['Query User'], databases: ['*'] });
  await expectStatus(
    caller.call('POST', '/api/v1/queries', { name: 'A draft', database: 'Demo', sql: 'select 1', parameters: [] }),
    201,
  );
  return { queryId: id };
}
