import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessible, openBrowser, takeScreenshot, visit } from '../support/browser/browser.ts';
import { createQueryUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, type TestService, startTestService } from '../support/services/service.ts';

// axe is slow on a busy machine
vi.setConfig({ testTimeout: 120_000 });

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`parameters (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const open = async (options: Parameters<typeof visit>[2] = {}) => {
    const opened = await visit(browser as Browser, service, options);
    opened.page.setDefaultTimeout(20_000);
    return opened;
  };
  const pick = async (page: Page, label: string, option: string) => {
    await page.getByLabel(label, { exact: true }).first().click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  const daysAgo = (days: number): string => new Date(Date.now() - days * 24 * 60 * 60_000).toISOString().slice(0, 10);

  test('a person declares a list, dependent choices and a relative default, calls the query, and embeds its chart', async () => {
    const { id, queryName } = await publish(service.as(admin), {
      name: 'Pick lists',
      // the label shows the day that the expression means
      sql: `select city || strftime(@Since, ' since %Y-%m-%d') as label, count(*) as customers from customers
            where country = @Country and city in (@Cities) group by all order by label`,
      parameters: [
        { name: '@Country', dataType: 'nvarchar(50)', required: true },
        { name: '@Cities', dataType: 'nvarchar(50)', required: true, multiple: true },
        { name: '@Since', dataType: 'date', required: true },
      ],
    });
    const { page, context, consoleErrors, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    const country = page.getByRole('group', { name: '@Country' });
    for (const group of [country, page.getByRole('group', { name: '@Cities' }), page.getByRole('group', { name: '@Since' })]) {
      await group.getByRole('button', { expanded: false }).first().click();
    }
    await country.getByLabel('Choices from query').click();
    await page.getByRole('option', { name: 'QD_Customers_Demo', exact: true }).click();
    const choose = async (group: string, label: string, option: string) => {
      await page.getByRole('group', { name: group }).getByLabel(label, { exact: true }).first().click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    await choose('@Country', 'Value column', 'Country');
    await choose('@Country', 'Label column', 'Country');
    const cities = page.getByRole('group', { name: '@Cities' });
    expect(await cities.getByLabel('List of values').isChecked()).toBe(true);
    await cities.getByLabel('Choices from query').click();
    await page.getByRole('option', { name: 'QD_Customers_Demo', exact: true }).click();
    await choose('@Cities', 'Value column', 'City');
    await choose('@Cities', 'Label column', 'City');
    expect(await cities.getByLabel('@Country of the choices').first().inputValue()).toBe('@Country');
    const since = page.getByRole('group', { name: '@Since' });
    await since.getByRole('button', { name: 'Choose Default' }).click();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    expect(await since.getByLabel('Default', { exact: true }).inputValue()).toBe('today-7d');
    await since.getByText('(UTC)').waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'query-editor-parameters');
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByRole('region', { name: 'State' }).getByText('Validated', { exact: true }).waitFor();
    const stored = await service.as(admin).call<{ parameters: unknown }>('GET', `/api/v1/queries/${id}?version=draft`);
    expect(stored.json.parameters).toMatchObject([
      { choices: { query: 'QD_Customers_Demo', value: 'Country' } },
      { multiple: true, choices: { value: 'City', parameters: { '@Country': '@Country' } } },
      { default: 'today-7d' },
    ]);
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('region', { name: 'State' }).getByText('Callers use version 2.').waitFor();

    await page.goto(`/query-to-json?query=${queryName}`);
    await pick(page, '@Country', 'Portugal');
    const list = page.getByLabel('@Cities', { exact: true }).first();
    await list.fill('lis');
    await page.getByRole('option', { name: 'Lisboa', exact: true }).click();
    expect(await page.getByRole('textbox', { name: '@Since', exact: true }).inputValue()).toBe('today-7d');
    await page.getByRole('button', { name: 'Generate Code Snippet' }).click();
    await page.getByText('today-7d').first().waitFor();
    await page.getByRole('button', { name: 'Run Test API' }).click();
    await page
      .getByText(`Lisboa since ${daysAgo(7)}`)
      .first()
      .waitFor();
    await takeScreenshot(page, 'query-to-json-parameters');

    await page.goto(`/query-to-chart?query=${queryName}`);
    await page.getByPlaceholder('Choose @Country first').first().waitFor();
    await page.getByRole('button', { name: 'Run Query' }).click();
    expect(await page.getByText('A value is required.').count()).toBe(2);
    await pick(page, '@Country', 'Portugal');
    await list.click();
    for (const city of ['Lisboa', 'Porto']) await page.getByRole('option', { name: city, exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Choose Since' }).click();
    await page.getByRole('button', { name: 'Last 30 days' }).click();
    await page.getByText(`${daysAgo(30)} (UTC)`).waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'query-to-chart-parameters');
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByText('2 rows found').waitFor();
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page
      .getByText(`Lisboa since ${daysAgo(30)}`)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Get Embed URL' }).click();
    await page.getByText('@Since is today-30d at each view, so the chart stays current.').waitFor();
    await takeScreenshot(page, 'embed-dialog-relative');
    await page.getByRole('button', { name: 'Create Embed URL' }).click();
    await page
      .frameLocator('iframe')
      .locator('#live svg')
      .getByText(`Porto since ${daysAgo(30)}`)
      .first()
      .waitFor();
    const embeds = await service.as(admin).call<{ items: { queryName: string; parameters: unknown }[] }>('GET', '/api/v1/embeds');
    expect(embeds.json.items.map((each) => [each.queryName, each.parameters])).toEqual([
      [queryName, { '@Country': 'Portugal', '@Cities': ['Lisboa', 'Porto'], '@Since': 'today-30d' }],
    ]);
    const url = await page.getByRole('textbox', { name: 'Embed URL' }).inputValue();
    expect(await (await context.request.get(url)).text()).toContain(`Lisboa since ${daysAgo(30)}`);

    await page.goto('/embeds');
    await page.getByText('@Cities = [Lisboa, Porto], @Since = today-30d').waitFor();
    await page.getByRole('link', { name: /^Edit/ }).click();
    await page
      .getByText(`Porto since ${daysAgo(30)}`)
      .first()
      .waitFor(); // drawn again with the same values
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('an author opens a list of values, and forms then take others', async () => {
    const values = ['North', 'South'];
    const { id, queryName } = await publish(service.as(admin), {
      name: 'Listed values',
      sql: 'select @Closed as closed, @Open as open',
      parameters: [
        { name: '@Closed', dataType: 'nvarchar(20)', required: false, values },
        { name: '@Open', dataType: 'nvarchar(20)', required: false, values },
      ],
    });
    const { page, consoleErrors, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    const group = page.getByRole('group', { name: '@Open' });
    await group.getByRole('button', { expanded: false }).click();
    await group.getByLabel('Allow other values').check();
    await group.getByLabel('Suggested values').first().waitFor();
    await takeScreenshot(page, 'query-editor-values');
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByRole('region', { name: 'State' }).getByText('Validated', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('region', { name: 'State' }).getByText('Callers use version 2.').waitFor();

    await page.goto(`/query-to-json?query=${queryName}`);
    await pick(page, '@Closed', 'South');
    await page.getByLabel('@Open', { exact: true }).first().fill('West');
    await takeScreenshot(page, 'query-to-json-values');
    await page.getByRole('button', { name: 'Run Test API' }).click();
    await page.getByText('West').first().waitFor();
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('a query that is bound to the caller asks for nothing, and is previewed as another user', async () => {
    const bound = await publish(service.as(admin), {
      name: 'Own region',
      sql: 'select @Region as region',
      parameters: [{ name: '@Region', dataType: 'nvarchar(50)', boundTo: 'user.attributes.region' }],
    });
    const nora = await createQueryUser(service, 'nora', { attributes: { region: 'Northern Europe' } });
    const author = await open();
    await author.page.goto(`/queries/${bound.id}/edit`);
    await author.page.getByLabel('Preview as').fill('nora');
    await author.page.keyboard.press('Control+Enter');
    await author.page.getByRole('grid', { name: 'Preview rows' }).getByText('Northern Europe').waitFor();
    await author.close();

    const { page, close } = await open({ as: nora.credential });
    await page.goto(`/queries/${bound.id}`);
    await page.getByText('This query has no parameters.').waitFor();
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByText('Northern Europe').first().waitFor();
    await close();
  });
});
