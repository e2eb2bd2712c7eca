import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, takeScreenshot, type Visit, visit } from '../support/browser/browser.ts';
import { freePort } from '../support/http/free-port.ts';
import { type ApiKey, createKey, createUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { ADMIN_PASSWORD, admin, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();
const execute = promisify(execFile);

/** Characters with a meaning in shells, Python and JavaScript, as far as the field accepts them. */
const hostile = `It's "quoted" \\ $HOME \`id\` $(id) %PATH% !! ‘curly’ 数据 😀 {{x}} </script> # end`;

const programs = {
  cURL: (text: string) => execute('sh', ['-c', `${text} --silent --show-error`]),
  JavaScript: (text: string) => execute(process.execPath, ['--input-type=module', '-e', text]),
  Python: (text: string) => execute('python3', ['-c', text]),
};
const hasPython = await execute('python3', ['--version']).then(
  () => true,
  () => false,
);

describe.skipIf(typeof browser === 'string')(`Query To JSON (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let key: ApiKey;
  beforeAll(async () => {
    service = await startTestService();
    await publish(service.as(admin), {
      name: 'Größe 数',
      description: 'Gives back what it was given.',
      sql: 'select i, @Text as text from range(@Rows) rows(i) order by i',
      parameters: [
        { name: '@Rows', dataType: 'int', required: true, default: '5' },
        { name: '@Text', dataType: 'nvarchar(200)', required: false },
      ],
    });
    key = await createKey(service.as(admin), { name: 'Nightly' });
  });
  afterAll(() => service.close());

  const address = '/query-to-json?query=QD_Große_数_Demo';
  const open = async (path = address, options: Parameters<typeof visit>[2] = {}): Promise<Visit> => {
    const opened = await visit(browser as Browser, service, options);
    await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await opened.page.goto(path);
    await opened.page.getByLabel('Query Name').waitFor();
    return opened;
  };
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const snippet = (page: Page) => page.getByRole('region', { name: /snippet$/ }).last();
  const copied = async (page: Page): Promise<string> => {
    await page.evaluate("navigator.clipboard.writeText('')");
    await press(page, 'Copy Code Snippet');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    return page.evaluate('navigator.clipboard.readText()');
  };

  test('has the fields of a call, requires a query, and uses the default of an empty field', async () => {
    const { page, close } = await open('/query-to-json');
    for (const label of ['Authorization', 'API Key', 'Row Index', 'Row Size', 'Query More Code']) {
      expect(await page.getByLabel(label, { exact: true }).count()).toBe(1);
    }
    await press(page, 'Generate Code Snippet');
    await page.getByText('Choose a query.').waitFor();
    await page.getByLabel('Query Name').fill('Größe');
    await page.getByRole('option', { name: /Größe 数/ }).click();
    await page.getByText('Gives back what it was given.').waitFor();
    expect(await page.getByLabel('@Rows').inputValue()).toBe('5');
    await page.getByLabel('@Rows').fill('');
    expect(await page.getByLabel('@Rows').getAttribute('placeholder')).toBe('Default: 5');
    await press(page, 'Run Test API');
    await page.getByText(/^200 /).waitFor();
    await page.getByLabel('Authorization').click();
    await page.getByRole('option', { name: 'Basic' }).click();
    await page.getByLabel('User Name').waitFor();
    await page.getByLabel('Password', { exact: true }).waitFor();
    expect(await page.getByLabel('API Key', { exact: true }).count()).toBe(0);
    await close();
  });

  test('shows a variable without a key, masks a key, and copies it only on request', async () => {
    const { page, close } = await open();
    await press(page, 'Generate Code Snippet');
    await expect.poll(() => snippet(page).textContent()).toContain('-H "X-API-Key: $SLUICE_API_KEY"');
    expect(await snippet(page).textContent()).toContain('/api/v1/JsonBuilder/ExecuteQuery');
    await page.getByLabel('API Key', { exact: true }).fill(key.key);
    await page.getByText('Your key “Nightly”').waitFor();
    await expect.poll(() => snippet(page).textContent()).toContain('X-API-Key: ••••');
    await page.getByText('The copy contains no key. Set the environment variable SLUICE_API_KEY to your key.').waitFor();
    const withoutKey = await copied(page);
    expect(withoutKey).toContain('-H "X-API-Key: $SLUICE_API_KEY"');
    expect(withoutKey).not.toContain(key.key);
    const run = await execute('sh', ['-c', `SLUICE_API_KEY=${key.key}; ${withoutKey} --silent --show-error`]);
    expect(JSON.parse(run.stdout).Data).toHaveLength(5);
    await page.getByLabel('Include the key in the copy').check();
    expect(await snippet(page).textContent()).not.toContain(key.key);
    await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' });
    expect(await copied(page)).toContain(key.key);
    await close();
  });

  test('shows the row limit in effect, and snippets start with the base URL', async () => {
    const port = await freePort();
    const elsewhere = await startTestService({
      SLUICE_PORT: String(port),
      SLUICE_BASE_URL: `http://localhost:${port}`,
      SLUICE_ROWS_DEFAULT: '50',
      SLUICE_ROWS_MAX: '200',
    });
    await publish(elsewhere.as(admin), { name: 'One', sql: 'select 1 as n' });
    const { page, close } = await visit(browser as Browser, { ...elsewhere, url: `http://127.0.0.1:${port}` });
    await page.goto('/query-to-json?query=QD_One_Demo');
    await page.getByText('This query has no parameters.').waitFor();
    await page.getByText('At most 200 rows per page.').waitFor();
    expect(await page.getByLabel('Row Size').getAttribute('placeholder')).toBe('50');
    await press(page, 'Generate Code Snippet');
    await expect.poll(() => snippet(page).textContent()).toContain(`'http://localhost:${port}/api/v1/JsonBuilder/ExecuteQuery'`);
    await press(page, 'Run Test API');
    await page.getByText(/^200 /).waitFor();
    await close();
    await elsewhere.close();
  });

  test('scrolls to the snippet and the response and announces them', async () => {
    const { page, close } = await open(address, { width: 380 });
    const waitForStatus = (text: RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' });
    const isInSight = async (name: string) => {
      const { y } = (await page.getByRole('region', { name, exact: true }).boundingBox()) ?? { y: -1 };
      return y > 0 && y <= 400;
    };
    await press(page, 'Generate Code Snippet');
    await waitForStatus(/^The code snippet is ready\.$/);
    await expect.poll(() => isInSight('Code snippet'), { timeout: 10_000 }).toBe(true);
    await takeScreenshot(page, 'query-to-json-snippet-in-sight-380');
    await page.evaluate('window.scrollTo(0, 0)');
    await press(page, 'Run Test API');
    await waitForStatus(/^Response received, status 200\.$/);
    await expect.poll(() => isInSight('Response'), { timeout: 10_000 }).toBe(true);
    await page.getByRole('textbox', { name: 'JSON response' }).waitFor();
    await takeScreenshot(page, 'query-to-json-response-in-sight-380');
    await close();
  });

  test('reports a cancelled call with its duration, and keeps the previous response', async () => {
    const { page, close } = await open();
    await press(page, 'Run Test API');
    await page.getByText('200 OK').waitFor();
    await page.getByLabel('@Rows').fill('2000000000');
    await page.getByLabel('Row Index').fill('1999999999');
    await press(page, 'Run Test API');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(/^Cancelled after \d+\.\d s\. Below is the previous result\.$/).waitFor();
    await page.getByText('200 OK').waitFor();
    await takeScreenshot(page, 'query-to-json-cancelled');
    await close();
  });

  test.for(
    (['cURL', 'JavaScript', 'Python'] as const).flatMap((language) =>
      (['v1 call', 'Short form'] as const).map((form) => [language, form] as const),
    ),
  )('the %s snippet of the %s runs unchanged with any values', async ([language, form], { skip }) => {
    skip(language === 'Python' && !hasPython, 'python3 is not installed');
    const { page, close } = await open();
    await page.getByLabel('API Key', { exact: true }).fill(key.key);
    await page.getByLabel('@Text').fill(hostile);
    await page.getByLabel('Row Index').fill('2');
    await page.getByLabel('Row Size').fill('1');
    await press(page, 'Generate Code Snippet');
    await page.getByText(form, { exact: true }).click();
    await page.getByRole('tab', { name: language }).click();
    await page.getByLabel('Include the key in the copy').check();
    const { stdout } = await programs[language](await copied(page));
    expect(stdout).toContain('数据 😀');
    if (language === 'cURL') {
      const rows = JSON.parse(stdout)[form === 'v1 call' ? 'Data' : 'data'];
      expect(rows).toEqual([{ i: 2, text: hostile }]);
    }
    await close();
  });

  test('sends the call with its credential and reads all pages', async () => {
    const { page, close } = await open();
    await page.getByLabel('API Key', { exact: true }).fill(key.key);
    await page.getByLabel('Row Size').fill('2');
    await press(page, 'Run Test API');
    await page.getByText('200 OK').waitFor();
    await page.getByText(/2 rows$/).waitFor();
    await expect.poll(() => page.getByLabel('JSON response').textContent()).toContain('"QueryMoreCode"');
    await press(page, 'Next page');
    await expect.poll(() => page.getByLabel('Row Index').inputValue()).toBe('2');
    expect(await page.getByLabel('Query More Code').inputValue()).not.toBe('');
    await expect.poll(() => page.getByLabel('JSON response').textContent()).toContain('"i": 3');
    await press(page, 'Next page');
    await page.getByText('This is the last page').waitFor();
    const audit = await service
      .as(admin)
      .call<{ items: { apiKey: string | null; channel: string }[] }>('GET', '/api/v1/audit?query=QD_Große_数_Demo&limit=3');
    expect(audit.json.items.map(({ apiKey, channel }) => [apiKey, channel])).toEqual(Array(3).fill(['Nightly', 'rest']));
    await close();
  });

  test('uses the session without a credential and says so; a wrong credential does not end the session', async () => {
    const { page, close } = await open();
    await page.getByText('Without a credential, Run Test API uses your session.').waitFor();
    await press(page, 'Run Test API');
    await page.getByText(/sent with your session/).waitFor();
    await page.getByLabel('API Key', { exact: true }).fill('not a key');
    await press(page, 'Run Test API');
    await page.getByText('401 Unauthorized').waitFor();
    await expect.poll(() => page.getByLabel('JSON response').textContent()).toContain('credential_invalid');
    await page.getByLabel('Authorization').click();
    await page.getByRole('option', { name: 'Basic' }).click();
    await page.getByLabel('User Name').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
    await press(page, 'Generate Code Snippet');
    await expect.poll(() => snippet(page).textContent()).toContain('Authorization: Basic ••••');
    await press(page, 'Run Test API');
    await page.getByText('200 OK').waitFor();
    await close();
  });

  test('shows refusals at their fields, and names a query that is not allowed', async () => {
    const { username, password } = await createUser(service, 'nobody');
    const { page, close } = await open();
    await page.getByLabel('Row Size').fill('0');
    await press(page, 'Run Test API');
    await page.getByText(/^400 /).waitFor();
    await expect.poll(() => page.getByLabel('Row Size').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Row Size').fill('');
    await page.getByLabel('Authorization').click();
    await page.getByRole('option', { name: 'Basic' }).click();
    await page.getByLabel('User Name').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await press(page, 'Run Test API');
    await page.getByRole('alert').getByText('This credential cannot run Größe 数').waitFor();
    await close();
  });

  test('says why a query in the URL may not be run', async () => {
    await publish(service.as(admin), { name: 'For auditors', sql: 'select 1 as n', roles: ['Auditor'] });
    const { page, close } = await open('/query-to-json?query=QD_For_auditors_Demo');
    const alert = page.getByRole('alert');
    await alert.getByText('You cannot run For auditors').waitFor();
    await alert.getByText(/^The query is restricted to the roles Auditor, and you have none of them\./).waitFor();
    await close();
  });

  test('reports a query in the URL that is not accessible', async () => {
    const { page, close } = await open('/query-to-json?query=QD_None_Demo');
    await page.getByRole('alert').getByText('Query QD_None_Demo not found').waitFor();
    await close();
  });

  test('has no axe violations or console errors in any look', async () => {
    const { page, consoleErrors, close } = await open(address);
    await press(page, 'Generate Code Snippet');
    await page.getByLabel('API Key', { exact: true }).fill(key.key);
    await press(page, 'Run Test API');
    await page.getByLabel('JSON response').waitFor();
    await expectAccessibleInEveryLook(page, 'query-to-json');
    expect(consoleErrors()).toEqual([]);
    await close();
  }, 120_000);
});
