import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  askForToken,
  authorizeUrl,
  connect,
  createApplication,
  createRegistered,
  createVerifier,
  decide,
  errorOf,
  type OAuthApplication,
  openBrowser,
  openConsent,
  redeem,
  refresh,
  send,
  tokensOf,
} from '../../support/people/oauth.ts';
import { openStoreOf } from '../../support/services/metadata-store.ts';
import type { Visitor } from '../../support/services/oidc-provider.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

// Attempts to misuse codes and tokens, own or stolen ones.

let service: TestService;
let application: OAuthApplication;
let browser: Visitor;
beforeAll(async () => {
  service = await startTestService();
  application = await createRegistered(service);
  browser = await openBrowser(service);
});
afterAll(() => service.close());

const isGood = async (token: string): Promise<boolean> => (await send(service, token, 'tools/list')).status === 200;
const invalidGrant = [400, 'invalid_grant'];

/** The parameters of the redirect to the application, without asking anybody. */
async function refusedBy(more: Record<string, string | undefined>): Promise<string | null> {
  const response = await browser.ask(authorizeUrl(service, application, createVerifier(), more));
  const location = response.headers.get('location') ?? '';
  if (!location.startsWith(application.redirectUri)) throw new Error(`not refused: ${response.status} ${location}`);
  const { searchParams } = new URL(location);
  expect([searchParams.get('iss'), searchParams.get('state'), searchParams.get('code')]).toEqual([
    `${service.url}/mcp/oauth`,
    'the state',
    null,
  ]);
  return searchParams.get('error');
}

async function codeOf(verifier: string, asking = application, more: Record<string, string | undefined> = {}): Promise<string> {
  const id = await openConsent(browser, authorizeUrl(service, asking, verifier, more));
  return (await decide(service, browser, id)).searchParams.get('code') ?? '';
}

describe('PKCE', () => {
  test.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['an empty challenge', { code_challenge: '' }],
    ['the method plain', { code_challenge_method: 'plain' }],
    ['no method, which means plain', { code_challenge_method: undefined }],
    ['an unknown method', { code_challenge_method: 'S512' }],
    ['a short challenge', { code_challenge: 'abc' }],
  ])('%s is refused before anybody is asked', async (_what, more) => {
    expect(await refusedBy(more)).toBe('invalid_request');
  });

  test.each([
    ['another verifier', createVerifier()],
    ['no verifier', undefined],
    ['an empty verifier', ''],
  ])('a code with %s is refused', async (_what, verifier) => {
    const code = await codeOf(createVerifier());
    expect(await errorOf(redeem(service, application, code, '', { code_verifier: verifier }))).toEqual(invalidGrant);
  });

  test('the challenge itself is not accepted as a verifier', async () => {
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const code = await codeOf(createVerifier(), application, { code_challenge: challenge });
    expect(await errorOf(redeem(service, application, code, challenge))).toEqual(invalidGrant);
  });
});

describe('a code', () => {
  test('is refused from another application, even with its verifier', async () => {
    const other = await createApplication(service);
    const verifier = createVerifier();
    const code = await codeOf(verifier);
    expect(await errorOf(redeem(service, other, code, verifier))).toEqual(invalidGrant);
    expect(await isGood((await tokensOf(redeem(service, application, code, verifier))).access_token)).toBe(true);
  });

  test('that was injected into the sign-in of another user does not match their verifier', async () => {
    const stolen = await codeOf(createVerifier());
    const victim = createVerifier();
    await codeOf(victim);
    expect(await errorOf(redeem(service, application, stolen, victim))).toEqual(invalidGrant);
  });

  test('that is used twice ends the access that the first use gave', async () => {
    const verifier = createVerifier();
    const code = await codeOf(verifier);
    const tokens = await tokensOf(redeem(service, application, code, verifier));
    expect(await isGood(tokens.access_token)).toBe(true);
    expect(await errorOf(redeem(service, application, code, verifier))).toEqual(invalidGrant);
    expect(await isGood(tokens.access_token)).toBe(false);
    expect(await errorOf(refresh(service, application, tokens.refresh_token))).toEqual(invalidGrant);
  });

  test('that is used by several clients at once gives none of them lasting access', async () => {
    const verifier = createVerifier();
    const code = await codeOf(verifier);
    const responses = await Promise.all(Array.from({ length: 8 }, () => redeem(service, application, code, verifier)));
    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses.filter((status) => status !== 400 && status !== 200)).toEqual([]);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
    for (const response of responses.filter(({ status }) => status === 200)) {
      const { access_token: token } = await tokensOf(Promise.resolve(response));
      expect(await isGood(token)).toBe(false);
    }
  });

  test('is sent with the issuer, as the metadata announce, so that clients notice a mix-up', async () => {
    const id = await openConsent(browser, authorizeUrl(service, application, createVerifier()));
    const { searchParams } = await decide(service, browser, id);
    const metadata: Record<string, unknown> = JSON.parse(
      await (await fetch(`${service.url}/.well-known/oauth-authorization-server/mcp/oauth`)).text(),
    );
    expect([searchParams.get('iss'), metadata.authorization_response_iss_parameter_supported]).toEqual([metadata.issuer, true]);
  });

  test.each(['form_post', 'fragment', 'query.jwt', 'web_message'])('is not sent by %s', async (mode) => {
    const response = await browser.ask(authorizeUrl(service, application, createVerifier(), { response_mode: mode }));
    expect(response.headers.get('location') ?? '').not.toContain('/connect/');
    expect(response.headers.get('location') ?? '').not.toContain('code=');
  });

  test.each(['token', 'id_token', 'code token', 'none'])('is the only response type: %s is refused', async (type) => {
    const response = await browser.ask(authorizeUrl(service, application, createVerifier(), { response_type: type }));
    expect(response.headers.get('location')).toMatch(/[?#]error=(unsupported_response_type|invalid_request)&/);
  });
});

describe('a refresh token', () => {
  test('is replaced at each use; one that is used again ends the access', async () => {
    const first = await connect(service, application, { browser });
    const second = await tokensOf(refresh(service, application, first.refresh_token));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect([await isGood(first.access_token), await isGood(second.access_token)]).toEqual([true, true]);
    expect(await errorOf(refresh(service, application, first.refresh_token))).toEqual(invalidGrant);
    expect([await isGood(first.access_token), await isGood(second.access_token)]).toEqual([false, false]);
    expect(await errorOf(refresh(service, application, second.refresh_token))).toEqual(invalidGrant);
  });

  test('leaves no record when it is used, and its second use is detected however long ago the first one was', async () => {
    const first = await connect(service, application, { browser });
    const store = await openStoreOf(service);
    const kept = (kind: string, token: string) => store.oauth.getArtifact(kind, hash('sha256', token));
    let last = first;
    for (let use = 0; use < 20; use++) {
      const used = last;
      last = await tokensOf(refresh(service, application, used.refresh_token));
      expect(await kept('RefreshToken', used.refresh_token)).toBeNull();
    }
    expect(await kept('RefreshToken', last.refresh_token)).not.toBeNull();
    await store.close();
    // neither another application nor somebody who knows the id of the grant ends it
    expect(await errorOf(refresh(service, await createApplication(service), first.refresh_token))).toEqual(invalidGrant);
    const forged = `${last.refresh_token.slice(0, last.refresh_token.lastIndexOf('~'))}~forged`;
    expect(await errorOf(refresh(service, application, forged))).toEqual(invalidGrant);
    expect(await isGood(last.access_token)).toBe(true);
    expect(await errorOf(refresh(service, application, first.refresh_token))).toEqual(invalidGrant);
    expect(await isGood(last.access_token)).toBe(false);
    expect(await errorOf(refresh(service, application, last.refresh_token))).toEqual(invalidGrant);
  });

  test('that is used by several clients at once gives none of them lasting access', async () => {
    const { refresh_token: token } = await connect(service, application, { browser });
    const responses = await Promise.all(Array.from({ length: 8 }, () => refresh(service, application, token)));
    expect(responses.filter(({ status }) => status !== 400 && status !== 200)).toEqual([]);
    for (const response of responses.filter(({ status }) => status === 200)) {
      const { access_token: given } = await tokensOf(Promise.resolve(response));
      expect(await isGood(given)).toBe(false);
    }
  });

  test('is refused from another application and at the gateway', async () => {
    const other = await createApplication(service);
    const { refresh_token: token } = await connect(service, application, { browser });
    expect(await errorOf(refresh(service, other, token))).toEqual(invalidGrant);
    expect(await isGood(token)).toBe(false);
    await tokensOf(refresh(service, application, token));
  });

  test('cannot be extended to another scope or resource', async () => {
    const { refresh_token: token } = await connect(service, application, { browser });
    for (const scope of ['queries admin', 'admin', 'queries openid'])
      expect([scope, ...(await errorOf(refresh(service, application, token, { scope })))]).toEqual([scope, 400, 'invalid_scope']);
    for (const resource of ['https://evil.example/', `${service.url}/mcp`, `${service.url}/api/v1`, `${service.url}/mcp/oauth#x`])
      expect([resource, ...(await errorOf(refresh(service, application, token, { resource })))]).toEqual([
        resource,
        400,
        'invalid_target',
      ]);
    await tokensOf(refresh(service, application, token)); // a wrong request does not use up the token
  });
});

describe('revocation', () => {
  const revoke = (by: OAuthApplication, token: string): Promise<Response> =>
    fetch(`${service.url}/mcp/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token, client_id: by.clientId }),
    });

  const connectedCount = async () =>
    (await service.as(admin).call<{ items: unknown[] }>('GET', '/api/v1/account/applications?limit=200')).json.items.length;

  test.each(['access_token', 'refresh_token'] as const)('of an %s ends the access', async (name) => {
    const before = await connectedCount();
    const tokens = await connect(service, application, { browser });
    expect((await revoke(application, tokens[name])).status).toBe(200);
    expect(await isGood(tokens.access_token)).toBe(false);
    expect(await errorOf(refresh(service, application, tokens.refresh_token))).toEqual(invalidGrant);
    expect(await connectedCount()).toBe(before);
  });

  test('by another application has no effect', async () => {
    const other = await createApplication(service);
    const tokens = await connect(service, application, { browser });
    await revoke(other, tokens.access_token);
    await revoke(other, tokens.refresh_token);
    expect(await isGood(tokens.access_token)).toBe(true);
    await tokensOf(refresh(service, application, tokens.refresh_token));
  });
});

describe('resource', () => {
  const forms = () => [`${service.url}/mcp/oauth`, `${service.url}/mcp/oauth/`, service.url, `${service.url}/`, undefined];

  test('may be left out or written in four ways, and differently in both requests', async () => {
    for (const [index, asked] of forms().entries()) {
      const verifier = createVerifier();
      const code = await codeOf(verifier, application, { resource: asked });
      const named = forms()[(index + 1) % 5];
      const tokens = await tokensOf(redeem(service, application, code, verifier, { resource: named }));
      expect([asked, await isGood(tokens.access_token)]).toEqual([asked, true]);
      const refreshed = await refresh(service, application, tokens.refresh_token, asked === undefined ? {} : { resource: asked });
      expect([asked, refreshed.status]).toEqual([asked, 200]);
    }
  });

  test.each(['https://evil.example/', '/mcp', '/mcp/oauth/x', '/mcp/oauth?x', '/api', '/MCP/OAUTH'])(
    '%s is refused',
    async (other) => {
      const resource = other.startsWith('/') ? service.url + other : other;
      expect(await refusedBy({ resource })).toBe('invalid_target');
      const verifier = createVerifier();
      const code = await codeOf(verifier);
      expect(await errorOf(redeem(service, application, code, verifier, { resource }))).toEqual([400, 'invalid_target']);
    },
  );

  test('that names another one beside ours is refused', async () => {
    const url = authorizeUrl(service, application, createVerifier());
    const response = await browser.ask(`${url}&resource=https%3A%2F%2Fevil.example`);
    expect(response.headers.get('location')).toContain('error=invalid_target');
  });
});

describe('scope', () => {
  test.each([
    [undefined, 'queries'],
    ['queries', 'queries'],
    ['openid offline_access', 'queries'],
    ['openid profile queries', 'queries'],
  ])('%s is granted as %s', async (scope, granted) => {
    const verifier = createVerifier();
    const code = await codeOf(verifier, application, { scope });
    expect((await tokensOf(redeem(service, application, code, verifier))).scope).toBe(granted);
  });

  test.each(['admin', 'openid profile', 'queries.write'])('%s is refused', async (scope) => {
    expect(await refusedBy({ scope })).toBe('invalid_scope');
  });
});

test.each([
  ['request', 'eyJhbGciOiJub25lIn0.e30.'],
  ['request_uri', 'https://evil.example/request'],
  ['registration', '{}'],
])('%s is not read', async (name, value) => {
  expect(await refusedBy({ [name]: value })).toMatch(/_not_supported$/);
});

test.each(['client_credentials', 'password', 'urn:ietf:params:oauth:grant-type:token-exchange', 'implicit', ''])(
  'the grant %s does not exist',
  async (grantType) => {
    const [status] = await errorOf(
      askForToken(service, application, { grant_type: grantType, username: 'admin', scope: 'queries' }),
    );
    expect(status).toBe(400);
  },
);

test('tokens are not bound to keys, because nothing would check the binding', async () => {
  const metadata = await (await fetch(`${service.url}/.well-known/oauth-authorization-server/mcp/oauth`)).text();
  expect(metadata).not.toMatch(/dpop|mtls|tls_client/i);
});
