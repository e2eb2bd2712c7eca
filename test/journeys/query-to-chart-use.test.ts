import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  chooseChartType,
  expectAccessibleInEveryLook,
  readChartType,
  openBrowser,
  takeScreenshot,
  type Visit,
  visit,
  valuesOf,
} from '../support/browser/browser.ts';
import { makeDuckdbFile } from '../support/databases/duckdb-file.ts';
import { publish } from '../support/queries/publish.ts';
import { type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

const browser = await openBrowser();
const soon = { timeout: 10_000 }; // slow on a busy machine
const LONG = 120_000;

describe.skipIf(typeof browser === 'string')(
  `Query To Chart in use (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService();
      await publish(service.as(admin), {
        name: 'Parts',
        description: 'Pieces of each part.',
        tip: 'A pie shows it well.',
        sql: `select 'part ' || i as "Part", i * @Factor as "Pieces", i as part_id from range(1, 6) r(i)`,
        parameters: [{ name: '@Factor', dataType: 'int', required: true }],
      });
      await publish(service.as(admin), { name: 'Other', sql: 'select 1 as n' });
    });
    afterAll(async () => {
      await service.close();
    });

    const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);

    test('draws patterns on request in the chart, its file and its link', async () => {
      const { page, context, close } = await open();
      await page.goto('/query-to-chart?query=QD_Parts_Demo&@Factor=10');
      await page.getByRole('button', { name: 'Run Query' }).click();
      await page.getByText('Pieces of each part.').waitFor(); // the tip of the author is shown here, too
      await page.getByText('A pie shows it well.').waitFor();
      await chooseChartType(page, 'Pie Chart');
      await page.getByRole('button', { name: 'Generate Chart' }).click();
      const patterns = page.locator('.chart-live svg pattern');
      await page.locator('.chart-live svg').waitFor();
      expect(await patterns.count()).toBe(0);
      await page.getByRole('button', { name: 'Previous' }).click();
      await page.getByRole('button', { name: 'More options' }).click();
      await page.getByLabel('Patterns').check();
      await page.getByRole('button', { name: 'Generate Chart' }).click();
      await expect.poll(() => patterns.count(), soon).toBeGreaterThan(4);
      await takeScreenshot(page, 'query-to-chart-patterns');
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download SVG' }).click();
      expect(await readFile(await (await download).path(), 'utf8')).toContain('<pattern ');
      await page.getByRole('button', { name: 'Get Embed URL' }).click();
      await page.getByRole('button', { name: 'Create Embed URL' }).click();
      const url = page.getByRole('textbox', { name: 'Embed URL' });
      await expect.poll(() => url.inputValue(), soon).toContain('token=');
      expect(await (await context.request.get(await url.inputValue())).text()).toContain('<pattern ');
      await page
        .frameLocator('iframe[title="Preview of Parts"]')
        .locator('#live svg pattern')
        .first()
        .waitFor({ state: 'attached' });
      await close();
    });

    test('restores the chart after a reload, and removes it with the query', async () => {
      const { page, consoleErrors, close } = await open();
      await page.goto('/query-to-chart?query=QD_Parts_Demo&@Factor=10');
      await page.getByRole('button', { name: 'Run Query' }).click();
      await page.getByLabel('Chart Title').fill('Kept & “drawn”');
      await chooseChartType(page, 'Doughnut Chart');
      await page.getByLabel('Data Column').click();
      await page.getByRole('option', { name: /^part_id/ }).click();
      await page.getByRole('button', { name: 'More options' }).click();
      await page.getByLabel('Chart Height (px)').fill('320');
      await page.getByRole('button', { name: 'Generate Chart' }).click();
      const chart = page.getByRole('img', { name: /^Doughnut Chart: Kept & “drawn”. part_id by Part, 5 items/ });
      await chart.waitFor();
      expect(await focused(page)).toBe('Chart Result');
      await page.reload();
      await chart.waitFor();
      await page.getByRole('button', { name: 'Previous' }).click();
      expect(await readChartType(page)).toBe('Doughnut Chart');
      expect(await valuesOf(page, ['Data Column', 'Chart Title', 'Chart Height (px)'])).toEqual([
        'part_id',
        'Kept & “drawn”',
        '320',
      ]);
      await page.getByRole('button', { name: 'Previous' }).click();
      await page.getByLabel('Query Name').click();
      await page.getByRole('option', { name: /^Other/ }).click();
      await page.waitForURL('**/query-to-chart?query=QD_Other_Demo');
      expect(consoleErrors()).toEqual([]);
      await close();
    });

    test('a link to a chart with missing columns asks for other columns', async () => {
      const { page, close } = await open();
      await page.goto('/query-to-chart?query=QD_Parts_Demo&@Factor=10&chartType=pie&labelColumn=Gone&dataColumn=Pieces');
      await page.getByLabel('Label Column').waitFor();
      expect([await readChartType(page), ...(await valuesOf(page, ['Label Column']))]).toEqual(['Pie Chart', 'Part']);
      await close();
    });

    test('runs a query that changes data only on a click, and offers no link to it', async () => {
      await makeDuckdbFile(service.files, 'ledger.duckdb', ['create table log (who varchar)']);
      const database = { name: 'Ledger', kind: 'duckdb', connection: { file: 'ledger.duckdb' }, writable: true };
      await expectStatus(service.as(admin).call('POST', '/api/v1/databases', database), 201);
      const epilogue = "insert into log values ('x')";
      await publish(service.as(admin), { name: 'Writes', database: 'Ledger', sql: "select 'a' as label, 1 as value", epilogue });
      const { page, close } = await open();
      let runs = 0;
      page.on('request', (request) => (runs += request.url().includes('/ExecuteQuery') ? 1 : 0));
      await page.goto('/query-to-chart?query=QD_Writes_Ledger&chartType=bar&labelColumn=label&dataColumn=value');
      await page.getByText('This query has no parameters.').waitFor();
      expect(runs).toBe(0);
      await page.getByRole('button', { name: 'Run Query' }).click();
      await page.getByRole('button', { name: 'Generate Chart' }).click();
      await page.getByText('its chart cannot be embedded').waitFor();
      expect(await page.getByRole('button', { name: 'Get Embed URL' }).count()).toBe(0);
      expect(runs).toBe(1);
      await close();
    });

    test('reports a cancelled run with its duration', async () => {
      const { page, close } = await open();
      await page.route('**/ChartBuilder/ExecuteQuery', () => new Promise(() => undefined));
      await page.goto('/query-to-chart?query=QD_Parts_Demo&@Factor=10');
      await page.getByRole('button', { name: 'Run Query' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText(/^Cancelled after \d/).waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Cancelled after/);
      await takeScreenshot(page, 'query-to-chart-cancelled');
      await close();
    });

    test('scrolls to the result of a button, and focuses the first invalid field', async () => {
      const { page, close } = await open({ width: 380 });
      await page.goto('/query-to-chart?query=QD_Parts_Demo');
      await page.getByRole('button', { name: 'Run Query' }).click();
      await expect.poll(() => focused(page), soon).toBe('@Factor');
      await page.getByLabel('@Factor').fill('10');
      await page.getByRole('button', { name: 'Run Query' }).click();
      await page.getByRole('button', { name: 'More options' }).click();
      await page.getByLabel('Chart Height (px)').fill('20');
      await page.getByRole('button', { name: 'Generate Chart' }).click();
      await expect.poll(() => focused(page), soon).toBe('Chart Height (px)');
      await page.getByLabel('Chart Height (px)').fill('400');
      await page.getByRole('button', { name: 'Generate Chart' }).click();
      await page.locator('.chart-live svg').waitFor();
      await expect.poll(() => isInSight(page, '.chart-live'), soon).toBe(true);
      await page.getByRole('button', { name: 'View data as table' }).click();
      await expect.poll(() => isInSight(page, '.chart-data'), soon).toBe(true);
      await close();
    });

    test(
      'has no axe violations or console errors in any look',
      async () => {
        const { page, consoleErrors, close } = await open();
        const look = (step: string): Promise<void> => expectAccessibleInEveryLook(page, `query-to-chart-${step}`);
        await page.goto('/query-to-chart?query=QD_Parts_Demo');
        await page.getByLabel('@Factor').fill('10');
        await look('parameters');
        await page.getByRole('button', { name: 'Run Query' }).click();
        await page.getByLabel('Chart Type').waitFor();
        await look('configuration');
        await page.getByRole('button', { name: 'Generate Chart' }).click();
        await page.locator('.chart-live svg').waitFor();
        await look('result');
        await page.getByRole('button', { name: 'View data as table' }).click();
        await look('table');
        await page.getByRole('button', { name: 'Get Embed URL' }).click();
        await look('embed-questions');
        await page.getByRole('button', { name: 'Create Embed URL' }).click();
        await page.frameLocator('iframe[title="Preview of Parts"]').locator('#live svg').waitFor();
        await look('embed');
        expect(consoleErrors()).toEqual([]);
        await close();
      },
      LONG,
    );
  },
);

/** The name of the focused element. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    `(({ labels, ariaLabel }) => (labels?.[0]?.textContent ?? ariaLabel ?? '').replace(/\\s*\\*$/, ''))(document.activeElement)`,
  );

/** Whether its top is visible in the upper part of the screen. */
async function isInSight(page: Page, selector: string): Promise<boolean> {
  const box = await page.locator(selector).boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y < height * 0.7;
}
