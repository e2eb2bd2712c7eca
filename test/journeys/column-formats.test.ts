import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessible, openBrowser, visit } from '../support/browser/browser.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

vi.setConfig({ testTimeout: 90_000 }); // axe is slow

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`formats of columns (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  test('the editor sets a format, and the grid shows it', async () => {
    const { id } = await publish(service.as(admin), {
      name: 'Amounts',
      sql: `select 10078 as customer, 'Ada' as name, 1590477.67::decimal(12,2) as revenue, 0.256::double as share`,
    });
    const { page, close } = await visit(browser as Browser, service, {});
    page.setDefaultTimeout(20_000);
    await page.goto(`/queries/${id}/edit`);
    const choose = async (column: string, kind: string) => {
      await page.getByRole('combobox', { name: `Format of ${column}` }).click();
      await page.getByRole('option', { name: kind, exact: true }).click();
    };
    await choose('customer', 'Id');
    await choose('revenue', 'Currency');
    await page.getByLabel('Currency of revenue').fill('EU');
    await choose('share', 'Percent');
    await page.getByLabel('Decimals of share').fill('0');
    await page.keyboard.press('Control+s');
    await page.getByText('Expected an ISO 4217 code, such as EUR.').first().waitFor();
    await page.getByLabel('Currency of revenue').fill('eur');
    await page.keyboard.press('Control+Enter');
    const preview = page.getByRole('grid', { name: 'Preview rows' });
    await preview.getByText('€1,590,477.67').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByRole('region', { name: 'State' }).getByText('Validated', { exact: true }).waitFor();
    const draft = await service.as(admin).call<{ columns: unknown }>('GET', `/api/v1/queries/${id}?version=draft`);
    expect(draft.json.columns).toEqual([
      { name: 'customer', format: { kind: 'id' } },
      { name: 'revenue', format: { kind: 'currency', currency: 'EUR' } },
      { name: 'share', format: { kind: 'percent', decimals: 0 } },
    ]);
    await service.as(admin).call('POST', `/api/v1/queries/${id}/activate`);
    await page.goto(`/queries/${id}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    for (const text of ['10078', '€1,590,477.67', '26%']) await page.getByText(text, { exact: true }).first().waitFor();
    await close();
  });

  test('a list is shown as a table', async () => {
    const { queryName } = await publish(service.as(admin), {
      name: 'Addresses',
      sql: `select i as customer_id, 'Customer ' || i as name, 'City ' || i % 7 as city from range(30) t(i)`,
    });
    const { page, close } = await visit(browser as Browser, service, {});
    page.setDefaultTimeout(20_000);
    await page.goto(`/query-to-chart?query=${queryName}`);
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByText('This result is a list').waitFor();
    await page.getByRole('grid', { name: 'Addresses' }).getByText('Customer 3', { exact: true }).waitFor();
    await close();
  });
});
