import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chartTypes } from '../../src/charts/chart-config.ts';
import { dark, twelve } from '../pictures/cases.ts';
import { decoded, difference, keptAsPictures, keptPixels, svgOf } from '../pictures/compare.ts';
import { openBrowser, takePicture } from '../support/browser.ts';
import { embedOf } from '../support/embeds.ts';
import { admin, startTestService, type TestService } from '../support/service.ts';

const browser = await openBrowser();
const titled = `charts in ${typeof browser === 'string' ? browser : 'Chromium'}`;

/** Letters are smoothed otherwise here than where the pictures were kept; a bar or a colour that is missing is more than this. */
const SMOOTHING = 0.03;
const twelveNames = new Set([...twelve, ...twelve.map(dark)].map(({ name }) => name));

describe.skipIf(typeof browser === 'string')(titled, () => {
  let service: TestService;
  let fonts = '';
  beforeAll(async () => {
    service = await startTestService();
    fonts = (await Promise.all([400, 600].map(fontFace))).join('');
  });
  afterAll(async () => {
    if (typeof browser !== 'string') await browser.close();
    await service.close();
  });

  test.each(keptAsPictures.filter(({ name }) => twelveNames.has(name)))('$name looks as it was kept', async (each) => {
    const { width } = each.surface;
    const page = await (browser as Browser).newPage({ viewport: { width, height: each.config.chartHeight } });
    await page.setContent(`<style>${fonts}body{margin:0}svg{display:block}</style>${svgOf(each)}`);
    await page.evaluate('document.fonts.ready');
    const seen = decoded(await page.screenshot());
    await page.close();
    expect(difference(seen, keptPixels(each.name))).toBeLessThan(SMOOTHING);
  });

  // the same data, drawn on the server and then again by the script: a reader should not see the change
  test.each(chartTypes)('a $name from the demo catalog is the same with script and without', async ({ type, name }) => {
    const link = await embedOf(service.as(admin), {
      queryName: type === 'heatmap' || type === 'line' || type === 'area' ? 'QD_Sales_by_month_Demo' : 'QD_Sales_by_region_Demo',
      labelColumn: type === 'heatmap' || type === 'line' || type === 'area' ? 'Month' : 'Region',
      dataColumn: 'Net revenue',
      chartType: type,
      showToolbar: 'false',
      title: name,
    });
    for (const colorScheme of ['light', 'dark'] as const) {
      const pictures = [];
      for (const javaScriptEnabled of [false, true]) {
        const context = await (browser as Browser).newContext({
          viewport: { width: 800, height: 420 },
          colorScheme,
          javaScriptEnabled,
          reducedMotion: 'reduce',
        });
        const page = await context.newPage();
        await page.goto(link.EmbedUrl);
        if (javaScriptEnabled) await page.locator('.live #live').waitFor();
        pictures.push(decoded(await page.screenshot()));
        if (javaScriptEnabled) await takePicture(page, `chart-${type}-${colorScheme}`);
        await context.close();
      }
      const [drawn, live] = pictures;
      if (drawn === undefined || live === undefined) throw new Error('no picture');
      expect([type, colorScheme, difference(drawn, live) < SMOOTHING]).toEqual([type, colorScheme, true]);
    }
  });
});

async function fontFace(weight: number): Promise<string> {
  const name = weight === 400 ? '400Regular/Inter_400Regular' : '600SemiBold/Inter_600SemiBold';
  const file = fileURLToPath(import.meta.resolve(`@expo-google-fonts/inter/${name}.ttf`));
  return `@font-face{font-family:Inter;font-weight:${weight};src:url(data:font/ttf;base64,${(await readFile(file)).toString('base64')})}`;
}
