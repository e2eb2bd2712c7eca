import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chartTypes } from '../../src/core/chart-config.ts';
import { openBrowser, takeScreenshot } from '../support/browser/browser.ts';
import { type EmbedLink, embedOf, publishChartQuery } from '../support/queries/embeds.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const COUNT = 50;
const LONG = 120_000;

/** A page with fifty charts of one author, whose limit is far below that. */
describe.skipIf(typeof browser === 'string')(`many embeds (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let links: readonly EmbedLink[];
  let dashboard: Server;
  beforeAll(async () => {
    service = await startTestService({ SLUICE_MAX_PER_USER: '1', SLUICE_QUEUE: '0' });
    const author = service.as(admin);
    const { queryName } = await publishChartQuery(author, 'Many');
    const titles = Array.from({ length: COUNT }, (_, index) => `Chart ${index + 1}`);
    links = await Promise.all(
      titles.map((title, index) => embedOf(author, { queryName, title, chartType: chartTypes[index % chartTypes.length]?.type })),
    );
    const frames = links.map(
      ({ EmbedUrl }) => `<iframe src="${EmbedUrl}" width="280" height="200" sandbox="allow-scripts"></iframe>`,
    );
    const body = `<!doctype html><html lang="en"><title>Dashboard</title><body>${frames.join('')}`;
    dashboard = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(body)).listen(0, '127.0.0.1');
    await new Promise((resolve) => dashboard.once('listening', resolve));
  }, LONG);
  afterAll(async () => {
    dashboard.close();
    await service.close();
  });

  test.each([true, false])(
    'all show on one page while one of them has many viewers (scripts: %s)',
    async (javaScriptEnabled) => {
      const page = await (browser as Browser).newPage({
        viewport: { width: 1460, height: 2100 },
        javaScriptEnabled,
        reducedMotion: 'reduce',
      });
      const drawn = javaScriptEnabled ? '.live #live svg' : '#drawn svg';
      // fifty frames load longer than the default on a busy machine
      await page.goto(`http://localhost:${(dashboard.address() as AddressInfo).port}/`, {
        timeout: LONG / 2,
        waitUntil: 'commit',
      });
      const viewers = Array.from({ length: 60 }, async () => (await fetch(links[0]?.EmbedUrl ?? '')).status);
      await expect
        .poll(
          async () => {
            const frames = page.frames().slice(1);
            const counts = await Promise.all(
              frames.map((frame) =>
                frame
                  .locator(drawn)
                  .count()
                  .catch(() => 0),
              ),
            );
            return counts.filter((count) => count > 0).length;
          },
          { timeout: LONG - 20_000 },
        )
        .toBe(COUNT);
      expect([200, 429]).toEqual(expect.arrayContaining(await Promise.all(viewers)));
      await takeScreenshot(page, `many-embeds-${javaScriptEnabled}`);
      await page.close();
    },
    LONG,
  );
});
