import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, takeScreenshot } from '../support/browser/browser.ts';
import { createEditorVisits, eventually } from '../support/browser/query-editor.ts';
import { expectProblem } from '../support/http/problem.ts';
import { type Account, createKey, createQueryUser } from '../support/people/accounts.ts';
import { embedOf } from '../support/queries/embeds.ts';
import { linkOf } from '../support/queries/links.ts';
import { admin, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

// axe is slow on a busy machine
vi.setConfig({ testTimeout: 120_000 });

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(
  `authors and callers of a query (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    let ann: Account;
    let key: string;
    beforeAll(async () => {
      service = await startTestService();
      ann = await createQueryUser(service, 'ann');
      ({ key } = await createKey(ann.caller, { name: 'nightly' }));
    });
    afterAll(() => service.close());

    const { open, published, stored } = createEditorVisits(browser, () => service);
    const sql = "select 'item ' || i as label, i as value from range(1, 4) r(i)";
    const withoutValue = { sql: "select 'item ' || i as label, 'x' as note from range(1, 4) r(i)" };
    const patch = (id: string, change: object) =>
      expectStatus(service.as(admin).call('PATCH', `/api/v1/queries/${id}`, change), 200);
    const move = (id: string, name: string) => expectStatus(service.as(admin).call('POST', `/api/v1/queries/${id}/${name}`), 200);
    const saveDraft = async (id: string, change: object) => {
      await patch(id, change);
      await move(id, 'validate');
    };
    const replaceVersion = async (id: string, change: object) => {
      await saveDraft(id, change);
      await move(id, 'activate');
    };
    const activateButton = (page: Page): Locator => page.getByRole('button', { name: 'Activate', exact: true });
    const changesIn = async (dialog: Locator): Promise<string[]> => {
      const changes = dialog.getByRole('list', { name: 'Changes for callers' }).getByRole('listitem');
      return (await changes.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    };

    test('are shown before a breaking change is activated, with everything that depends on the query', async () => {
      const { id, queryName } = await published('Affected', { sql });
      for (let run = 0; run < 2; run++) await expectStatus(service.as({ key }).run(queryName), 200);
      await expectStatus(ann.caller.call('GET', `/data/${queryName}.csv`), 200);
      for (const title of ['Items', 'Items, large']) await embedOf(ann.caller, { queryName, title });
      await linkOf(ann.caller, { queryName: `${queryName}@1`, name: 'Items as CSV' });
      await createKey(ann.caller, { name: 'agent', queries: [queryName], tools: 'typed' });
      const choices = { query: queryName, value: 'label' };
      const parameters = [{ name: '@Item', dataType: 'varchar', required: true, choices }];
      const other = await published('Chooser', { sql: 'select @Item as item', parameters });
      await saveDraft(id, withoutValue);

      const { page, consoleErrors, close } = await open();
      await page.goto(`/queries/${id}/edit`);
      await activateButton(page).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: /^Activate/ });
      await dialog.getByText('Callers will use version 2 instead of version 1.').waitFor();
      expect(await changesIn(dialog)).toEqual(['Breaking The column value was removed.', 'The column note was added.']);
      await dialog.getByText('2 callers received rows of this query in the last 90 days.').waitFor();
      const callers = await dialog.getByRole('table', { name: 'Callers' }).getByRole('row').all();
      const cells = await Promise.all(callers.map((row) => row.locator('th, td').allInnerTexts()));
      expect(cells.map((row) => row.slice(0, 5).map((text) => text.trim()))).toEqual([
        ['User', 'Key or application', 'Channel', 'Version', 'Calls'],
        ['ann', 'nightly', 'rest', '1', '2'],
        ['ann', '', 'data', '1', '1'],
      ]);
      for (const text of [
        '2 embeds draw it:',
        'Items, large (ann)',
        '1 data link returns its rows:',
        'Items as CSV (ann), stays with version 1',
        '1 API key has a tool for it:',
        'agent (ann)',
        '1 query takes choices from it:',
        `${other.queryName} (admin)`,
        `Calls that name a version, such as ${queryName}@1, stay with it.`,
      ]) {
        await dialog.getByText(text, { exact: true }).waitFor();
      }
      await expectAccessibleInEveryLook(page, 'activate-breaking');
      await dialog.getByRole('button', { name: 'Activate anyway' }).scrollIntoViewIfNeeded();
      await takeScreenshot(page, 'activate-breaking-end');
      await page.keyboard.press('Escape');
      await eventually(() => page.evaluate('document.activeElement.innerText')).toBe('Activate');
      expect(await stored(id)).toMatchObject({ version: 1 });

      await activateButton(page).click();
      await dialog.getByRole('button', { name: 'Activate anyway' }).click();
      await page.getByText('Callers use version 2.').first().waitFor();
      expect(consoleErrors()).toEqual([]);
      await close();
    });

    test('are not asked about where callers notice nothing, nor before the first activation', async () => {
      const { id } = await published('Unnoticed', { sql });
      await saveDraft(id, { sql: `${sql} order by i desc` });
      const { page, consoleErrors, close } = await open();
      await page.goto(`/queries/${id}/edit`);
      await activateButton(page).click();
      await page.getByText('Callers use version 2.').first().waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);

      await saveDraft(id, { maxRows: 2 });
      await page.reload();
      await activateButton(page).click();
      const dialog = page.getByRole('dialog', { name: /^Activate/ });
      await dialog.getByText('The row limit was lowered from none to 2.').waitFor();
      await dialog.getByText('Nobody received rows of this query in the last 90 days.').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await stored(id)).toMatchObject({ version: 2 });
      expect(consoleErrors()).toEqual([]);
      await close();
    });

    test('need a confirmation of breaking changes where the query refuses them', async () => {
      const { id } = await published('Enforced', { sql });
      const { page, close } = await open();
      await page.goto(`/queries/${id}/edit`);
      await page.getByRole('combobox', { name: 'Compatibility' }).click();
      await page.getByRole('option', { name: 'Refuse breaking changes' }).click();
      await page.getByText('Activate needs a confirmation for changes that break callers').waitFor();
      await expectAccessibleInEveryLook(page, 'editor-compatibility');
      await page.getByRole('button', { name: 'Save' }).click();
      await eventually(() => stored(id)).toMatchObject({ compatibility: 'enforce' });
      const who = { name: '@Who', dataType: 'nvarchar(50)', required: true, boundTo: 'user.name' };
      await saveDraft(id, { sql: `${withoutValue.sql} where @Who is not null`, parameters: [who] });
      await expectStatus(service.as(admin).call('POST', `/api/v1/queries/${id}/activate`), 409);
      await page.reload();
      await activateButton(page).click();
      const dialog = page.getByRole('dialog', { name: /^Activate/ });
      await dialog.getByText('This query refuses breaking changes').waitFor();
      await dialog.getByText('Earlier versions do not select rows by who calls.').waitFor();
      const anyway = dialog.getByRole('button', { name: 'Activate anyway' });
      expect(await anyway.isDisabled()).toBe(true);
      await expectAccessibleInEveryLook(page, 'activate-enforced');
      await dialog.getByRole('checkbox', { name: 'Activate, although it breaks callers' }).check();
      await anyway.click();
      await page.getByText('Callers use version 3.').first().waitFor();
      await close();
    });

    test('see which versions are still called, and retire one at a time and at once', async () => {
      const { id, queryName } = await published('Retired', { sql });
      await expectStatus(ann.caller.run(queryName), 200);
      await replaceVersion(id, withoutValue);
      for (const name of [queryName, `${queryName}@1`]) await expectStatus(service.as({ key }).run(name), 200);
      const link = await linkOf(ann.caller, { queryName: `${queryName}@1`, name: 'First' });
      await patch(id, { tip: 'Labels make no version for callers.' });

      const { page, consoleErrors, close } = await open();
      await page.goto(`/queries/${id}/edit`);
      const versions = page.getByRole('table', { name: 'Activated versions' });
      const rows = async () =>
        (await versions.getByRole('row').allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' ').trim()).slice(1);
      await versions.getByText('1 caller').first().waitFor();
      expect(await rows()).toEqual([
        expect.stringMatching(new RegExp(`^${queryName}@2 Active .* 1 caller$`, 'i')),
        expect.stringMatching(new RegExp(`^${queryName}@1 .* 1 caller Retire…$`)),
      ]);
      expect(await page.getByRole('button', { name: 'Retire version 2' }).count()).toBe(0);
      await expectAccessibleInEveryLook(page, 'pinned-versions');

      await page.getByRole('button', { name: 'Retire version 1' }).click();
      const dialog = page.getByRole('dialog', { name: 'Retire version 1' });
      await dialog.getByText('1 caller received rows of this version in the last 90 days.').waitFor();
      await dialog.getByText('First (ann), stays with version 1').waitFor();
      expect(await changesIn(dialog)).toEqual(['Breaking The column value was removed.', 'The column note was added.']);
      await dialog.getByText('At a time', { exact: true }).click();
      await dialog.getByLabel('Retire at', { exact: true }).fill('soon');
      await dialog.getByText('Enter a date and a time').waitFor();
      expect(await dialog.getByRole('button', { name: 'Retire', exact: true }).isDisabled()).toBe(true);
      await dialog.getByLabel('Retire at', { exact: true }).fill('2099-12-31T12:00:00');
      await expectAccessibleInEveryLook(page, 'retire-version');
      await dialog.getByRole('button', { name: 'Retire', exact: true }).click();
      await versions.getByText('Retires on Dec 31, 2099').waitFor();
      expect((await expectStatus(ann.caller.run(`${queryName}@1`), 200)).headers.get('Sunset')).toMatch(/2099/);

      await page.getByRole('button', { name: 'Change the retirement of version 1' }).click();
      await dialog.getByText('Now', { exact: true }).click();
      await dialog.getByRole('button', { name: 'Retire', exact: true }).click();
      await versions.getByText('Retired', { exact: true }).waitFor();
      await expectProblem(ann.caller.run(`${queryName}@1`), 410, 'version_retired');
      expect((await fetch(link.url ?? '')).status).toBe(410);
      expect(consoleErrors()).toEqual([]);
      await close();
    });

    test('compare any two versions for callers', async () => {
      const { id } = await published('Compared', { sql });
      await replaceVersion(id, withoutValue);
      await replaceVersion(id, { ...withoutValue, timeoutSeconds: 20 });
      const { page, close } = await open();
      await page.goto(`/queries/${id}/edit`);
      const saved = page.getByRole('region', { name: 'Saved versions' });
      await saved.getByRole('row', { name: /^2/ }).getByRole('button', { name: 'Compare' }).click();
      const dialog = page.getByRole('dialog', { name: 'What changed' });
      await dialog.getByText('The column note was added.').waitFor();
      expect(await changesIn(dialog)).toEqual(['Breaking The column value was removed.', 'The column note was added.']);
      await expectAccessibleInEveryLook(page, 'compare-for-callers');
      await dialog.getByRole('combobox', { name: 'From' }).click();
      await page.getByRole('option', { name: 'Version 3' }).click();
      await dialog.getByText('Callers notice no change.').waitFor();
      await close();
    });
  },
);
