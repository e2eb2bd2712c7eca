import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { createQueryUser } from '../support/people/accounts.ts';
import { connect, createApplication, send } from '../support/people/oauth.ts';
import { createVouchingApplication } from '../support/people/viewers.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const endless = 'select sum(a.i * b.i % 7) as n from range(1000000) a(i), range(1000000) b(i)';

describe.skipIf(typeof browser === 'string')(
  `who called, in the audit trail (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    let token: string;
    beforeAll(async () => {
      service = await startTestService();
      await publish(service.as(admin), { name: 'Letters', sql: "select 'a' as letter" });
      await publish(service.as(admin), { name: 'Endless', sql: endless });
      const { credential } = await createQueryUser(service, 'ana');
      const application = await createApplication(service, { client_name: 'Claude' });
      token = (await connect(service, application, { user: credential })).access_token;
      const portal = await createVouchingApplication(service, 'portal', { roles: ['Query User'], databases: ['*'] });
      await expectStatus((await portal.as('vera')).run('QD_Letters_Demo'), 200);
    });
    afterAll(() => service.close());

    const open = (): Promise<Visit> => visit(browser as Browser, service, {});
    const execute = (queryName: string) =>
      send(service, token, 'tools/call', { name: 'execute_query', arguments: { queryName } });

    test('names the AI application that a person signed in from, and finds its calls', async () => {
      expect((await execute('QD_Letters_Demo')).status).toBe(200);
      const { page, consoleErrors, close } = await open();
      await page.goto('/audit?channel=mcp&query=QD_Letters_Demo');
      const row = page.getByRole('row', { name: /QD_Letters_Demo/ });
      await row.waitFor();
      const cells = (await row.getByRole('cell').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
      expect(cells.slice(1, 3)).toEqual(['ana', 'Claude signed in']);
      await expectAccessibleInEveryLook(page, 'audit-callers');
      await row.getByRole('button', { name: /^Details/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('row', { name: /Signed in from Claude/ }).waitFor();
      await dialog.getByRole('row', { name: 'Kind of user person' }).waitFor();
      await dialog.getByRole('button', { name: 'Only this application' }).click();
      await expect.poll(() => page.url()).toContain('search=Claude');
      await row.waitFor();
      await expect.poll(() => page.getByRole('row', { name: /vera/ }).count()).toBe(0);
      expect(consoleErrors()).toEqual([]);
      await close();
    }, 60_000);

    test('names the viewer for whom an application called', async () => {
      const { page, close } = await open();
      await page.goto('/audit?user=portal&query=QD_Letters_Demo');
      const row = page.getByRole('row', { name: /portal application for vera/ });
      await row.getByRole('button', { name: /^Details/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('row', { name: 'Kind of user application' }).waitFor();
      await dialog.getByRole('button', { name: 'Only this viewer' }).click();
      await expect.poll(() => page.url()).toContain('search=vera');
      await row.waitFor();
      await close();
    });

    test('names the AI application of a running query', async () => {
      const { page, close } = await open();
      await page.goto('/executions');
      const running = execute('QD_Endless_Demo');
      const row = page.getByRole('row', { name: /QD_Endless_Demo/ });
      await row.getByText('ana', { exact: true }).waitFor();
      await row.getByText('Claude', { exact: true }).waitFor();
      await expectAccessibleInEveryLook(page, 'executions-callers');
      await row.getByRole('button', { name: 'Cancel QD_Endless_Demo of ana' }).click();
      await page.getByText('QD_Endless_Demo was cancelled.').waitFor();
      await running;
      await close();
    }, 60_000);
  },
);
