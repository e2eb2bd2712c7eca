import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openBrowser, takeScreenshot, visit } from '../support/browser/browser.ts';
import { freePort } from '../support/http/free-port.ts';
import { createApplication } from '../support/people/accounts.ts';
import { createVouchingApplication } from '../support/people/viewers.ts';
import { type EmbedLink, embedOf } from '../support/queries/embeds.ts';
import { publish } from '../support/queries/publish.ts';
import { findTestedBlocks } from '../support/repository/markdown.ts';
import { hasShell, runBlocks } from '../support/repository/shell-blocks.ts';
import { readText } from '../support/repository/source-files.ts';
import {
  admin,
  ADMIN_PASSWORD,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const browser = await openBrowser();

interface Audited {
  readonly user: string;
  readonly kind: string;
  readonly viewer: string | null;
  readonly outcome: string;
}

describe.skipIf(typeof browser === 'string')(`embeds for viewers (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let author: Caller;
  let portal: Awaited<ReturnType<typeof createVouchingApplication>>;
  let elsewhere: Server;
  let orders: string;
  const bodies = new Map<string, string>();
  beforeAll(async () => {
    service = await startTestService();
    author = service.as(admin);
    portal = await createVouchingApplication(service, 'portal of the test');
    orders = (
      await publish(author, {
        name: 'Orders of a region',
        sql: "select @Region || ' ' || coalesce(@Size, 'any') || ' ' || n as label, n as value from range(1, 4) as t(n) where @From is not null",
        parameters: [
          { name: '@Region', dataType: 'nvarchar', boundTo: 'user.attributes.region' },
          { name: '@Size', label: 'Size of the order', dataType: 'nvarchar', values: ['small', 'large'] },
          { name: '@From', label: 'From', dataType: 'date', default: 'month-start' },
        ],
      })
    ).queryName;
    elsewhere = createServer((request, response) => {
      const body = bodies.get(request.url ?? '') ?? '';
      response.setHeader('Content-Type', 'text/html').end(`<!doctype html><html lang="en"><title>Elsewhere</title>${body}`);
    }).listen(0, '127.0.0.1');
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
  const openPage = async (url: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await (browser as Browser).newContext({
      viewport: { width: 900, height: 700 },
      reducedMotion: 'reduce',
      ...options,
    });
    contexts.push(context);
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  const openBody = (body: string, options: BrowserContextOptions = {}): Promise<Page> => {
    bodies.set('/', body);
    return openPage(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`, options);
  };
  const frameOf = (page: Page, index = 1): Frame => {
    const frame = page.frames()[index];
    if (frame === undefined) throw new Error('no frame');
    return frame;
  };
  const cells = async (frame: Frame): Promise<string> => (await frame.locator('table td').allTextContents()).join(' ');
  const shows = (frame: Frame, text: string) =>
    expect.poll(() => cells(frame).catch(() => ''), { timeout: 15_000 }).toContain(text);
  const signed = (more: Record<string, string> = {}): Promise<EmbedLink> =>
    embedOf(author, { queryName: orders, title: 'Orders', viewer: 'signed', open: '@Size,@From', ...more });
  const tokenOf = (sub: string, region: string, claims: Record<string, unknown> = {}) =>
    portal.tokenOf(sub, { attributes: { region }, ...claims });

  describe.skipIf(!hasShell())('the guide of docs/embedding.md (needs bash and curl)', () => {
    const guide = readText('docs/embedding.md');
    let host: ChildProcess | undefined;
    let folder: string;
    let url: string;
    let environment: Record<string, string>;
    beforeAll(async () => {
      const names = ['SLUICE', 'APPLICATION_ID', 'SIGNING_SECRET', 'EMBED_URL'];
      const blocks = [...findTestedBlocks(guide).map(({ script }) => script), `printenv ${names.join(' ')}`];
      expect(blocks).toHaveLength(5);
      const runs = await runBlocks(blocks, { SLUICE: service.url, PASSWORD: ADMIN_PASSWORD });
      for (const { code, statuses, printed } of runs) {
        expect(code, printed).toBe(0);
        expect(
          statuses.filter((status) => status >= 300),
          printed,
        ).toEqual([]);
      }
      const values = runs.at(-1)?.printed.split('\n') ?? [];
      environment = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));

      const [, script = ''] = /<!-- host page -->\n```js\n([\s\S]*?)```/.exec(guide) ?? [];
      folder = await mkdtemp(join(tmpdir(), 'sluice-host-'));
      await writeFile(join(folder, 'host.mjs'), script);
      const port = await freePort();
      url = `http://127.0.0.1:${port}/`;
      const env = { ...environment, PORT: String(port) };
      host = spawn(process.execPath, ['host.mjs'], { cwd: folder, env, stdio: 'inherit' });
      const isUp = () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        );
      expect(await waitUntil(isUp, (up) => up)).toBe(true);
    }, 60_000);
    afterAll(async () => {
      host?.kill();
      await rm(folder, { recursive: true, force: true });
    });

    test('its page shows two viewers their own rows, and each what they choose', async () => {
      const page = await openPage(url, { viewport: { width: 1280, height: 760 } });
      const [ana, bob] = [frameOf(page, 1), frameOf(page, 2)];
      await shows(ana, 'Lisboa Chiado');
      await shows(bob, 'Chicago Wicker Park');
      const [all, ofBob] = [await cells(ana), await cells(bob)];
      await ana.getByLabel('Channel').selectOption('Phone');
      await ana.getByRole('button', { name: 'Apply' }).click();
      await expect.poll(() => ana.url()).toContain('%40Channel=Phone');
      const chosen = await cells(ana);
      expect(chosen).not.toBe(all);
      expect([chosen.includes('Lisboa Chiado'), chosen.includes('Chicago')]).toEqual([true, false]);
      expect([await cells(bob), ofBob.includes('Lisboa')]).toEqual([ofBob, false]);
      for (const frame of [ana, bob]) await expect.poll(() => frame.url()).not.toContain('viewer=');
      await takeScreenshot(page, 'embed-two-viewers');
      await page.setViewportSize({ width: 380, height: 640 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
      const views = async () => {
        const path = '/api/v1/audit?action=embed.render&user=portal&limit=100';
        const { json } = await author.call<List<Audited>>('GET', path);
        return json.items.map(({ user, kind, viewer, outcome }) => [user, kind, viewer, outcome].join(' ')).sort();
      };
      const [byAna, byBob] = ['portal application ana ok', 'portal application bob ok'];
      expect(await views()).toEqual([byAna, byAna, byBob]);
      const withoutToken = JSON.stringify(environment.EMBED_URL);
      await page.evaluate(`document.querySelector('iframe[data-viewer=bob]').src = ${withoutToken}`);
      await expect.poll(views, { timeout: 15_000 }).toEqual([byAna, byAna, byBob, byBob]); // the page sent the token that it was asked for
      await shows(bob, 'Chicago Wicker Park');
    });

    test.skipIf(spawnSync('python3', ['--version']).status !== 0)('its Python code signs tokens (needs python3)', async () => {
      const [, script = ''] = /<!-- viewer token -->\n```python\n([\s\S]*?)```/.exec(guide) ?? [];
      const sign = `${script}\nprint(viewer_token("zoë", "Zoë", {"region": "Southern Europe"}), end="")`;
      const { stdout, stderr } = spawnSync('python3', ['-c', sign], {
        env: { PATH: process.env.PATH, ...environment },
        encoding: 'utf8',
      });
      const { json } = await expectStatus(service.as({ token: stdout }).run('QD_Revenue_of_my_region_Demo'), 200);
      expect(
        json.Data.map(({ Store }) => Store),
        stderr,
      ).toContain('Lisboa Chiado');
    });
  });

  test('Get Embed URL asks who views and what they choose, and shows code that works', async () => {
    const { queryName } = await publish(author, {
      name: 'Sizes',
      sql: "select @Size || ' ' || @Who as label, 1 as value where @A_parameter_whose_name_does_not_fit_in_a_dialog_on_a_phone is not null",
      parameters: [
        { name: '@Size', dataType: 'nvarchar', default: 'small' },
        { name: '@Who', dataType: 'nvarchar', default: 'all' },
        { name: '@A_parameter_whose_name_does_not_fit_in_a_dialog_on_a_phone', dataType: 'nvarchar', default: 'x'.repeat(60) },
      ],
    });
    const { page, consoleErrors, close } = await visit(browser as Browser, service);
    await page.goto(`/query-to-chart?query=${queryName}`);
    await page.getByRole('button', { name: 'Run Query' }).click();
    await page.getByRole('button', { name: 'Generate Chart' }).click();
    await page.locator('.chart-live svg').waitFor();
    await page.getByRole('button', { name: 'Get Embed URL' }).click();
    await page.getByLabel('Each viewer sees their own rows').check();
    await page.getByLabel('@Size = small').check();
    await takeScreenshot(page, 'embed-dialog-viewers');
    await expectAccessible(page);
    await page.setViewportSize({ width: 380, height: 800 });
    const cut = `[...document.querySelectorAll('[role=dialog] label')].filter((it) => it.getBoundingClientRect().right > 380 - 16).length`;
    await expect.poll(() => page.evaluate(cut)).toBe(0);
    await takeScreenshot(page, 'embed-dialog-narrow');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Create Embed URL' }).click();
    const code = await page.getByRole('region', { name: 'Code for your server' }).locator('pre').textContent();
    await page.getByText('only together with a token').waitFor();
    await takeScreenshot(page, 'embed-dialog-code');
    await expectAccessible(page);

    const { id } = await createApplication(service, 'shop');
    const path = `/api/v1/users/${id}/signing-keys`;
    const { json } = await expectStatus(author.call<{ secret: string }>('PUT', path, { secret: true }), 200);
    Object.assign(process.env, { APPLICATION_ID: id, SIGNING_SECRET: json.secret });
    const { chartUrl } = await import(`data:text/javascript,${encodeURIComponent(code ?? '')}`);
    const shown = await fetch(`${chartUrl({ id: 'ana', name: 'Ana' })}&@Size=large`);
    expect([shown.status, (await shown.text()).includes('large all')]).toEqual([200, true]);

    await page.goto('/embeds');
    const row = page.getByRole('row', { name: /Sizes/ }).first();
    await row.getByText('signed viewers see their own rows · viewers choose @Size').waitFor();
    await row
      .getByRole('button', { name: 'Edit' })
      .or(row.getByRole('link', { name: 'Edit' }))
      .click();
    await page.locator('.chart-live svg').waitFor();
    await page.getByRole('button', { name: 'Get Embed URL' }).click();
    expect(await page.getByLabel('Each viewer sees their own rows').isChecked()).toBe(true);
    await page.getByLabel('@Size = small').uncheck();
    await page.getByLabel('@Who = all').check();
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await page.getByRole('region', { name: 'Code for your server' }).waitFor();
    const { text } = await author.call('GET', '/api/v1/embeds?search=Sizes');
    expect(text).toContain('"viewer":"signed","open":["@Who"]');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  const answering = (token: string) => `<script>
    let asked = 0;
    addEventListener('message', ({ source, data }) => {
      if (data.type !== 'sluice:viewer-token-needed') return;
      asked++;
      source.postMessage({ type: 'sluice:viewer-token', token: '${token}' }, '*');
    });
  </script>`;

  test('asks the embedding page for a token on loading with an expired one, and without one', async () => {
    const { IframeCode } = await signed();
    const expired = await tokenOf('ana', 'North', { iat: 1000, exp: 2000 });
    for (const src of [IframeCode, IframeCode.replace('" title', `&viewer=${expired}&@Size=small" title`)]) {
      const page = await openBody(answering(await tokenOf('ana', 'North')) + src);
      await shows(frameOf(page), src === IframeCode ? 'North any' : 'North small');
      expect(frameOf(page).url()).not.toContain('viewer=');
    }
  });

  test('asks only once on loading if the token that it gets is not valid either', async () => {
    const { IframeCode } = await signed();
    const expired = await tokenOf('ana', 'North', { iat: 1000, exp: 2000 });
    const page = await openBody(answering(expired) + IframeCode);
    await expect
      .poll(() =>
        frameOf(page)
          .locator('h1')
          .textContent()
          .catch(() => ''),
      )
      .toBe('View expired');
    const { y = 0, height = 0 } = (await frameOf(page).locator('main').boundingBox()) ?? {};
    const frame = (await page.locator('iframe').boundingBox()) ?? { y: 0, height: 0 };
    const [middle, middleOfFrame] = [y + height / 2, frame.y + frame.height / 2];
    expect(Math.abs(middle - middleOfFrame), 'the message is in the middle').toBeLessThan(20);
    await page.waitForTimeout(500);
    expect(await page.evaluate('asked')).toBe(1);
  });

  test('asks again when the token expires, and continues with the new one', async () => {
    const { IframeCode } = await signed();
    const now = Math.floor(Date.now() / 1000);
    const short = await tokenOf('ana', 'North', { iat: now, exp: now + 3 });
    const page = await openBody(
      answering(await tokenOf('ana', 'North')) + IframeCode.replace('" title', `&viewer=${short}" title`),
    );
    const frame = frameOf(page);
    await shows(frame, 'North any');
    await expect.poll(() => page.evaluate('asked'), { timeout: 6000 }).toBe(1);
    await page.waitForTimeout(1500); // the first token has ended
    await frame.getByLabel('Size of the order').selectOption('small');
    await frame.getByRole('button', { name: 'Apply' }).click();
    await shows(frame, 'North small');
  });

  test('accepts no token from a sibling frame, an outer page or its opener', async () => {
    const { IframeCode, EmbedUrl } = await signed();
    const hostile = await tokenOf('eve', 'Hostile');
    const message = `{ type: 'sluice:viewer-token', token: '${hostile}' }`;
    bodies.set('/sibling', `<script>setInterval(() => parent.frames[0].postMessage(${message}, '*'), 50)</script>`);
    bodies.set('/between', IframeCode);
    const further = `<script>setInterval(() => frames[2].frames[0]?.postMessage(${message}, '*'), 50)</script>`;
    const page = await openBody(`${IframeCode}<iframe src="/sibling"></iframe><iframe src="/between"></iframe>${further}`);
    const embeds = () => page.frames().filter((each) => each.url().includes('RenderByToken'));
    await expect.poll(() => embeds().length).toBe(2);
    for (const wait of [0, 700]) {
      await page.waitForTimeout(wait);
      for (const frame of embeds()) await expect.poll(() => frame.locator('h1').textContent()).toBe('Viewer unknown');
    }
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(`const opened = open('${EmbedUrl}'); setInterval(() => opened.postMessage(${message}, '*'), 50)`),
    ]);
    await popup.waitForTimeout(700);
    expect(await popup.locator('h1').textContent()).toBe('Viewer unknown');
  });

  test('sends no Referer, and no token to another address', async () => {
    const { EmbedUrl } = await signed();
    const page = await openPage('about:blank');
    const seen: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (!request.isNavigationRequest()) seen.push(request.headers().referer, request.url());
    });
    const token = await tokenOf('ana', 'North');
    await page.goto(`${EmbedUrl}&viewer=${token}`);
    await expect.poll(() => page.url()).not.toContain('viewer=');
    expect(seen.filter((each) => each?.includes(token))).toEqual([]);
    expect(seen.some((each) => each?.includes('/embed/embed-'))).toBe(true);
  });

  describe('fields', () => {
    const looks = [
      { colorScheme: 'light', viewport: { width: 900, height: 600 } },
      { colorScheme: 'dark', viewport: { width: 380, height: 640 } },
    ] as const;
    test.each(looks)('are accessible and fit: %j', async (look) => {
      const { EmbedUrl } = await signed();
      const page = await openPage(`${EmbedUrl}&viewer=${await tokenOf('ana', 'North')}`, look);
      await page.locator('.live #live svg, .live #live canvas').first().waitFor();
      await takeScreenshot(page, `embed-fields-${look.colorScheme}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(look.viewport.width);
      await expectAccessible(page);
      await page.goto(`${EmbedUrl}&viewer=${await tokenOf('ana', 'North')}&@From=never`);
      expect(await page.locator('h1').textContent()).toBe('No chart for these values');
      await takeScreenshot(page, `embed-fields-wrong-${look.colorScheme}`);
      await expectAccessible(page);
    });

    test('show long names whole on a phone, where only the page scrolls', async () => {
      const name = (word: string): string =>
        `${word} of a name that somebody wrote for people who read all of it`.padEnd(180, '_');
      const { queryName } = await publish(author, {
        name: 'Long names',
        sql: "select coalesce(@One, '') as label, 1 as value where 'a' in (@Many) or 1 = 1",
        parameters: [
          {
            name: '@One',
            label: name('Label'),
            dataType: 'nvarchar',
            values: [name('First'), name('Second')],
            default: name('First'),
          },
          { name: '@Many', label: 'Many', dataType: 'nvarchar', multiple: true, values: [name('First'), name('Second')] },
        ],
      });
      const { EmbedUrl } = await embedOf(author, { queryName, open: '@One,@Many', title: 'Long names' });
      const page = await openPage(EmbedUrl, { viewport: { width: 380, height: 640 } });
      const fits = async (): Promise<void> =>
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
      const one = page.getByLabel(name('Label'));
      const cut = `[...document.querySelectorAll('.field label, select[multiple]')].filter((it) => it.scrollWidth > it.clientWidth).length`;
      expect(await page.evaluate(cut)).toBe(0);
      expect(await one.getAttribute('title')).toBe(name('First'));
      await one.selectOption(name('Second'));
      expect(await one.getAttribute('title')).toBe(name('Second'));
      await fits();
      await takeScreenshot(page, 'embed-fields-long');
      await page.goto(`${EmbedUrl}&@One=${name('No')}`);
      await page.getByRole('heading', { name: 'No chart for these values' }).waitFor();
      await fits();
    });

    test('are used by keyboard', async () => {
      const { EmbedUrl } = await signed();
      const page = await openPage(`${EmbedUrl}&viewer=${await tokenOf('ana', 'North')}`);
      await page.keyboard.press('Tab');
      await page.keyboard.type('large');
      await page.keyboard.press('Tab');
      await page.keyboard.type('today-7d');
      await page.keyboard.press('Enter');
      await shows(page.mainFrame(), 'North large 1');
      expect(await page.getByLabel('From').inputValue()).toBe('today-7d');
    });

    test.each(['signed', 'issuer'])('work without scripts: %s', async (viewer) => {
      const { queryName } = await publish(author, {
        name: `Sizes ${viewer}`,
        sql: "select @Size || ' order' as label, 1 as value",
        parameters: [{ name: '@Size', dataType: 'nvarchar', required: true, values: ['small', 'large'] }],
      });
      const { IframeCode } = await embedOf(author, { queryName, viewer, open: '@Size' });
      const token = viewer === 'signed' ? `&viewer=${await tokenOf('ana', 'North')}` : '';
      const page = await openBody(IframeCode.replace('" title', `${token}" title`), { javaScriptEnabled: false });
      const frame = frameOf(page);
      await expect.poll(() => frame.locator('h1').textContent()).toBe('Choose what to show');
      await frame.getByLabel('Size').selectOption('large');
      await frame.getByRole('button', { name: 'Apply' }).click();
      await frame.locator('#drawn svg').waitFor();
      expect(await cells(frame)).toContain('large order');
      await takeScreenshot(page, `embed-fields-without-script-${viewer}`);
    });
  });
});
