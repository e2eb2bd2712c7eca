import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, inflateSync } from 'node:zlib';
import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openBrowser, takeScreenshot } from '../support/browser/browser.ts';
import { embedOf, publishChartQuery } from '../support/queries/embeds.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();

/** Of the first pixel, which is background: a row of a PNG starts with its filter, and the first pixel of the first row is stored as it is. */
function brightnessOf(png: Buffer): 'light' | 'dark' {
  const start = png.indexOf('IDAT');
  const [, red = 0] = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)), {
    finishFlush: constants.Z_SYNC_FLUSH,
  });
  return red > 127 ? 'light' : 'dark';
}

/** A chart in a frame on a page of another origin. */
describe.skipIf(typeof browser === 'string')(`an embedded chart (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let author: Caller;
  let elsewhere: Server;
  let body = '';
  let queryName: string;
  beforeAll(async () => {
    service = await startTestService();
    author = service.as(admin);
    ({ queryName } = await publishChartQuery(author, 'Framed'));
    elsewhere = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(body)).listen(0, '127.0.0.1');
    await new Promise((resolve) => elsewhere.once('listening', resolve));
  });
  afterAll(async () => {
    elsewhere.close();
    await service.close();
  });

  const contexts: BrowserContext[] = [];
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });

  interface Framed {
    readonly page: Page;
    readonly frame: Frame;
    readonly consoleErrors: string[];
    press(name: string): Promise<void>;
  }

  async function framed(chart: Record<string, string>, options: BrowserContextOptions = {}): Promise<Framed> {
    const link = await embedOf(author, { queryName, title: 'A chart', ...chart });
    body = `<!doctype html><html lang="en"><title>Elsewhere</title><body style="margin:0"><main>${link.IframeCode}<h1>Elsewhere</h1></main>`;
    const context = await (browser as Browser).newContext({
      viewport: { width: 900, height: 600 },
      reducedMotion: 'reduce',
      ...options,
    });
    contexts.push(context);
    const page = await context.newPage();
    const consoleErrors: string[] = [];
    page.on('console', (message) => consoleErrors.push(message.text()));
    page.on('pageerror', (error) => consoleErrors.push(error.message));
    page.on('dialog', (dialog) => {
      consoleErrors.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`);
    const frame = page.frames()[1];
    if (frame === undefined) throw new Error('no frame');
    await frame.waitForSelector(
      options.javaScriptEnabled === false ? '#drawn svg:visible' : '.live #live svg, .live #live canvas',
    );
    return { page, frame, consoleErrors, press: (name) => frame.getByRole('button', { name, exact: true }).click() };
  }

  const labels = (frame: Frame): Promise<string[]> => frame.locator('#live text').allTextContents();
  const items = async (frame: Frame): Promise<string[]> => (await labels(frame)).filter((text) => text.startsWith('item'));

  test('zooms, pans and resets by buttons and by keyboard', async () => {
    const { page, frame, consoleErrors, press } = await framed({});
    const all = ['item 1', 'item 2', 'item 3', 'item 4', 'item 5'];
    expect(await items(frame)).toEqual(all);
    await press('Zoom in');
    await press('Zoom in');
    await expect.poll(() => items(frame)).not.toContain('item 1');
    await press('Pan right');
    await press('Pan right');
    await press('Pan right');
    await expect.poll(() => items(frame)).toContain('item 5');
    for (let times = 0; times < 6; times++) await press('Pan left');
    await expect.poll(() => items(frame)).toContain('item 1');
    await press('Reset');
    await expect.poll(() => items(frame)).toEqual(all);
    await frame.locator('#live').focus();
    for (const key of ['+', '+', '+']) await page.keyboard.press(key);
    await expect.poll(async () => (await items(frame)).length).toBeLessThan(3);
    for (const key of ['-', '-', '-']) await page.keyboard.press(key);
    await expect.poll(() => items(frame)).toEqual(all);
    await page.keyboard.press('+');
    await page.keyboard.press('0');
    await expect.poll(() => items(frame)).toEqual(all);
    expect(consoleErrors).toEqual([]);
  });

  test('downloads the visible chart as PNG and as SVG', async () => {
    const { page, consoleErrors, press } = await framed({ title: 'Übersicht: 2026/Q1' });
    const saved = async (button: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), press(button)]);
      return [download.suggestedFilename(), await readFile(await download.path())] as const;
    };
    const [svgName, svg] = await saved('Download SVG');
    expect(svgName).toBe('Übersicht-2026-Q1.svg');
    expect(svg.toString()).toMatch(/^<svg [^>]*width="900" height="400"/);
    expect(svg.toString()).toContain('item 3');
    const [pngName, png] = await saved('Download PNG');
    expect(pngName).toBe('Übersicht-2026-Q1.png');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1800, 800]);
    expect(consoleErrors).toEqual([]);
  });

  test('has a toolbar with one tab stop and arrow key navigation', async () => {
    const { page, frame } = await framed({});
    const focused = () => frame.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');
    await frame.getByRole('button', { name: 'Zoom in' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Zoom out');
    await page.keyboard.press('End');
    expect(await focused()).toBe('Download SVG');
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Zoom in');
    await page.keyboard.press('Tab');
    expect(await frame.evaluate('document.activeElement.id')).toBe('live');
  });

  test('adapts to the size of its frame and collapses its tools when narrow', async () => {
    const { page, frame, press } = await framed({});
    await press('Zoom in');
    const width = () =>
      frame
        .locator('#live svg')
        .first()
        .evaluate((svg) => svg.getBoundingClientRect().width);
    await expect.poll(() => items(frame)).not.toContain('item 1');
    const seen = await items(frame);
    await page.setViewportSize({ width: 480, height: 600 });
    await expect.poll(width).toBe(480);
    expect(await items(frame)).toEqual(seen); // the zoom is kept
    expect(await frame.getByRole('button', { name: 'Zoom in' }).isVisible()).toBe(false);
    await press('Chart tools');
    expect(await frame.getByRole('button', { name: 'Zoom in' }).isVisible()).toBe(true);
    await takeScreenshot(page, 'embed-narrow');
  });

  test.each(['light', 'dark'] as const)('renders on a %s page before and after its script runs', async (colorScheme) => {
    const background = (frame: Frame) => frame.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const expected = colorScheme === 'dark' ? 'rgb(22, 24, 29)' : 'rgb(255, 255, 255)';
    const { page, frame } = await framed({}, { colorScheme });
    expect(await background(frame)).toBe(expected);
    await expectAccessible(page);
    await takeScreenshot(page, `embed-${colorScheme}`);
    const still = await framed({}, { colorScheme, javaScriptEnabled: false });
    await takeScreenshot(still.page, `embed-${colorScheme}-without-script`);
    const shown = still.frame.locator('#drawn svg');
    expect(await shown.isVisible()).toBe(true);
    expect(brightnessOf(await shown.screenshot())).toBe(colorScheme);
    expect(await still.frame.locator('#tools').isVisible()).toBe(false);
    expect((await shown.boundingBox())?.width).toBeGreaterThan(800);
  });

  test('follows the system from light to dark', async () => {
    const { page, frame } = await framed({});
    const bar = () => frame.locator('#live path[fill="#6ea2f7"], #live rect[fill="#6ea2f7"]').count();
    expect(await bar()).toBe(0);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(bar).toBeGreaterThan(0);
  });

  test('does not execute markup in its data, and shows it as text', async () => {
    const attack = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'><svg onload=alert(3)>`;
    const sql = `select '${attack.replaceAll("'", "''")}' as "${attack.replaceAll('"', '""')}", 3 as value union all select 'b', 4`;
    const hostile = await publish(author, { name: 'Hostile', sql });
    for (const chartType of ['bar', 'pie', 'treemap']) {
      const { page, frame, consoleErrors } = await framed({
        queryName: hostile.queryName,
        labelColumn: attack,
        title: attack,
        chartType,
      });
      await page.mouse.move(300, 200);
      await page.mouse.move(450, 220); // opens the tooltip
      await page.waitForTimeout(300);
      expect(await frame.locator('img').count()).toBe(0);
      expect(await frame.locator('table td').first().textContent()).toBe(attack);
      expect(consoleErrors).toEqual([]);
    }
  });

  test('explains what is wrong with an invalid link', async () => {
    const { frame, page } = await framed({});
    await frame.goto(`${service.url}/api/v1/EmbeddedChart/RenderByToken?token=none`);
    expect(await frame.locator('h1').textContent()).toBe('Link not valid');
    await takeScreenshot(page, 'embed-dead-link');
  });

  test('grows with the labels of horizontal bars, and scrolls instead of showing a slider', async () => {
    const { queryName: many } = await publish(author, {
      name: 'Many',
      sql: "select 'item ' || i as label, 60 - i as value from range(1, 46) t(i)",
    });
    const viewport = { width: 380, height: 700 };
    const { frame } = await framed({ queryName: many, barOrientation: 'horizontal', chartHeight: '300' }, { viewport });
    expect(await items(frame)).toHaveLength(45);
    expect(await frame.evaluate<number>('document.documentElement.scrollHeight')).toBeGreaterThan(45 * 16);
    expect(await frame.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
  });

  test('does not scale its picture down on a phone without script, also in a low frame', async () => {
    const viewport = { width: 380, height: 300 };
    const userAgent = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/156.0.0.0 Mobile Safari/537.36';
    const { page, frame } = await framed({ chartType: 'pie' }, { viewport, userAgent, javaScriptEnabled: false });
    const picture = frame.locator('#drawn svg');
    expect([await picture.getAttribute('width'), (await picture.boundingBox())?.width]).toEqual(['360', 360]);
    await takeScreenshot(page, 'embed-phone-without-script');
  });

  test('does not capture the mouse wheel and does not scroll', async () => {
    const { queryName: long } = await publish(author, {
      name: 'Long',
      sql: 'select i as label, i % 7 as amount from range(900) t(i)',
    });
    const { page, frame } = await framed({ queryName: long, chartType: 'line', labelColumn: 'label', dataColumn: 'amount' });
    await page.evaluate('document.body.style.height = "4000px"');
    await frame.locator('.live #live').waitFor();
    expect(await frame.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0);
    await page.mouse.move(300, 200);
    await page.mouse.wheel(0, 300);
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0);
  });
});
