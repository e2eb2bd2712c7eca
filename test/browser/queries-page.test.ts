import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessible, openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

// axe is slow on a busy machine
vi.setConfig({ testTimeout: 90_000 });

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`the queries (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    const caller = service.as(admin);
    const { id } = await publish(caller, { name: 'Picked by tag', sql: 'select 1 as one', tags: ['rare'] });
    await expectStatus(caller.call('PATCH', `/api/v1/queries/${id}`, { sql: 'select 2 as two' }), 200);
    const unfinished = { name: 'Unfinished', database: 'Demo', sql: 'select 1' };
    await expectStatus(caller.call('POST', '/api/v1/queries', unfinished), 201);
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);

  test('are searched and filtered by parameters of the URL', async () => {
    const { page, close } = await open();
    await page.goto('/queries');
    const rows = page.getByRole('table').getByRole('row');
    await rows.nth(5).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('picked');
    await page.waitForURL('**/queries?search=picked');
    await expect.poll(() => rows.count(), { timeout: 15_000 }).toBe(2);
    await page.goto('/queries?status=Draft');
    await expect.poll(() => rows.count(), { timeout: 15_000 }).toBe(2);
    await page.getByRole('link', { name: 'Unfinished' }).waitFor();
    await page.goto('/queries?database=Demo&tag=rare');
    await page.getByRole('link', { name: 'Picked by tag' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Tag' }).inputValue()).toBe('rare');
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Void' }).click();
    await page.waitForURL('**/queries?database=Demo&tag=rare&status=Void');
    await page.getByText('No matching queries').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL('**/queries');
    await rows.nth(5).waitFor();
    await close();
  });

  test('show a draft beside the Active version, and link to the available actions', async () => {
    const { page, close } = await open();
    await page.goto('/queries?search=picked');
    const row = page.getByRole('row', { name: /Picked by tag/ });
    const badge = row.getByText('Active · draft v2', { exact: true });
    await badge.waitFor();
    expect(await badge.evaluate((text) => text.scrollWidth <= text.clientWidth)).toBe(true); // not clipped
    expect(await row.getByRole('link', { name: 'JSON' }).getAttribute('href')).toBe('/query-to-json?query=QD_Picked_by_tag_Demo');
    expect(await row.getByRole('link', { name: 'Chart' }).getAttribute('href')).toBe(
      '/query-to-chart?query=QD_Picked_by_tag_Demo',
    );
    await row.getByRole('link', { name: 'Edit' }).click();
    await page.waitForURL('**/edit');
    await close();
  });

  test('show whole tags and how many more there are, and all of them to the keyboard', async () => {
    const tags = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'];
    await publish(service.as(admin), { name: 'Tagged', sql: 'select 1 as one', tags });
    const { page, close } = await open();
    await page.goto('/queries?search=Tagged');
    const row = page.getByRole('row', { name: /Tagged/ });
    const more = row.getByText(/^\+\d$/);
    await more.waitFor();
    const whole = await page.evaluate<number>(`(() => {
      const row = [...document.querySelectorAll('tr')].find(({ textContent }) => textContent.includes('Tagged'));
      const shown = [...row.querySelectorAll('button[aria-label*=" tag "]')].map((tag) => [tag, tag.parentElement]);
      const boxes = shown.map((pair) => pair.map((element) => element.getBoundingClientRect()));
      return boxes.filter(([tag, line]) => tag.bottom <= line.bottom + 1 && tag.right <= line.right + 1).length;
    })()`);
    expect(whole).toBeGreaterThan(0);
    expect(await more.textContent()).toBe(`+${tags.length - whole}`);
    const last = row.getByRole('button', { name: 'Show queries with the tag theta' });
    await last.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/queries?search=Tagged&tag=theta');
    await close();
  });

  test('are sorted by their columns, and favorites are kept', async () => {
    const { page, consoleErrors, close } = await open();
    await page.goto('/queries');
    const rows = page.getByRole('table').getByRole('row');
    await rows.nth(5).waitFor();
    expect((await rows.nth(2).boundingBox())?.height).toBeLessThan(50);
    await page.getByRole('button', { name: 'Query', exact: true }).click();
    await page.waitForURL('**/queries?sort=-name');
    await expect.poll(() => rows.nth(1).textContent()).toContain('Unfinished');
    await page.getByRole('button', { name: 'Last run' }).click();
    await page.waitForURL('**/queries?sort=lastRun');
    await page.getByRole('button', { name: 'Favorite: Picked by tag' }).click();
    await page.getByRole('button', { name: 'Favorite: Picked by tag', pressed: true }).waitFor();
    await page.getByText('Favorites', { exact: true }).click();
    await page.waitForURL('**/queries?sort=lastRun&show=favorites');
    await expect.poll(() => rows.count(), { timeout: 15_000 }).toBe(2);
    await page.reload();
    await page.getByRole('button', { name: 'Favorite: Picked by tag', pressed: true }).click();
    await page.getByText('No matching queries').waitFor();
    await expectAccessible(page);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('are found with a typo: in the list, by Ctrl K with the first hit selected, and in the selection of a query', async () => {
    const { page, close } = await open();
    await page.goto('/queries?search=pikced');
    await page.getByRole('link', { name: 'Picked by tag' }).waitFor();
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Find a query or a page' });
    const hits = dialog.locator('[data-action]');
    await hits.first().waitFor();
    await expect.poll(() => hits.first().getAttribute('data-selected')).toBe('true');
    await dialog.locator('input:focus').waitFor(); // the dialog moves the focus a moment after it opened
    await page.keyboard.type('pikced');
    await expect.poll(() => hits.first().textContent(), { timeout: 15_000 }).toContain('Picked by tag');
    await expect.poll(() => hits.first().getAttribute('data-selected')).toBe('true');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Find a query or a page');
    await expectAccessible(page);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('pickd');
    await page.keyboard.press('Enter'); // before the hits arrive
    await page.getByRole('heading', { level: 1, name: 'Picked by tag' }).waitFor();
    expect(await page.title()).toBe('Picked by tag · Sluice');
    // no key is lost while the search opens, also if its code is not loaded yet
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Picked by tag' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('chart sales by region');
    await hits.getByText('Chart Sales by region').waitFor();
    await expect.poll(() => hits.first().textContent()).toContain('Chart Sales by region');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/query-to-chart?query=QD_Sales_by_region_Demo*');
    await expect.poll(() => page.title()).toBe('Sales by region · Chart · Sluice');
    await page.goto('/query-to-json');
    await page.getByRole('combobox', { name: 'Query Name' }).fill('pikced');
    await page.getByRole('option', { name: /Picked by tag/ }).waitFor();
    await close();
  });

  test('offer only permitted actions', async () => {
    const person = await createUser(service, 'reader', { roles: ['Query User'], databases: ['Demo'] });
    const { page, close } = await open({ as: person });
    await page.goto('/queries?search=picked');
    const row = page.getByRole('row', { name: /Picked by tag/ });
    await row.getByRole('link', { name: 'Run' }).waitFor();
    expect(await row.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    expect(await row.getByText(/draft/).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'New query' }).count()).toBe(0);
    expect(await page.getByRole('combobox', { name: 'Status' }).count()).toBe(0);
    await close();
  });

  test('explain an empty list', async () => {
    const person = await createUser(service, 'outsider', { roles: ['Query User'], databases: [] });
    const { page, close } = await open({ as: person });
    await page.goto('/queries');
    await page.getByText('No queries yet').waitFor();
    await expectAccessible(page);
    await close();
  });
});
