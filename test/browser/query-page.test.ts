import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoHorizontalScroll,
  openBrowser,
  takeScreenshot,
  type visit,
} from '../support/browser/browser.ts';
import { cell, openPage, publishManyKinds, run } from '../support/browser/query-page.ts';
import { createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { type List, type TestService, admin, startTestService } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const browser = await openBrowser();

const slow = `with recursive step(n) as (select 0 union all select n + 1 from step where n < @Steps) select max(n) as n from step`;

describe.skipIf(typeof browser === 'string')(
  `the page of a query (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    let many: string;
    beforeAll(async () => {
      service = await startTestService();
      many = await publishManyKinds(service);
    });
    afterAll(() => service.close());
    const open = (path: string, options?: Parameters<typeof visit>[2]) => openPage(browser, service, path, options);
    const running = () => service.as(admin).call<List<unknown>>('GET', '/api/v1/executions');

    test('runs the query and shows values of every kind', async () => {
      const { page, consoleErrors, close } = await open(`/queries/${many}`);
      await page.getByText('QD_Many_kinds_Demo').waitFor();
      await page.getByText('A row of every kind.').waitFor();
      await page.getByLabel('@Rows').fill('4');
      await page.getByLabel('@Region').fill('North');
      await run(page);
      await page.getByText(/^4 rows in /).waitFor();
      await page.getByRole('grid').waitFor(); // loaded when it is first used
      // the last ones are out of view; as an object key `2024` would come first
      expect((await page.getByRole('columnheader').allTextContents()).slice(0, 4)).toEqual(['#', 'id', 'region', 'amount']);
      await expect.poll(() => cell(page, '0 1').textContent()).toBe('North');
      expect(await cell(page, '1 1').textContent()).toBe('NULL');
      expect(await cell(page, '2 1').textContent()).toBe('');
      expect(await cell(page, '1 2').textContent()).toBe('1.50');
      expect(await cell(page, '1 3').textContent()).toBe('false');
      expect(await cell(page, '1 4').textContent()).toBe('Jan 1, 2024, 8:00:01 AM');
      expect(await cell(page, '1 5').textContent()).toBe('9,007,199,254,740,994');
      expect(new URL(page.url()).searchParams.get('@Region')).toBe('North');
      expect(consoleErrors()).toEqual([]);
      await close();
    });

    test('takes values from the URL, and keeps masked ones out of it', async () => {
      const { page, close } = await open(`/queries/${many}?@Rows=2&@Region=South`);
      await page.getByLabel('@Secret').fill('hidden');
      await page.getByLabel('@Rows').press('Control+Enter');
      await page.getByText(/^2 rows in /).waitFor();
      await expect.poll(() => cell(page, '0 1').textContent()).toBe('South');
      expect(page.url()).not.toContain('hidden');
      const link = await page.getByRole('link', { name: 'JSON', exact: true }).getAttribute('href');
      expect(link).toContain('QD_Many_kinds_Demo');
      expect(link).not.toContain('hidden');
      await close();
    });

    test('focuses the first missing choice without a list above its error', async () => {
      const choices = { values: ['North', 'South'], required: true, dataType: 'nvarchar(20)' };
      const { id } = await publish(service.as(admin), {
        name: 'Two choices',
        sql: 'select @From as a, @To as b',
        parameters: [
          { name: '@From', ...choices },
          { name: '@To', ...choices },
        ],
      });
      const { page, close } = await open(`/queries/${id}`);
      await run(page);
      const from = page.getByRole('combobox', { name: '@From' });
      await page.getByText('A value is required.').first().waitFor();
      expect(await from.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
      expect(await page.getByRole('listbox').count()).toBe(0);
      await takeScreenshot(page, 'query-missing-choice');
      await from.click();
      await page.getByRole('option', { name: 'North' }).click();
      expect(await from.inputValue()).toBe('North');
      await close();
    });

    test('shows missing and invalid values at their fields', async () => {
      const { page, close } = await open(`/queries/${many}`);
      await run(page);
      await page.getByText('A value is required.').waitFor();
      await page.getByLabel('@Rows').fill('99999999999');
      await run(page);
      await expect.poll(() => page.getByLabel('@Rows').getAttribute('aria-invalid')).toBe('true');
      await takeScreenshot(page, 'query-page-refused');
      expect(await page.getByRole('alert').count()).toBe(0);
      await close();
    });

    test('shows the request id of a failed run and never its SQL', async () => {
      const sql = "select error('secret detail') as e";
      const { id } = await publish(service.as(admin), { name: 'Fails', sql });
      const { page, close } = await open(`/queries/${id}`);
      await run(page);
      await page.getByRole('alert').getByText('Request id', { exact: true }).waitFor();
      expect(await page.locator('main').textContent()).not.toContain('secret detail');
      await expectAccessible(page);
      await close();
    });

    test('names a query that may no longer be run, and explains why one cannot be run', async () => {
      const { id } = await publish(service.as(admin), { name: 'Short lived', sql: 'select 1 as one' });
      const { page, close } = await open(`/queries/${id}`);
      await run(page);
      await page.getByText(/^1 row in /).waitFor();
      await service.as(admin).call('POST', `/api/v1/queries/${id}/deactivate`);
      await run(page);
      await page.getByRole('alert').getByText('You cannot run Short lived').waitFor();
      await page.reload();
      await page.getByText('Only Active queries can run. Short lived is Inactive.').waitFor();
      expect(await page.getByRole('button', { name: 'Run', exact: true }).count()).toBe(0);
      await close();
    });

    test('cancels in the database and keeps the previous result', async () => {
      const steps = [{ name: '@Steps', dataType: 'bigint', required: true }];
      const { id } = await publish(service.as(admin), { name: 'Slow', sql: slow, parameters: steps });
      const { page, close } = await open(`/queries/${id}?@Steps=10`);
      await run(page);
      await page.getByText(/^1 row in /).waitFor();
      await page.getByLabel('@Steps').fill('2000000000');
      await run(page);
      await page.getByText('Running…').waitFor();
      await takeScreenshot(page, 'query-page-running');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText(/^Cancelled after \d+\.\d s\. Below is the previous result\.$/).waitFor();
      await expect.poll(() => cell(page, '0 0').textContent()).toBe('10');
      const left = await waitUntil(running, ({ json }) => json.items.length === 0);
      expect(left.json.items).toEqual([]);
      await close();
    });

    test('runs again when Ctrl K asks for it on the same page', async () => {
      const { page, close } = await open(`/queries/${many}?@Rows=2`);
      await run(page);
      await page.getByText(/^2 rows in /).waitFor();
      for (const rows of ['3', '4']) {
        await page.getByLabel('@Rows').fill(rows);
        await page.keyboard.press('Control+k');
        await page.getByPlaceholder('Find a query or a page').fill('run many kinds');
        await page.getByRole('button', { name: 'Run Many kinds' }).click();
        await page.getByText(new RegExp(`^${rows} rows in `)).waitFor();
      }
      await close();
    });

    test('exports the complete result as a file, and none when cancelled', async () => {
      const { page, close } = await open(`/queries/${many}?@Rows=2500&@Region=North`);
      const coming = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export as CSV' }).click();
      const download = await coming;
      expect(download.suggestedFilename()).toMatch(/\.csv$/);
      const text = await readFile(await download.path(), 'utf8');
      expect(text.trimEnd().split('\n')).toHaveLength(2501);
      await page.getByText(/^Saved .*\.csv/).waitFor();
      await page.getByLabel('@Rows').fill('2000000000');
      await page.getByRole('button', { name: 'Export as NDJSON' }).click();
      await page.getByText(/Exporting NDJSON….* so far/).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('The NDJSON export was cancelled. Nothing was saved.').waitFor();
      const left = await waitUntil(running, ({ json }) => json.items.length === 0);
      expect(left.json.items).toEqual([]);
      await close();
    });

    test('wraps texts of authors that are one long word', async () => {
      const word = 'W'.repeat(100);
      const { id, queryName } = await publish(service.as(admin), {
        name: word,
        description: word,
        tip: word,
        sql: 'select @P as p',
        parameters: [{ name: '@P', dataType: 'int', required: false, label: word.slice(0, 60) }],
      });
      const { page, close } = await open(`/queries/${id}`, { width: 380 });
      for (const path of [`/queries/${id}`, `/query-to-json?query=${queryName}`, `/query-to-chart?query=${queryName}`]) {
        await page.goto(path);
        await page.getByText('W'.repeat(60)).first().waitFor();
        await expectNoHorizontalScroll(page);
      }
      await close();
    });

    test('offers Edit to authors only, and hides what a user may not see', async () => {
      const { username, password } = await createUser(service, 'reader', { roles: ['Query User'], databases: ['*'] });
      const { page, close } = await open(`/queries/${many}`, { as: { username, password } });
      await page.getByRole('link', { name: 'Chart', exact: true }).waitFor();
      expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
      await page.goto('/queries/no-such-query');
      await page.getByText('Query not found').waitFor();
      await close();
    });

    test.each([
      ['light', 1280],
      ['dark', 1280],
      ['dark', 380],
    ] as const)(
      'has no axe violations or console errors (%s, %d px)',
      async (scheme, width) => {
        const { page, consoleErrors, close } = await open(`/queries/${many}?@Rows=2500&@Region=North`, { scheme, width });
        await run(page);
        if (width > 380) await cell(page, '2 0').click();
        else await page.getByText('Row 1', { exact: true }).waitFor(); // a phone shows the rows as cards
        await expectAccessible(page);
        await expectNoHorizontalScroll(page);
        await takeScreenshot(page, `query-page-${scheme}-${width}`);
        expect(consoleErrors()).toEqual([]);
        await close();
      },
      120_000,
    );
  },
);
