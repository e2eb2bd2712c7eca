import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  expectAccessible,
  expectAccessibleInEveryLook,
  openBrowser,
  takeScreenshot,
  type Visit,
  visit,
} from '../support/browser/browser.ts';
import { makeDuckdbFile } from '../support/databases/duckdb-file.ts';
import { createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { type List, type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

const browser = await openBrowser();
const SLOW = { timeout: 15_000 };

interface Database {
  readonly id: string;
  readonly name: string;
  readonly connection: Record<string, unknown>;
  readonly settings: Record<string, unknown>;
  readonly writable: boolean;
}

describe.skipIf(typeof browser === 'string')(`Databases (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    await makeDuckdbFile(service.files, 'sales.duckdb', ['create table orders (id bigint not null, region varchar)']);
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);
  const add = (body: Record<string, unknown>) =>
    expectStatus(service.as(admin).call<Database>('POST', '/api/v1/databases', body), 201);
  const stored = async (name: string) =>
    (await service.as(admin).call<List<Database>>('GET', `/api/v1/databases?search=${name}`)).json.items[0];
  const dialogOf = (page: Page): Locator => page.getByRole('dialog');
  const server = { host: '127.0.0.1', port: 1, user: 'reader', password: 'old secret', database: 'shop' };

  test('adds a file after a successful test and shows its tables', async () => {
    const { page, consoleErrors, close } = await open();
    await page.goto('/databases');
    await page.getByRole('button', { name: 'Add database' }).click();
    const dialog = dialogOf(page);
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Sales');
    await dialog.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'DuckDB' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Host' }).count()).toBe(0);
    await dialog.getByRole('textbox', { name: 'File' }).fill('sales.duckdb');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await dialog.getByText('The connection to Sales works').waitFor();
    await dialog.getByRole('button', { name: 'Add database' }).click();
    await page.getByText('Added the database “Sales”.').waitFor();
    await page.getByRole('button', { name: 'Tables of Sales' }).click();
    await dialog.getByRole('button', { name: 'main.orders' }).click();
    await dialog.getByRole('cell', { name: 'region' }).waitFor();
    expect(page.url()).toContain('tables=');
    await expectAccessible(page);
    await takeScreenshot(page, 'databases-tables');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel'), SLOW).toBe('Tables of Sales');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('shows the error of the service for an unreachable server, and missing values at their fields', async () => {
    const { page, close } = await open();
    await page.goto('/databases?edit=new');
    const dialog = dialogOf(page);
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Shop');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await dialog.getByText('Name the host.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.ariaInvalid'), SLOW).toBe('true');
    await dialog.getByRole('textbox', { name: 'Host' }).fill('127.0.0.1');
    await dialog.getByRole('textbox', { name: 'Port' }).fill('1');
    await dialog.getByRole('textbox', { name: 'Database' }).fill('shop');
    await dialog.getByRole('textbox', { name: 'User' }).fill('reader');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await dialog.getByText('The connection to Shop does not work').waitFor();
    await dialog.getByText('Nothing accepts connections at this host and port.').waitFor();
    await dialog.getByText('Details').click();
    await dialog.getByText('ECONNREFUSED').waitFor();
    await takeScreenshot(page, 'databases-refused');
    expect(await dialog.getByRole('combobox', { name: 'TLS' }).inputValue()).toBe('Off (not encrypted)');
    await dialog.getByRole('textbox', { name: 'Host' }).fill('db.example.org');
    expect(await dialog.getByRole('combobox', { name: 'TLS' }).inputValue()).toBe('On');
    await dialog.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'SQLite' }).click();
    await dialog.getByText(service.files).waitFor();
    await dialog.getByRole('textbox', { name: 'File' }).fill('/etc/passwd');
    await dialog.getByRole('button', { name: 'Test' }).click();
    await dialog.getByText(`allows for databases (SLUICE_FILES): ${service.files}.`).waitFor();
    await takeScreenshot(page, 'databases-folders');
    await close();
  });

  test('shows a database whose test failed as failing', async () => {
    await add({ name: 'Silent', kind: 'postgres', connection: server });
    const { page, consoleErrors, close } = await open();
    await page.goto('/databases');
    const row = page.getByRole('row', { name: /Silent/ });
    // tested in the background
    await row.getByText('Nothing accepts connections at this host and port.').waitFor();
    await row.getByText('Test failed').waitFor();
    const tests: string[] = [];
    page.on('request', (request) => request.url().endsWith('/test') && tests.push(request.url()));
    await page.reload();
    await row.getByText(/Tested a few seconds ago/).waitFor();
    expect(tests).toEqual([]); // a moment ago
    await row.getByRole('button', { name: 'Test Silent' }).click();
    await page.getByText('The connection to Silent does not work').waitFor();
    expect(await row.getByText('Enabled').count()).toBe(0);
    await expectAccessibleInEveryLook(page, 'databases-test-failed');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('keeps the password when the field is empty, and requires it again for another host', async () => {
    await add({ name: 'Stock', kind: 'postgres', connection: server });
    const { page, close } = await open();
    await page.goto('/databases');
    await page.getByRole('button', { name: 'Edit Stock' }).click();
    const dialog = dialogOf(page);
    expect(await dialog.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await dialog.getByRole('textbox', { name: 'Description' }).fill('What lies on the shelves');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved the database “Stock”.').waitFor();

    await page.getByRole('button', { name: 'Edit Stock' }).click();
    await dialog.getByRole('textbox', { name: 'Host' }).fill('localhost');
    await dialog.getByText('The connection changed, so enter the password again.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('The connection changed, so password must be sent again.').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill('new secret');
    await dialog.getByRole('switch', { name: 'Writable' }).press('Space');
    await dialog.getByText('Data can be changed').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await stored('Stock'))?.connection.host, SLOW).toBe('localhost');
    expect(await stored('Stock')).toMatchObject({ writable: true });
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain('secret');
    await close();
  });

  test('keeps the settings of Trino and ClickHouse with their connection', async () => {
    const trino = { host: '127.0.0.1', port: 1, user: 'reader', database: 'lake' };
    await add({ name: 'Lake', kind: 'trino', connection: trino, settings: { schema: 'sales' } });
    await add({ name: 'Events', kind: 'clickhouse', connection: { ...trino, password: 'old secret' }, settings: {} });
    const settings = async (name: string) => (await stored(name))?.settings;
    const { page, close } = await open();
    await page.goto('/databases');
    await page.getByRole('button', { name: 'Edit Lake' }).click();
    const dialog = dialogOf(page);
    await dialog.getByRole('textbox', { name: 'Time zone' }).fill('Mars/Ödland');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Only printable ASCII characters are allowed.').waitFor();
    await dialog.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Berlin');
    await dialog.getByRole('textbox', { name: 'Session properties' }).fill('query_priority');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Expected name=value').waitFor();
    await dialog.getByRole('textbox', { name: 'Session properties' }).fill('query_priority=1');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const session = { query_priority: '1' };
    await expect.poll(() => settings('Lake'), SLOW).toEqual({ schema: 'sales', timeZone: 'Europe/Berlin', session });
    await dialog.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Edit Events' }).click();
    await dialog.getByText('Long results', { exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Compression' }).click();
    await page.getByRole('option', { name: 'Off (for fast networks)' }).click();
    await expectAccessible(page);
    await takeScreenshot(page, 'databases-long-results');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => settings('Events'), SLOW).toEqual({ compression: false });
    await close();
  });

  test('does not overwrite a concurrent change', async () => {
    const { json } = await add({ name: 'Raced', kind: 'postgres', connection: server });
    const { page, close } = await open();
    await page.goto(`/databases?edit=${json.id}`);
    const dialog = dialogOf(page);
    await dialog.getByRole('textbox', { name: 'Description' }).fill('Mine');
    await expectStatus(service.as(admin).call('PATCH', `/api/v1/databases/${json.id}`, { description: 'Theirs' }), 200);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Someone changed this in the meantime').waitFor();
    await dialog.getByRole('button', { name: 'Discard my changes and show the newer version' }).click();
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Description' }).inputValue(), SLOW).toBe('Theirs');
    await close();
  });

  test('asks before closing a form with unsaved text', async () => {
    const { page, close } = await open();
    await page.goto('/databases?edit=new');
    await dialogOf(page).getByRole('textbox', { name: 'Name' }).fill('Half');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Close without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await dialogOf(page).getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Half');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.url(), SLOW).not.toContain('edit=');
    await close();
  });

  test('does not delete a database that Active queries use, and explains what to do first', async () => {
    await makeDuckdbFile(service.files, 'used.duckdb', ['create table t (a int)']);
    await add({ name: 'Used', kind: 'duckdb', connection: { file: 'used.duckdb' } });
    const { id } = await publish(service.as(admin), { name: 'On used', sql: 'select a from t', database: 'Used' });
    const { page, close } = await open();
    await page.goto('/databases?search=Used');
    const remove = async () => {
      await page.getByRole('button', { name: 'Delete Used' }).click();
      await dialogOf(page).getByRole('button', { name: 'Delete' }).click();
    };
    await remove();
    await page.getByText('1 Active query uses the database Used. Deactivate it first.').waitFor();
    await takeScreenshot(page, 'databases-in-use');
    await expectStatus(service.as(admin).call('POST', `/api/v1/queries/${id}/deactivate`), 200);
    await remove();
    await page.getByText('Nothing found for “Used”').waitFor();
    await close();
  });

  test('shows a message to users who may not manage databases', async () => {
    const person = await createUser(service, 'ruth', { roles: ['Query User'], databases: ['*'] });
    const { page, consoleErrors, close } = await open({ as: person });
    await page.goto('/databases');
    await page.getByText('This page needs the permission databases.manage').waitFor();
    expect(await page.getByRole('link', { name: 'Databases' }).count()).toBe(0);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('has no axe violations or console errors in any look', async () => {
    const { page, consoleErrors, close } = await open();
    await page.goto('/databases');
    await page.getByRole('button', { name: 'Test Demo' }).click();
    await page.getByText('The connection to Demo works').waitFor();
    await expectAccessibleInEveryLook(page, 'databases');
    await page.getByRole('button', { name: 'Add database' }).click();
    await dialogOf(page).getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Trino (experimental)' }).click();
    await dialogOf(page).getByText('tested against a simulated server').waitFor();
    await dialogOf(page).getByRole('combobox', { name: 'TLS' }).click();
    await page.getByRole('option', { name: 'On', exact: true }).click();
    await dialogOf(page).getByText('TLS options').click();
    await dialogOf(page).getByText('Accept any certificate').click();
    await expectAccessibleInEveryLook(page, 'databases-form');
    expect(consoleErrors()).toEqual([]);
    await close();
  }, 120_000);
});
