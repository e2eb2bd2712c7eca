import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chartTypes } from '../../src/core/chart-config.ts';
import { dark } from '../pictures/cases/picture-case.ts';
import { typical } from '../pictures/cases/typical.ts';
import { decodePng, difference, keptAsPictures, readKeptPixels, svgOf } from '../pictures/compare.ts';
import { openBrowser, takeScreenshot } from '../support/browser/browser.ts';
import { embedOf } from '../support/queries/embeds.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const titled = `charts in ${typeof browser === 'string' ? browser : 'Chromium'}`;

/** Font smoothing differs from the reference pictures; a missing bar or color is more than this. */
const SMOOTHING = 0.03;
const typicalNames = new Set([...typical, ...typical.map(dark)].map(({ name }) => name));

describe.skipIf(typeof browser === 'string')(titled, () => {
  let service: TestService;
  let fonts = '';
  let sheet: Page; // for one picture at a time
  const pages: { page: Page; colorScheme: 'light' | 'dark'; javaScriptEnabled: boolean }[] = [];
  beforeAll(async () => {
    service = await startTestService();
    sheet = await (browser as Browser).newPage();
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const javaScriptEnabled of [false, true]) {
        const options = {
          viewport: { width: 800, height: 420 },
          colorScheme,
          javaScriptEnabled,
          reducedMotion: 'reduce',
        } as const;
        pages.push({ page: await (browser as Browser).newPage(options), colorScheme, javaScriptEnabled });
      }
    }
    fonts = (await Promise.all([400, 600].map(fontFace))).join('');
  });
  afterAll(async () => {
    for (const page of [sheet, ...pages.map((each) => each.page)]) await page.close();
    await service.close();
  });

  test.each(keptAsPictures.filter(({ name }) => typicalNames.has(name)))('$name matches its reference picture', async (each) => {
    const { width } = each.surface;
    await sheet.setViewportSize({ width, height: each.config.chartHeight });
    await sheet.setContent(`<style>${fonts}body{margin:0}svg{display:block}</style>${svgOf(each)}`);
    await sheet.evaluate('document.fonts.ready');
    const seen = decodePng(await sheet.screenshot());
    expect(difference(seen, readKeptPixels(each.name))).toBeLessThan(SMOOTHING);
  });

  test.each(chartTypes)('draws a $name from the demo catalog with and without script, light and dark', async ({ type, name }) => {
    const byTime = type === 'heatmap' || type === 'line' || type === 'area';
    const link = await embedOf(service.as(admin), {
      queryName: byTime ? 'QD_Sales_by_month_Demo' : 'QD_Sales_by_region_Demo',
      labelColumn: byTime ? 'Month' : 'Region',
      dataColumn: 'Net revenue',
      chartType: type,
      showToolbar: 'false',
      title: name,
    });
    for (const { page, colorScheme, javaScriptEnabled } of pages) {
      await page.goto(link.EmbedUrl);
      if (javaScriptEnabled) await page.locator('.live #live').waitFor();
      await takeScreenshot(page, `chart-${type}-${colorScheme}${javaScriptEnabled ? '' : '-still'}`);
      const { rgba } = decodePng(await page.screenshot({ animations: 'disabled' }));
      expect([type, colorScheme, javaScriptEnabled, colored(rgba) > 0.0003]).toEqual([
        type,
        colorScheme,
        javaScriptEnabled,
        true,
      ]);
      expect((rgba[0] ?? 0) < 128).toBe(colorScheme === 'dark');
    }
  });
});

/** The share of colored pixels: lines, bars and slices, not background and text. */
function colored(rgba: Uint8Array): number {
  let count = 0;
  for (let pixel = 0; pixel < rgba.length; pixel += 4) {
    const channels = [rgba[pixel] ?? 0, rgba[pixel + 1] ?? 0, rgba[pixel + 2] ?? 0];
    if (Math.max(...channels) - Math.min(...channels) > 40) count++;
  }
  return count / (rgba.length / 4);
}

async function fontFace(weight: number): Promise<string> {
  const file = join(import.meta.dirname, '../../src/drawing/fonts', `Inter-${weight}.ttf`);
  return `@font-face{font-family:Inter;font-weight:${weight};src:url(data:font/ttf;base64,${(await readFile(file)).toString('base64')})}`;
}
