import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { trinoResponses } from '../contracts/trino/responses.ts';
import { startTrinoDouble } from '../doubles/trino.ts';
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
import { type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

// axe is slow on a busy machine
vi.setConfig({ testTimeout: 90_000 });

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`the query editor (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    await makeDuckdbFile(service.files, 'ledger.duckdb', ['create table entries (id integer, note varchar)']);
    const ledger = { name: 'Ledger', kind: 'duckdb', connection: { file: 'ledger.duckdb' }, writable: true };
    await expectStatus(service.as(admin).call('POST', '/api/v1/databases', ledger), 201);
  });
  afterAll(() => service.close());

  let names = 0;
  const open = async (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
    const opened = await visit(browser as Browser, service, options);
    opened.page.setDefaultTimeout(20_000);
    return opened;
  };
  /** Uses a unique name, also when a test is repeated. */
  const published = (name: string, more: Record<string, unknown> = {}) =>
    publish(service.as(admin), { name: `${name} ${++names}`, sql: 'select 1 as one', ...more });
  const stored = async (id: string) => (await service.as(admin).call<Stored>('GET', `/api/v1/queries/${id}`)).json;

  test('creates, validates and activates a query', async () => {
    const name = `Orders by country ${++names}`;
    const queryName = `QD_Orders_by_country_${names}_Demo`;
    const { page, consoleErrors, close } = await open();
    await page.goto('/queries/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await choose(page, 'Demo');
    await type(page, 'select country, count(*) as number from customers where country = @Country group by country');
    const country = page.getByRole('group', { name: '@Country' });
    await country.getByRole('button', { expanded: false }).click();
    await country.getByLabel('Description').fill('In English');
    await country.getByLabel('Default').fill('Germany');
    await page.keyboard.press('Control+Enter');
    const rows = page.getByRole('grid', { name: 'Preview rows' });
    await rows.getByText('Germany').waitFor();
    await page.keyboard.press('Control+s');
    await page.waitForURL(/queries\/(?!new)[^/]+\/edit/);
    await page.getByText(queryName).first().waitFor();
    // the first save changes the URL and keeps the preview
    await rows.getByText('Germany').waitFor();
    expect(await page.getByRole('textbox', { name: '@Country' }).inputValue()).toBe('Germany');
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByRole('region', { name: 'State' }).getByText('Validated', { exact: true }).waitFor();
    await page.getByLabel('Display name of number').waitFor();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await agree(page, 'Activate');
    await page.getByText('Callers use version 1.').first().waitFor();
    const { Data } = (await service.as(admin).run(queryName, [{ ParameterName: '@Country', Value: 'Germany' }])).json;
    expect(Data).toHaveLength(1);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('discards a draft, which remains among the versions and does not affect callers', async () => {
    const { id } = await published('Half done');
    await service.as(admin).call('PATCH', `/api/v1/queries/${id}`, { sql: 'select 2 as one' });
    const { page, consoleErrors, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    await page.getByText('Callers use version 1 until you activate version 2.').waitFor();
    await takeScreenshot(page, 'query-editor-draft');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await agree(page, 'Discard');
    await page.getByText('Callers use version 1.').first().waitFor();
    await page.getByRole('textbox', { name: 'SQL' }).getByText('select 1 as one').waitFor();
    expect(await stored(id)).toMatchObject({ status: 'Active', version: 1, draft: null });
    expect(await page.getByRole('button', { name: 'Discard draft' }).count()).toBe(0);
    await page.getByRole('row', { name: /^2 / }).getByRole('button', { name: 'Restore' }).waitFor();
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('lists a running preview, and reports its cancellation with its duration', async () => {
    const { page, close } = await open();
    await page.goto('/queries/new');
    await choose(page, 'Demo');
    await type(page, 'select 42 as answer');
    await page.keyboard.press('Control+Enter');
    const rows = page.getByRole('grid', { name: 'Preview rows' });
    await rows.getByText('42').waitFor();
    await type(page, 'select sum(a.i * b.i % 7) as n from range(1000000) a(i), range(1000000) b(i)');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Enter');
    const running = async () =>
      (await service.as(admin).call<{ items: { query: string }[] }>('GET', '/api/v1/executions')).json.items;
    await expect.poll(running, { timeout: 10_000 }).toMatchObject([{ query: '(preview on Demo)', user: 'admin' }]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(/^Cancelled after \d+\.\d s\. Below is the previous result\.$/).waitFor();
    await page.getByText(/^From the previous run: 1 row in /).waitFor();
    await rows.getByText('42').waitFor();
    await takeScreenshot(page, 'query-editor-cancelled');
    await expect.poll(running, { timeout: 10_000 }).toEqual([]);
    await close();
  });

  test('shows the error of the database at its line', async () => {
    const { id } = await published('Broken soon');
    const { page, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    await type(page, 'select one,\n  nmber\nfrom customers');
    // the completion list would cover the error
    await page.getByRole('option', { name: /customers/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Validate' }).click();
    await page
      .getByRole('alert')
      .getByText(/Line 1|Line 2/)
      .waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
    await takeScreenshot(page, 'query-editor-mistake');
    await expectAccessible(page);
    await close();
  });

  test('keeps a draft beside the Active version until it is activated', async () => {
    const { id, queryName } = await published('Kept');
    const { page, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    await type(page, 'select 2 as two');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'State' }).getByText('Callers use version 1 until you activate version 2.').waitFor();
    expect((await service.as(admin).run(queryName)).json.Data).toEqual([{ one: 1 }]);
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await agree(page, 'Activate');
    await page.getByText('Callers use version 2.').first().waitFor();
    expect((await service.as(admin).run(queryName)).json.Data).toEqual([{ two: 2 }]);
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await agree(page, 'Deactivate');
    await page.getByRole('button', { name: 'Void' }).click();
    await agree(page, 'Void');
    await page.getByRole('button', { name: 'Restore' }).first().waitFor();
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    await close();
  });

  test('reports a concurrent change without losing text', async () => {
    const { id } = await published('Contested');
    const { page, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    await type(page, 'select 3 as mine');
    await expectStatus(service.as(admin).call('PATCH', `/api/v1/queries/${id}`, { sql: 'select 4 as theirs' }), 200);
    await page.keyboard.press('Control+s');
    const alert = page.getByRole('alert').filter({ hasText: 'Changed by another user' });
    await alert.getByText(/admin changed this query/).waitFor();
    await expectAccessible(page);
    await takeScreenshot(page, 'query-editor-conflict');
    await alert.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('dialog').getByText('theirs').first().waitFor();
    await page.keyboard.press('Escape');
    await alert.getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.getByText(/until you activate version 3/).waitFor();
    await close();
  });

  test('duplicates a query as a new one', async () => {
    const sql = 'select @Year as year';
    const parameters = [{ name: '@Year', dataType: 'int', required: true, description: 'Four digits' }];
    const { id, queryName } = await published('Original', { sql, parameters, tags: ['copied'], maxRows: 7 });
    const { page, consoleErrors, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    await page.getByRole('link', { name: 'Duplicate' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await expect.poll(() => name.inputValue()).toMatch(/^Copy of Original/);
    await page.getByRole('textbox', { name: 'SQL' }).getByText('select @Year as year').waitFor();
    await takeScreenshot(page, 'query-editor-copy');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/queries\/(?!new)[^/]+\/edit$/);
    const copied = await stored(new URL(page.url()).pathname.split('/')[2] ?? '');
    expect(copied).toMatchObject({ status: 'Draft', sql, tags: ['copied'], maxRows: 7, parameters });
    expect(copied.id).not.toBe(id);
    expect((await stored(id)).queryName).toBe(queryName);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('shows the tables of the database beside the SQL, which can be edited meanwhile', async () => {
    const { id } = await published('Schema');
    const { page, consoleErrors, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    const button = page.getByRole('button', { name: 'Tables and columns' });
    await button.click();
    const tables = page.getByRole('dialog', { name: 'Tables of Demo' });
    await tables.getByLabel('Search tables and columns').fill('customers');
    await tables.getByRole('button', { name: /customers/ }).click();
    await tables.getByRole('cell', { name: 'country' }).waitFor();
    await type(page, 'select country from customers');
    await page.getByText('Unsaved changes').waitFor();
    await expectAccessibleInEveryLook(page, 'query-editor-tables');
    await tables.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => tables.count()).toBe(0);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('asks before leaving unsaved changes', async () => {
    const { id } = await published('Left');
    const { page, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    await page.getByLabel('Tip').fill('Not saved');
    await page.getByRole('link', { name: 'Queries', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Tip').inputValue()).toBe('Not saved');
    await page.getByRole('link', { name: 'Queries', exact: true }).click();
    await agree(page, 'Leave');
    await page.getByRole('heading', { level: 1, name: 'Queries' }).waitFor();
    expect((await stored(id)).tip).toBe('');
    await close();
  });

  test('keeps unsaved text when the session ends', async () => {
    const { id } = await published('Interrupted');
    const { page, context, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    await page.getByLabel('Tip').fill('Typed for an hour');
    await context.clearCookies();
    await page.keyboard.press('Control+s');
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('User Name').fill(admin.username);
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await eventually(() => page.getByLabel('Tip').inputValue()).toBe('Typed for an hour');
    await page.keyboard.press('Control+s');
    await eventually(async () => (await stored(id)).tip).toBe('Typed for an hour');
    await close();
  });

  test('warns about an Epilogue and closes the query to AI', async () => {
    const { page, close } = await open();
    await page.goto('/queries/new');
    await choose(page, 'Demo');
    expect(await page.getByRole('button', { name: 'Write data back…' }).count()).toBe(0);
    await choose(page, 'Ledger');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(`Noted ${++names}`);
    await type(page, 'select * from entries where id = @Id');
    await page.getByRole('button', { name: 'Write data back…' }).click();
    await page.getByRole('textbox', { name: 'Epilogue' }).click();
    await page.keyboard.insertText('insert into entries values (@Id, @Note)');
    await page.getByRole('group', { name: '@Note' }).waitFor();
    await page.getByText('This changes data').waitFor();
    expect(await page.getByLabel('AI access').isChecked()).toBe(false);
    await takeScreenshot(page, 'query-editor-epilogue');
    await page.keyboard.press('Control+s');
    await page.waitForURL(/queries\/(?!new)[^/]+\/edit/);
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByRole('region', { name: 'State' }).getByText('Validated', { exact: true }).waitFor();
    await expectAccessible(page);
    await close();
  });

  test('shows validation warnings until the text changes', async () => {
    const double = await startTrinoDouble(trinoResponses);
    try {
      const connection = { host: '127.0.0.1', port: double.port, user: 'reader', database: 'memory' };
      const lake = { name: `Lake ${++names}`, kind: 'trino', connection, settings: { schema: 'shop' } };
      const root = service.as(admin);
      await expectStatus(root.call('POST', '/api/v1/databases', lake), 201);
      const parameters = [{ name: '@Pin', dataType: 'int', required: true, masked: true }];
      const query = { name: `Masked ${names}`, database: lake.name, sql: 'SELECT @Pin AS value', parameters };
      const { id } = (await expectStatus(root.call<{ id: string }>('POST', '/api/v1/queries', query), 201)).json;
      const { page, close } = await open();
      await page.goto(`/queries/${id}/edit`);
      await page.getByRole('button', { name: 'Validate' }).click();
      const warning = page.getByRole('region', { name: 'State' }).getByText('@Pin is masked here, but Trino');
      await warning.waitFor();
      await expectAccessible(page);
      await page.getByRole('textbox', { name: 'Tip' }).fill('With care');
      await warning.waitFor({ state: 'detached' });
      await close();
    } finally {
      await double.close();
    }
  });

  test('is left with Esc and Tab, and completes names of the database', async () => {
    const { page, close } = await open();
    const schema = Promise.withResolvers<void>();
    await page.route('**/schema', async (route) => {
      await schema.promise;
      await route.continue();
    });
    await page.goto('/queries/new');
    await choose(page, 'Demo');
    await type(page, 'select * from custom');
    schema.resolve(); // the names may arrive after the user has started to type
    await page.getByRole('option', { name: /customers/ }).waitFor();
    await type(page, 'select * from prod');
    await page.getByRole('option', { name: /products/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest(".cm-editor") === null')).toBe(true);
    await close();
  });

  test('opens the parameter whose field is refused', async () => {
    const { page, close } = await open();
    await page.goto('/queries/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Wrong default');
    await choose(page, 'Demo');
    await type(page, 'select @Count as number');
    const count = page.getByRole('group', { name: '@Count' });
    await count.getByText('Whole number · required').waitFor();
    const line = count.getByRole('button', { name: /@Count/ });
    await line.click();
    await count.getByRole('combobox', { name: 'Type' }).fill('decimal(9,4)');
    await page.getByRole('option', { name: 'Number with up to 4 decimals' }).click();
    await count.getByLabel('Default').fill('wordy');
    await line.click();
    await page.keyboard.press('Control+s');
    const field = count.getByLabel('Default');
    await eventually(() => field.getAttribute('aria-invalid')).toBe('true');
    await eventually(() => field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await count.getByText('decimal(9,4)', { exact: true }).waitFor();
    await close();
  });

  test('mends a name, explains an empty preview, and restores unsaved changes after a reload until the user signs out', async () => {
    const { page, close } = await open();
    await page.goto('/queries/new');
    await choose(page, 'Demo');
    await type(page, 'select name from custmers where country in (@Countries) and (@City is null or city = @City)');
    await page.getByRole('group', { name: '@Countries' }).getByText('Text · list · required').waitFor();
    const city = page.getByRole('group', { name: '@City' });
    await city.getByRole('button', { expanded: false }).click();
    await city.getByLabel('Required').uncheck();
    await page.getByLabel('@Countries').first().fill('Germany');
    await page.getByRole('textbox', { name: '@City' }).fill('Nowhere');
    const preview = page.getByRole('button', { name: /^Preview Ctrl/ });
    await preview.click();
    await page.getByRole('button', { name: /^Did you mean customers\?$/ }).click();
    await page.getByText('from customers where').waitFor();
    await preview.click();
    await page.getByText('No row matches @City = Nowhere. Without this value there are rows.').waitFor();
    await takeScreenshot(page, 'query-editor-empty');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Preview without @City' }).click();
    await page.getByRole('grid', { name: 'Preview rows' }).waitFor();
    expect(await page.getByRole('textbox', { name: '@City' }).inputValue()).toBe('');

    await page.reload();
    await page.getByText(/Restored your unsaved changes from/).waitFor();
    await page.getByText('from customers where').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No parameters yet.').waitFor();
    await type(page, 'select 1 as kept');
    await eventually(() => page.evaluate(() => JSON.stringify(Object.values(localStorage)))).toContain('select 1 as kept');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('User Name').waitFor();
    await eventually(() => page.evaluate(() => JSON.stringify(Object.values(localStorage)))).not.toContain('select 1 as kept');
    await close();
  });

  test('is hidden from query users, and hides publishing from authors', async () => {
    const { id } = await published('Guarded');
    const reader = await createUser(service, 'reader', { roles: ['Query User'], databases: ['Demo'] });
    const first = await open({ as: reader });
    await first.page.goto(`/queries/${id}/edit`);
    await first.page.getByText('You don’t have permission to write queries').waitFor();
    await first.close();
    const author = await createUser(service, 'author', { roles: ['Query Author'], databases: ['Demo'] });
    const second = await open({ as: author });
    await second.page.goto(`/queries/${id}/edit`);
    await editorOf(second.page).waitFor();
    expect(await second.page.getByRole('button', { name: 'Deactivate' }).count()).toBe(0);
    expect(await second.page.getByRole('button', { name: 'Write data back…' }).count()).toBe(0);
    await second.close();
  });

  test('has no axe violations or console errors in any look', async () => {
    const { id } = await published('Looked at', {
      sql: "-- who is where\nselect customer_id, name, 'x' as letter, 12.5 as number\nfrom customers\nwhere country = @Country",
      parameters: [
        { name: '@Country', dataType: 'nvarchar(50)', required: true, default: 'Germany', values: ['Germany', 'Japan'] },
      ],
      description: 'Customers of one country.',
      tags: ['customers'],
    });
    const { page, consoleErrors, close } = await open();
    await page.goto(`/queries/${id}/edit`);
    await editorOf(page).waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('grid', { name: 'Preview rows' }).waitFor();
    await expectAccessibleInEveryLook(page, 'query-editor');
    expect(consoleErrors()).toEqual([]);
    await close();
  });
});

/** Waits for an asynchronous change, also on a busy machine. */
const eventually = <T>(ask: () => T) => expect.poll(ask, { timeout: 15_000 });

interface Stored {
  readonly id: string;
  readonly queryName: string;
  readonly tip: string;
}

const editorOf = (page: Page): Locator => page.getByRole('textbox', { name: 'SQL', exact: true });

async function choose(page: Page, database: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Database' }).click();
  await page.getByRole('option', { name: database }).click();
}

/** Replaces the current text. */
async function type(page: Page, sql: string): Promise<void> {
  await editorOf(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(sql);
}

const agree = (page: Page, word: string): Promise<void> => page.getByRole('dialog').getByRole('button', { name: word }).click();
