import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { errors, type JWK, Provider } from 'oidc-provider';
import { startTestService, type TestService } from './service.ts';

export const CLIENT_SECRET = 'the secret of the client at the provider';

/** An OpenID Connect provider on loopback; the user `login` gets the claims in `people`. */
export interface TestProvider {
  readonly issuer: string;
  readonly people: Map<string, Readonly<Record<string, unknown>>>;
  /** Serves clients with this `redirectUri`; until then, and after null, every request gets 502. */
  serve(redirectUri: string | null): void;
  /** The maximum number of parallel requests. */
  mostAtOnce(): number;
  /** Signs a token as the provider does. */
  sign(claims: JWTPayload, typ?: string): Promise<string>;
  /** Lets the client `assistant` exchange ID tokens for identity assertions (ID-JAG) that name this client of the service. */
  assistant: { clientId: string };
  close(): Promise<void>;
}

const KEY_ID = 'of the provider';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

async function startProvider(): Promise<TestProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(privateKey)), kty: 'RSA', kid: KEY_ID, alg: 'RS256', use: 'sig' };
  const sign: TestProvider['sign'] = (claims, typ = 'JWT') =>
    new SignJWT({ iss: issuer, ...claims }).setProtectedHeader({ alg: 'RS256', kid: KEY_ID, typ }).sign(privateKey);
  const assistant = { clientId: '' };
  /** Token exchange (RFC 8693) by the policy that everybody may use the assistant. */
  const allowExchange = (provider: Provider): void =>
    provider.registerGrantType<Record<string, string>>(
      TOKEN_EXCHANGE,
      async (ctx) => {
        const { subject_token: idToken = '', requested_token_type: type, audience, resource, scope } = ctx.oidc.params;
        if (type !== ID_JAG) throw new errors.InvalidRequest('requested_token_type');
        const { payload } = await jwtVerify(idToken, publicKey, { issuer, audience: 'assistant' });
        const times = { iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 300, jti: crypto.randomUUID() };
        const claims = { sub: payload.sub, aud: audience, client_id: assistant.clientId, resource, scope, ...times };
        const access_token = await sign(JSON.parse(JSON.stringify(claims)), 'oauth-id-jag+jwt');
        ctx.body = { issued_token_type: ID_JAG, access_token, token_type: 'N_A', expires_in: 300 };
      },
      ['subject_token', 'subject_token_type', 'requested_token_type', 'audience', 'resource', 'scope'],
    );

  const respondBroken: RequestListener = (_request, response) => response.writeHead(502).end();
  let listener = respondBroken;
  let open = 0;
  let most = 0;
  const server: Server = createServer((request, response) => {
    most = Math.max(most, ++open);
    response.on('close', () => open--);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  const people: TestProvider['people'] = new Map();
  return {
    issuer,
    people,
    serve: (redirectUri) => {
      if (redirectUri === null) return void (listener = respondBroken);
      const provider = providerFor(issuer, redirectUri, people, jwk);
      allowExchange(provider);
      listener = provider.callback();
    },
    mostAtOnce: () => most,
    sign,
    assistant,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function providerFor(issuer: string, redirectUri: string, people: TestProvider['people'], key: JWK): Provider {
  return new Provider(issuer, {
    clients: [
      { client_id: 'sluice', client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] },
      { client_id: 'public', token_endpoint_auth_method: 'none', redirect_uris: [redirectUri] },
      {
        client_id: 'assistant',
        client_secret: CLIENT_SECRET,
        redirect_uris: [],
        response_types: [],
        grant_types: [TOKEN_EXCHANGE],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['of the test'] },
    claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'groups', 'region', 'org'], email: ['email'] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 60, Session: 60, Grant: 60 },
    findAccount: (_context, login) => ({ accountId: login, claims: () => ({ sub: login, ...people.get(login) }) }),
  });
}

export interface OidcService {
  readonly provider: TestProvider;
  readonly service: TestService;
  close(): Promise<void>;
}

/** A service with OIDC sign-in. */
export async function startOidcService(environment: Record<string, string> = {}): Promise<OidcService> {
  const provider = await startProvider();
  const service = await startTestService({
    SLUICE_OIDC_ISSUER: provider.issuer,
    SLUICE_OIDC_CLIENT_ID: 'sluice',
    SLUICE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    ...environment,
  });
  provider.serve(`${service.url}/api/v1/session/oidc/callback`);
  return {
    provider,
    service,
    close: async () => {
      await service.close();
      await provider.close();
    },
  };
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** A minimal browser for sign-in: cookies by host and path, redirects, and the forms of the provider. */
export class Visitor {
  readonly #cookies = new Map<string, Cookie>();

  cookie(url: string, name: string): string | undefined {
    return this.#of(new URL(url)).find((each) => each.name === name)?.value;
  }

  setCookie(url: string, name: string, value: string, path: string): void {
    const { host } = new URL(url);
    this.#cookies.set(`${host} ${name} ${path}`, { name, value, path });
  }

  /** Sends one request without following redirects. */
  async ask(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    return this.#send(url, form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) });
  }

  /** Sends one request as the pages of the service do. */
  async send(method: string, url: string, body?: unknown): Promise<Response> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    return this.#send(url, { method, headers: { 'Content-Type': 'application/json' }, ...json });
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    const target = new URL(url);
    const cookies = this.#of(target).map(({ name, value }) => `${name}=${value}`);
    const headers = { ...Object.fromEntries(new Headers(init.headers)), Cookie: cookies.join('; ') };
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) this.#keep(target, line);
    return response;
  }

  /** Signs in at the provider and returns the callback URL without requesting it. */
  async signInAtProvider(start: string, login: string): Promise<string> {
    const own = new URL(start).host;
    let response = await this.ask(start);
    let url = start;
    for (let step = 0; step < 20; step++) {
      const location = response.headers.get('location');
      if (location !== null) {
        url = new URL(location, url).href;
        if (new URL(url).host === own) return url;
        response = await this.ask(url);
        continue;
      }
      const page = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (prompt === undefined) throw new Error(`neither a redirect nor a form: ${response.status} ${page}`);
      response = await this.ask(url, { prompt, login, password: 'any' });
    }
    throw new Error('too many redirects');
  }

  /** Signs in completely and returns the last redirect, to a page of the service. */
  async signIn(service: TestService, login: string, next?: string): Promise<Response> {
    const search = next === undefined ? '' : `?next=${encodeURIComponent(next)}`;
    return this.ask(await this.signInAtProvider(`${service.url}/api/v1/session/oidc${search}`, login));
  }

  /** The session cookie. */
  session(service: TestService): { cookie: string } {
    return { cookie: `sluice_session=${this.cookie(service.url, 'sluice_session')}` };
  }

  #of({ host, pathname }: URL): readonly Cookie[] {
    return [...this.#cookies]
      .filter(([key, { path }]) => key.startsWith(`${host} `) && pathname.startsWith(path))
      .map(([, each]) => each);
  }

  #keep({ host }: URL, line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/';
    const expires = attributes.find((each) => /^expires=/i.test(each))?.slice(8);
    const key = `${host} ${name} ${path}`;
    if (expires !== undefined && Date.parse(expires) < Date.now()) this.#cookies.delete(key);
    else this.#cookies.set(key, { name, value, path });
  }
}
