import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { publish } from '../queries/publish.ts';
import { admin, type TestService } from '../services/service.ts';
import { type Visit, visit } from './browser.ts';

interface Stored {
  readonly id: string;
  readonly queryName: string;
  readonly tip: string;
}

/** Visits of the query editor, and queries to edit. */
export function createEditorVisits(browser: Browser | string, service: () => TestService) {
  let names = 0;
  /** A name of its own, also when a test is repeated. */
  const unique = (name: string): string => `${name} ${++names}`;
  return {
    unique,
    open: async (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
      const opened = await visit(browser as Browser, service(), options);
      opened.page.setDefaultTimeout(20_000);
      return opened;
    },
    published: (name: string, more: Record<string, unknown> = {}) =>
      publish(service().as(admin), { name: unique(name), sql: 'select 1 as one', ...more }),
    stored: async (id: string) => (await service().as(admin).call<Stored>('GET', `/api/v1/queries/${id}`)).json,
  };
}

/** Waits for an asynchronous change, also on a busy machine. */
export const eventually = <T>(ask: () => T) => expect.poll(ask, { timeout: 15_000 });

export const editorOf = (page: Page): Locator => page.getByRole('textbox', { name: 'SQL', exact: true });

export async function chooseDatabase(page: Page, database: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Database' }).click();
  await page.getByRole('option', { name: database }).click();
}

/** Replaces the current text. */
export async function typeSql(page: Page, sql: string): Promise<void> {
  await editorOf(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(sql);
}

export const agree = (page: Page, word: string): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name: word }).click();
