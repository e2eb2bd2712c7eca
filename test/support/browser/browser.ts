import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { programProblem } from '../debian-packages.ts';
import { root } from '../repository/source-files.ts';
import { admin, type TestService } from '../services/service.ts';

const CHROMIUM = '/usr/lib/chromium/chromium-headless-shell';

let opening: Promise<Browser | string> | null = null;

/**
 * Debian's Chromium without windows, which needs a quarter less of the processor than the whole one, or the reason why it did not
 * start; in CI that is an error. The suites of a process share it, and it ends with the process.
 */
export const openBrowser = (): Promise<Browser | string> => (opening ??= launch());

async function launch(): Promise<Browser | string> {
  const problem = await programProblem('chromium');
  if (problem !== null) return problem;
  try {
    return await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none'],
    });
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    return `Chromium did not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export interface VisitOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  /** The user to sign in: the administrator by default, none if null. */
  readonly as?: { readonly username: string; readonly password: string } | null;
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the console so far. */
  consoleErrors(): readonly string[];
  close(): Promise<void>;
}

/** A new browser context on the pages of the service: `await visit.page.goto('/queries')`. */
export async function visit(browser: Browser, service: TestService, options: VisitOptions = {}): Promise<Visit> {
  const { scheme = 'light', width = 1280, as = admin } = options;
  const context = await browser.newContext({
    baseURL: service.url,
    colorScheme: scheme,
    viewport: { width, height: HEIGHT },
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  if (as !== null) {
    const { username, password } = as;
    const response = await context.request.post('/api/v1/session', { data: { username, password } });
    expect(response.status()).toBe(200);
  }
  const page = await context.newPage();
  const consoleErrors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  return { page, context, consoleErrors: () => consoleErrors, close: () => context.close() };
}

/** The page has no axe violations. */
export async function expectAccessible(page: Page): Promise<void> {
  // the default mode checks frames of other origins, which takes several times as long
  const withoutFrames = page.frames().length === 1;
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(withoutFrames)
    .options({ resultTypes: ['violations'] })
    .analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  expect(found).toEqual([]);
}

/** No element is wider than the window. */
export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(overflow).toBeLessThanOrEqual(0);
}

const HEIGHT = 800;
const looks = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 380 },
] as const;

/**
 * The page has no axe violations and no horizontal overflow, neither light and wide nor dark and narrow. It is not loaded again, and
 * is light and wide afterwards.
 */
export async function expectAccessibleInEveryLook(page: Page, name: string): Promise<void> {
  for (const look of looks) {
    await setLook(page, look);
    await takeScreenshot(page, `${name}-${look.scheme}-${look.width}`);
    await expectAccessible(page);
    await expectNoHorizontalScroll(page);
  }
  await setLook(page, looks[0]);
}

async function setLook(page: Page, { scheme, width }: (typeof looks)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: HEIGHT });
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
}

/** With TEST_SCREENSHOTS=on, saves a screenshot in test-results/browser for people to look at; no test needs it. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.TEST_SCREENSHOTS !== 'on') return;
  await page.screenshot({ path: join(root, 'test-results', 'browser', `${name}.png`), animations: 'disabled' });
}

/** Selects an option of a combobox. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByLabel(label).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Selects a chart type by its picture. */
export const chooseChartType = (page: Page, name: string): Promise<void> =>
  chartTypesOf(page).getByRole('radio', { name, exact: true }).check();

/** The name of the selected chart type. */
export const readChartType = (page: Page): Promise<string> =>
  chartTypesOf(page)
    .locator('label', { has: page.getByRole('radio', { checked: true }) })
    .innerText();

const chartTypesOf = (page: Page): Locator => page.getByRole('radiogroup', { name: 'Chart Type' });

/** The values of the fields with these labels. */
export const valuesOf = (page: Page, labels: readonly string[]): Promise<string[]> =>
  Promise.all(labels.map((label) => page.getByLabel(label).inputValue()));
