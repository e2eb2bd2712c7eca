import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { createKey, createUser, type Account } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { readText } from '../support/repository/source-files.ts';
import { admin, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

// axe is slow on a busy machine
vi.setConfig({ testTimeout: 90_000 });

const browser = await openBrowser();
const execute = promisify(execFile);

describe.skipIf(typeof browser === 'string')(`code for a query (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let person: Account;
  beforeAll(async () => {
    service = await startTestService();
    person = await createUser(service, 'teresa', { roles: ['Query User'], databases: ['*'] });
  });
  afterAll(() => service.close());

  const open = async (path: string): Promise<Visit> => {
    const opened = await visit(browser as Browser, service, { as: person });
    await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await opened.page.goto(path);
    return opened;
  };
  const openDialog = async (page: Page): Promise<Locator> => {
    await page.getByRole('button', { name: 'Use this in code' }).click();
    return page.getByRole('dialog', { name: 'Use this in code' });
  };
  const copy = async (page: Page, name: string): Promise<string> => {
    await page.evaluate("navigator.clipboard.writeText('')");
    await page.getByRole('button', { name: `Copy ${name}`, exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).first().waitFor();
    return page.evaluate('navigator.clipboard.readText()');
  };

  test('copies the texts of the documentation, with the address of the service', async () => {
    const { page, consoleErrors, close } = await open('/query-to-json?query=QD_Customers_Demo&@Country=Portugal');
    const dialog = await openDialog(page);
    const document = `${service.url}/api/v1/openapi.json`;
    expect(await dialog.getByLabel('OpenAPI document').inputValue()).toBe(document);
    expect(await copy(page, 'address')).toBe(document);
    await expectAccessibleInEveryLook(page, 'client-code');
    const documented = readText('docs/clients.md');
    const asDocumented = (text: string) =>
      text.replace(`"${document}"`, '"$SLUICE/api/v1/openapi.json"').replace(service.url, 'http://127.0.0.1:8080');
    for (const name of ['Install', 'Generate the types']) {
      expect(documented).toContain(`\n${asDocumented(await copy(page, name))}\n`);
    }
    const program = await copy(page, 'report.mts');
    expect(program).toContain("POST('/api/query/execute/QD_Customers_Demo'");
    expect(program).toContain("{ Country: 'Portugal' }");
    // by keyboard
    await dialog.getByRole('tab', { name: 'openapi-typescript' }).focus();
    await page.keyboard.press('ArrowRight');
    await dialog.getByRole('region', { name: 'rows.mts' }).waitFor();
    expect(await copy(page, 'rows.mts')).toContain("import { QD_Customers_Demo } from './queries-client/index.ts';");
    for (const name of ['Install', 'openapi-ts.config.mjs', 'Generate the client']) {
      expect(documented).toContain(`\n${asDocumented(await copy(page, name))}\n`);
    }
    await expectAccessibleInEveryLook(page, 'client-code-hey-api');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Use this in code');
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('is offered on the page of a query, with the values of its form and without masked ones', async () => {
    const parameters = [
      { name: '@Text', dataType: 'nvarchar(100)', required: true },
      { name: '@Secret', dataType: 'nvarchar(20)', required: false, masked: true },
    ];
    const sql = 'select @Text as text, @Secret as secret';
    const { id } = await publish(service.as(admin), { name: 'Echo', sql, parameters });
    const { page, close } = await open(`/queries/${id}`);
    await page.getByLabel('@Text').fill(`it's`);
    await page.getByLabel('@Secret').fill('canary');
    await openDialog(page);
    const program = await copy(page, 'report.mts');
    expect(program).toContain(`{ parameters: { Text: 'it\\'s' }, ...next }`);
    expect(program).toContain('console.log(row.text, row.secret)');
    expect(program).not.toContain('canary');
    await close();
  });

  test('pins the version in the snippet of Query To JSON', async () => {
    const root = service.as(admin);
    const { id, queryName } = await publish(root, { name: 'Pinned', sql: 'select 1 as one' });
    const { page, close } = await open(`/query-to-json?query=${queryName}`);
    await page.getByRole('button', { name: 'Generate Code Snippet' }).click();
    await page.getByRole('checkbox', { name: 'Pin version 1' }).check();
    await page.getByRole('region', { name: 'cURL snippet' }).getByText(`${queryName}@1`).waitFor();
    await expectAccessibleInEveryLook(page, 'query-to-json-pinned');
    const snippet = await copy(page, 'Code Snippet');
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { sql: 'select 2 as two' }), 200);
    for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    const { key } = await createKey(person.caller);
    const { stdout } = await execute('sh', ['-c', `${snippet} --silent`], { env: { ...process.env, SLUICE_API_KEY: key } });
    expect(JSON.parse(stdout)).toMatchObject({ Data: [{ one: 1 }] });
    await close();
  });
});
