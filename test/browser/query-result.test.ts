import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openBrowser, takeScreenshot, type visit } from '../support/browser/browser.ts';
import { cell, openPage, publishManyKinds, run } from '../support/browser/query-page.ts';
import { publish } from '../support/queries/publish.ts';
import { type TestService, admin, startTestService } from '../support/services/service.ts';

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(
  `the result of a query (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    let many: string;
    beforeAll(async () => {
      service = await startTestService();
      many = await publishManyKinds(service);
    });
    afterAll(() => service.close());
    const open = (path: string, options?: Parameters<typeof visit>[2]) => openPage(browser, service, path, options);

    test('navigates the grid by keyboard and copies cells and rows', async () => {
      const { page, close } = await open(`/queries/${many}?@Rows=1000&@Region=North`);
      await run(page);
      await cell(page, '0 0').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => focusedPosition(page)).toBe('1 2');
      await page.keyboard.press('Control+c');
      await page.getByText('Cell copied').waitFor();
      expect(await clipboard(page)).toBe('1.50');
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Control+c');
      await page.getByText('Row copied').waitFor();
      expect((await clipboard(page)).split('\t').slice(0, 4)).toEqual(['1', '', '1.50', 'false']);
      await page.keyboard.press('Control+End');
      await expect.poll(() => focusedPosition(page)).toBe('999 8');
      expect(await page.getByRole('row').count()).toBeLessThan(100); // of 1,001
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('ArrowDown');
      for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByText('long text long text').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => focusedPosition(page)).toBe('1 6');
      await close();
    });

    test('says above the rows why a result is incomplete', async () => {
      const { id, queryName } = await publish(service.as(admin), {
        name: 'Bounded',
        sql: 'select i from range(50) rows(i)',
        maxRows: 20,
      });
      const { page, close } = await open(`/queries/${id}`);
      await run(page);
      const reason = 'This result is incomplete: The query delivers at most 20 rows (its maxRows).';
      await page.getByText(reason).waitFor();
      await expectAccessible(page);
      await takeScreenshot(page, 'query-incomplete');
      await page.goto(`/query-to-json?query=${queryName}`);
      await page.getByRole('button', { name: 'Run Test API' }).click();
      await page.getByRole('region', { name: 'Response' }).getByText(reason).waitFor();
      await close();
    });

    test('sorts and filters all rows after loading the rest, hides columns, and copies ranges as delivered', async () => {
      const { page, consoleErrors, close } = await open(`/queries/${many}?@Rows=2500&@Region=North`);
      await run(page);
      await page.getByText('Rows 1–1,000, with more to follow').waitFor();
      const amount = page.getByRole('columnheader', { name: 'amount' });
      const held = Promise.withResolvers<void>();
      await page.route('**/ExecuteQuery', async (route) => {
        await held.promise;
        await route.continue().catch(() => undefined); // it was cancelled
      });
      await amount.click();
      expect(await amount.getAttribute('aria-sort')).toBe('ascending');
      await page.getByRole('progressbar', { name: 'Loading all rows' }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Only the loaded rows 1–1,000 are sorted, not the whole result.').waitFor();
      held.resolve();
      await page.unroute('**/ExecuteQuery');
      await page.getByRole('button', { name: 'Load all rows' }).click();
      await page.getByText(/^2,500 rows in /).waitFor();
      await amount.click();
      await expect.poll(() => cell(page, '0 2').textContent()).toBe('3,748.50');
      expect(await cell(page, '0 -1').textContent()).toBe('2,500');
      await page.getByRole('searchbox', { name: 'Filter rows' }).fill('1,498.50');
      await page.getByText('1 of 2,500 rows match.').waitFor();
      await page.getByRole('button', { name: 'Clear all' }).click();
      await amount.getByRole('button', { name: 'Options of amount' }).click();
      await page.getByRole('textbox', { name: 'Filter amount' }).fill('>=3747');
      await page.getByText('2 of 2,500 rows match.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox', { name: 'region' }).uncheck();
      await page.getByRole('button', { name: 'Columns, 8 of 9 shown' }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await takeScreenshot(page, 'query-page-arranged');
      await cell(page, '0 0').focus();
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Control+c');
      await page.getByText('4 cells copied').waitFor();
      expect(await clipboard(page)).toBe('2498\t3747.00\n2499\t3748.50');
      await page.reload(); // the hidden column is remembered
      await page.getByRole('button', { name: 'Columns, 8 of 9 shown' }).click();
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByRole('columnheader', { name: 'region' }).waitFor();
      expect(await page.evaluate<string>('localStorage.getItem("sluice-hidden-columns")')).toBe('[]');
      expect(consoleErrors()).toEqual([]);
      await close();
    });

    test('shows the result as a chart of all rows, and keeps it over a reload without a second run', async () => {
      const { id } = await publish(service.as(admin), {
        name: 'By group',
        sql: `select ['a', 'b', 'c'][i % 3 + 1] as "Group", i as "Amount" from range(@Rows) rows(i) order by i`,
        parameters: [{ name: '@Rows', dataType: 'int', required: true }],
        chart: { type: 'bar', label: 'Group', data: ['Amount'], aggregate: 'sum' },
      });
      const { page, consoleErrors, close } = await open(`/queries/${id}?@Rows=3000`);
      let runs = 0; // without a code, a call runs the query
      page.on('request', (request) => {
        if (/ExecuteQuery|Summary/.test(request.url()) && request.headers().querymorecode === undefined) runs++;
      });
      await run(page);
      await page.getByText(/^More than 1,000 rows in /).waitFor();
      await page.getByRole('tab', { name: 'Table' }).press('ArrowRight');
      const data = page.getByRole('table', { name: /data$/ });
      await data.getByRole('cell', { name: '1498500' }).waitFor(); // 0 + 3 + … + 2997
      await page.getByText(/^3,000 rows in /).waitFor(); // reported with the chart
      expect(new URL(page.url()).searchParams.get('view')).toBe('chart');
      await takeScreenshot(page, 'query-page-chart');
      await page.reload();
      await data.getByRole('cell', { name: '1498500' }).waitFor();
      await page.getByText(/^3,000 rows in .*, run .* ago$/).waitFor();
      await expectAccessible(page);
      await page.getByRole('tab', { name: 'Table' }).click();
      await page.getByRole('grid').waitFor();
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      const sheet = page.getByRole('table', { name: 'Rows of By group' });
      await sheet.waitFor();
      expect(await sheet.getByRole('row').count()).toBe(1001);
      expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
      expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('light');
      await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
      expect(runs).toBe(1);
      await page.evaluate(`sessionStorage.setItem('sluice-result',
      sessionStorage.getItem('sluice-result').replace(/"code":"[^"]+"/, '"code":"Bgone"'))`);
      await page.reload();
      await page.getByText('The earlier result has expired').waitFor();
      await page.getByRole('button', { name: 'Run again' }).click();
      await page.getByText(/^(More than 1,000|3,000) rows in /).waitFor();
      await page.getByLabel('@Rows').fill('5');
      await run(page);
      await page.getByText(/^5 rows in /).waitFor();
      await page.reload();
      await page.getByText(/^5 rows in .* ago$/).waitFor();
      expect(consoleErrors().filter((text) => !text.includes('400'))).toEqual([]);
      await close();
    });

    test('resizes a column by keyboard and by mouse', async () => {
      const { page, close } = await open(`/queries/${many}?@Rows=3`);
      await run(page);
      const header = cell(page, '-1 0');
      await cell(page, '0 0').focus();
      await page.keyboard.press('ArrowUp');
      const first = await widthOf(header);
      await page.keyboard.press('Shift+ArrowRight');
      await expect.poll(() => widthOf(header)).toBeGreaterThan(first);
      const second = await widthOf(header);
      const box = await header.boundingBox();
      const edge = { x: (box?.x ?? 0) + second, y: (box?.y ?? 0) + 10 };
      await page.mouse.move(edge.x, edge.y);
      await page.mouse.down();
      await page.mouse.move(edge.x + 80, edge.y);
      await page.mouse.up();
      await expect.poll(() => widthOf(header)).toBe(second + 80);
      await close();
    });

    test('reads pages of one snapshot and jumps to any row', async () => {
      const { page, close } = await open(`/queries/${many}?@Rows=2500`);
      await run(page);
      await page.getByText('Rows 1–1,000, with more to follow').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText(/^Rows 1,001–2,000(, with more to follow| of 2,500)$/).waitFor(); // once all rows are stored
      await expect.poll(() => cell(page, '0 0').textContent()).toBe('1000');
      await page.getByLabel('Go to row').fill('2345');
      await page.getByLabel('Go to row').press('Enter');
      await page.getByText('Rows 2,001–2,500 of 2,500').waitFor();
      await cell(page, '344 0').waitFor();
      expect(await cell(page, '344 0').textContent()).toBe('2344');
      await page.getByLabel('Go to row').fill('9999');
      await page.getByRole('button', { name: 'Go', exact: true }).click();
      await page.getByText('Row 9,999 does not exist.').waitFor();
      await page.getByRole('button', { name: 'First page' }).click();
      await page.getByText('Rows 1–1,000 of 2,500').waitFor();
      await close();
    });
  },
);

const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');
const widthOf = async (locator: Locator): Promise<number> => (await locator.boundingBox())?.width ?? 0;
const focusedPosition = (page: Page): Promise<string> => page.evaluate('document.activeElement.dataset.position');
