import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessibleInEveryLook, openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { type CallbackListener, listenForCallbacks } from '../support/http/callback-listener.ts';
import { createQueryUser, createUser } from '../support/people/accounts.ts';
import {
  authorizeUrl,
  createApplication,
  createVerifier,
  type OAuthApplication,
  redeem,
  send,
  tokensOf,
} from '../support/people/oauth.ts';
import { publish } from '../support/queries/publish.ts';
import { openStoreOf } from '../support/services/metadata-store.ts';
import { admin, ADMIN_PASSWORD, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(`connecting (${typeof browser === 'string' ? browser : 'Chromium'})`, () => {
  let service: TestService;
  let listener: CallbackListener;
  let letters: string;
  beforeAll(async () => {
    service = await startTestService();
    listener = await listenForCallbacks();
    await publish(service.as(admin), { name: 'Numbers', sql: 'select * from range(5) as t(n)' });
    letters = (await publish(service.as(admin), { name: 'Letters', sql: "select 'a' as letter" })).queryName;
    await publish(service.as(admin), { name: 'Not for assistants', sql: 'select 1 as one', aiAccess: false });
  });
  afterAll(() => Promise.all([service.close(), listener.close()]));

  const open = (options: Parameters<typeof visit>[2] = {}): Promise<Visit> => visit(browser as Browser, service, options);
  const assistant = (fields: Record<string, unknown> = {}): Promise<OAuthApplication> =>
    createApplication(service, { redirect_uris: [listener.url], ...fields });
  const question = (page: Page) => page.getByRole('heading', { level: 1, name: 'Connect an application?' });
  const allow = (page: Page) => page.getByRole('button', { name: 'Allow' });
  const connectedCount = async () =>
    (await service.as(admin).call<{ items: unknown[] }>('GET', '/api/v1/account/applications')).json.items.length;
  /** Copies a query, which is faster than publishing. */
  async function copyQueries(queryName: string, count: number, changeOf: (n: number) => { name: string; aiAccess: boolean }) {
    const store = await openStoreOf(service);
    const original = await store.queries.byQueryName(queryName);
    if (original === null) throw new Error(`no query ${queryName}`);
    await store.transaction(async ({ queries }) => {
      for (let n = 0; n < count; n++) {
        const { name, aiAccess } = changeOf(n);
        const id = crypto.randomUUID();
        const { definition, labels, ...version } = original.current;
        const current = { ...version, queryId: id, definition: { ...definition, name }, labels: { ...labels, aiAccess } };
        await queries.insert({ ...original, id, queryName: `QD_${name.replaceAll(' ', '_')}_Demo`, current });
      }
    });
    await store.close();
  }
  /** Opens the address of an application, up to the question. */
  async function ask(page: Page, application: OAuthApplication, verifier = createVerifier()): Promise<string> {
    await page.goto(authorizeUrl(service, application, verifier));
    await question(page).waitFor();
    return verifier;
  }

  test('signs in, asks, and sends the browser back with a code that can be exchanged for tokens', async () => {
    const { page, consoleErrors, close } = await open({ as: null });
    const application = await assistant();
    const verifier = createVerifier();
    await page.goto(authorizeUrl(service, application, verifier));
    await page.getByLabel('User Name').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill(ADMIN_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await question(page).waitFor();
    const facts = page.getByRole('region', { name: 'Application' });
    expect(await facts.innerText()).toContain('Assistant');
    expect(await facts.innerText()).toContain(new URL(listener.url).host);
    await facts.getByText('Name not verified').waitFor();
    await page.getByText('The application chose its name itself.').waitFor();
    await page.getByText('Any program on this computer can wait at this address').waitFor();
    await page.getByText('Signed in as admin').waitFor();
    expect(await page.getByRole('combobox', { name: 'For how long' }).inputValue()).toBe('30 days');
    await expectAccessibleInEveryLook(page, 'connect');
    expect(consoleErrors()).toEqual([]);
    await allow(page).click();
    const { code = '', state, iss } = await listener.next();
    expect({ state, iss }).toEqual({ state: 'the state', iss: `${service.url}/mcp/oauth` });
    const { access_token } = await tokensOf(redeem(service, application, code, verifier));
    expect((await send(service, access_token, 'tools/list')).status).toBe(200);
    await page.goBack(); // the request was answered
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).not.toBe('Connect an application?');
    await close();
  });

  test('tells the application that the person cancelled', async () => {
    const { page, close } = await open();
    const before = await connectedCount();
    await ask(page, await assistant());
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await listener.next()).toMatchObject({ error: 'access_denied', state: 'the state' });
    expect(await connectedCount()).toBe(before);
    await close();
  });

  test('narrows the access to chosen queries, and does not allow it by Enter in the field', async () => {
    const { page, consoleErrors, close } = await open({ width: 380, scheme: 'dark' });
    const application = await assistant();
    const verifier = await ask(page, application);
    await page.getByRole('radio', { name: 'Only queries that I choose' }).check();
    await allow(page).click();
    await page.getByText('Choose at least one query.').waitFor();
    const field = page.getByRole('combobox', { name: /^Chosen queries/ });
    await field.fill('assist');
    await page.getByText('No Active query you can run').waitFor(); // AI assistants may not run it
    await field.fill('Letters');
    await page.getByRole('option', { name: 'Letters', exact: true }).waitFor();
    await field.press('ArrowDown');
    await field.press('Enter');
    await page.getByLabel('Chosen queries: 1').first().waitFor();
    await field.press('Enter');
    await page.getByRole('combobox', { name: 'For how long' }).click();
    await page.getByRole('option', { name: '7 days' }).click();
    await question(page).waitFor();
    await expectAccessibleInEveryLook(page, 'connect-narrowed');
    expect(consoleErrors()).toEqual([]);
    await allow(page).click();
    const { code = '' } = await listener.next();
    const { access_token } = await tokensOf(redeem(service, application, code, verifier));
    const tools = await send(service, access_token, 'tools/call', { name: 'list_queries', arguments: {} });
    const text = await tools.text();
    expect([text.includes(letters), text.includes('QD_Numbers_Demo')]).toEqual([true, false]);
    await close();
  });

  test('allows nothing by the parameters of its address, in a frame, or without a person', async () => {
    const { page, close } = await open();
    const before = await connectedCount();
    await ask(page, await assistant());
    const address = page.url();
    const { headers } = await fetch(address, { headers: { Accept: 'text/html' } });
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    await page.goto(`${address}?allow=true&decision=allow&days=365&queries=*#allow`);
    await question(page).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForTimeout(1000);
    expect(await page.getByRole('combobox', { name: 'For how long' }).inputValue()).toBe('30 days');

    // another port is another origin, whose requests carry the cookies nevertheless
    await page.goto(new URL('/', listener.url).href);
    await page.setContent(`<iframe src="${address}"></iframe>`);
    await expect.poll(() => page.frames().at(-1)?.url()).toBe('chrome-error://chromewebdata/');
    const forge = async (type: string): Promise<string> => {
      const options = { method: 'POST', credentials: 'include', mode: 'no-cors', headers: { 'Content-Type': type }, body: '{}' };
      const decision = address.replace('/connect/', '/api/v1/oauth/interactions/') + '/allow';
      return page.evaluate(`fetch(${JSON.stringify(decision)}, ${JSON.stringify(options)}).then((response) => response.type)`);
    };
    for (const type of ['text/plain', 'application/json']) expect(await forge(type)).toBe('opaque');
    expect(await connectedCount()).toBe(before);
    await close();
  });

  test('ignores the second click of a double-click that brought the page to the front', async () => {
    const { page, close } = await open();
    const before = await connectedCount();
    await ask(page, await assistant());
    await expect.poll(() => allow(page).getAttribute('aria-disabled')).toBe('false');
    await page.evaluate('window.dispatchEvent(new Event("focus"))');
    expect(await allow(page).getAttribute('aria-disabled')).toBe('true');
    await allow(page).dispatchEvent('click');
    await page.waitForTimeout(300);
    expect(await connectedCount()).toBe(before);
    await expect.poll(() => allow(page).getAttribute('aria-disabled')).toBe('false');
    await close();
  });

  test('does not allow while the host has not been on the screen, in a window that shows the button alone', async () => {
    const { page, close } = await open();
    await page.goto('/');
    await page.setViewportSize({ width: 400, height: 110 });
    await ask(page, await assistant());
    await allow(page).evaluate((button) => button.scrollIntoView());
    await page.waitForTimeout(1500);
    expect(await allow(page).getAttribute('aria-disabled')).toBe('true');
    await page.getByTestId('redirect-host').evaluate((host) => host.scrollIntoView({ block: 'center' }));
    await expect.poll(() => allow(page).getAttribute('aria-disabled')).toBe('false');
    await allow(page).evaluate((button) => button.scrollIntoView());
    expect(await allow(page).getAttribute('aria-disabled')).toBe('false');
    await page.setViewportSize({ width: 400, height: 120 });
    await expect.poll(() => allow(page).getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => allow(page).getAttribute('aria-disabled')).toBe('false');
    await close();
  });

  test('an address cannot scroll to the button', async () => {
    const { page, close } = await open();
    await ask(page, await assistant());
    expect((await fetch(page.url(), { headers: { Accept: 'text/html' } })).headers.get('document-policy')).toBe(
      'force-load-at-top',
    );
    expect((await fetch(service.url, { headers: { Accept: 'text/html' } })).headers.get('document-policy')).toBeNull();
    await close();
  });

  test('can be used by keyboard alone', async () => {
    const { page, close } = await open();
    await ask(page, await assistant());
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    const reach = async (name: string) => {
      for (let presses = 0; presses < 12; presses++) {
        await page.keyboard.press('Tab');
        if ((await page.evaluate('document.activeElement.innerText || document.activeElement.value')) === name) return;
      }
      throw new Error(`not reached: ${name}`);
    };
    await reach('Allow');
    await expect.poll(() => allow(page).getAttribute('aria-disabled')).toBe('false');
    await page.keyboard.press('Enter');
    expect((await listener.next()).code).toBeDefined();
    await close();
  });

  test('finds a query among a thousand, also behind those that assistants may not run', async () => {
    await copyQueries(letters, 500, (n) => ({ name: `A hidden report ${n}`, aiAccess: false }));
    await copyQueries(letters, 500, (n) => ({ name: `Bulletin ${n}`, aiAccess: true }));
    const { page, consoleErrors, close } = await open();
    await ask(page, await assistant());
    await page.getByRole('radio', { name: 'Only queries that I choose' }).check();
    const field = page.getByRole('combobox', { name: /^Chosen queries/ });
    await field.click();
    await page.getByRole('option', { name: 'Bulletin 0' }).waitFor();
    expect(await page.getByRole('option', { name: /hidden/ }).count()).toBe(0);
    await page.getByRole('option', { name: 'Search to find more queries' }).waitFor();
    await field.fill('Bulletin 499');
    await page.getByRole('option', { name: 'Bulletin 499', exact: true }).click();
    await field.fill('');
    for (let n = 0; n < 30; n++) await page.getByRole('option', { name: `Bulletin ${n}`, exact: true }).click();
    await page.getByLabel('Chosen queries: 31').first().waitFor();
    await expectAccessibleInEveryLook(page, 'connect-many');
    expect(consoleErrors()).toEqual([]);
    await close();
  }, 120_000);

  test('says when the account ends first, and that a person without permission shares nothing', async () => {
    const inTenDays = new Date(Date.now() + 10 * 86_400_000).toISOString();
    const user = await createUser(service, 'short', { expiresAt: inTenDays });
    const { page, close } = await open({ as: user });
    await ask(page, await assistant());
    await page.getByText('You don’t have permission to run queries, so it will find none.').waitFor();
    await page.getByText(', with your account. You can end it earlier').waitFor();
    await page.getByRole('combobox', { name: 'For how long' }).click();
    await page.getByRole('option', { name: '7 days' }).click();
    await page.getByText(/^Ends on [^,]+, \d{4}\. You can end it earlier/).waitFor();
    await close();
  });

  test('shows the names of unknown applications as plain text, and hosts encoded', async () => {
    const { page, close } = await open({ width: 380 });
    const name = `Claude\u202e\n\nVerified by Anthropic ✔\ufe0f🔒 ${'Z\u0351\u0352\u0353\u0354'.repeat(20)}<b>bold</b>${'W'.repeat(500)}`;
    const application = await assistant({
      client_name: name,
      redirect_uris: ['https://clаude.example/callback'.replace('а', '\u0430')].map((uri) => new URL(uri).href),
    });
    await ask(page, application);
    const shown = await page.getByTestId('application-name').innerText();
    expect(shown).toMatch(/^Claude Verified by Anthropic Z[^\u202e\n]+…$/); // in quotation marks, and cut with an ellipsis
    expect(shown.length).toBeLessThanOrEqual(100);
    expect(await page.getByTestId('redirect-host').innerText()).toMatch(/^xn--/);
    await page.getByText('letters that can look like others').waitFor();
    await page.getByText('Name not verified').waitFor();
    await expectAccessibleInEveryLook(page, 'connect-stranger');
    await close();
  });

  test('says that a registered application is known, and shows its scheme', async () => {
    const { page, close } = await open();
    const { json } = await expectStatus(
      service.as(admin).call<{ clientId: string }>('POST', '/api/v1/oauth/clients', {
        name: 'Our assistant',
        redirectUris: ['https://assistant.example.com/callback', 'our-assistant://callback'],
      }),
      201,
    );
    await ask(page, { clientId: json.clientId, redirectUri: 'https://assistant.example.com/callback' });
    await page.getByText('Registered by an administrator').waitFor();
    await page.getByText('assistant.example.com').waitFor();
    expect(await page.getByRole('note').count()).toBe(0); // nothing to warn of
    await expectAccessibleInEveryLook(page, 'connect-registered');
    await ask(page, { clientId: json.clientId, redirectUri: 'our-assistant://callback' });
    await page.getByText('our-assistant:', { exact: true }).waitFor();
    await page.getByText('Any application on this computer can open such addresses').waitFor();
    await allow(page).click(); // the page stays when an application opens beside it
    await page.getByRole('heading', { level: 1, name: 'Access allowed' }).waitFor();
    await expectAccessibleInEveryLook(page, 'connect-allowed');
    await close();
  });

  test('asks another person after they have signed in in place of the first', async () => {
    await createQueryUser(service, 'ana');
    const { page, close } = await open();
    await ask(page, await assistant());
    await page.getByRole('button', { name: 'Use another account' }).click();
    await page.getByLabel('User Name').fill('ana');
    await page.getByLabel('Password', { exact: true }).fill('four plain words here');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Signed in as ana').waitFor();
    await allow(page).click();
    expect((await listener.next()).code).toBeDefined();
    await close();
  });

  test('says what to do about a request that has expired or belongs to another browser', async () => {
    const { page, close } = await open();
    await ask(page, await assistant());
    const other = await open();
    await other.page.goto(page.url());
    await other.page.getByRole('heading', { level: 1, name: 'This request is no longer valid' }).waitFor();
    await other.page.getByText('connect again').waitFor();
    await expectAccessibleInEveryLook(other.page, 'connect-gone');
    await other.close();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * 60_000 }); // the authorization server has its own clock
    await allow(page).click();
    await page.getByRole('heading', { level: 1, name: 'This request is no longer valid' }).waitFor();
    vi.useRealTimers();
    await close();
  });
});
