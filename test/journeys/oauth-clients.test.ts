import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { type CallbackListener, listenForCallbacks } from '../support/http/callback-listener.ts';
import { type DocumentHost, startDocumentHost } from '../support/http/document-host.ts';
import { generations, SdkApplication, type SdkClient } from '../support/people/sdk-application.ts';
import { publish } from '../support/queries/publish.ts';
import { executeInStoreOf } from '../support/services/metadata-store.ts';
import {
  admin,
  ADMIN_PASSWORD,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../support/services/service.ts';

const browser = await openBrowser();

describe.skipIf(typeof browser === 'string')(
  `the official clients (${typeof browser === 'string' ? browser : 'Chromium'})`,
  () => {
    let service: TestService;
    let listener: CallbackListener;
    let host: DocumentHost;
    let document: string;
    let numbers: string;
    beforeAll(async () => {
      [listener, host] = [await listenForCallbacks(), await startDocumentHost()];
      service = await startTestService({ SLUICE_OAUTH_PRIVATE_HOSTS: host.host });
      numbers = (await publish(service.as(admin), { name: 'Numbers', sql: 'select * from range(5) as t(n)' })).queryName;
      document = host.serve('/client.json', {
        ...{ client_id: `${host.url}/client.json`, client_name: 'Documented', redirect_uris: [listener.url] },
        ...{ token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
      });
    });
    afterAll(() => Promise.all([service.close(), listener.close(), host.close()]));

    async function allow(page: Page, asked: URL | SdkClient): Promise<URLSearchParams> {
      if (!(asked instanceof URL)) throw new Error('connected without a person');
      await page.goto(asked.href);
      const heading = page.getByRole('heading', { level: 1, name: 'Connect an application?' });
      const password = page.getByLabel('Password', { exact: true });
      await heading.or(password).waitFor();
      if (await password.isVisible()) {
        await page.getByLabel('User Name').fill('admin');
        await password.fill(ADMIN_PASSWORD);
        await page.getByRole('button', { name: 'Sign in' }).click();
      }
      await heading.waitFor();
      const button = page.getByRole('button', { name: 'Allow' });
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
      await button.click();
      return new URLSearchParams(await listener.next());
    }
    async function connected(application: SdkApplication): Promise<SdkClient> {
      const client = await application.connect();
      if (client instanceof URL) throw new Error(`not connected: ${client.href}`);
      return client;
    }
    const call = (client: SdkClient) => client.callTool({ name: 'execute_query', arguments: { queryName: numbers } });
    const rows = { structuredContent: { Data: [{ n: 0 }, {}, {}, {}, {}] } };

    test.each(generations)('%s: from the address alone to tools, and until the access ends', async (generation) => {
      const url = `${service.url}/mcp/oauth`;
      const application = new SdkApplication({ url, generation, redirectUrl: listener.url });
      const { page, close } = await visit(browser as Browser, service, { as: null });
      await application.finish(await allow(page, await application.connect()));
      const client = await connected(application);
      const { tools } = await client.listTools();
      expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).not.toContain('apiKey');
      expect(await call(client)).toMatchObject(rows);

      const first = application.tokens()?.access_token;
      await executeInStoreOf(service, 'delete from oauth_tokens'); // as if they had expired
      expect(await call(client)).toMatchObject(rows);
      expect(application.tokens()?.access_token).not.toBe(first);

      const { items } = (await service.as(admin).call<List<{ id: string }>>('GET', '/api/v1/account/applications')).json;
      await expectStatus(service.as(admin).call('DELETE', `/api/v1/account/applications/${items[0]?.id}`), 204);
      const askedAfter = () =>
        call(client).then(
          () => client,
          (error: unknown) => application.asked(error),
        );
      await application.finish(await allow(page, await askedAfter())); // the person is asked again
      expect(await call(client)).toMatchObject(rows);

      // an application that was forgotten registers again
      const before = application.clientInformation()?.client_id;
      for (const table of ['oauth_clients', 'oauth_tokens']) await executeInStoreOf(service, `delete from ${table}`);
      await application.finish(await allow(page, await askedAfter()));
      expect([before, application.clientInformation()?.client_id]).toEqual([
        expect.stringMatching(/^dyn_/),
        expect.not.stringContaining(before ?? ''),
      ]);
      expect(await call(client)).toMatchObject(rows);
      await client.close();
      await close();
    });

    test.each(generations)('%s: with a metadata document', async (generation) => {
      const url = `${service.url}/mcp/oauth`;
      const application = new SdkApplication({ url, generation, redirectUrl: listener.url, clientMetadataUrl: document });
      const { page, close } = await visit(browser as Browser, service);
      const asked = await application.connect();
      expect(asked instanceof URL && asked.searchParams.get('client_id')).toBe(document);
      await application.finish(await allow(page, asked));
      const client = await connected(application);
      expect(await call(client)).toMatchObject(rows);
      await client.close();
      await close();
    });
  },
);
