import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, takeScreenshot, visit } from '../support/browser/browser.ts';
import { freePort } from '../support/http/free-port.ts';
import { createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, type List, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const LONG_MS = 60_000;

describe.skipIf(typeof browser === 'string')(
  `When things go wrong (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    let endless: string;
    beforeAll(async () => {
      // a fixed port, so that open pages find the service again after a restart
      service = await startTestService({ SLUICE_PORT: String(await freePort()), SLUICE_DRAIN_SECONDS: '1' });
      const sql = 'select count(*) as n from range(1000000) a, range(1000000) b where a.range + b.range = -1';
      endless = (await publish(service.as(admin), { name: 'Endless', sql })).id;
    });
    afterAll(() => service.close());

    const open = async (path: string, options: Parameters<typeof visit>[2] = {}) => {
      const visited = await visit(browser as Browser, service, options);
      await visited.page.goto(path);
      return visited;
    };
    const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
    const running = async () =>
      (await service.as(admin).call<List<{ id: string; query: string }>>('GET', '/api/v1/executions')).json.items;

    test(
      'a list reports that the service is unavailable, and reloads automatically when it is back',
      { timeout: LONG_MS },
      async () => {
        const { page, context, close } = await open('/account/api-keys');
        await page.getByText('0 of 5 active').waitFor();
        await context.setOffline(true);
        await page.getByRole('link', { name: 'Queries', exact: true }).click();
        const alert = page.getByRole('alert');
        await page.getByRole('heading', { level: 1, name: 'This page could not be shown' }).waitFor();
        await alert.getByText('No connection').waitFor();
        await alert.getByRole('button', { name: 'Retry' }).waitFor();
        await expectAccessibleInEveryLook(page, 'service-away');
        await context.setOffline(false);
        await page.getByRole('row', { name: /Endless/ }).waitFor();
        expect(await alert.count()).toBe(0);

        // a list that is already loaded stays on the screen
        await context.setOffline(true);
        await page.getByRole('searchbox', { name: /Search/ }).fill('sales');
        await alert.getByText('The service cannot be reached. It may be restarting').waitFor();
        await takeScreenshot(page, 'list-away');
        await context.setOffline(false);
        await alert.getByRole('button', { name: 'Retry' }).click();
        await page.getByRole('row', { name: /Sales by region/ }).waitFor();
        await alert.waitFor({ state: 'detached' });
        await close();
      },
    );

    test('a run that an administrator cancels says so, and is no error', { timeout: LONG_MS }, async () => {
      const person = await createUser(service, 'ruth', { roles: ['Query User'], databases: ['*'] });
      const { page, close } = await open(`/queries/${endless}`, { as: person });
      await run(page);
      await expect.poll(running).toHaveLength(1);
      await service.as(admin).call('DELETE', `/api/v1/executions/${(await running())[0]?.id}`);
      const note = page.getByRole('status').filter({ hasText: 'Cancelled' });
      await note.getByText('by you or by an administrator').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      const id = (await note.locator('code').textContent()) ?? '';
      expect((await page.locator('main').innerText()).split(id), 'the request id is shown once').toHaveLength(2);
      await expectAccessibleInEveryLook(page, 'run-cancelled-by-administrator');
      await close();
    });

    test('a run that a restart cuts off says so, and can be run again', { timeout: LONG_MS }, async () => {
      const { page, close } = await open(`/queries/${endless}`);
      await run(page);
      await expect.poll(running).toHaveLength(1);
      await service.restart();
      await page.getByText('The service was stopped or restarted before the query ended. Run it again.').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await takeScreenshot(page, 'run-cut-off');
      await run(page);
      await expect.poll(running).toHaveLength(1);
      await page.route('**/JsonBuilder/**', (route) => route.abort('connectionreset'));
      await page.getByRole('button', { name: 'Cancel' }).click();
      await run(page);
      await page.getByText('The connection to the service ended before the result arrived.').waitFor();
      await takeScreenshot(page, 'run-interrupted');
      await close();
    });

    test('an unknown address shows a page inside the frame', async () => {
      const { page, consoleErrors, close } = await open('/no/such/page');
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Queries', exact: true }).waitFor();
      await expectAccessibleInEveryLook(page, 'not-found');
      await page.getByRole('main').getByRole('link', { name: 'Home' }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      expect(consoleErrors()).toEqual([]);
      await close();
    });
  },
);
