import { readFile } from 'node:fs/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectNoHorizontalScroll,
  openBrowser,
  takeScreenshot,
  type Visit,
  visit,
} from '../support/browser/browser.ts';
import { createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { type List, type TestService, admin, startTestService } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const browser = await openBrowser();

const kinds = `select i as id,
  case when i % 3 = 1 then null when i % 3 = 2 then '' else coalesce(@Region, 'nowhere') end as region,
  (i * 1.5)::decimal(12, 2) as amount, i % 2 = 0 as open, timestamp '2024-01-01 08:00:00' + to_seconds(i) as at,
  9007199254740993 + i as big, repeat('long text ', 30) as note, 'number' as "2024", coalesce(@Secret, '') as kept
from range(@Rows) rows(i) order by i`;
const parameters = [
  { name: '@Rows', dataType: 'int', required: true },
  { name: '@Region', dataType: 'nvarchar(50)', required: false },
  { name: '@Secret', dataType: 'nvarchar(50)', required: false, masked: true },
];
const slow = `with recursive step(n) as (select 0 union all select n + 1 from step where n < @Steps) select max(n) as n from step`;

describe.skipIf(typeof browser === 'string')(
  `the page of a query (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    let many: string;
    beforeAll(async () => {
      service = await startTestService();
      const created = await publish(service.as(admin), {
        name: 'Many kinds',
        description: 'A row of every kind.',
        tip: 'Try Go to row.',
        sql: kinds,
        parameters,
      });
      many = created.id;
    });
    afterAll(async () => {
      await service.close();
    });

    const open = async (path: string, options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
      const opened = await visit(browser as Browser, service, options);
      await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await opened.page.goto(path);
      await opened.page.getByRole('heading', { level: 1 }).waitFor();
      return opened;
    };
    const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
    const running = () => service.as(admin).call<List<unknown>>('GET', '/api/v1/executions');
    const cell = (page: Page, place: string) => page.locator(`[data-position="${place}"]`);
    const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

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
      await page.getByText('There are more rows.').waitFor();
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

const widthOf = async (locator: Locator): Promise<number> => (await locator.boundingBox())?.width ?? 0;
const focusedPosition = (page: Page): Promise<string> => page.evaluate('document.activeElement.dataset.position');
