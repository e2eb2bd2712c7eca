import * as two from '@modelcontextprotocol/client';
import * as one from '@modelcontextprotocol/sdk/client/auth.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { mcpOf } from '../../support/http/mcp.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import {
  askForToken,
  authorizeUrl,
  CALLBACK,
  connect,
  createApplication,
  createVerifier,
  decide,
  errorOf,
  openBrowser,
  openConsent,
  redeem,
  refresh,
  send,
  tokensOf,
} from '../../support/people/oauth.ts';
import { generations, SdkApplication } from '../../support/people/sdk-application.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  admin,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

let service: TestService;
let root: Caller;
let numbers: string;
let letters: string;
beforeAll(async () => {
  service = await startTestService({}, () => Date.now()); // which a test sets
  root = service.as(admin);
  numbers = (await publish(root, { name: 'Numbers', sql: 'select * from range(5) as t(n)' })).queryName;
  letters = (await publish(root, { name: 'Letters', sql: "select 'a' as letter" })).queryName;
});
afterAll(() => service.close());

const run = (queryName: string) => ({ name: 'execute_query', arguments: { queryName } });
const rowsOf = async (token: string, queryName = numbers): Promise<number> => {
  const response = await send(service, token, 'tools/call', run(queryName));
  const { result }: { result?: { structuredContent: { Data: unknown[] } } } = JSON.parse(await response.text());
  return result?.structuredContent.Data.length ?? -1;
};
interface Connected {
  readonly id: string;
  readonly name: string;
  readonly lastUsedAt: string | null;
}
const connected = async () => (await root.call<List<Connected>>('GET', '/api/v1/account/applications')).json.items;

test('an application without a token learns where to sign its user in', async () => {
  const refused = await send(service, undefined, 'tools/list');
  const metadata = `${service.url}/.well-known/oauth-protected-resource/mcp/oauth`;
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}", scope="queries"`);
  const wrong = await send(service, 'wrong', 'tools/list');
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer resource_metadata="${metadata}", scope="queries", error="invalid_token"`,
  ]);

  // people who try the address by hand, and logs of clients, show the body only
  const messageOf = async (response: Response) =>
    (JSON.parse(await response.text()) as { error: { message: string } }).error.message;
  const [missing, unknown] = [await messageOf(refused), await messageOf(wrong)];
  expect(missing).toMatch(/^Authentication failed: No access token was sent\./);
  expect(unknown).toMatch(/^Authentication failed: The access token is not known, has expired, or its access was ended\./);
  for (const message of [missing, unknown]) {
    expect(message).toContain(`sign in to Sluice: ${metadata} describes where`);
    expect(message).toContain('Clients with an API key use the address that ends in /mcp.');
    expect(message).not.toContain('apiKey');
  }

  const issuer = `${service.url}/mcp/oauth`;
  const resource: Record<string, unknown> = JSON.parse(await (await fetch(metadata)).text());
  expect(resource).toMatchObject({ resource: issuer, authorization_servers: [issuer], scopes_supported: ['queries'] });
  for (const path of [
    '/.well-known/oauth-authorization-server/mcp/oauth',
    '/.well-known/openid-configuration/mcp/oauth',
    '/mcp/oauth/.well-known/openid-configuration',
  ]) {
    const found = await fetch(service.url + path);
    expect([path, found.status, found.headers.get('access-control-allow-origin')]).toEqual([path, 200, '*']);
    expect(await found.json()).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      scopes_supported: ['queries'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    });
  }
});

test('a client that starts at /mcp finds no OAuth metadata', async () => {
  for (const name of ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource'])
    for (const path of [`/.well-known/${name}`, `/.well-known/${name}/mcp`, `/mcp/.well-known/${name}`]) {
      const response = await fetch(service.url + path, { headers: { Accept: 'text/html' } });
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        404,
        'application/problem+json; charset=utf-8',
      ]);
    }
  const refused = await mcpOf(service).call('execute_query', { queryName: numbers });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([200, null]);
});

test.each(generations)(
  '%s: with a key it works at /mcp and never looks for OAuth, without one it learns of keys',
  async (generation) => {
    const { key } = await createKey(root, { name: generation });
    const options = { url: `${service.url}/mcp`, generation, redirectUrl: CALLBACK };
    for (const headers of [{ 'X-API-Key': key }, { Authorization: `Bearer ${key}` }]) {
      const application = new SdkApplication({ ...options, headers });
      const client = await application.connect();
      if (client instanceof URL) throw new Error(`asked a person: ${client.href}`);
      const { tools } = await client.listTools();
      expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).not.toContain('apiKey');
      expect(await client.callTool(run(numbers))).toMatchObject({ structuredContent: { Data: [{ n: 0 }, {}, {}, {}, {}] } });
      expect(application.clientInformation()).toBeUndefined(); // it registered nowhere
      await client.close();
    }
    const client = await new SdkApplication(options).connect();
    if (client instanceof URL) throw new Error(`asked a person: ${client.href}`);
    await expect(client.callTool(run(numbers))).rejects.toThrow('no API key');
    await client.close();
  },
);

test.each(generations)('%s: finds where to sign its user in, also by an address with a closing slash', async (generation) => {
  for (const end of ['', '/']) {
    const options = { url: `${service.url}/mcp/oauth${end}`, generation, redirectUrl: CALLBACK };
    const asked = await new SdkApplication(options).connect();
    expect(asked instanceof URL && asked.origin + asked.pathname).toBe(`${service.url}/mcp/oauth/authorize`);
  }
});

test('clients of both generations find no metadata from /mcp or the origin', async () => {
  for (const { discoverOAuthProtectedResourceMetadata, discoverAuthorizationServerMetadata } of [one, two]) {
    for (const url of [`${service.url}/mcp`, `${service.url}/mcp/`, service.url])
      await expect(discoverOAuthProtectedResourceMetadata(url)).rejects.toThrow();
    for (const url of [service.url, `${service.url}/mcp`]) expect(await discoverAuthorizationServerMetadata(url)).toBeUndefined();
    expect(await discoverAuthorizationServerMetadata(`${service.url}/mcp/oauth`)).toMatchObject({
      scopes_supported: ['queries'],
    });
  }
});

test('a person connects an application, which runs queries until the access ends', async () => {
  const application = await createApplication(service);
  const browser = await openBrowser(service);
  const verifier = createVerifier();
  const id = await openConsent(browser, authorizeUrl(service, application, verifier));
  const asked = await browser.send('GET', `${service.url}/api/v1/oauth/interactions/${id}`);
  expect(await asked.json()).toEqual({
    id,
    application: { name: 'Assistant', clientId: application.clientId, source: 'dynamic', documentHost: null },
    redirect: { kind: 'loopback', host: '127.0.0.1:4711' },
    scope: 'queries',
    user: 'admin',
    defaultDays: 30,
    maxDays: 365,
  });
  const back = await decide(service, browser, id);
  expect(Object.fromEntries(back.searchParams)).toEqual({
    code: expect.any(String),
    state: 'the state',
    iss: `${service.url}/mcp/oauth`,
  });
  const tokens = await tokensOf(redeem(service, application, back.searchParams.get('code') ?? '', verifier));
  expect(tokens).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    expires_in: 1800,
    scope: 'queries',
    token_type: 'Bearer',
  });

  expect(await rowsOf(tokens.access_token)).toBe(5);
  const list = await send(service, tokens.access_token, 'tools/list');
  const { result }: { result: { tools: { inputSchema: object }[] } } = JSON.parse(await list.text());
  expect(JSON.stringify(result.tools.map(({ inputSchema }) => inputSchema))).not.toContain('apiKey');
  const [grant] = await connected();
  expect(grant).toMatchObject({ name: 'Assistant' });
  await expect.poll(async () => (await connected())[0]?.lastUsedAt, { timeout: 10_000 }).not.toBeNull();
  const entries = await root.call<List<object>>('GET', `/api/v1/audit?query=${numbers}&limit=1`);
  expect(entries.json.items).toMatchObject([{ user: 'admin', application: 'Assistant', apiKey: null, channel: 'mcp' }]);

  await expectStatus(root.call('DELETE', `/api/v1/account/applications/${grant?.id}`), 204);
  expect((await send(service, tokens.access_token, 'tools/list')).status).toBe(401);
  expect(await errorOf(refresh(service, application, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
});

test('an application that is connected again keeps the access that it had', async () => {
  const application = await createApplication(service);
  const browser = await openBrowser(service);
  const [first, second] = [await connect(service, application, { browser }), await connect(service, application, { browser })];
  expect([await rowsOf(first.access_token), await rowsOf(second.access_token)]).toEqual([5, 5]);
  expect((await refresh(service, application, first.refresh_token)).status).toBe(200);
});

test('a running query names its application', async () => {
  const sql = 'select count(*) as n from range(100000000000) a(i), range(100) b(j) where (i * j) % 7 = 3';
  const { queryName } = await publish(root, { name: 'Endless', sql, timeoutSeconds: 120 });
  const { access_token: token } = await connect(service, await createApplication(service));
  const response = send(service, token, 'tools/call', run(queryName));
  const running = async () => (await root.call<List<{ id: string }>>('GET', '/api/v1/executions')).json.items;
  const [execution] = await waitUntil(running, (items) => items.length > 0);
  expect(execution).toMatchObject({ query: queryName, user: 'admin', application: 'Assistant', channel: 'mcp' });
  await expectStatus(root.call('DELETE', `/api/v1/executions/${execution?.id}`), 204);
  expect(await (await response).json()).toMatchObject({ error: { data: { reason: 'query_cancelled' } } });
});

test('a token is accepted at /mcp/oauth only', async () => {
  const { access_token: token } = await connect(service, await createApplication(service));
  expect((await mcpOf(service).refusal('execute_query', { queryName: numbers }, { Authorization: `Bearer ${token}` })).code).toBe(
    40101,
  );
  expect((await service.as({ token }).run(numbers)).status).toBe(401);
  expect((await service.as({ token }).call('GET', '/api/v1/account')).status).toBe(401);
  const inAddress = `${service.url}/mcp/oauth?access_token=${token}`;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const sent = await fetch(inAddress, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  expect(sent.status).toBe(401);
});

test('keys are refused, in a header and as an argument', async () => {
  const { key } = (await expectStatus(root.call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'a key' }), 201))
    .json;
  expect((await send(service, key, 'tools/list')).status).toBe(401);
  expect((await send(service, undefined, 'tools/list', {}, { 'X-API-Key': key })).status).toBe(401);
  const { access_token: token } = await connect(service, await createApplication(service));
  const response = await send(service, token, 'tools/call', { name: 'list_queries', arguments: { apiKey: key } });
  expect(await response.json()).toMatchObject({ error: { code: -32602 } });
  const version = { 'MCP-Protocol-Version': '2025-11-25' }; // whose clients show the model what it can correct
  const shown = await send(service, token, 'tools/call', { name: 'list_queries', arguments: { apiKey: key } }, version);
  const text = 'apiKey: The user has signed in: leave the argument out.';
  expect(await shown.json()).toMatchObject({ result: { isError: true, content: [{ text }] } });
});

test('the instructions ask for a key only where keys are accepted', async () => {
  const { access_token: token } = await connect(service, await createApplication(service));
  const signedIn = await (await send(service, token, 'initialize', { protocolVersion: '2025-11-25' })).text();
  expect(signedIn).toContain('Cite: name the query');
  expect(signedIn).not.toContain('apiKey');
  expect((await mcpOf(service).rpc('initialize', { protocolVersion: '2025-11-25' })).text).toContain(
    'the string argument apiKey',
  );
});

test('a token lasts half an hour, and the access as long as the person chose', async () => {
  const application = await createApplication(service);
  const [first, verifier] = [await connect(service, application, { choice: { days: 1 } }), createVerifier()];
  const isGoodAfter = async (minutes: number, token: string): Promise<boolean> => {
    vi.useFakeTimers({ toFake: ['Date'], now: start + minutes * 60_000 });
    const response = await send(service, token, 'tools/list');
    if (!response.ok) expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    return response.ok;
  };
  const start = Date.now();
  try {
    expect([await isGoodAfter(29, first.access_token), await isGoodAfter(31, first.access_token)]).toEqual([true, false]);
    const second = await tokensOf(refresh(service, application, first.refresh_token));
    expect([await isGoodAfter(60, second.access_token), await isGoodAfter(62, second.access_token)]).toEqual([true, false]);
    await isGoodAfter(24 * 60 - 10, '');
    const last = await tokensOf(refresh(service, application, second.refresh_token));
    expect(last.expires_in).toBeLessThanOrEqual(600); // the access ends earlier than a token would
    expect([await isGoodAfter(24 * 60 - 1, last.access_token), await isGoodAfter(24 * 60 + 1, last.access_token)]).toEqual([
      true,
      false,
    ]);
    expect(await errorOf(refresh(service, application, last.refresh_token))).toEqual([400, 'invalid_grant']);
  } finally {
    vi.useRealTimers();
  }
  // a code lasts a minute
  const browser = await openBrowser(service);
  const id = await openConsent(browser, authorizeUrl(service, application, verifier));
  const code = (await decide(service, browser, id)).searchParams.get('code') ?? '';
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
  try {
    expect(await errorOf(redeem(service, application, code, verifier))).toEqual([400, 'invalid_grant']);
  } finally {
    vi.useRealTimers();
  }
});

test('a grant is narrowed to the chosen queries, and never does more than its user', async () => {
  const person = await createQueryUser(service, 'narrowed');
  const { access_token: token } = await connect(service, await createApplication(service), {
    user: person.credential,
    choice: { queries: [numbers], days: 1 },
  });
  expect([await rowsOf(token, numbers), await rowsOf(token, letters)]).toEqual([5, -1]);
  const path = `/api/v1/users/${person.id}`;
  expect((await root.call<List<Connected>>('GET', `${path}/applications`)).json.items).toMatchObject([
    { name: 'Assistant', queries: [numbers] },
  ]);
  await expectStatus(root.call('PATCH', path, { roles: [] }), 200);
  expect(await rowsOf(token, numbers)).toBe(-1);
  await expectStatus(root.call('PATCH', path, { roles: ['Query User'], disabled: true }), 200);
  expect((await send(service, token, 'tools/list')).status).toBe(401);
  await expectStatus(root.call('PATCH', path, { disabled: false }), 200);
  expect((await send(service, token, 'tools/list')).status).toBe(401);
});

test('a person who does not allow it sends the application an error', async () => {
  const browser = await openBrowser(service);
  const id = await openConsent(browser, authorizeUrl(service, await createApplication(service), createVerifier()));
  const back = await decide(service, browser, id, 'cancel');
  expect(back.searchParams.get('error')).toBe('access_denied');
  expect(back.searchParams.get('iss')).toBe(`${service.url}/mcp/oauth`);
});

test('a registered application with a secret is connected until it is removed', async () => {
  const created = await expectStatus(
    root.call<{ id: string; clientId: string; clientSecret: string }>('POST', '/api/v1/oauth/clients', {
      name: 'Our assistant',
      redirectUris: ['https://assistant.example.com/callback'],
      tokenEndpointAuthMethod: 'client_secret_basic',
    }),
    201,
  );
  const { id, clientId, clientSecret: secret } = created.json;
  const application = { clientId, secret, redirectUri: 'https://assistant.example.com/callback' };
  const tokens = await connect(service, application);
  expect(await rowsOf(tokens.access_token)).toBe(5);
  expect(await errorOf(refresh(service, { ...application, secret: 'wrong' }, tokens.refresh_token))).toEqual([
    401,
    'invalid_client',
  ]);
  await expectStatus(root.call('DELETE', `/api/v1/oauth/clients/${id}`), 204);
  expect((await send(service, tokens.access_token, 'tools/list')).status).toBe(401);
  expect(await errorOf(refresh(service, application, tokens.refresh_token))).toEqual([401, 'invalid_client']);
  expect(await errorOf(askForToken(service, { clientId: 'unknown' }, { grant_type: 'refresh_token' }))).toEqual([
    401,
    'invalid_client',
  ]);
});
