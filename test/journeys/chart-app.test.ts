import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openBrowser, takeScreenshot } from '../support/browser/browser.ts';
import { type McpCaller, mcpOf } from '../support/http/mcp.ts';
import { createKey } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const browser = await openBrowser();

/** The MCP App in a page that speaks the messages of a host, sandboxed and without any network access. */
describe.skipIf(typeof browser === 'string')(`the chart app (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let mcp: McpCaller;
  let html: string;
  let host: Server;
  beforeAll(async () => {
    service = await startTestService();
    mcp = mcpOf(service, (await createKey(service.as(admin))).key);
    const hostile = `<img src=x onerror="alert(1)"></script><script>alert(2)</script>`;
    const sql = `select '${hostile}' || range as "<b>Label</b>", range * 10 as amount, date '2026-01-01' + range::int as day from range(30)`;
    await publish(service.as(admin), { name: 'Hostile', sql });
    const { json } = await mcp.rpc('resources/read', { uri: 'ui://sluice/chart' });
    const [file] = (json.result?.contents ?? []) as { text: string }[];
    html = file?.text ?? '';
    host = createServer((_, response) => {
      response.setHeader('Content-Security-Policy', CSP).setHeader('Content-Type', 'text/html').end(hostPage(html));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => host.once('listening', resolve));
  });
  const contexts: BrowserContext[] = [];
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });
  afterAll(async () => {
    host.close();
    await service.close();
  });

  interface Shown {
    readonly page: Page;
    readonly app: Frame;
    readonly troubles: string[];
    send(method: string, params: object): Promise<void>;
    sent(): Promise<{ method?: string; params?: Record<string, unknown> }[]>;
  }

  async function shown(theme: 'light' | 'dark', args: Record<string, unknown>): Promise<Shown> {
    const context = await (browser as Browser).newContext({ viewport: { width: 800, height: 700 } });
    contexts.push(context);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('console', (message) => troubles.push(message.text()));
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('dialog', (dialog) => {
      troubles.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.isNavigationRequest()) troubles.push(`request ${request.url()}`);
    });
    await page.exposeFunction(
      'callTool',
      async (name: string, sent: Record<string, unknown>) => (await mcp.call(name, sent)).json.result,
    );
    await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/?theme=${theme}`);
    const app = page.frames()[1];
    if (app === undefined) throw new Error('no frame');
    const sent = () => page.evaluate<{ method?: string; params?: Record<string, unknown> }[]>('received');
    const send = (method: string, params: object) =>
      page.evaluate(`send(${JSON.stringify({ method, params })})`).then(() => undefined);
    await until(page, `received.some(({ method }) => method === 'ui/notifications/initialized')`);
    await send('ui/notifications/tool-input', { arguments: args });
    const { json } = await mcp.call('execute_chart_query', args);
    await send('ui/notifications/tool-result', json.result ?? {});
    await app.waitForSelector('#live canvas, #live svg');
    return { page, app, troubles, send, sent };
  }

  const sales = { queryName: 'QD_Sales_by_region_Demo', chartType: 'bar', title: 'Sales by region' };
  const background = (app: Frame) => app.evaluate(`getComputedStyle(document.body).backgroundColor`);

  test('is one file of at most 700 kB without an outside address', () => {
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(700_000);
    const visible = html.replace(/<script type="text\/plain"[\s\S]*?<\/script>/, '');
    expect(visible).not.toMatch(/https?:|src=|href=/);
  });

  test.each(['light', 'dark'] as const)('draws the chart in the %s theme of its host', async (theme) => {
    const { page, app, troubles, sent } = await shown(theme, sales);
    expect(await app.textContent('h1')).toBe('Sales by region');
    expect(await app.inputValue('#type')).toBe('bar');
    expect(await app.inputValue('#label')).toBe('Region');
    expect(await app.getAttribute('#live', 'aria-label')).toMatch(/Region/);
    expect(await background(app)).toBe(theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(26, 27, 30)');
    const size = (await sent()).findLast(({ method }) => method === 'ui/notifications/size-changed');
    expect(size?.params?.height).toBeGreaterThan(400);
    await expectAccessible(page);
    await takeScreenshot(page, `chart-app-${theme}`);
    expect(troubles).toEqual([]);
  });

  test('follows a change of the theme and takes the colors of the host', async () => {
    const { app, send, troubles } = await shown('light', sales);
    await send('ui/notifications/host-context-changed', {
      theme: 'dark',
      styles: { variables: { '--color-background-primary': 'rgb(1, 2, 3)' } },
    });
    await until(app, `getComputedStyle(document.body).backgroundColor === 'rgb(1, 2, 3)'`);
    expect(await app.evaluate(`document.documentElement.dataset.theme`)).toBe('dark');
    expect(troubles).toEqual([]);
  });

  test('draws all rows, also of another type and another column', async () => {
    const { app, troubles } = await shown('light', { queryName: 'QD_Hostile_Demo', chartType: 'line', rowSize: 20 });
    expect(await app.getAttribute('#live', 'aria-label')).toMatch(/Line Chart.* 30 items.* highest 290/);
    await app.selectOption('#type', 'area');
    await until(app, `/Area Chart.* 30 items.* highest 290/.test(document.getElementById('live').ariaLabel)`);
    await app.selectOption('#label', '<b>Label</b>');
    await until(app, `/by <b>Label<.b>, 30 items/.test(document.getElementById('live').ariaLabel)`);
    expect(troubles).toEqual([]);
  });

  test('shows markup in cells and names as text', async () => {
    const { app, troubles } = await shown('dark', {
      queryName: 'QD_Hostile_Demo',
      chartType: 'bar',
      labelColumn: '<b>Label</b>',
      title: '<i>x</i>',
    });
    expect(await app.textContent('h1')).toBe('<i>x</i>');
    expect(await app.inputValue('#label')).toBe('<b>Label</b>');
    const box = await app.locator('#live').boundingBox();
    await app.locator('#live').hover({ position: { x: (box?.width ?? 0) / 2, y: 200 } });
    expect(await app.locator('#live img, #live script, h1 i').count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  test('says what happened if there is nothing to draw', async () => {
    const { app, send } = await shown('light', sales);
    await send('ui/notifications/tool-result', { isError: true, content: [{ type: 'text', text: 'no' }] });
    await until(app, `document.getElementById('notes').textContent.includes('failed')`);
  });
});

/** The page may not evaluate texts, which `waitForFunction` does. */
const until = async (frame: Page | Frame, condition: string): Promise<void> =>
  expect(
    await waitUntil(
      () => frame.evaluate<boolean>(condition),
      (is) => is,
    ),
    condition,
  ).toBe(true);

const CSP = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'";

/** A minimal host: answers the app's requests and keeps its messages. */
const hostPage = (app: string): string => `<!doctype html><html lang="en"><title>Host</title>
<body style="margin:0"><main><h1>Conversation</h1>
<iframe title="Chart" sandbox="allow-scripts" style="width:100%;height:600px;border:0" srcdoc="${app.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe></main>
<script>
const received = [];
const frame = document.querySelector('iframe');
const theme = new URLSearchParams(location.search).get('theme');
function send(message) { frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*'); }
addEventListener('message', async ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  received.push(data);
  if (data.method === 'ui/initialize')
    send({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'test', version: '1' }, hostCapabilities: { serverTools: {} }, hostContext: { theme } } });
  if (data.method === 'tools/call') send({ id: data.id, result: await callTool(data.params.name, data.params.arguments) });
});
</script></body></html>`;
