import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessible, openBrowser, takeScreenshot, type Visit, visit } from '../support/browser/browser.ts';
import { publish } from '../support/queries/publish.ts';
import { type List, type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';

// axe is slow on a busy machine
vi.setConfig({ testTimeout: 90_000 });

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(
  `versions of a query (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService();
    });
    afterAll(() => service.close());

    let nameCount = 0;
    const open = async (): Promise<Visit> => {
      const opened = await visit(browser as Browser, service);
      opened.page.setDefaultTimeout(20_000);
      return opened;
    };
    /** Uses a unique name, also when a test is repeated. */
    const publishNext = (name: string) => publish(service.as(admin), { name: `${name} ${++nameCount}`, sql: 'select 1 as one' });

    test('are compared, and an earlier one is restored', async () => {
      const { id } = await publishNext('Remembered');
      const patch = (body: object) => expectStatus(service.as(admin).call('PATCH', `/api/v1/queries/${id}`, body), 200);
      await patch({ sql: 'select 2 as two', timeoutSeconds: 20 });
      const { page, close } = await open();
      await page.goto(`/queries/${id}/edit`);
      const versions = page.getByRole('region', { name: 'Saved versions' });
      await versions.getByRole('row', { name: /^1/ }).getByText('Active', { exact: true }).waitFor();
      await versions.getByRole('row', { name: /^2/ }).getByText('Draft', { exact: true }).waitFor();
      await versions.getByRole('row', { name: /^1/ }).getByRole('button', { name: 'Compare' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('.cm-deletedChunk').getByText('one').waitFor();
      await dialog
        .getByRole('row', { name: /Timeout/ })
        .getByText('20 s')
        .waitFor();
      await expectAccessible(page);
      await takeScreenshot(page, 'query-editor-compare');
      await dialog.getByRole('combobox', { name: 'From' }).click();
      await page.getByRole('option', { name: 'Version 2' }).click();
      await dialog.getByText('No other changes.').waitFor();
      await page.keyboard.press('Escape');
      await versions.getByRole('row', { name: /^1/ }).getByRole('button', { name: 'Restore' }).click();
      await confirm(page, 'Restore');
      await page.getByText(/until you activate version 3/).waitFor();
      await poll(() => editorOf(page).textContent()).toBe('select 1 as one');
      await versions.getByRole('row', { name: /^3/ }).getByText('Restored from version 1').waitFor();
      await close();
    });

    test('have notes, which belong to one version each', async () => {
      const { id } = await publishNext('Noted');
      const versions = async () => {
        const { json } = await service.as(admin).call<List<Version>>('GET', `/api/v1/queries/${id}/versions`);
        return json.items.map(({ version, note }) => [version, note]);
      };
      const { page, consoleErrors, close } = await open();
      await page.goto(`/queries/${id}/edit`);
      const state = page.getByRole('region', { name: 'State' });
      const field = state.getByRole('textbox', { name: 'Note' });
      const save = page.getByRole('button', { name: 'Save' });
      expect(await field.getAttribute('maxlength')).toBe('500');

      // a note alone needs no validation
      await field.fill('First, by hand');
      await page.getByText('Unsaved changes').waitFor();
      await state.getByText('This becomes the note of version 1.').waitFor();
      expect(await page.getByRole('button', { name: 'Validate' }).count()).toBe(0);
      await save.click();
      await poll(versions).toEqual([[1, 'First, by hand']]);
      await poll(() => field.inputValue()).toBe('');

      const markup = '<img src=x onerror="document.title=1"> **bold** &amp;';
      await type(page, 'select 2 as two');
      await field.fill(markup);
      await page.getByRole('button', { name: 'Validate' }).click();
      await state.getByText('Validated', { exact: true }).waitFor();
      expect(await field.inputValue()).toBe(markup);
      await page.getByRole('textbox', { name: 'Tip' }).fill('Labels keep the note of the draft');
      await save.click();
      // labels apply at once, as version 3; the draft has the same labels, and the next number
      await poll(versions).toEqual([
        [4, markup],
        [3, ''],
        [2, markup],
        [1, 'First, by hand'],
      ]);

      const list = page.getByRole('region', { name: 'Saved versions' });
      await list.getByRole('row', { name: /^1/ }).getByText('First, by hand').waitFor();
      await list.getByRole('row', { name: /^4/ }).getByText(markup).waitFor();
      await list.getByRole('row', { name: /^2/ }).getByRole('button', { name: 'Compare' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('First, by hand').waitFor();
      await dialog.getByText(markup).waitFor();
      await expectAccessible(page);
      await takeScreenshot(page, 'query-versions-notes');
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: 'Activate', exact: true }).click();
      await confirm(page, 'Activate');
      await page.getByText('Callers use version 4.').first().waitFor();
      await poll(() => field.inputValue()).toBe('');
      expect(await page.getByText('Unsaved changes').count()).toBe(0);
      await takeScreenshot(page, 'query-versions');
      expect(consoleErrors()).toEqual([]);
      await close();
    });
  },
);

/** Waits for an asynchronous change, also on a busy machine. */
const poll = <T>(ask: () => T) => expect.poll(ask, { timeout: 15_000 });

interface Version {
  readonly version: number;
  readonly note: string;
}

const editorOf = (page: Page): Locator => page.getByRole('textbox', { name: 'SQL', exact: true });

/** Replaces the current text. */
async function type(page: Page, sql: string): Promise<void> {
  await editorOf(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(sql);
}

const confirm = (page: Page, word: string): Promise<void> => page.getByRole('dialog').getByRole('button', { name: word }).click();
