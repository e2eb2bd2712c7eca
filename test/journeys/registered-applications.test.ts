import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { createQueryUser, createUser } from '../support/people/accounts.ts';
import { connect, send } from '../support/people/oauth.ts';
import { admin, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const CALLBACK = 'https://assistant.example.com/callback';

describe.skipIf(typeof browser === 'string')(
  `registered applications (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService();
    });
    afterAll(() => service.close());

    const open = async (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
      const visited = await visit(browser as Browser, service, options);
      await visited.context.grantPermissions(['clipboard-read', 'clipboard-write']);
      return visited;
    };
    const formOf = (page: Page) => page.getByRole('dialog', { name: 'Register application' });
    const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });
    const register = (body: Record<string, unknown>) =>
      expectStatus(service.as(admin).call<{ clientId: string }>('POST', '/api/v1/oauth/clients', body), 201);

    test('registers a confidential application, shows its secret once, and it works', async () => {
      const { page, consoleErrors, close } = await open();
      await page.goto('/settings');
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Applications' }).click();
      await page.getByText('No applications are registered').waitFor();
      await expectAccessibleInEveryLook(page, 'registered-applications-none');
      await page.getByRole('button', { name: 'Register application' }).click();
      const form = formOf(page);
      await form.getByRole('button', { name: 'Register' }).click();
      await form.getByText('Enter the name that people see.').waitFor();
      await form.getByText('Enter the address that people are sent back to.').waitFor();
      await form.getByLabel('Name').fill('Our assistant');
      await form.getByLabel('Redirect addresses').fill(`${CALLBACK}\nhttp://elsewhere.example.com/`);
      await form.getByRole('radio', { name: 'Confidential' }).check();
      await form.getByRole('button', { name: 'Register' }).click();
      await form.getByText('http://elsewhere.example.com/: Expected an https address').waitFor();
      await expectAccessibleInEveryLook(page, 'registered-applications-form');
      await form.getByLabel('Redirect addresses').fill(`${CALLBACK}\n\nour-assistant://callback\n`);
      await form.getByRole('button', { name: 'Register' }).click();

      const panel = page.getByRole('region', { name: 'Copy the secret of “Our assistant” now' });
      const secret = await panel.getByTestId('client-secret').innerText();
      const clientId = await panel.getByTestId('client-id').innerText();
      await panel.getByText(`${service.url}/mcp/oauth`).waitFor();
      await panel.getByRole('button', { name: 'Copy client secret' }).click();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
      await rowOf(page, 'Our assistant').getByText('our-assistant://callback').waitFor();
      await rowOf(page, 'Our assistant').getByText('Confidential').waitFor();
      await expectAccessibleInEveryLook(page, 'registered-applications-secret');
      const tokens = await connect(service, { clientId, secret, redirectUri: CALLBACK });
      expect((await send(service, tokens.access_token, 'tools/list')).status).toBe(200);
      await page.reload();
      await rowOf(page, 'Our assistant').waitFor();
      expect(await page.content()).not.toContain(secret);
      expect(consoleErrors()).toEqual([expect.stringContaining('400')]); // the refused address
      await close();
    }, 120_000);

    test('registers a public application without a secret', async () => {
      const { page, close } = await open();
      await page.goto('/settings/applications?edit=new');
      await formOf(page).getByLabel('Name').fill('Desktop tool');
      await formOf(page).getByLabel('Redirect addresses').fill('http://127.0.0.1/callback');
      await formOf(page).getByRole('button', { name: 'Register' }).click();
      const panel = page.getByRole('region', { name: 'Registered “Desktop tool”' });
      await panel.getByTestId('client-id').waitFor();
      expect(await panel.getByTestId('client-secret').count()).toBe(0);
      await panel.getByRole('button', { name: 'Done' }).click();
      await rowOf(page, 'Desktop tool').getByText('Public').waitFor();
      await close();
    });

    test('registers an application for managed access to some queries, which needs a secret', async () => {
      const { page, close } = await open();
      await page.goto('/settings/applications?edit=new');
      const form = formOf(page);
      await form.getByLabel('Name').fill('Managed');
      await form.getByRole('radio', { name: 'Some queries' }).check();
      expect(await form.getByRole('radio', { name: 'Confidential' }).isChecked()).toBe(true);
      expect(await form.getByRole('radio', { name: 'Public' }).isDisabled()).toBe(true);
      await form.getByText('Managed access has no effect yet').waitFor();
      await form.getByRole('button', { name: 'Register' }).click();
      await form.getByText('Choose at least one query.').waitFor();
      await form.getByRole('combobox', { name: 'Queries' }).fill('Sales by region');
      await form.getByRole('option', { name: 'Sales by region', exact: true }).click();
      await expectAccessibleInEveryLook(page, 'registered-applications-managed');
      await form.getByRole('button', { name: 'Register' }).click();
      await page.getByTestId('client-secret').waitFor();
      await rowOf(page, 'Managed').getByText('QD_Sales_by_region_Demo').waitFor();
      await rowOf(page, 'Managed').getByText('Nowhere').waitFor();
      await close();
    }, 60_000);

    test('says what a deletion ends, and ends it', async () => {
      const { json } = await register({ name: 'Used by two', redirectUris: [CALLBACK] });
      await register({ name: 'Used by nobody', redirectUris: [CALLBACK] });
      const application = { clientId: json.clientId, redirectUri: CALLBACK };
      const user = await createQueryUser(service, 'ana');
      const tokens = await connect(service, application, { user: user.credential });
      await connect(service, application, { user: user.credential });
      await connect(service, application);
      const { page, consoleErrors, close } = await open();
      await page.goto('/settings/applications?search=used');
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Delete Used by nobody' }).click();
      await dialog.getByText('Nobody has connected it.').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Delete Used by two' }).click();
      await dialog.getByText('The access that 2 people have given it ends immediately.').waitFor();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Deleted “Used by two”.').waitFor();
      await expect.poll(() => rowOf(page, 'Used by two').count()).toBe(0);
      expect((await send(service, tokens.access_token, 'tools/list')).status).toBe(401);
      expect(consoleErrors()).toEqual([]);
      await page.goto('/audit?action=application.create');
      await page.getByText('application Used by nobody').waitFor();
      await close();
    }, 60_000);

    test('is for people who manage the settings', async () => {
      const user = await createUser(service, 'sue', { roles: ['Security Administrator'] });
      const { page, close } = await open({ as: user });
      await page.goto('/settings/applications');
      await page.getByText('This page needs the permission').waitFor();
      expect(await page.getByRole('button', { name: 'Register application' }).count()).toBe(0);
      await close();
    });
  },
);
