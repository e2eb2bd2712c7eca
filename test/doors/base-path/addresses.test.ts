import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/http/free-port.ts';
import { mcpOf, rowsOf } from '../../support/http/mcp.ts';
import { readOpenApi } from '../../support/http/openapi.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { cookieOf, createKey } from '../../support/people/accounts.ts';
import { embedOf, publishChartQuery } from '../../support/queries/embeds.ts';
import {
  admin,
  type Caller,
  callerOf,
  expectStatus,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

const BASE = '/Tools/sluice'; // two segments, and a capital letter
const html = { Accept: 'text/html' };

let service: TestService;
let origin: string;
let key: string;
let queryName: string;
beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  service = await startTestService({ SLUICE_PORT: String(port), SLUICE_BASE_URL: `${origin}${BASE}/` });
  const author = callerOf(() => origin, admin);
  ({ key } = await createKey(author));
  ({ queryName } = await publishChartQuery(author, 'Below a path'));
});
afterAll(() => service.close());

/** The addresses that a page names in attributes and that browsers load. */
const addressesIn = (page: string): readonly string[] =>
  [...page.matchAll(/\s(?:src|href)="([^"#]+)"/g)].map(([, address = '']) => address);

/** As the service receives them: from a proxy that keeps the path, from one that removes it, and in another case. */
describe.each([BASE, '', '/tOOLS/Sluice'])('requests that begin with "%s"', (prefix) => {
  const as = (...[credential]: Parameters<TestService['as']>): Caller => callerOf(() => origin + prefix, credential);
  const get = (path: string, headers: Record<string, string> = {}) => sendRaw(origin, { method: 'GET', path, headers });

  /** The path that reaches the service when a browser requests `address`. */
  const received = (address: string): string => {
    expect(address).toMatch(new RegExp(`^${BASE}/`));
    return prefix + address.slice(BASE.length);
  };

  test.each(['', '/', '/?a=b', '/queries', '/queries/abc/edit?search=x', '//elsewhere.example', '/no-such-page'])(
    'get the page at "%s", which loads its files below the base path',
    async (path) => {
      const { status, headers, text } = await get(prefix + path || '/', html);
      expect([status, headers.location]).toEqual([200, undefined]);
      expect(text).toContain(`data-base="${BASE}/"`);
      const addresses = addressesIn(text);
      expect(addresses.some((each) => each.endsWith('.js')) && addresses.some((each) => each.endsWith('.css'))).toBe(true);
      for (const address of addresses) expect(address).toMatch(new RegExp(`^${BASE}/`));
    },
  );

  test('get the files of the page, and those that they name', async () => {
    const { text } = await get(`${prefix}/`, html);
    for (const address of addressesIn(text).filter((each) => !each.endsWith('/docs'))) {
      const file = await get(received(address));
      expect([address, file.status]).toEqual([address, 200]);
      expect(file.text).not.toMatch(/["'(]\/(assets|api|readyz|docs)\//);
      if (!address.endsWith('.css')) continue;
      const fonts = [...file.text.matchAll(/url\(([^)]+\.ttf)\)/g)].map(
        ([, font = '']) => new URL(font, origin + address).pathname,
      );
      expect(fonts.length).toBeGreaterThan(0);
      for (const font of fonts) expect([font, (await get(received(font))).status]).toEqual([font, 200]);
    }
  });

  test('get the API reference, its script and its document', async () => {
    const redirect = await get(`${prefix}/docs`, html);
    expect([redirect.status, redirect.headers.location]).toEqual([301, `${BASE}/docs/`]);
    const { status, text } = await get(received(`${BASE}/docs/`), html);
    expect(status).toBe(200);
    expect(text).toContain(`"url": "${BASE}/openapi.json"`);
    expect(text).toContain(`"favicon": "${BASE}/favicon.svg"`);
    expect((await get(`${prefix}/docs/js/scalar.js`)).status).toBe(200);
    expect((await readOpenApi(origin + prefix)).servers).toEqual([{ url: origin + BASE, description: 'This service' }]);
  });

  test('reach REST in both forms and the management interface, and get problems as usual', async () => {
    const caller = as({ key });
    const { json } = await expectStatus(caller.run(queryName), 200);
    expect(json.Data).toHaveLength(5);
    await expectStatus(caller.call('POST', `/api/query/execute/${queryName}`, {}), 200);
    await expectStatus(caller.call('POST', '/API/v1/jsonbuilder/executequery/', { QueryName: queryName, Parameters: [] }), 200);
    await expectStatus(as(admin).call('GET', '/api/v1/queries'), 200);
    await expectStatus(as().call('GET', '/api/v1/nothing', undefined, html), 404);
    await expectStatus(as().call('PUT', '/api/v1/JsonBuilder/ExecuteQuery'), 405);
    await expectStatus(as().call('OPTIONS', '/api/v1/JsonBuilder/ExecuteQuery'), 204);
  });

  test('set, read and clear the session cookie of the base path', async () => {
    const signedIn = await expectStatus(as().call('POST', '/api/v1/session', admin, { Origin: origin }), 200);
    const cookie = cookieOf(signedIn);
    expect(signedIn.headers.getSetCookie()).toEqual([`${cookie}; Path=${BASE}; HttpOnly; SameSite=Lax`]);
    expect(signedIn.json).toMatchObject({ baseUrl: origin + BASE });
    await expectStatus(as({ cookie }).call('GET', '/api/v1/account'), 200);
    const signedOut = await expectStatus(as({ cookie }).call('DELETE', '/api/v1/session', undefined, { Origin: origin }), 204);
    expect(signedOut.headers.getSetCookie()).toEqual([expect.stringContaining(`; Path=${BASE}; Expires=Thu, 01 Jan 1970`)]);
  });

  test('reach MCP: the banner, tools and the chart app', async () => {
    expect(JSON.parse((await get(`${prefix}/mcp`)).text)).toMatchObject({ service: expect.any(String) });
    const mcp = mcpOf({ url: origin + prefix }, key);
    expect(rowsOf(await mcp.tool('execute_query', { queryName }))).toHaveLength(5);
    const { downloadUrl } = await mcp.tool('export_query', { queryName, format: 'csv' });
    expect(downloadUrl).toMatch(new RegExp(`^${origin}${BASE}/api/v1/Export/Download`));
    const app = await mcp.rpc('resources/read', { uri: 'ui://sluice/chart' });
    expect(app.text).toContain('text/html;profile=mcp-app');
  });

  test('create and show embeds, whose page loads its script below the base path', async () => {
    const { EmbedUrl, IframeCode, Token } = await embedOf(as({ key }), { queryName });
    expect(EmbedUrl).toBe(`${origin}${BASE}/api/v1/EmbeddedChart/RenderByToken?token=${Token}`);
    expect(IframeCode).toContain(`src="${EmbedUrl}"`);
    const page = await get(received(EmbedUrl.slice(origin.length)), html);
    expect(page.status).toBe(200);
    const [script = ''] = addressesIn(page.text).filter((each) => each.endsWith('.js'));
    expect((await get(received(new URL(script, EmbedUrl).pathname))).status).toBe(200);
    const { json } = await as(admin).call<{ items: { imageUrl: string }[] }>('GET', '/api/v1/embeds');
    const image = await get(received((json.items[0]?.imageUrl ?? '').slice(origin.length)));
    expect([image.status, image.headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  });

  test('download exports, directly and by link', async () => {
    const options = { QueryName: queryName, Parameters: [] };
    await expectStatus(as({ key }).call('POST', '/api/v1/Export/ExecuteQuery?format=csv', options), 200);
    const link = await as({ key }).call<{ downloadUrl: string }>('POST', '/api/v1/Export/CreateLink?format=csv', options);
    const file = await get(received(link.json.downloadUrl.slice(origin.length)));
    expect([file.status, file.text.split('\r\n')[0]]).toEqual([200, 'label,value,other']);
  });

  test.each(['/livez', '/readyz', '/metrics'])('reach %s', async (path) => {
    expect((await get(prefix + path)).status).toBe(200);
  });

  test('name the base URL in the configuration of AI clients', async () => {
    const { json } = await as(admin).call('GET', '/api/v1/mcp/tools');
    expect(json).toMatchObject({ url: `${origin}${BASE}/mcp` });
  });
});

test('serves a path that only begins like the base path as another page', async () => {
  for (const path of [`${BASE}x/livez`, `${BASE}/x${BASE}/livez`])
    expect((await sendRaw(origin, { method: 'GET', path, headers: html })).headers['content-type']).toContain('text/html');
});

test.each([
  '//elsewhere.example/docs',
  `${BASE}//elsewhere.example/docs`,
  `${BASE}/docs//elsewhere.example`,
  '/docs//elsewhere.example',
  `${BASE}//docs`,
  `${BASE}/..//elsewhere.example`,
  `${BASE}\\\\elsewhere.example`,
  `http://elsewhere.example${BASE}/docs`,
])('does not redirect %s elsewhere', async (path) => {
  const { headers } = await sendRaw(origin, { method: 'GET', path, headers: html });
  expect([undefined, `${BASE}/docs/`]).toContain(headers.location);
});
