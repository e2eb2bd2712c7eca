import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectAccessibleInEveryLook,
  expectNoHorizontalScroll,
  openBrowser,
  takeScreenshot,
  type Visit,
  visit,
} from '../support/browser/browser.ts';
import { type Account, createKey, createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

const browser = await openBrowser();
const SLOW = { timeout: 15_000 };
const LONG_MS = 120_000;
const endless = 'select sum(a.i * b.i % 7) as n from range(1000000) a(i), range(1000000) b(i)';

describe.skipIf(typeof browser === 'string')(`Audit trail (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let person: Account;
  beforeAll(async () => {
    service = await startTestService();
    const caller = service.as(admin);
    const region = { name: '@Region', dataType: 'varchar', required: true };
    await publish(caller, { name: 'Items', sql: 'select @Region as region from range(3)', parameters: [region] });
    await publish(caller, { name: 'Endless', sql: endless });
    person = await createUser(service, 'teresa', {
      fullName: 'Teresa of the Little Flower',
      roles: ['Query User'],
      databases: ['*'],
    });
    const { key } = await createKey(person.caller, { name: 'Nightly' });
    const parameters = [{ ParameterName: '@Region', Value: 'North', DataType: 'varchar' }];
    await expectStatus(service.as({ key }).run('QD_Items_Demo', parameters), 200);
    for (let i = 0; i < 60; i++) await person.caller.run('QD_No_such_query');
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);
  const rows = (page: Page) => page.locator('tbody').getByRole('row');

  test(
    'shows user, query and key of a call with all details',
    async () => {
      const { page, consoleErrors, close } = await open();
      await page.goto('/audit?query=QD_Items_Demo&outcome=ok&channel=rest');
      const row = page.getByRole('row', { name: /Nightly/ });
      const cells = async () => (await row.getByRole('cell').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
      await expect
        .poll(cells, SLOW)
        .toEqual([
          expect.stringMatching(/^\w+ \d+, \d{4},? \d+:\d\d:\d\d\s[AP]M$/),
          'teresa',
          'Nightly',
          'QD_Items_Demo query.execute',
          'rest',
          '3',
          expect.stringMatching(/ms|s$/),
          expect.stringMatching(/^ok$/i),
          'Details',
        ]);
      await row.getByRole('button', { name: /^Details/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('"North"').waitFor();
      await dialog.getByText('Status 200').waitFor();
      await dialog.getByText('127.0.0.1').waitFor();
      await expectAccessible(page);
      await takeScreenshot(page, 'audit-details');
      await page.keyboard.press('Escape');
      await expect.poll(() => page.evaluate('document.activeElement.innerText'), SLOW).toBe('Details');
      expect(consoleErrors()).toEqual([]);
      await close();
    },
    LONG_MS,
  );

  test('keeps filters in the URL and sets them from an entry', async () => {
    const { page, close } = await open();
    await page.goto('/audit');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'refused' }).click();
    await page.waitForURL('**outcome=refused**');
    await page.getByLabel('User', { exact: true }).fill('teresa');
    await page.waitForURL('**user=teresa**');
    await page.getByRole('button', { name: 'Filters (2)' }).waitFor();
    await page
      .getByRole('button', { name: /^Details/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Only this request' }).click();
    await expect.poll(() => rows(page).count(), SLOW).toBe(1);
    expect(page.url()).toContain('requestId=');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows(page).count(), SLOW).toBe(50);
    await page.getByRole('combobox', { name: 'Action' }).fill('key.');
    await page.getByRole('option', { name: 'key.create' }).click();
    await page.waitForURL('**action=key.create**');
    await expect.poll(() => rows(page).count(), SLOW).toBe(1);
    await rows(page).getByText('key Nightly').waitFor();
    await takeScreenshot(page, 'audit-action');
    await page.getByLabel('Search the audit trail').fill('no such thing');
    await page.getByText('No entry matches the search and the filters.').waitFor();
    await close();
  });

  test('shows the error, and finds entries by error and by full name', async () => {
    const { page, close } = await open();
    await page.goto('/audit?user=teresa&outcome=refused');
    await rows(page).first().getByText('query_not_accessible').waitFor();
    await page
      .getByRole('button', { name: /^Details/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('query_not_accessible').waitFor();
    await page.getByRole('button', { name: 'Only this error' }).click();
    await page.waitForURL('**search=query_not_accessible**');
    await page.goto('/audit?search=of the little flower');
    await expect.poll(() => rows(page).count(), SLOW).toBe(50);
    expect(await rows(page).filter({ hasText: 'teresa' }).count()).toBe(50);
    await close();
  });

  test('shows cards on a phone, and on a small screen a table that scrolls by keyboard and keeps its actions visible', async () => {
    const { page, close } = await open({ width: 380 });
    await page.goto('/audit?user=teresa&outcome=refused');
    const card = page.getByRole('list', { name: 'Audit trail' }).getByRole('listitem').first();
    await card.getByText('QD_No_such_query').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    await expectNoHorizontalScroll(page);
    await card.getByRole('button', { name: /^Details/ }).click();
    await page.getByRole('dialog').getByText('query_not_accessible').waitFor();
    await page.keyboard.press('Escape');

    await page.setViewportSize({ width: 800, height: 800 });
    const region = page.getByRole('region', { name: 'Audit trail' });
    const details = rows(page)
      .first()
      .getByRole('button', { name: /^Details/ });
    const isInSight = async () => ((await details.boundingBox())?.x ?? 800) < 780;
    await expect.poll(isInSight, SLOW).toBe(true);
    await region.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => region.evaluate((element) => element.scrollLeft), SLOW).toBeGreaterThan(0);
    expect(await isInSight()).toBe(true);
    await page.setViewportSize({ width: 1600, height: 800 });
    await expect.poll(() => region.getAttribute('tabindex'), SLOW).toBeNull();
    await close();
  });

  test('loads further pages', async () => {
    const { page, close } = await open();
    await page.goto('/audit?user=teresa&outcome=refused');
    await expect.poll(() => rows(page).count(), SLOW).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows(page).count(), SLOW).toBe(60);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    await close();
  });

  test('shows an error for an invalid time at its field', async () => {
    const { page, close } = await open();
    await page.goto('/audit?from=yesterday');
    await page.getByText('Expected an ISO 8601 time or date.').waitFor();
    await page.getByText('Correct the highlighted filter.').waitFor();
    await page.getByRole('textbox', { name: 'From' }).fill('2020-01-01');
    await expect.poll(() => rows(page).count(), SLOW).toBe(50);
    await page.getByRole('textbox', { name: 'To' }).fill('2020-01-02');
    await page.getByText('No entry matches the search and the filters.').waitFor();
    await close();
  });

  test('exports all filtered entries as CSV', async () => {
    const { page, close } = await open();
    await page.goto('/audit?user=teresa&outcome=refused');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit.csv');
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(61);
    expect(lines[0]).toContain('at,requestId,user');
    await close();
  });

  test('shows a message to users who may not see it', async () => {
    const { page, consoleErrors, close } = await open({ as: person });
    await page.goto('/audit');
    await page.getByText('This page needs the permission audit.view').waitFor();
    expect(await page.getByRole('link', { name: 'Audit trail' }).count()).toBe(0);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test(
    'lists and cancels running executions',
    async () => {
      const { page, close } = await open();
      await page.goto('/audit');
      await page.getByRole('link', { name: 'Running now' }).click();
      await page.getByText('No queries are running').waitFor();
      const running = person.caller.run('QD_Endless_Demo');
      const row = page.getByRole('row', { name: /QD_Endless_Demo/ });
      await row.getByText('teresa').waitFor();
      await takeScreenshot(page, 'executions');
      await expectAccessible(page);
      await row.getByRole('button', { name: 'Cancel QD_Endless_Demo of teresa' }).click();
      await page.getByText('QD_Endless_Demo was cancelled.').waitFor();
      expect((await running).json).toMatchObject({ code: 'query_cancelled' });
      await page.getByText('No queries are running').waitFor();
      await close();
    },
    LONG_MS,
  );

  test(
    'has no axe violations or console errors in any look',
    async () => {
      const { page, consoleErrors, close } = await open();
      await page.goto('/audit?user=teresa&outcome=refused');
      await page.getByRole('table').waitFor();
      await expectAccessibleInEveryLook(page, 'audit');
      expect(consoleErrors()).toEqual([]);
      await close();
    },
    LONG_MS,
  );
});
