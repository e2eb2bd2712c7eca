import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessible, openBrowser, takeScreenshot } from '../support/browser/browser.ts';
import { agree, chooseDatabase, createEditorVisits, editorOf, eventually, typeSql } from '../support/browser/query-editor.ts';
import { createUser } from '../support/people/accounts.ts';
import { type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

// axe is slow on a busy machine
vi.setConfig({ testTimeout: 90_000 });

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(
  `drafts in the query editor (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService();
    });
    afterAll(() => service.close());
    const { open, published, stored, unique } = createEditorVisits(browser, () => service);

    test('creates, validates and activates a query', async () => {
      const name = unique('Orders by country');
      const queryName = `QD_${name.replaceAll(' ', '_')}_Demo`;
      const { page, consoleErrors, close } = await open();
      await page.goto('/queries/new');
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
      await chooseDatabase(page, 'Demo');
      await typeSql(page, 'select country, count(*) as number from customers where country = @Country group by country');
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

    test('keeps a draft beside the Active version until it is activated', async () => {
      const { id, queryName } = await published('Kept');
      const { page, close } = await open();
      await page.goto(`/queries/${id}/edit`);
      await typeSql(page, 'select 2 as two');
      await page.getByRole('button', { name: 'Save' }).click();
      await page
        .getByRole('region', { name: 'State' })
        .getByText('Callers use version 1 until you activate version 2.')
        .waitFor();
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
      await typeSql(page, 'select 3 as mine');
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
  },
);
