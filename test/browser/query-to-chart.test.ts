import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  choose,
  chooseChartType,
  readChartType,
  expectAccessible,
  openBrowser,
  takeScreenshot,
  type Visit,
  visit,
  valuesOf,
} from '../support/browser/browser.ts';
import { createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const soon = { timeout: 10_000 }; // slow on a busy machine
const LONG = 120_000; // many steps, each slow on a busy machine

describe.skipIf(typeof browser === 'string')(`Query To Chart (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
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
    await publish(service.as(admin), {
      name: 'Breaks',
      sql: `select 'secret_table' as label, cast('x' || coalesce(@Text, '') as integer) as value`,
      parameters: [{ name: '@Text', dataType: 'nvarchar', required: false }],
    });
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);

  test('goes from a query to a chart and back, and keeps the choices', async () => {
    const { page, consoleErrors, close } = await open();
    await page.goto('/query-to-chart');
    await page.getByLabel('Query Name').click();
    await page.getByRole('option', { name: /Parts/ }).click();
    await page.waitForURL('**/query-to-chart?query=QD_Parts_Demo');
    await expect.poll(() => page.getByLabel('Description').inputValue(), soon).toBe('Pieces of each part.');
    expect(await page.getByLabel('Tip').inputValue()).toBe('A pie shows it well.');

    await page.getByLabel('@Factor').fill('10');
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByText('5 rows found').waitFor();
    expect(new URL(page.url()).searchParams.get('@Factor')).toBe('10'); // a link to it contains the value
    expect(await page.getByRole('list', { name: 'Columns' }).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Part\s+categorical$/),
      expect.stringMatching(/^Pieces\s+numeric$/),
      expect.stringMatching(/^part_id\s+numeric$/),
    ]);
    expect(await readChartType(page)).toBe('Bar Chart');
    expect(await valuesOf(page, ['Label Column', 'Data Column', 'Chart Height (px)', 'Animation Speed (ms)'])).toEqual([
      'Part',
      'Pieces',
      '400',
      '800',
    ]);

    await page.getByLabel('Chart Title').fill('Pieces by part');
    await page.getByText('Horizontal').click();
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page.getByRole('img', { name: 'Bar Chart: Pieces by part. Pieces by Part, 5 items. Lowest 10, highest 50.' }).waitFor();
    const table = page.getByRole('table', { name: 'Pieces by part: data' });
    expect(await table.getByRole('row').allInnerTexts()).toHaveLength(6);

    await page.getByRole('button', { name: 'Previous' }).click();
    expect(await page.getByLabel('Chart Title').inputValue()).toBe('Pieces by part');
    expect(await page.getByRole('radio', { name: 'Horizontal' }).isChecked()).toBe(true);
    await chooseChartType(page, 'Pie Chart');
    await expect.poll(() => page.getByText('Bar Orientation').count(), soon).toBe(0);
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page.getByRole('img', { name: /^Pie Chart: Pieces by part/ }).waitFor();
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('shows missing and invalid values at their fields, and sends none', async () => {
    const { page, close } = await open();
    await page.goto('/query-to-chart?query=QD_Parts_Demo');
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByText('A value is required.').waitFor();
    await page.getByLabel('@Factor').fill('99999999999');
    await page.getByRole('button', { name: 'Run Query' }).click();
    await expect.poll(() => page.getByLabel('@Factor').getAttribute('aria-invalid'), soon).toBe('true');
    await page.getByLabel('@Factor').fill('1');
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByLabel('Chart Height (px)').fill('20');
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page.getByText('Enter a whole number from 100 to 4000.').waitFor();
    await close();
  });

  test('shows the request id of a failed query without its SQL', async () => {
    const { page, close } = await open();
    await page.goto('/query-to-chart?query=QD_Breaks_Demo');
    await page.getByRole('button', { name: 'Run Query' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('Request id', { exact: true }).waitFor();
    expect(await page.locator('main').textContent()).not.toContain('secret_table');
    await expectAccessible(page);
    await takeScreenshot(page, 'query-to-chart-failed');
    await close();
  });

  test('names a query that may no longer be run', async () => {
    const { id } = await publish(service.as(admin), { name: 'Fleeting', sql: 'select 1 as n' });
    const { page, close } = await open();
    await page.goto('/query-to-chart?query=QD_Fleeting_Demo');
    await page.getByText('This query has no parameters.').waitFor();
    await service.as(admin).call('POST', `/api/v1/queries/${id}/deactivate`);
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByRole('alert').getByText('You cannot run “Fleeting”').waitFor();
    await close();
  });

  test('reports a query that is not accessible', async () => {
    const { page, close } = await open();
    await page.goto('/query-to-chart?query=QD_Nothing_Demo');
    await page.getByText('There is no Active query').waitFor();
    await close();
  });

  test('zooms, resets and saves the visible chart', async () => {
    const { page, close } = await open();
    await generate(page, 'QD_Parts_Demo', { '@Factor': '10' });
    const toolbar = page.getByRole('toolbar', { name: 'Chart tools' });
    const labels = () => page.locator('.chart-live svg text').allTextContents();
    await expect.poll(labels, soon).toContain('part 1');
    await toolbar.getByRole('button', { name: 'Zoom in' }).click();
    await toolbar.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(labels, soon).not.toContain('part 1');
    await toolbar.getByRole('button', { name: 'Reset' }).click();
    await expect.poll(labels, soon).toContain('part 1');
    // by keyboard
    await page.locator('.chart-live').focus();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await expect.poll(labels, soon).not.toContain('part 1');
    await page.keyboard.press('0');
    for (const [name, file] of [
      ['Download PNG', 'Parts.png'],
      ['Download SVG', 'Parts.svg'],
    ] as const) {
      const download = page.waitForEvent('download');
      await toolbar.getByRole('button', { name }).click();
      expect((await download).suggestedFilename()).toBe(file);
    }
    await close();
  });

  test(
    'asks before it creates a link; Apply keeps its address, Regenerate Token replaces it',
    async () => {
      const { page, context, consoleErrors, close } = await open();
      await generate(page, 'QD_Parts_Demo', { '@Factor': '10' });
      const url = page.getByRole('textbox', { name: 'Embed URL' });
      const statusOf = async (link: string) => (await context.request.get(link)).status();
      const listed = async () => {
        const embeds = await service.as(admin).call<{ items: { expirationDays: number | null }[] }>('GET', '/api/v1/embeds');
        return embeds.json.items.map(({ expirationDays }) => expirationDays);
      };
      const before = await listed();
      await page.getByRole('button', { name: 'Get Embed URL' }).click();
      await page.getByLabel('Token Expiration (days)').first().waitFor();
      expect(await listed()).toEqual(before); // nothing is created yet
      await page.getByRole('button', { name: 'Create Embed URL' }).click();
      await expect.poll(() => url.inputValue(), soon).toContain('/api/v1/EmbeddedChart/RenderByToken?token=');
      expect(await page.getByLabel('Image URL').inputValue()).toContain('/api/v1/EmbeddedChart/RenderImage?token=');
      const first = await url.inputValue();
      expect(await page.getByLabel('iframe code').inputValue()).toContain(`<iframe src="${first}"`);
      await page.getByText('Anyone with this URL can see').waitFor();
      await page.frameLocator('iframe[title="Preview of Parts"]').locator('#live svg').waitFor();

      await choose(page, 'Token Expiration (days)', '30');
      await page.getByRole('button', { name: 'Apply' }).click();
      await expect.poll(async () => (await listed())[0], soon).toBe(30);
      expect([await url.inputValue(), await statusOf(first)]).toEqual([first, 200]);
      await page.getByRole('button', { name: 'Regenerate Token' }).click();
      await expect.poll(() => url.inputValue(), soon).not.toBe(first);
      const second = await url.inputValue();
      expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
      await choose(page, 'Token Expiration (days)', 'Never expire');
      await page.getByRole('button', { name: 'Regenerate Token' }).click();
      await page.getByText('This URL never expires.').waitFor();
      const last = await url.inputValue();

      // reopening shows the same link
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Get Embed URL' }).click();
      await expect.poll(() => url.inputValue(), soon).toBe(last);
      expect((await listed()).slice(0, -before.length || undefined)).toEqual([null]); // newest first
      expect(consoleErrors()).toEqual([]);
      await close();
    },
    LONG,
  );

  test('offers no link without the permission', async () => {
    await service.as(admin).call('POST', '/api/v1/roles', { name: 'Reader', permissions: ['queries.run'] });
    const reader = await createUser(service, 'reader', { roles: ['Reader'], databases: ['*'] });
    const { page, close } = await open({ as: reader });
    await generate(page, 'QD_Parts_Demo', { '@Factor': '10' });
    expect(await page.getByRole('button', { name: 'Get Embed URL' }).count()).toBe(0);
    await close();
  });

  test('keeps the previous chart while new rows are loading', async () => {
    const { page, close } = await open();
    await generate(page, 'QD_Parts_Demo', { '@Factor': '10' });
    const responses: (() => void)[] = [];
    await page.route('**/ChartBuilder/ExecuteQuery', async (route) => {
      await new Promise<void>((resolve) => responses.push(resolve));
      await route.continue();
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Running…').waitFor();
    expect(await page.locator('.chart-live svg').isVisible()).toBe(true);
    for (const response of responses) response();
    await expect.poll(() => page.getByText('Running…').count(), soon).toBe(0);
    await close();
  });
});

async function generate(page: Page, queryName: string, values: Readonly<Record<string, string>>): Promise<void> {
  await page.goto(`/query-to-chart?query=${queryName}`);
  for (const [name, value] of Object.entries(values)) await page.getByLabel(name).fill(value);
  await page.getByRole('button', { name: 'Run Query' }).click();
  await page.getByRole('button', { name: 'Generate Chart' }).click();
  await page.locator('.chart-live svg').waitFor();
}
