import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chartTypes } from '../../src/core/chart-config.ts';
import { chooseChartType, openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { embedOf, publishChartQuery } from '../support/queries/embeds.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const soon = { timeout: 10_000 }; // slow on a busy machine
const acts = ['Zoom in', 'Zoom out', 'Pan left', 'Pan right', 'Reset', 'Download PNG', 'Download SVG'];

/** Several rows of each label, for box plots. */
const sql = "select 'item ' || (1 + i % 5) as label, i * 10 as value from range(1, 21) r(i)";

/** Every type, on an embed page and in the builder. */
describe.skipIf(typeof browser === 'string')(`zoom and pan (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let queryName: string;
  let builder: Visit;
  beforeAll(async () => {
    service = await startTestService();
    ({ queryName } = await publishChartQuery(service.as(admin), 'Zoomed', { sql }));
    builder = await visit(browser as Browser, service);
    await builder.page.goto(`/query-to-chart?query=${queryName}`);
    await builder.page.getByRole('button', { name: 'Run Query' }).click();
  });
  afterAll(async () => {
    await builder.close();
    await service.close();
  });

  /** What is drawn: the shape, the place and the text of every element. */
  const read = (on: Page | Frame, live: string): Promise<string> =>
    on
      .locator(`${live} svg`)
      .first()
      .evaluate((svg) =>
        [...svg.querySelectorAll('path, rect, circle, text')]
          .map((mark) => ['d', 'transform', 'x', 'y'].map((name) => mark.getAttribute(name)).join() + mark.textContent)
          .sort()
          .join('\n'),
      );

  async function expectZooms(on: Page | Frame, live: string, keyboard: Page['keyboard']): Promise<void> {
    const press = (name: string) => on.getByRole('toolbar').getByRole('button', { name, exact: true }).click();
    const drawn = () => read(on, live);
    await expect.poll(drawn, soon).toMatch(/\d/);
    const whole = await drawn();
    const names = await on
      .getByRole('toolbar')
      .getByRole('button')
      .evaluateAll((all) => all.map((each) => each.ariaLabel));
    expect(names.filter((name) => name !== 'Chart tools')).toEqual(acts);

    await press('Zoom in');
    await expect.poll(drawn, soon).not.toBe(whole);
    const enlarged = await drawn();
    await press('Pan right');
    await expect.poll(drawn, soon).not.toBe(enlarged);
    const moved = await drawn();
    await press('Pan left');
    await expect.poll(drawn, soon).not.toBe(moved);
    await press('Reset');
    await expect.poll(drawn, soon).toBe(whole);

    await on.locator(live).focus();
    await keyboard.press('+');
    await expect.poll(drawn, soon).not.toBe(whole);
    await keyboard.press('0');
    await expect.poll(drawn, soon).toBe(whole);
  }

  const openEmbed = async (words: Record<string, string>, width = 900) => {
    const { EmbedUrl } = await embedOf(service.as(admin), { queryName, title: 'A chart', ...words });
    const page = await (browser as Browser).newPage({ viewport: { width, height: 500 }, reducedMotion: 'reduce' });
    const consoleErrors: string[] = [];
    page.on('console', (message) => consoleErrors.push(message.text()));
    await page.goto(EmbedUrl);
    await page.locator('.live #live svg').waitFor();
    return { page, consoleErrors };
  };

  test.each(chartTypes)('a $name on an embed page', async ({ type }) => {
    const { page, consoleErrors } = await openEmbed({ chartType: type });
    await expectZooms(page, '#live', page.keyboard);
    expect(consoleErrors).toEqual([]);
    await page.close();
  });

  test.each(chartTypes)('a $name in the builder', async ({ name }) => {
    const { page, consoleErrors } = builder;
    await chooseChartType(page, name);
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await expectZooms(page, '.chart-live', page.keyboard);
    await page.getByRole('button', { name: 'Previous' }).click();
    expect(consoleErrors()).toEqual([]);
  });

  test('a pie by Ctrl and the wheel, by dragging, and back on a phone without opening the menu', async () => {
    const { page } = await openEmbed({ chartType: 'pie' }, 380);
    const drawn = () => read(page, '#live');
    const whole = await drawn();
    await page.mouse.move(190, 200);
    await page.mouse.wheel(0, -100); // scrolls
    expect(await page.locator('#live').getAttribute('data-zoomed')).toBeNull();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    await expect.poll(() => page.locator('#live').getAttribute('data-zoomed'), soon).toBe('');
    const enlarged = await drawn();
    await page.mouse.down();
    await page.mouse.move(160, 210, { steps: 4 });
    await page.mouse.up();
    await expect.poll(drawn, soon).not.toBe(enlarged);
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect.poll(drawn, soon).toBe(whole);
    expect(await page.getByRole('button', { name: 'Reset' }).isVisible()).toBe(false);
    await page.close();
  });
});
