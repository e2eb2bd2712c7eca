import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  choose,
  expectAccessible,
  expectAccessibleInEveryLook,
  openBrowser,
  takeScreenshot,
  type Visit,
  visit,
} from '../support/browser/browser.ts';
import { makeDuckdbFile } from '../support/databases/duckdb-file.ts';
import { type Account, createKey, createUser } from '../support/people/accounts.ts';
import { type DataLink, linkOf } from '../support/queries/links.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const soon = { timeout: 10_000 }; // slow on a busy machine
const hostile = `It's "100%" & more + 数据`;
const quotedHostile = `"It's ""100%"" & more + 数据"`;
const execute = promisify(execFile);

describe.skipIf(typeof browser === 'string')(`Data links (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let person: Account;
  let key: string;
  let id: string;
  let queryName: string;
  beforeAll(async () => {
    service = await startTestService();
    const root = service.as(admin);
    ({ id, queryName } = await publish(root, {
      name: 'Items',
      sql: 'select @Text as text, @Number as number, @Secret as secret',
      parameters: [
        { name: '@Text', dataType: 'nvarchar(100)', required: true },
        { name: '@Number', dataType: 'int', required: false },
        { name: '@Secret', dataType: 'nvarchar(20)', required: false, masked: true },
      ],
    }));
    person = await createUser(service, 'teresa', { roles: ['Query User'], databases: ['*'] });
    key = (await createKey(person.caller, { name: 'Notebook' })).key;
  });
  afterAll(() => service.close());

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> =>
    visit(browser as Browser, service, { as: person, ...options });
  const listLinks = async () => (await person.caller.call<{ items: readonly DataLink[] }>('GET', '/api/v1/links')).json.items;
  const createLink = (more: Record<string, unknown>) =>
    linkOf(person.caller, { queryName, parameters: { '@Text': 'a' }, ...more });
  const openDialog = async (page: Page) => {
    await page.getByRole('button', { name: 'Get data link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Get data link' });
    await dialog.waitFor();
    return dialog;
  };
  /** Runs the text in a shell, and returns the file that it has saved. */
  const runCurl = async (text: string): Promise<string> => {
    await execute('sh', ['-c', `${text} --silent`], { cwd: service.folder, env: { ...process.env, SLUICE_API_KEY: key } });
    const [, name = ''] = /--output '(.+)'$/.exec(text) ?? [];
    return readFile(join(service.folder, name), 'utf8');
  };
  const readRecipe = (page: Page) => page.getByRole('region', { name: /^For / }).innerText();

  test('shows both addresses of a query with the values of its form', async () => {
    const { page, consoleErrors, close } = await open();
    let runs = 0;
    page.on('request', (request) => (runs += request.url().includes('/ExecuteQuery') ? 1 : 0));
    await page.goto(`/queries/${id}`);
    await page.getByLabel('@Text').fill(hostile);
    await page.getByLabel('@Secret').fill('canary');
    const dialog = await openDialog(page);
    const own = new URL(await dialog.getByLabel('Address for readers who sign in').inputValue());
    expect(own.pathname).toBe('/data/QD_Items_Demo.csv');
    expect([...own.searchParams], 'without the masked value').toEqual([['Text', hostile]]);
    await dialog.getByText('Without the value of @Secret, which is masked.').waitFor();
    await expectAccessibleInEveryLook(page, 'data-link-dialog');
    await dialog.getByRole('checkbox', { name: /^@Number/ }).check();
    await dialog.getByLabel('Name', { exact: true }).fill(`Teresa’s ${hostile}`);
    await choose(page, 'Token Expiration (days)', '30');
    await dialog.getByRole('button', { name: 'Create Link' }).click();
    const link = await dialog.getByRole('textbox', { name: 'Data link' }).inputValue();
    await dialog.getByText('Readers may add ?Number=…').waitFor();
    await dialog.getByText('Anyone with this link can read the rows until').waitFor();
    expect(await listLinks()).toMatchObject([
      {
        url: link,
        name: `Teresa’s ${hostile}`,
        format: 'csv',
        open: ['@Number'],
        expiresInDays: 30,
        parameters: { '@Text': hostile, '@Secret': '***' },
      },
    ]);
    await expectAccessibleInEveryLook(page, 'data-link-created');
    await dialog.getByRole('tab', { name: 'curl' }).click();
    expect(await runCurl(await readRecipe(page)), 'by link').toBe(`text,number,secret\r\n${quotedHostile},,canary\r\n`);
    await dialog.getByText('Signed in').click();
    expect(await runCurl(await readRecipe(page)), 'with a key').toBe(`text,number,secret\r\n${quotedHostile},,\r\n`);
    expect(runs, 'in the browser').toBe(0);
    expect(consoleErrors()).toEqual([]);
    await close();
  });

  test('writes what each program needs, for both addresses', async () => {
    const { page, close } = await open();
    await page.goto(`/query-to-json?query=${queryName}`);
    await page.getByLabel('@Text').fill('North America');
    const dialog = await openDialog(page);
    const own = await dialog.getByLabel('Address for readers who sign in').inputValue();
    expect(await readRecipe(page)).toContain(`Web.Contents("${own}")`);
    await dialog.getByRole('tab', { name: 'Google Sheets' }).click();
    await dialog.getByText('Google Sheets cannot sign in. Create a link for it.').waitFor();
    await dialog.getByRole('button', { name: 'Create Link' }).click();
    const link = await dialog.getByRole('textbox', { name: 'Data link' }).inputValue();
    expect(await page.evaluate('document.activeElement.value'), 'has the focus').toBe(link);
    expect(await readRecipe(page)).toBe(`=IMPORTDATA("${link}")`);
    await takeScreenshot(page, 'data-link-sheets');
    await dialog.getByRole('tab', { name: 'Power BI' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download .pbids' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Items.pbids');
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({
      connections: [{ details: { address: { url: link } } }],
    });
    await dialog.getByText('Signed in').click();
    for (const name of ['Excel', 'DuckDB', 'pandas', 'R', 'curl']) {
      await dialog.getByRole('tab', { name, exact: true }).click();
      expect(await readRecipe(page)).toContain(own);
      await expectAccessible(page);
    }
    // a link has one format: another one asks for another link
    await choose(page, 'Format', 'Parquet');
    await dialog.getByRole('button', { name: 'Create Link' }).waitFor();
    await dialog.getByRole('tab', { name: 'Excel' }).click();
    await dialog.getByText('Excel does not read Parquet from an address. Choose CSV, xlsx, or JSON.').waitFor();
    await close();
  });

  test('asks for missing values, unless readers set them', async () => {
    const { page, close } = await open();
    await page.goto(`/queries/${id}`);
    const dialog = await openDialog(page);
    await dialog.getByRole('button', { name: 'Create Link' }).click();
    await dialog.getByText('@Text needs a value in the form, or a check here.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('checkbox', { name: /^@Text/ }).check();
    await dialog.getByRole('button', { name: 'Create Link' }).click();
    await dialog.getByText('Readers may add ?Text=…').waitFor();
    await close();
  });

  test('asks whether every reader may see the rows of the issuer', async () => {
    const bound = { name: '@Who', dataType: 'nvarchar(50)', required: true, boundTo: 'user.name' };
    const own = await publish(service.as(admin), { name: 'Own rows', sql: 'select @Who as who', parameters: [bound] });
    const { page, close } = await open();
    await page.goto(`/queries/${own.id}`);
    const dialog = await openDialog(page);
    await dialog.getByRole('button', { name: 'Create Link' }).click();
    await dialog.getByText('Check this, or give readers the address above.').waitFor();
    await expectAccessibleInEveryLook(page, 'data-link-bound');
    await dialog.getByRole('checkbox', { name: 'Every reader may see my rows' }).check();
    await dialog.getByRole('button', { name: 'Create Link' }).click();
    await dialog.getByRole('textbox', { name: 'Data link' }).waitFor();
    expect(await listLinks()).toMatchObject([{ asIssuer: true, queryName: own.queryName }, {}, {}, {}]);
    await close();
  });

  test('shows a user without links.create only the address for readers who sign in', async () => {
    await service.as(admin).call('POST', '/api/v1/roles', { name: 'Runner', permissions: ['queries.run'] });
    const runner = await createUser(service, 'runner', { roles: ['Runner'], databases: ['*'] });
    const { page, close } = await open({ as: runner });
    await page.goto(`/queries/${id}`);
    const dialog = await openDialog(page);
    await dialog.getByLabel('Address for readers who sign in').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create Link' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('link', { name: 'Data links' }).count()).toBe(0);
    await close();
  });

  test('offers no link to a query that writes', async () => {
    await makeDuckdbFile(service.files, 'ledger.duckdb', ['create table log (who varchar)']);
    const database = { name: 'Ledger', kind: 'duckdb', connection: { file: 'ledger.duckdb' }, writable: true };
    await expectStatus(service.as(admin).call('POST', '/api/v1/databases', database), 201);
    const epilogue = "insert into log values ('x')";
    const writing = await publish(service.as(admin), { name: 'Writes', database: 'Ledger', sql: 'select 1 as a', epilogue });
    const { page, close } = await open();
    await page.goto(`/queries/${writing.id}`);
    await page.getByRole('button', { name: 'Export as CSV' }).waitFor();
    expect(await page.getByRole('button', { name: 'Get data link' }).count()).toBe(0);
    await close();
  });

  test('lists each link with its expiry and reads, and supports search', async () => {
    await createLink({ name: 'Weekly', format: 'parquet', open: ['@Number'], expiresInDays: null });
    const { page, close } = await open();
    await page.goto('/data-links');
    const row = page.getByRole('row', { name: /Weekly/ });
    await row.waitFor();
    expect((await row.getByRole('cell').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())).toEqual([
      'Weekly Parquet · @Text = a · readers may set @Number',
      'QD_Items_Demo',
      'Never',
      '0',
      'Not read yet',
      'Use Copy URL Regenerate Token Revoke',
    ]);
    await expectAccessibleInEveryLook(page, 'data-links-list');
    await page.getByLabel('Search data links').fill('no such link');
    await page.getByText('Nothing found for “no such link”').waitFor();
    await close();
  });

  test('opens a link with its addresses and what each program needs', async () => {
    const { url } = await createLink({ name: 'Used', parameters: { '@Text': 'a b', '@Secret': 'canary' } });
    const { page, close } = await open();
    await page.goto('/data-links');
    await page.getByRole('button', { name: 'Use Used' }).click();
    const dialog = page.getByRole('dialog', { name: 'Used' });
    expect(await dialog.getByRole('textbox', { name: 'Data link' }).inputValue()).toBe(url);
    expect(await dialog.getByLabel('Address for readers who sign in').inputValue()).toMatch(
      /\/data\/QD_Items_Demo\.csv\?Text=a%20b$/,
    );
    expect(await readRecipe(page)).toContain(url);
    await expectAccessibleInEveryLook(page, 'data-links-use');
    await close();
  });

  test('regenerates and revokes a link', async () => {
    const { url } = await createLink({ name: 'Renewed' });
    const find = async () => (await listLinks()).find(({ name }) => name === 'Renewed');
    const { page, close } = await open();
    await page.goto('/data-links');
    await page.getByRole('button', { name: 'Regenerate Token of Renewed' }).click();
    const dialog = page.getByRole('dialog');
    await choose(page, 'Token Expiration (days)', 'Never expire');
    await dialog.getByRole('button', { name: 'Regenerate Token' }).click();
    await dialog.getByText('The new token never expires.').waitFor();
    const renewed = await dialog.getByRole('textbox', { name: 'Data link' }).inputValue();
    expect(renewed).not.toBe(url);
    expect(await find()).toMatchObject({ url: renewed, expiresAt: null });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Revoke Renewed' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(find, soon).toBeUndefined();
    await close();
  });

  test('shows an Administrator the links of all users without their addresses', async () => {
    await createLink({ name: 'Of Teresa' });
    const { page, close } = await open({ as: admin });
    await page.goto('/data-links');
    const row = page.getByRole('row', { name: /Of Teresa/ });
    await row.getByText('teresa', { exact: true }).waitFor();
    expect(
      await row.getByRole('button').evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label'))),
    ).toEqual(['Regenerate Token of Of Teresa', 'Revoke Of Teresa']);
    await row.getByRole('button', { name: 'Regenerate Token of Of Teresa' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Regenerate Token' }).click();
    await page.getByRole('dialog').getByText('teresa finds the new link on this page.').waitFor();
    await close();
  });
});

describe.skipIf(typeof browser === 'string')('Data links in the Standard Edition', () => {
  test('are available, and explain how to create the first one', async () => {
    const standard = await startTestService({ SLUICE_EDITION: 'standard' });
    const { page, close } = await visit(browser as Browser, standard);
    await page.goto('/data-links');
    await page.getByText('No data links yet').waitFor();
    await page.getByRole('link', { name: 'Data links' }).waitFor();
    await page.locator('main').getByRole('link', { name: 'Queries' }).click();
    await page.waitForURL('**/queries');
    await close();
    await standard.close();
  });
});
