import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { embedOf } from '../support/queries/embeds.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../support/services/service.ts';

// the long form: TEST_MARKUP=all, with an embed page for every string as its title
const long = process.env.TEST_MARKUP === 'all';
const browser = await openBrowser();
const TIMEOUT = 240_000;

/** `@` is replaced by the number of the string, which an executed script would report. */
const strings = [
  '<script>alert(@)</script>',
  '</script><script>alert(@)</script>',
  '<img src=x onerror=alert(@)>',
  '"><img src=x onerror=alert(@)>',
  `'><img src=x onerror=alert(@)>`,
  '<svg onload=alert(@)>',
  '<svg><animate onbegin=alert(@) attributeName=x dur=1s>',
  '</title><script>alert(@)</script>',
  '</style><script>alert(@)</script>',
  '</textarea><script>alert(@)</script>',
  '--><script>alert(@)</script>',
  ']]><script>alert(@)</script>',
  '<iframe src="javascript:parent.alert(@)">',
  '<a href="javascript:alert(@)" autofocus onfocus=alert(@)>x</a>',
  'javascript:alert(@)',
  '{{constructor.constructor("alert(@)")()}}',
  `\${alert(@)}\`;alert(@);//`,
  '";alert(@);//',
  `';alert(@);//`,
  '<math><mtext></mtext><style><img src=x onerror=alert(@)></style></math>',
].map((text, index) => text.replaceAll('@', String(index + 1)));

const quoted = (text: string, by: string): string => by + text.replaceAll(by, by + by) + by;
const asName = (text: string): string => quoted(text, '"');
const asText = (text: string): string => quoted(text, "'");

describe.skipIf(typeof browser === 'string')(`markup in data (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let author: Caller;
  let wide: { id: string; queryName: string };
  let tall: { id: string; queryName: string };
  beforeAll(async () => {
    service = await startTestService();
    author = service.as(admin);
    // every string as a column name and as a cell, then every string as a label
    const columns = strings.map((text, index) => `${asText(text)} as ${asName(`${index} ${text}`)}`);
    wide = await publish(author, {
      name: 'Wide',
      description: strings.join(' '),
      tip: strings.join(' '),
      sql: `select ${columns}`,
    });
    const rows = strings.map((text, index) => `(${asText(text)}, ${index + 1})`);
    tall = await publish(author, { name: 'Tall', sql: `select * from (values ${rows}) t(${asName(strings[2] ?? '')}, value)` });
  }, 120_000);
  afterAll(() => service?.close());

  let pages = 0;
  /** Nothing ran: no dialog, no console error about a blocked script, no element created from data. */
  async function opened(path: string, as: typeof admin | null, look: (page: Page) => Promise<void>): Promise<void> {
    const seen: Visit = await visit(browser as Browser, service, { as });
    const dialogs: string[] = [];
    seen.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    try {
      await seen.page.goto(path);
      await look(seen.page);
      await seen.page.waitForTimeout(300);
      expect(dialogs).toEqual([]);
      expect(
        await seen.page.locator('img[src="x"], [onerror], [onload], [onfocus], [onbegin], math, a[href^="javascript:"]').count(),
      ).toBe(0);
      expect(seen.consoleErrors().filter((text) => !text.includes('Failed to load resource'))).toEqual([]);
      pages++;
    } finally {
      await seen.close();
    }
  }

  test('is not executed on embed pages', { timeout: TIMEOUT }, async () => {
    const types = long ? ['bar', 'line', 'pie', 'treemap', 'radar'] : ['bar', 'treemap'];
    const options = { queryName: tall.queryName, labelColumn: strings[2] ?? '', dataColumn: 'value' };
    const shown = async (page: Page, title: string) => {
      await page.waitForSelector('.live #live svg, .live #live canvas');
      await page.mouse.move(300, 200);
      await page.mouse.move(450, 220); // opens the tooltip
      expect(await page.locator('table td:first-child, table th[scope=row]').allTextContents()).toEqual(
        expect.arrayContaining([strings[0]]),
      );
      expect(await page.title()).toContain(title.slice(0, 20));
    };
    for (const chartType of types) {
      const title = strings.join(' ').slice(0, 190);
      const { EmbedUrl } = await embedOf(author, { ...options, chartType, title });
      await opened(EmbedUrl, null, (page) => shown(page, title));
    }
    if (!long) return;
    for (const title of strings) {
      const { EmbedUrl } = await embedOf(author, { ...options, title });
      await opened(EmbedUrl, null, (page) => shown(page, title));
    }
  });

  test('is not executed in the result grid', { timeout: TIMEOUT }, async () => {
    for (const { id } of [wide, tall]) {
      await opened(`/queries/${id}`, admin, async (page) => {
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        const cell = page.locator('[data-position="0 0"]');
        await cell.waitFor();
        expect(await cell.textContent()).toBe(strings[0]);
        await cell.focus();
        for (let column = 0; column < (id === wide.id ? strings.length : 1); column++) await page.keyboard.press('ArrowRight');
      });
    }
  });

  test('is not executed in a chart, a JSON response or a list', { timeout: TIMEOUT }, async () => {
    await opened(`/query-to-chart?query=${tall.queryName}`, admin, async (page) => {
      await page.getByRole('button', { name: 'Run Query' }).click();
      await page.getByText('20 rows found').waitFor();
      await page.getByLabel('Chart Title').fill(strings[3] ?? '');
      await page.getByRole('button', { name: 'Generate Chart' }).click();
      await page.getByRole('img', { name: /^Bar Chart/ }).waitFor();
      await page.mouse.move(600, 500);
      await page.mouse.move(640, 520);
    });
    await opened(`/query-to-json?query=${wide.queryName}`, admin, async (page) => {
      await page.getByLabel('Query Name').waitFor();
      await page.getByRole('button', { name: 'Run Test API', exact: true }).click();
      await page.getByText('onerror=alert(3)').first().waitFor();
    });
    await opened('/queries', admin, (page) => page.getByText('Wide').first().waitFor());
    reportFigure(
      15,
      `${strings.length} strings as titles, names of columns and cells on ${pages} pages: no dialog, nothing run, all shown as text`,
    );
  });
});
