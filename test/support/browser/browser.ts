import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { root } from '../repository/source-files.ts';
import { admin, type TestService } from '../services/service.ts';

const CHROMIUM = '/usr/bin/chromium';

/** Debian's Chromium, or why there is none (never in CI). */
export async function openBrowser(): Promise<Browser | string> {
  try {
    await provision();
    return await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    return `Chromium did not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export interface VisitOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  /** Signs in through the interface and brings the cookie along; null: nobody. Left out: the administrator. */
  readonly as?: { readonly username: string; readonly password: string } | null;
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser's console complained about so far. */
  complaints(): readonly string[];
  close(): Promise<void>;
}

/** A browser window of its own on the service's pages: `await visit.page.goto('/queries')`. */
export async function visit(browser: Browser, service: TestService, options: VisitOptions = {}): Promise<Visit> {
  const { scheme = 'light', width = 1280, as = admin } = options;
  const context = await browser.newContext({
    baseURL: service.url,
    colorScheme: scheme,
    viewport: { width, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  if (as !== null) {
    const answer = await context.request.post('/api/v1/session', { data: as });
    expect(answer.status()).toBe(200);
  }
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, context, complaints: () => complaints, close: () => context.close() };
}

/** axe finds nothing on the page as it stands. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  expect(found).toEqual([]);
}

/** Nothing is wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(overflow).toBeLessThanOrEqual(0);
}

/** A picture to look at, kept in test-results/browser. */
export const takePicture = (page: Page, name: string): Promise<Buffer> =>
  page.screenshot({ path: join(root, 'test-results', 'browser', `${name}.png`), animations: 'disabled' });

const run = promisify(execFile);

async function provision(): Promise<void> {
  if (existsSync(CHROMIUM)) return;
  if (process.getuid?.() !== 0) throw new Error('chromium is not installed.');
  const install = () =>
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', 'chromium'], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  await install().catch(async () => {
    if (existsSync(CHROMIUM)) return; // another suite was quicker
    await run('apt-get', ['update', '-qq']).catch(() => {});
    await install();
  });
}
