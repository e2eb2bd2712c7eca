import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoQueries } from '../../demo/catalog.ts';
import { chartTypeName } from '../../src/core/chart-config.ts';
import {
  chooseChartType,
  readChartType,
  openBrowser,
  takeScreenshot,
  type Visit,
  valuesOf,
  visit,
} from '../support/browser/browser.ts';
import { type Account, createUser } from '../support/people/accounts.ts';
import { embedOf, view } from '../support/queries/embeds.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const soon = { timeout: 10_000 }; // slow on a busy machine
const LONG = 90_000;

describe.skipIf(typeof browser === 'string')(`charts (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let person: Account;
  beforeAll(async () => {
    service = await startTestService();
    person = await createUser(service, 'teresa', { roles: ['Query Author'], databases: ['*'] });
    await publish(service.as(admin), {
      name: 'Stores',
      sql: `select 'store ' || i as "Store", i * @Factor as "Sales", i + 1 as "Staff" from range(1, 6) r(i)`,
      parameters: [{ name: '@Factor', dataType: 'int', required: true }],
    });
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> =>
    visit(browser as Browser, service, { as: person, ...options });

  test('a new user gets from signing in to a shared chart with eight clicks', async () => {
    const { page, context, close } = await open({ as: null });
    const clicks = await countClicks(page);
    await page.goto('/');
    await page.getByLabel('User Name').fill(person.username);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Query To Chart' }).click();
    await page.getByLabel('Query Name').click();
    await page.getByRole('option', { name: /^Sales by region/ }).click();
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page.getByRole('button', { name: 'Get Embed URL' }).click();
    await page.getByRole('button', { name: 'Create Embed URL' }).click();
    const url = page.getByRole('textbox', { name: 'Embed URL' });
    await expect.poll(() => url.inputValue(), soon).toContain('token=');
    expect(clicks()).toBeLessThanOrEqual(8);
    const shared = await context.browser()?.newPage(); // without the session
    await shared?.goto(await url.inputValue());
    await shared?.locator('.live #live svg').waitFor();
    await shared?.close();
    await close();
  });

  test('draws the displayed result without running its query again', async () => {
    const { page, close } = await open();
    const runs: string[] = [];
    page.on('request', (request) => request.url().includes('/ExecuteQuery') && runs.push(new URL(request.url()).pathname));
    const { items } = (await service.as(admin).call<{ items: { id: string }[] }>('GET', '/api/v1/queries?search=Stores')).json;
    await page.goto(`/queries/${items[0]?.id}?@Factor=10`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('grid').getByText('store 5').waitFor();
    await page.getByRole('link', { name: 'Chart', exact: true }).click();
    await page.getByText('5 rows found').waitFor();
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page.getByRole('img', { name: /Sales by Store, 5 items\. Lowest 10, highest 50\./ }).waitFor();
    expect(runs).toEqual(['/api/v1/JsonBuilder/ExecuteQuery']);
    await close();
  });

  test('edits an embed with its own settings, and keeps its address', async () => {
    const { Token } = await embedOf(person.caller, {
      queryName: 'QD_Stores_Demo',
      parameters: JSON.stringify([{ ParameterName: '@Factor', Value: '7' }]),
      ...{ chartType: 'donut', labelColumn: 'Store', dataColumn: 'Sales', title: 'By store', chartHeight: '360' },
      ...{ showLegend: 'false', legendPosition: 'left', theme: 'dark' },
    });
    const { page, close } = await open();
    await page.goto('/embeds');
    await page.getByRole('link', { name: 'Edit By store' }).click();
    await page
      .getByRole('img', { name: /^Doughnut Chart: By store\. Sales by Store, 5 items\. Lowest 7, highest 35\./ })
      .waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByRole('button', { name: 'More options' }).click();
    expect(await readChartType(page)).toBe('Doughnut Chart');
    expect(await valuesOf(page, ['Label Column', 'Data Column', 'Chart Title', 'Chart Height (px)'])).toEqual([
      'Store',
      'Sales',
      'By store',
      '360',
    ]);
    expect(await page.getByLabel('Show Legend').isChecked()).toBe(false);
    await page.getByLabel('Chart Title').fill('Renamed');
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page.getByRole('button', { name: 'Get Embed URL' }).click();
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Embed URL' }).inputValue(), soon).toContain(Token);
    const { text } = await view(service.as(), Token);
    expect(text).toContain('<title>Renamed</title>');
    expect(text).toContain('data-theme="dark"');
    expect(text).toContain('<td dir="auto">store 5</td><td dir="auto">35</td>');
    await close();
  });

  test('neither shows nor replaces a masked value of an embed', async () => {
    await publish(service.as(admin), {
      name: 'Guarded',
      sql: `select 'all' as label, length(@Pin) as value`,
      parameters: [{ name: '@Pin', dataType: 'nvarchar', required: true, masked: true }],
    });
    const { Token } = await embedOf(person.caller, {
      queryName: 'QD_Guarded_Demo',
      parameters: JSON.stringify([{ ParameterName: '@Pin', Value: '1234567' }]),
      title: 'Guarded',
    });
    const { page, close } = await open();
    await page.goto('/embeds');
    await page.getByRole('link', { name: 'Edit Guarded' }).click();
    await page.getByText('The stored value of @Pin is not shown.').waitFor();
    expect(page.url()).not.toContain('***');
    expect(await page.getByLabel('@Pin').inputValue()).toBe('');
    await takeScreenshot(page, 'embed-masked');
    await page.getByLabel('@Pin').fill('12');
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByLabel('Chart Title').fill('Still guarded');
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page.getByRole('button', { name: 'Get Embed URL' }).click();
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Embed URL' }).inputValue(), soon).toContain(Token);
    const { text } = await view(service.as(), Token);
    expect(text).toContain('<title>Still guarded</title>');
    expect(text).toContain('<td dir="auto">all</td><td dir="auto">7</td>'); // the stored value
    await close();
  });

  test('asks for numbers along the axis of a scatter chart', async () => {
    const { page, close } = await open();
    await page.goto('/query-to-chart?query=QD_Stores_Demo&@Factor=10');
    await page.getByRole('button', { name: 'Run Query' }).click();
    await chooseChartType(page, 'Scatter Chart');
    expect(await valuesOf(page, ['Label Column', 'Data Column'])).toEqual(['Staff', 'Sales']);
    await page.getByText('A number or a time: the position of each dot.').waitFor();
    await page.getByLabel('Label Column').click();
    await page.getByText('Numbers and times').waitFor();
    await page.getByRole('option', { name: /^Store/ }).click();
    await page.getByText('“Store” has no numbers, so positions mean nothing. Choose a number or a time').first().waitFor();
    await takeScreenshot(page, 'query-to-chart-scatter');
    await chooseChartType(page, 'Bar Chart');
    await page.keyboard.press('ArrowRight'); // to Line Chart
    expect(await readChartType(page)).toBe('Line Chart');
    await close();
  });

  test('sets the chart of a query in the editor from a live preview', async () => {
    const sql = `select 'part ' || i as "Part", i as "Pieces", 2 * i as "Weight" from range(1, 5) r(i)`;
    const query = { name: 'Drawn', database: 'Demo', sql, parameters: [] };
    const { id } = (await expectStatus(person.caller.call<{ id: string }>('POST', '/api/v1/queries', query), 201)).json;
    const { page, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    await page.getByRole('button', { name: 'Preview' }).click();
    const section = page.getByRole('region', { name: 'Chart', exact: true });
    await section.getByText('Suggested from the columns and rows.').waitFor();
    await section.getByRole('img', { name: /^Bar Chart/ }).waitFor();
    await section.getByRole('button', { name: 'Choose a chart' }).click();
    await chooseChartType(page, 'Pie Chart');
    await section.getByRole('img', { name: /^Pie Chart\. Pieces by Part, 4 items\. Lowest 1, highest 4\./ }).waitFor();
    await section.scrollIntoViewIfNeeded();
    await takeScreenshot(page, 'query-editor-chart');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await person.caller.call<{ chart: unknown }>('GET', `/api/v1/queries/${id}`)).json.chart, soon)
      .toEqual({ type: 'pie', label: 'Part', data: ['Pieces'] });
    await close();
  });

  test(
    'opens each chart of the demo catalog as its author chose it',
    async () => {
      const { page, consoleErrors, close } = await open();
      for (const { name, chart } of demoQueries) {
        if (chart === undefined) continue;
        const { type, label, data } = chart;
        await page.goto(`/query-to-chart?query=QD_${name.replaceAll(/\W+/g, '_')}_Demo`);
        await page.getByRole('button', { name: 'Run Query' }).click();
        await page.getByRole('button', { name: 'Generate Chart' }).waitFor();
        expect([name, await readChartType(page), ...(await valuesOf(page, ['Label Column', 'Data Column']))]).toEqual([
          name,
          chartTypeName(type),
          label,
          ...data,
        ]);
        await page.getByRole('button', { name: 'Generate Chart' }).click();
        await page.getByRole('img', { name: new RegExp(`^${chartTypeName(type)}: ${name}\\.`) }).waitFor();
        await takeScreenshot(page, `demo-chart-${name.replaceAll(' ', '-').toLowerCase()}`);
      }
      expect(consoleErrors()).toEqual([]);
      await close();
    },
    LONG,
  );
});

/** Counts presses of the pointer, on all pages of the visit. */
async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0;
  await page.exposeFunction('countClick', () => clicks++);
  await page.addInitScript("addEventListener('pointerdown', (event) => event.isTrusted && window.countClick(), true)");
  return () => clicks;
}
