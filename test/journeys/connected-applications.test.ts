import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { createQueryUser, createUser } from '../support/people/accounts.ts';
import { connect, createApplication, send } from '../support/people/oauth.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(
  `connected applications (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    let letters: string;
    beforeAll(async () => {
      service = await startTestService();
      letters = (await publish(service.as(admin), { name: 'Letters', sql: "select 'a' as letter" })).queryName;
    });
    afterAll(() => service.close());

    const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);

    test('lists what a person connected, and ends the access of one application at once', async () => {
      const user = await createQueryUser(service, 'ana');
      const claude = await connect(service, await createApplication(service, { client_name: 'Claude' }), {
        user: user.credential,
      });
      const cursor = await connect(service, await createApplication(service, { client_name: 'Cursor' }), {
        user: user.credential,
        choice: { queries: [letters], days: 7 },
      });
      const { json } = await expectStatus(
        service.as(admin).call<{ clientId: string }>('POST', '/api/v1/oauth/clients', {
          name: 'Our assistant',
          redirectUris: ['https://assistant.example.com/callback'],
        }),
        201,
      );
      await connect(
        service,
        { clientId: json.clientId, redirectUri: 'https://assistant.example.com/callback' },
        { user: user.credential },
      );
      expect((await send(service, cursor.access_token, 'tools/call', { name: 'list_queries' })).status).toBe(200);

      const { page, consoleErrors, close } = await open({ as: user });
      await page.goto('/');
      await page.getByRole('navigation').getByRole('link', { name: 'Connected applications' }).click();
      const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
      await row('Claude').getByText('All queries').waitFor();
      await row('Claude').getByText('Name not verified').waitFor();
      await row('Claude').getByText('Never').waitFor();
      await row('Claude').getByText('in 30 days').waitFor();
      await row('Cursor').getByText('1 chosen').waitFor();
      await row('Cursor').getByText(letters).waitFor();
      await row('Cursor').getByText('in 7 days').waitFor();
      await row('Our assistant').getByText('Registered by an administrator').waitFor();
      await expect
        .poll(async () => {
          await page.reload();
          await row('Cursor').waitFor();
          return row('Cursor')
            .getByText(/ago|now/)
            .count();
        })
        .toBe(1);
      await expectAccessibleInEveryLook(page, 'connected-applications');

      await page.getByRole('button', { name: 'End access of Claude' }).click();
      const dialog = page.getByRole('dialog', { name: 'End access?' });
      await dialog.getByText('“Claude” loses access immediately').waitFor();
      await expectAccessibleInEveryLook(page, 'connected-applications-end');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect((await send(service, claude.access_token, 'tools/list')).status).toBe(200);

      await page.getByRole('button', { name: 'End access of Claude' }).click();
      await dialog.getByRole('button', { name: 'End access' }).click();
      await page.getByText('The access has ended.').waitFor();
      await expect.poll(() => row('Claude').count()).toBe(0);
      expect((await send(service, claude.access_token, 'tools/list')).status).toBe(401);
      expect((await send(service, cursor.access_token, 'tools/list')).status).toBe(200);
      expect(consoleErrors()).toEqual([]);
      await close();
    }, 120_000);

    test('says that an access had ended elsewhere already', async () => {
      const user = await createQueryUser(service, 'bea');
      await connect(service, await createApplication(service, { client_name: 'Claude' }), { user: user.credential });
      const { page, close } = await open({ as: user });
      await page.goto('/account/applications');
      await page.getByRole('button', { name: 'End access of Claude' }).click();
      const { json } = await user.caller.call<{ items: { id: string }[] }>('GET', '/api/v1/account/applications');
      await expectStatus(user.caller.call('DELETE', `/api/v1/account/applications/${json.items[0]?.id}`), 204);
      await page.getByRole('dialog').getByRole('button', { name: 'End access' }).click();
      await page.getByText('The access had already ended.').waitFor();
      await page.getByText('No applications are connected').waitFor();
      await close();
    });

    test('shows the names of unknown applications as plain text', async () => {
      const user = await createQueryUser(service, 'cleo');
      const name = `<b>Claude</b>\u202e ${'Z\u0351\u0352\u0353\u0354'.repeat(9)}${'W'.repeat(60)}`;
      await connect(service, await createApplication(service, { client_name: name }), { user: user.credential });
      const { page, close } = await open({ as: user });
      await page.goto('/account/applications');
      await page.getByText('<b>Claude</b>').waitFor();
      expect(await page.locator('main').innerText()).not.toContain('\u202e');
      await expectAccessibleInEveryLook(page, 'connected-applications-stranger');
      await close();
    });

    test('says that nothing is connected, and what went wrong when the list cannot be read', async () => {
      const user = await createQueryUser(service, 'dora');
      const { page, context, close } = await open({ as: user });
      await page.goto('/account/applications');
      await page.getByText('No applications are connected').waitFor();
      await expectAccessibleInEveryLook(page, 'connected-applications-none');
      await page.getByRole('main').getByRole('link', { name: 'AI gateway' }).click();
      await page.getByRole('region', { name: 'Connect by signing in' }).waitFor();
      await context.route('**/api/v1/account/applications*', (route) =>
        route.fulfill({ status: 500, json: { status: 500, code: 'internal_error', detail: 'Something failed.' } }),
      );
      await page.goto('/account/applications');
      await page.getByRole('alert').waitFor();
      await expectAccessibleInEveryLook(page, 'connected-applications-failed');
      await context.unroute('**/api/v1/account/applications*');
      await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click();
      await page.getByText('No applications are connected').waitFor();
      await close();
    }, 60_000);

    test('user managers see the applications of a person and end their access', async () => {
      const user = await createQueryUser(service, 'eva');
      const claude = await connect(service, await createApplication(service, { client_name: 'Claude' }), {
        user: user.credential,
      });
      await createUser(service, 'portal-of-eva', { kind: 'application', owner: 'eva', password: undefined, fullName: '' });
      const { page, consoleErrors, close } = await open();
      await page.goto('/users?search=eva');
      await page.getByRole('button', { name: 'Keys of portal-of-eva' }).waitFor();
      expect(await page.getByRole('button', { name: 'Applications of portal-of-eva' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Applications of eva', exact: true }).click();
      const drawer = page.getByRole('dialog', { name: 'Connected applications' });
      await drawer.getByText('AI applications that eva connected').waitFor();
      await drawer.getByText('Name not verified').waitFor();
      await expectAccessibleInEveryLook(page, 'users-applications');
      await drawer.getByRole('button', { name: 'End access of Claude' }).click();
      await page.getByRole('dialog', { name: 'End access?' }).getByRole('button', { name: 'End access' }).click();
      await drawer.getByText('No applications are connected').waitFor();
      expect((await send(service, claude.access_token, 'tools/list')).status).toBe(401);
      expect(consoleErrors()).toEqual([]);

      await page.goto('/audit?action=application.end');
      await page.getByText('application Claude of user eva').waitFor();
      await close();
    }, 60_000);
  },
);

describe.skipIf(typeof browser === 'string')(
  `without signing in from applications (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService({ SLUICE_OAUTH: 'off' });
    });
    afterAll(() => service.close());

    test('no page offers it, and its own pages say that it is off', async () => {
      const { page, consoleErrors, close } = await visit(browser as Browser, service, {});
      await page.goto('/settings');
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      expect(await page.getByRole('link', { name: /applications/i }).count()).toBe(0);
      await page.goto('/users');
      await page.getByRole('button', { name: 'Keys of admin' }).waitFor();
      expect(await page.getByRole('button', { name: /^Applications/ }).count()).toBe(0);
      await page.goto('/ai-gateway');
      await page.getByRole('region', { name: 'Address', exact: true }).waitFor();
      expect(await page.getByText('/mcp/oauth').count()).toBe(0);
      for (const path of ['/account/applications', '/settings/applications']) {
        await page.goto(path);
        await page.getByText('AI applications cannot sign people in').waitFor();
      }
      expect(consoleErrors()).toEqual([]);
      await close();
    });
  },
);
