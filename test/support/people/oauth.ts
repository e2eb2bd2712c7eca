import { createHash, randomBytes } from 'node:crypto';
import { Visitor } from '../services/oidc-provider.ts';
import { admin, expectStatus, type TestService } from '../services/service.ts';

/** An application that signs people in, as a client of the authorization server. */
export interface OAuthApplication {
  readonly clientId: string;
  readonly secret?: string;
  readonly redirectUri: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly token_type: string;
}

interface Service {
  readonly url: string;
}

export const CALLBACK = 'http://127.0.0.1:4711/callback';

export const registerApplication = async (
  { url }: Service,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/mcp/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({
      client_name: 'Assistant',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...fields,
    }),
  });

export async function createApplication(service: Service, fields: Record<string, unknown> = {}): Promise<OAuthApplication> {
  const response = await registerApplication(service, fields);
  const json: { client_id: string; client_secret?: string; redirect_uris: string[] } = JSON.parse(await response.text());
  if (response.status !== 201) throw new Error(`not registered: ${response.status} ${JSON.stringify(json)}`);
  return {
    clientId: json.client_id,
    redirectUri: json.redirect_uris[0] ?? '',
    ...(json.client_secret === undefined ? {} : { secret: json.client_secret }),
  };
}

/** An application that an administrator registers; without a limit of registrations. */
export async function createRegistered(
  service: Pick<TestService, 'as'>,
  fields: Record<string, unknown> = {},
): Promise<OAuthApplication & { readonly id: string }> {
  const body = { name: 'Registered', redirectUris: [CALLBACK], ...fields };
  const { json } = await expectStatus(
    service
      .as(admin)
      .call<{ id: string; clientId: string; clientSecret?: string; redirectUris: string[] }>(
        'POST',
        '/api/v1/oauth/clients',
        body,
      ),
    201,
  );
  const { id, clientId, clientSecret: secret, redirectUris } = json;
  return { id, clientId, redirectUri: redirectUris[0] ?? '', ...(secret === undefined ? {} : { secret }) };
}

export const createVerifier = (): string => randomBytes(32).toString('base64url');
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

export function authorizeUrl(
  { url }: Service,
  { clientId, redirectUri }: OAuthApplication,
  verifier: string,
  more: Record<string, string | undefined> = {},
): string {
  const fields = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    state: 'the state',
    scope: 'queries',
    resource: `${url}/mcp/oauth`,
    ...more,
  };
  const sent = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${url}/mcp/oauth/authorize?${new URLSearchParams(sent)}`;
}

/** A browser in which a user is signed in. */
export async function openBrowser({ url }: Service, user: { username: string; password: string } = admin): Promise<Visitor> {
  const visitor = new Visitor();
  const response = await visitor.send('POST', `${url}/api/v1/session`, user);
  if (response.status >= 300) throw new Error(`not signed in: ${response.status} ${await response.text()}`);
  return visitor;
}

/** Opens the address of an application in a browser, up to the consent page. Returns the id of the request. */
export async function openConsent(browser: Visitor, address: string): Promise<string> {
  const response = await browser.ask(address);
  const location = response.headers.get('location') ?? '';
  const id = /\/connect\/([\w-]+)$/.exec(location)?.[1];
  if (id === undefined) throw new Error(`no consent page: ${response.status} ${location} ${await response.text()}`);
  return id;
}

/** Decides, and follows the redirect up to that of the application. */
export async function decide(
  { url }: Service,
  browser: Visitor,
  id: string,
  choice: Record<string, unknown> | 'cancel' = {},
): Promise<URL> {
  const [verb, body] = choice === 'cancel' ? ['cancel', undefined] : ['allow', choice];
  const decided = await browser.send('POST', `${url}/api/v1/oauth/interactions/${id}/${verb}`, body);
  const { redirectTo }: { redirectTo?: string } = JSON.parse(await decided.clone().text());
  if (redirectTo === undefined) throw new Error(`not decided: ${decided.status} ${await decided.text()}`);
  const response = await browser.ask(redirectTo);
  const location = response.headers.get('location');
  if (location === null) throw new Error(`no redirect: ${response.status} ${await response.text()}`);
  return new URL(location);
}

export async function askForToken(
  { url }: Service,
  { clientId, secret }: Pick<OAuthApplication, 'clientId' | 'secret'>,
  fields: Record<string, string | undefined>,
): Promise<Response> {
  const sent = Object.entries({ ...fields, ...(secret === undefined ? { client_id: clientId } : {}) });
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret ?? '')}`).toString('base64');
  return fetch(`${url}/mcp/oauth/token`, {
    method: 'POST',
    headers: secret === undefined ? {} : { Authorization: `Basic ${basic}` },
    body: new URLSearchParams(sent.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  });
}

export const redeem = (service: Service, application: OAuthApplication, code: string, verifier: string, more = {}) =>
  askForToken(service, application, {
    ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: application.redirectUri },
    ...more,
  });

export const refresh = (service: Service, application: OAuthApplication, token: string, more: Record<string, string> = {}) =>
  askForToken(service, application, { grant_type: 'refresh_token', refresh_token: token, ...more });

export async function tokensOf(sent: Promise<Response>): Promise<Tokens> {
  const response = await sent;
  const text = await response.text();
  if (response.status !== 200) throw new Error(`no tokens: ${response.status} ${text}`);
  return JSON.parse(text);
}

export async function errorOf(sent: Promise<Response>): Promise<[number, string]> {
  const response = await sent;
  const json: { error?: string } = JSON.parse(await response.text());
  return [response.status, json.error ?? ''];
}

/** The whole way: authorize, allow, redeem. */
export async function connect(
  service: Service,
  application: OAuthApplication,
  { user = admin, choice = {} as Record<string, unknown>, browser = undefined as Visitor | undefined } = {},
): Promise<Tokens> {
  const verifier = createVerifier();
  const opened = browser ?? (await openBrowser(service, user));
  const id = await openConsent(opened, authorizeUrl(service, application, verifier));
  const code = (await decide(service, opened, id, choice)).searchParams.get('code') ?? '';
  return tokensOf(redeem(service, application, code, verifier));
}

/** A message to the gateway with a token. */
export const send = (
  { url }: Service,
  token: string | undefined,
  method: string,
  params?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/mcp/oauth`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
