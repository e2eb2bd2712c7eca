import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { trinoResponses } from '../contracts/trino/responses.ts';
import { startTrinoDouble } from '../doubles/trino.ts';
import { expectAccessible, expectAccessibleInEveryLook, openBrowser, takeScreenshot } from '../support/browser/browser.ts';
import { chooseDatabase, createEditorVisits, editorOf, eventually, typeSql } from '../support/browser/query-editor.ts';
import { makeDuckdbFile } from '../support/databases/duckdb-file.ts';
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
  const { open, published, unique } = createEditorVisits(browser, () => service);

  test('lists a running preview, and reports its cancellation with its duration', async () => {
    const { page, close } = await open();
    await page.goto('/queries/new');
    await chooseDatabase(page, 'Demo');
    await typeSql(page, 'select 42 as answer');
    await page.keyboard.press('Control+Enter');
    const rows = page.getByRole('grid', { name: 'Preview rows' });
    await rows.getByText('42').waitFor();
    await typeSql(page, 'select sum(a.i * b.i % 7) as n from range(1000000) a(i), range(1000000) b(i)');
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
    await typeSql(page, 'select one,\n  nmber\nfrom customers');
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
    await typeSql(page, 'select country from customers');
    await page.getByText('Unsaved changes').waitFor();
    await expectAccessibleInEveryLook(page, 'query-editor-tables');
    await tables.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => tables.count()).toBe(0);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('warns about an Epilogue and turns AI access off', async () => {
    const { page, close } = await open();
    await page.goto('/queries/new');
    await chooseDatabase(page, 'Demo');
    expect(await page.getByRole('button', { name: 'Write data back…' }).count()).toBe(0);
    await chooseDatabase(page, 'Ledger');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(unique('Noted'));
    await typeSql(page, 'select * from entries where id = @Id');
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
      const lake = { name: unique('Lake'), kind: 'trino', connection, settings: { schema: 'shop' } };
      const root = service.as(admin);
      await expectStatus(root.call('POST', '/api/v1/databases', lake), 201);
      const parameters = [{ name: '@Pin', dataType: 'int', required: true, masked: true }];
      const query = { name: unique('Masked'), database: lake.name, sql: 'SELECT @Pin AS value', parameters };
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
    await chooseDatabase(page, 'Demo');
    await typeSql(page, 'select * from custom');
    schema.resolve(); // the names may arrive after the user has started to type
    await page.getByRole('option', { name: /customers/ }).waitFor();
    await typeSql(page, 'select * from prod');
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
    await chooseDatabase(page, 'Demo');
    await typeSql(page, 'select @Count as number');
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

  test('corrects a name, explains an empty preview, and restores unsaved changes after a reload until the user signs out', async () => {
    const { page, close } = await open();
    await page.goto('/queries/new');
    await chooseDatabase(page, 'Demo');
    await typeSql(page, 'select name from custmers where country in (@Countries) and (@City is null or city = @City)');
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
    await typeSql(page, 'select 1 as kept');
    await eventually(() => page.evaluate(() => JSON.stringify(Object.values(localStorage)))).toContain('select 1 as kept');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('User Name').waitFor();
    await eventually(() => page.evaluate(() => JSON.stringify(Object.values(localStorage)))).not.toContain('select 1 as kept');
    await close();
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
