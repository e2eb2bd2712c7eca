import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools as declaredTools } from '../../src/doors/mcp/tool-list.ts';
import type { AuditItem } from '../support/audit-entries.ts';
import {
  expectAccessible,
  expectAccessibleInEveryLook,
  openBrowser,
  takeScreenshot,
  type Visit,
  visit,
} from '../support/browser/browser.ts';
import { mcpOf } from '../support/http/mcp.ts';
import { createKey } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, type List, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`AI gateway (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    await publish(service.as(admin), {
      name: 'Numbers',
      sql: 'select range as n from range(@Count)',
      parameters: [{ name: '@Count', dataType: 'int', required: true, default: '3' }],
    });
  });
  afterAll(() => service.close());

  const open = async (address = '/ai-gateway', options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
    const visited = await visit(browser as Browser, service, options);
    await visited.page.goto(address);
    await visited.page.getByRole('region', { name: 'Tools', exact: true }).waitFor();
    return visited;
  };
  const shownJson = async (page: Visit['page']) => JSON.parse((await page.getByLabel('Result of the tool').textContent()) ?? '');

  test('shows its state, its URL, and a configuration with and without the key', async () => {
    const { page, consoleErrors, close } = await open();
    await page.locator('main').getByText('On', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Address' }).getByText(`${service.url}/mcp`, { exact: true }).waitFor();
    const shown = (client: string) => page.getByRole('region', { name: `Configuration for ${client}` }).textContent();
    expect(await shown('Claude Code')).toBe(
      `claude mcp add --transport http sluice ${service.url}/mcp --header "X-API-Key: $SLUICE_API_KEY"`,
    );
    for (const client of ['Claude Desktop', 'Cursor', 'VS Code', 'Inspector']) {
      await page.getByRole('region', { name: 'with a key' }).getByRole('tab', { name: client }).click();
      expect(await shown(client)).toContain('X-API-Key');
    }
    await page.getByText('Key as an argument', { exact: true }).click();
    await expect.poll(() => shown('Inspector')).not.toContain('X-API-Key');
    expect(page.url()).toContain('client=inspector');
    expect(page.url()).toContain('key=argument');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('shows the address for applications that sign people in, and where each of them takes it', async () => {
    const { page, context, consoleErrors, close } = await open();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const card = page.getByRole('region', { name: 'Connect by signing in' });
    await card.getByText(`${service.url}/mcp/oauth`, { exact: true }).waitFor();
    await card.getByText('Add custom connector').waitFor();
    await card.getByRole('button', { name: 'Copy address for signing in' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${service.url}/mcp/oauth`);
    await card.getByRole('tab', { name: 'Cursor' }).click();
    const configuration = card.getByRole('region', { name: 'Sign-in configuration for Cursor' });
    expect(JSON.parse((await configuration.textContent()) ?? '')).toEqual({
      mcpServers: { sluice: { url: `${service.url}/mcp/oauth` } },
    });
    await expect.poll(() => page.url()).toContain('app=cursor');
    await expectAccessibleInEveryLook(page, 'ai-gateway-sign-in');
    await card.getByRole('link', { name: /Connected applications/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Connected applications' }).waitFor();
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('shows the tools of a key that has one for each query', async () => {
    const { page, consoleErrors, close } = await open('/ai-gateway?tools=typed&queries=QD_Numbers_Demo');
    const tools = page.getByRole('region', { name: 'Tools', exact: true });
    await tools.getByText('qd_numbers_demo', { exact: true }).waitFor();
    expect(await tools.getByText('execute_query', { exact: true }).count()).toBe(0);
    await tools.getByText('General tools', { exact: true }).click();
    await tools.getByText('execute_query', { exact: true }).waitFor();
    expect(page.url()).not.toContain('typed');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('links to creating a short-lived key for an assistant', async () => {
    const { page, close } = await open();
    await page.getByRole('link', { name: 'Create a key for an assistant' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create API key' });
    expect(await dialog.getByLabel('Name').inputValue()).toBe('AI assistant');
    expect(await dialog.getByRole('combobox', { name: 'Expires' }).inputValue()).toBe('30 days');
    await close();
  });

  test('lists the tools with their arguments and schemas', async () => {
    const { page, close } = await open();
    const tools = page.getByRole('region', { name: 'Tools', exact: true });
    expect(await tools.getByRole('heading', { level: 3 }).count()).toBe(declaredTools.length);
    await tools.getByRole('button', { name: 'Execute query execute_query', exact: true }).click();
    await page.getByRole('cell', { name: 'queryName required' }).waitFor();
    await page.getByRole('tab', { name: 'Output schema' }).click();
    await page.getByRole('region', { name: 'Output schema of execute_query' }).getByText('QueryMoreCode').waitFor();
    expect(page.url()).toContain('tool=execute_query');
    await expectAccessible(page);
    await close();
  });

  test('runs a tool as the signed-in user and reads the next page', async () => {
    const { page, consoleErrors, close } = await open();
    await page.getByRole('button', { name: 'Try execute_query', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Call tool' }).click();
    await dialog.getByText('A value is required.').waitFor();
    await dialog.getByRole('combobox', { name: 'queryName' }).fill('QD_Numbers');
    await page.getByRole('option', { name: 'QD_Numbers_Demo' }).click();
    expect(await dialog.getByLabel('ParameterName 1').inputValue()).toBe('@Count'); // filled in from the catalog
    await dialog.getByLabel('rowSize').fill('2');
    await dialog.getByRole('button', { name: 'Call tool' }).click();
    await dialog.getByRole('status').getByText('Result').waitFor();
    expect((await shownJson(page)).Data).toEqual([{ n: 0 }, { n: 1 }]);
    await expectAccessible(page);
    await takeScreenshot(page, 'ai-gateway-try');
    await dialog.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('dialog', { name: 'Try execute_query_next_page' }).getByRole('button', { name: 'Call tool' }).click();
    await expect.poll(async () => (await shownJson(page)).Data).toEqual([{ n: 2 }]);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('shows the error that an assistant gets, and records the calls', async () => {
    const { page, close } = await open();
    await page.getByRole('button', { name: 'Try get_query_detail' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('queryId').fill('QD_No_such_query');
    await dialog.getByRole('button', { name: 'Call tool' }).click();
    await dialog.getByText('Error 40301').waitFor();
    const { items } = (await service.as(admin).call<List<AuditItem>>('GET', '/api/v1/audit?action=get_query_detail')).json;
    expect(items).toMatchObject([{ user: 'admin', apiKey: null, channel: 'mcp', outcome: 'refused' }]);
    await close();
  });

  test('has no axe violations or console errors in any look', async () => {
    const { page, consoleErrors, close } = await open('/ai-gateway?tool=list_queries&client=claude-desktop');
    await page.getByRole('region', { name: 'Arguments of list_queries' }).waitFor();
    await expectAccessibleInEveryLook(page, 'ai-gateway');
    await page.getByRole('button', { name: 'Try export_query' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await expectAccessibleInEveryLook(page, 'ai-gateway-dialog');
    expect(consoleErrors()).toEqual([]);
    await close();
  }, 90_000);

  test('shows the largest answers, and all of them on demand', async () => {
    const { key } = await createKey(service.as(admin), { name: 'answers' });
    const mcp = mcpOf(service, key);
    const { queries } = (await mcp.tool('list_queries')) as { queries: { queryName: string }[] };
    for (const { queryName } of queries) await mcp.call('execute_query', { queryName });
    const { page, close } = await open('/ai-gateway', { width: 390 });
    const rows = page.getByRole('table', { name: 'Size of answers' }).getByRole('row');
    await rows.filter({ hasText: 'Order lines' }).waitFor();
    expect(await rows.count()).toBe(11);
    await page.getByRole('button', { name: /^Show all \d+$/ }).click();
    expect(await rows.count()).toBeGreaterThan(15);
    await expectAccessible(page);
    await close();
  });
});

describe.skipIf(typeof browser === 'string')('the disabled AI gateway', () => {
  test('explains how to enable it and offers no trial', async () => {
    const service = await startTestService({ SLUICE_MCP: 'off' });
    const { page, close } = await visit(browser as Browser, service);
    await page.goto('/ai-gateway');
    await page.getByText('The gateway is off').waitFor();
    expect(await page.getByRole('button', { name: /^Try/ }).count()).toBe(0);
    await expectAccessible(page);
    await close();
    await service.close();
  });
});
