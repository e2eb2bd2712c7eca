import {
  Client,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  askForToken,
  authorizeUrl,
  createApplication,
  createRegistered,
  createVerifier,
  decide,
  errorOf,
  type OAuthApplication,
  openBrowser,
  openConsent,
  redeem,
  send,
  tokensOf,
} from '../../support/people/oauth.ts';
import { publish } from '../../support/queries/publish.ts';
import { CLIENT_SECRET, type OidcService, startOidcService, Visitor } from '../../support/services/oidc-provider.ts';
import { admin, type Caller, expectStatus, type List, type TestService } from '../../support/services/service.ts';

// Access that the company's provider manages: identity assertions instead of a consent page.

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TYPE = 'oauth-id-jag+jwt';

let oidc: OidcService;
let service: TestService;
let root: Caller;
let assistant: OAuthApplication & { readonly id: string };
let numbers: string;
let letters: string;
beforeAll(async () => {
  oidc = await startOidcService({
    SLUICE_OAUTH_MANAGED: 'on',
    SLUICE_OIDC_ROLE_MAP: 'analysts=Query User',
    SLUICE_OIDC_DATABASE_MAP: 'analysts=*',
  });
  service = oidc.service;
  root = service.as(admin);
  numbers = (await publish(root, { name: 'Numbers', sql: 'select * from range(5) as t(n)' })).queryName;
  letters = (await publish(root, { name: 'Letters', sql: "select 'a' as letter" })).queryName;
  assistant = await createRegistered(service, { name: 'Company assistant', managed: true, redirectUris: [] });
  await signIn('alice');
});
afterAll(() => oidc.close());

/** The account of a person comes from their sign-in. */
async function signIn(login: string): Promise<Visitor> {
  oidc.provider.people.set(login, { preferred_username: login, email: `${login}@example.com`, groups: ['analysts'] });
  const visitor = new Visitor();
  await visitor.signIn(service, login);
  return visitor;
}

type Claims = { readonly [name: string]: unknown };
const seconds = (): number => Math.floor(Date.now() / 1000);
/** A claim that is null is left out. */
const claimsFor = (application: OAuthApplication, more: Claims = {}): JWTPayload =>
  Object.fromEntries(
    Object.entries({
      sub: 'alice',
      aud: `${service.url}/mcp/oauth`,
      client_id: application.clientId,
      jti: crypto.randomUUID(),
      iat: seconds(),
      exp: seconds() + 300,
      ...more,
    }).filter(([, value]) => value !== null),
  );
const assertionFor = (application: OAuthApplication, more: Claims = {}, typ = TYPE): Promise<string> =>
  oidc.provider.sign(claimsFor(application, more), typ);
const present = (application: OAuthApplication, assertion: string, more: Record<string, string> = {}): Promise<Response> =>
  askForToken(service, application, { grant_type: JWT_BEARER, assertion, ...more });
async function tokenOf(application: OAuthApplication, more: Claims = {}): Promise<string> {
  const response = await present(application, await assertionFor(application, more));
  const { access_token: token }: { access_token?: string } = JSON.parse(await response.text());
  if (token === undefined) throw new Error(`no token: ${response.status}`);
  return token;
}
const run = async (token: string, queryName: string): Promise<string> =>
  (await send(service, token, 'tools/call', { name: 'execute_query', arguments: { queryName } })).text();

interface Connected {
  readonly id: string;
  readonly name: string;
  readonly managed: boolean;
}
const userId = async (login: string): Promise<string> =>
  (await root.call<List<{ id: string }>>('GET', `/api/v1/users?search=${login}`)).json.items[0]?.id ?? '';
const connectedTo = async (login: string): Promise<readonly Connected[]> =>
  (await root.call<List<Connected>>('GET', `/api/v1/users/${await userId(login)}/applications`)).json.items;

test('it is announced', async () => {
  const metadata = await (await fetch(`${service.url}/.well-known/oauth-authorization-server/mcp/oauth`)).json();
  expect(metadata).toMatchObject({
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
    grant_types_supported: ['authorization_code', 'refresh_token', JWT_BEARER],
  });
});

test('the official client exchanges an ID token for an assertion, and the assertion for access, without a page', async () => {
  oidc.provider.assistant.clientId = assistant.clientId;
  const idToken = await oidc.provider.sign({ sub: 'alice', aud: 'assistant', exp: seconds() + 300 });
  const authProvider = new CrossAppAccessProvider({
    ...{ clientId: assistant.clientId, clientSecret: assistant.secret ?? '', expectedIssuer: `${service.url}/mcp/oauth` },
    assertion: async ({ authorizationServerUrl: audience, resourceUrl: resource, scope }) => {
      const asked = { audience, resource, idToken, clientId: 'assistant', clientSecret: CLIENT_SECRET };
      const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
        idpUrl: oidc.provider.issuer,
        ...asked,
        ...(scope ? { scope } : {}),
      });
      return jwtAuthGrant;
    },
  });
  const client = new Client({ name: 'client of a test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp/oauth`), { authProvider }));
  const { structuredContent } = await client.callTool({ name: 'execute_query', arguments: { queryName: numbers } });
  expect(structuredContent).toMatchObject({ Data: [{ n: 0 }, {}, {}, {}, {}] });
  await client.close();
  expect(await connectedTo('alice')).toMatchObject([{ name: 'Company assistant', managed: true }]);
  const entries = await root.call<List<Record<string, unknown>>>('GET', '/api/v1/audit?user=alice&limit=2&channel=mcp');
  expect(entries.json.items).toMatchObject([
    { action: 'execute_query', application: 'Company assistant', user: 'alice', outcome: 'ok' },
    { action: 'application.assert', application: 'Company assistant', user: 'alice', outcome: 'ok' },
  ]);
});

test('a token for an assertion has no refresh token, is accepted at the gateway only, and ends with the access', async () => {
  const response = await present(assistant, await assertionFor(assistant));
  const tokens: Record<string, unknown> = JSON.parse(await response.text());
  expect([response.status, tokens]).toEqual([
    200,
    { access_token: expect.any(String), expires_in: expect.any(Number), scope: 'queries', token_type: 'Bearer' },
  ]);
  expect(tokens.expires_in).toBeLessThanOrEqual(1800);
  const token = String(tokens.access_token);
  expect((await service.as({ token }).run(numbers)).status).toBe(401);
  const [grant] = await connectedTo('alice');
  await expectStatus(root.call('DELETE', `/api/v1/users/${await userId('alice')}/applications/${grant?.id}`), 204);
  expect((await send(service, token, 'tools/list')).status).toBe(401);
  const next = await tokenOf(assistant); // the provider decides, not the person
  expect((await send(service, next, 'tools/list')).status).toBe(200);
  expect(await connectedTo('alice')).toHaveLength(1);
});

test('an application that is restricted to some queries runs only those, as long as its user may', async () => {
  const narrow = await createRegistered(service, { name: 'Narrow', managed: [numbers], redirectUris: [] });
  await signIn('bob');
  const token = await tokenOf(narrow, { sub: 'bob' });
  expect([(await run(token, numbers)).includes('"Data"'), (await run(token, letters)).includes('"Data"')]).toEqual([true, false]);
  await expectStatus(root.call('PATCH', `/api/v1/users/${await userId('bob')}`, { disabled: true }), 200);
  expect((await send(service, token, 'tools/list')).status).toBe(401);
  expect(await errorOf(present(narrow, await assertionFor(narrow, { sub: 'bob' })))).toEqual([400, 'invalid_grant']);
});

test('an application may sign people in as well', async () => {
  const both = await createRegistered(service, { managed: true });
  expect((await send(service, await tokenOf(both), 'tools/list')).status).toBe(200);
  const browser = await openBrowser(service);
  expect((await browser.ask(authorizeUrl(service, both, createVerifier()))).headers.get('location')).toMatch(/^\/connect\//);
  const alone = await browser.ask(
    authorizeUrl(service, { ...assistant, redirectUri: 'https://evil.example/' }, createVerifier()),
  );
  expect([alone.status, alone.headers.get('location')]).toEqual([400, null]);
});

test('a user who signs in through the company returns to the question, and connects an application themselves', async () => {
  oidc.provider.people.set('carol', { preferred_username: 'carol', groups: ['analysts'] });
  const [visitor, verifier, application] = [new Visitor(), createVerifier(), await createRegistered(service)];
  const id = await openConsent(visitor, authorizeUrl(service, application, verifier));
  const back = await visitor.signIn(service, 'carol', `/connect/${id}`);
  expect(back.headers.get('location')).toMatch(new RegExp(`/connect/${id}$`));
  const code = (await decide(service, visitor, id)).searchParams.get('code') ?? '';
  const { access_token: token } = await tokensOf(redeem(service, application, code, verifier));
  expect(await run(token, numbers)).toContain('"Data"');
  expect(await connectedTo('carol')).toMatchObject([{ name: 'Registered', managed: false }]);
});

test('the audit trail says why an assertion was refused', async () => {
  await present(assistant, await assertionFor(assistant, { jti: 'the id', sub: 'nobody' }));
  const entries = await root.call<List<{ parameters: object }>>(
    'GET',
    '/api/v1/audit?action=application.assert&outcome=refused&limit=1',
  );
  expect(entries.json.items[0]?.parameters).toEqual({
    application: 'Company assistant',
    clientId: assistant.clientId,
    jti: 'the id',
    problem: 'The assertion is not valid: the person has not signed in to Sluice',
  });
});

describe('an assertion is refused', () => {
  const refused = [400, 'invalid_grant'];
  test.each<[string, Claims]>([
    ['for another issuer', { aud: 'https://other.example/mcp/oauth' }],
    ['for the gateway of keys', { aud: '{origin}/mcp' }],
    ['for the origin', { aud: '{origin}' }],
    ['for a similar issuer', { aud: '{origin}/mcp/oauth/' }],
    ['for several', { aud: ['{origin}/mcp/oauth', 'https://other.example'] }],
    ['without an audience', { aud: null }],
    ['for another client', { client_id: 'app_other' }],
    ['for the client at the provider', { client_id: 'assistant' }],
    ['without a client', { client_id: null }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another resource', { resource: 'https://other.example/mcp' }],
    ['for several resources', { resource: ['https://other.example/mcp'] }],
    ['for another scope', { scope: 'admin' }],
    ['of an unknown person', { sub: 'nobody' }],
    ['of a person by name', { sub: 'admin', preferred_username: 'admin' }],
    ['of a person by e-mail', { sub: 'mallory', email: 'alice@example.com', email_verified: true }],
    ['without a person', { sub: null }],
    ['with an empty person', { sub: '' }],
    ['that has expired', { iat: seconds() - 600, exp: seconds() - 300 }],
    ['that begins later', { nbf: seconds() + 300 }],
    ['without an end', { exp: null }],
    ['without a time', { iat: null }],
    ['without an id', { jti: null }],
  ])('%s', async (_what, more) => {
    const claims: Claims = JSON.parse(JSON.stringify(more).replaceAll('{origin}', service.url));
    expect(await errorOf(present(assistant, await assertionFor(assistant, claims)))).toEqual(refused);
  });

  test.each(['JWT', 'at+jwt', 'id-jag+jwt', 'oauth-id-jag'])('of the type %s, such as an ID token', async (typ) => {
    expect(await errorOf(present(assistant, await assertionFor(assistant, {}, typ)))).toEqual(refused);
  });

  test('that the provider did not sign', async () => {
    const claims = claimsFor(assistant, { iss: oidc.provider.issuer });
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const header = { alg: 'RS256', kid: 'of the provider', typ: TYPE };
    const foreign = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
    const embedded = await new SignJWT(claims)
      .setProtectedHeader({ ...header, jwk: await exportJWK(publicKey), jku: 'https://evil.example/keys' })
      .sign(privateKey);
    const { keys }: { keys: object[] } = JSON.parse(await (await fetch(`${oidc.provider.issuer}/jwks`)).text());
    const byPublicKey = await new SignJWT(claims)
      .setProtectedHeader({ ...header, alg: 'HS256' })
      .sign(Buffer.from(JSON.stringify(keys[0])));
    const none = new UnsecuredJWT(claims).encode();
    const [head = '', body = '', signature = ''] = (await assertionFor(assistant)).split('.');
    const other = Buffer.from(JSON.stringify({ ...claims, sub: 'bob' })).toString('base64url');
    for (const assertion of [
      foreign,
      embedded,
      byPublicKey,
      none,
      `${head}.${other}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}`,
    ])
      expect(await errorOf(present(assistant, assertion))).toEqual(refused);
    for (const assertion of ['', 'x', 'x'.repeat(20_000)]) expect((await present(assistant, assertion)).status).toBe(400);
  });

  test('the second time, also if both come at once or the signature is another', async () => {
    const claims = claimsFor(assistant);
    const [one, other] = await Promise.all([oidc.provider.sign(claims, TYPE), oidc.provider.sign({ ...claims, x: 1 }, TYPE)]);
    const responses = await Promise.all([one, other, one, other, one, other].map((each) => present(assistant, each)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400]);
    expect(await errorOf(present(assistant, one))).toEqual(refused);
  });

  test('and a refused one does not use up its id', async () => {
    const jti = crypto.randomUUID();
    expect(await errorOf(present(assistant, await assertionFor(assistant, { jti, scope: 'admin' })))).toEqual(refused);
    await tokenOf(assistant, { jti });
  });
});

describe('an application may not present assertions', () => {
  test('with another secret, or without one', async () => {
    for (const secret of ['wrong', undefined]) {
      const { clientId, redirectUri } = assistant;
      const application = { clientId, redirectUri, ...(secret === undefined ? {} : { secret }) };
      expect(await errorOf(present(application, await assertionFor(assistant)))).toEqual([401, 'invalid_client']);
    }
  });

  test('unless it is registered for that', async () => {
    const basic = { tokenEndpointAuthMethod: 'client_secret_basic' };
    const fields = { grant_types: [JWT_BEARER, 'authorization_code'], token_endpoint_auth_method: 'client_secret_basic' };
    for (const application of [await createRegistered(service, basic), await createApplication(service, fields)])
      expect((await present(application, await assertionFor(application))).status).toBe(400);
  });

  test('that were issued to another one', async () => {
    const other = await createRegistered(service, { managed: true });
    expect(await errorOf(present(other, await assertionFor(assistant)))).toEqual([400, 'invalid_grant']);
  });

  test('for another resource or scope, in four spellings for ours', async () => {
    const ask = async (more: Record<string, string>) => (await present(assistant, await assertionFor(assistant), more)).status;
    const ours = [`${service.url}/mcp/oauth`, `${service.url}/mcp/oauth/`, service.url, `${service.url}/`];
    expect(await Promise.all(ours.map((resource) => ask({ resource })))).toEqual([200, 200, 200, 200]);
    expect([await ask({ resource: 'https://evil.example' }), await ask({ scope: 'admin' })]).toEqual([400, 400]);
  });

  test('after it was removed, which ends its access', async () => {
    const removed = await createRegistered(service, { managed: true });
    const token = await tokenOf(removed);
    await expectStatus(root.call('DELETE', `/api/v1/oauth/clients/${removed.id}`), 204);
    expect((await send(service, token, 'tools/list')).status).toBe(401);
    expect(await errorOf(present(removed, await assertionFor(removed)))).toEqual([401, 'invalid_client']);
  });
});

describe('with the setting off, as by default,', () => {
  let off: OidcService;
  beforeAll(async () => {
    off = await startOidcService();
  });
  afterAll(() => off.close());

  test('the exchange is not announced, and assertions are refused', async () => {
    const metadata = await (await fetch(`${off.service.url}/.well-known/oauth-authorization-server/mcp/oauth`)).text();
    expect(metadata).not.toMatch(/jwt-bearer|id-jag/);
    const [alone, both] = [
      await createRegistered(off.service, { managed: true, redirectUris: [] }),
      await createRegistered(off.service, { managed: true }),
    ];
    for (const application of [alone, both]) {
      const assertion = await off.provider.sign(claimsFor(application, { aud: `${off.service.url}/mcp/oauth` }), TYPE);
      const asked = askForToken(off.service, application, { grant_type: JWT_BEARER, assertion });
      expect(await errorOf(asked)).toEqual([400, 'unsupported_grant_type']);
    }
    const asked = await (await openBrowser(off.service)).ask(authorizeUrl(off.service, both, createVerifier()));
    expect(asked.headers.get('location')).toMatch(/^\/connect\//);
  });
});

test('while the provider is unavailable, an assertion can be presented again later', async () => {
  const away = await startOidcService({ SLUICE_OAUTH_MANAGED: 'on' });
  try {
    const application = await createRegistered(away.service, { managed: true, redirectUris: [] });
    away.provider.serve(null);
    const assertion = await away.provider.sign(claimsFor(application, { aud: `${away.service.url}/mcp/oauth` }), TYPE);
    const asked = askForToken(away.service, application, { grant_type: JWT_BEARER, assertion });
    expect(await errorOf(asked)).toEqual([503, 'temporarily_unavailable']);
  } finally {
    await away.close();
  }
});
