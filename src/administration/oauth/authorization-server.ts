import { createPrivateKey, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as library from 'oidc-provider';
import type { Configuration, JWK, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { hashSecret } from '../../access/hash-secret.ts';
import type { KeyRing } from '../../access/key-ring.ts';
import { deriveKey } from '../../access/secret-box.ts';
import { SESSION_COOKIE } from '../../access/session.ts';
import type { Call } from '../../pipeline/call.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import { identityOf } from './application-identity.ts';
import { clientsOf } from './client-rules.ts';
import { errorPagePolicy, renderError } from './error-page.ts';
import { acceptAssertions, type ManagedAccess, type ManagedAccessParts } from './managed-access.ts';
import { createAdapter } from './provider-adapter.ts';
import { createRefreshTokens } from './refresh-tokens.ts';

export interface AuthorizationServerParts {
  readonly store: MetadataStore;
  readonly now: () => number;
  readonly keys: KeyRing;
  readonly baseUrl: () => string;
  /** Reads a document at an untrusted address. */
  readonly fetchDocument: (address: string) => Promise<unknown>;
  readonly clientHosts: readonly string[]; // empty: all
  readonly managed: ManagedAccess | null; // null: the company's provider does not decide
  /** The user of a session of the web interface; null: none. */
  readonly findSignedIn: (sessionId: string) => Promise<string | null>;
  readonly onDefect: (error: unknown) => void;
  readonly onDocumentProblem: (address: string, error: unknown) => void;
}

type Library = typeof library;

export type AuthorizationServer = ReturnType<typeof createAuthorizationServer>;

export const OAUTH_PATH = '/mcp/oauth';
export const SCOPE = 'queries';
/** Where the consent page reads what it asks; the cookie of a sign-in in progress is sent there only. */
const INTERACTIONS_PATH = '/api/v1/oauth/interactions';
/** The page in the web interface. */
const CONSENT_PAGE = '/connect';

const ASSERTION_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
const TOKEN_SECONDS = 1800;
const CODE_SECONDS = 60;
const INTERACTION_SECONDS = 900;

/** The addresses that applications may name as `resource`: the gateway or its origin, with or without a closing slash. The first one is ours. */
function resourcesOf(baseUrl: string): readonly [string, ...string[]] {
  const { origin } = new URL(baseUrl);
  return [baseUrl + OAUTH_PATH, `${baseUrl + OAUTH_PATH}/`, origin, `${origin}/`];
}

/** OAuth 2.1 on `oidc-provider`, which is loaded with the first request. */
export function createAuthorizationServer(parts: AuthorizationServerParts) {
  let loading: Promise<{ library: Library; provider: Provider }> | undefined;
  const calls = new WeakMap<IncomingMessage, Call>();
  const loadNow = async () => {
    const library = await import('oidc-provider');
    return { library, provider: createProvider(library, parts, (request) => calls.get(request)) };
  };
  const load = () => (loading ??= loadNow());
  return {
    load,
    /** Serves a request whose address is relative to the issuer. */
    async serve(request: IncomingMessage, response: ServerResponse, path: string, call: Call): Promise<void> {
      const { provider } = await load();
      calls.set(request, call);
      // addresses and cookies follow the base URL, whatever a caller or a proxy sends
      const { protocol, host, pathname } = new URL(parts.baseUrl() + OAUTH_PATH);
      Object.assign(request, { url: path, originalUrl: pathname + path });
      Object.assign(request.headers, { host, 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host });
      await provider.callback()(request, response);
    },
  };
}

function createProvider(library: Library, parts: AuthorizationServerParts, callOf: ManagedAccessParts['callOf']): Provider {
  const { Provider: OAuthProvider, errors } = library;
  const { store, now, keys, managed } = parts;
  const baseUrl = parts.baseUrl();
  const resources = resourcesOf(baseUrl);
  const refreshTokens = createRefreshTokens(keys);
  const adapter = createAdapter({ store, now, resources, scope: SCOPE, errors, refreshTokens });
  const [protocol, clients] = [protocolOf(library, resources), clientsOf(library, { ...parts, isManagedOn: managed !== null })];
  const provider = new OAuthProvider(baseUrl + OAUTH_PATH, {
    adapter,
    ...protocol,
    ...clients,
    features: { ...protocol.features, ...clients.features },
    ...interactionsOf(library, parts),
    cookies: cookiesOf(baseUrl, keys),
    jwks: { keys: [signingKey(keys)] },
    renderError,
  });
  if (managed !== null)
    acceptAssertions(provider, library, { ...managed, store, now, resources, scope: SCOPE, tokenSeconds: TOKEN_SECONDS, callOf });
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    await next();
    ctx.set('X-Frame-Options', 'DENY');
    ctx.set('Content-Security-Policy', errorPagePolicy);
    if (ctx.path.startsWith('/.well-known/'))
      ctx.body = {
        ...Object(ctx.body),
        scopes_supported: [SCOPE],
        response_modes_supported: ['query'],
        claims_supported: undefined,
        ...(managed === null ? {} : { authorization_grant_profiles_supported: [ASSERTION_PROFILE] }),
      };
    forgetSession(ctx.response.headers, (lines) => ctx.set('Set-Cookie', lines));
    const { location = '' } = ctx.response.headers;
    const { pathname } = new URL(baseUrl + INTERACTIONS_PATH);
    if (String(location).startsWith(`${pathname}/`))
      ctx.set('Location', String(location).replace(INTERACTIONS_PATH, CONSENT_PAGE));
  });
  // secrets are stored as hashes
  provider.Client.prototype.compareClientSecret = function compare(sent) {
    const digestOf = (text: string) => Buffer.from(hash('sha256', text)); // of equal length
    return timingSafeEqual(digestOf(this.clientSecret ?? ''), digestOf(hashSecret(sent)));
  };
  // the types of the library do not have this method
  Object.assign(provider.RefreshToken.prototype, {
    generateTokenId(this: { readonly grantId: string }) {
      return refreshTokens.create(this.grantId);
    },
  });
  provider.on('authorization.error', (ctx, error) => {
    error.allow_redirect &&= mayRedirect(ctx); // otherwise it is shown on our page
  });
  provider.on('grant.success', ({ oidc: { client } }) => {
    if (client !== undefined) void store.oauth.touchClient(client.clientId, now()).catch(parts.onDefect);
  });
  provider.onerror = parts.onDefect;
  provider.on('server_error', (_ctx, error) => parts.onDefect(error));
  return provider;
}

/** Before the user has decided, errors are redirected only to registered applications: others could use our address as an open redirect. */
const mayRedirect = ({ oidc: { route, client } }: KoaContextWithOIDC): boolean =>
  route !== 'authorization' || (client !== undefined && identityOf(client.clientId).source === 'registered');

/** Authorization code with PKCE for one resource and one scope, opaque tokens, refresh tokens that rotate. */
function protocolOf({ errors }: Library, resources: readonly [string, ...string[]]) {
  const [resource] = resources;
  const secondsLeft = ({ oidc }: KoaContextWithOIDC): number =>
    Math.max(1, (oidc.entities.Grant?.exp ?? 0) - Math.floor(Date.now() / 1000));
  const refuseOthers = (asked: string | readonly string[]): void => {
    if (![asked].flat().every((each) => resources.includes(each))) throw new errors.InvalidTarget();
  };
  return {
    responseTypes: ['code'],
    scopes: [SCOPE],
    pkce: { required: () => true },
    clientAuthMethods: ['none', 'client_secret_basic'],
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    rotateRefreshToken: ({ oidc }) => {
      refuseOthers([oidc.params?.resource ?? []].flat().map(String)); // before the token is used
      return true;
    },
    issueRefreshToken: async () => true,
    revokeGrantPolicy: () => true, // revoking a token ends the whole access
    expiresWithSession: async () => false,
    extraParams: {
      scope(ctx, asked) {
        const scopes = (asked ?? '').split(' ').filter((each) => !['', 'openid', 'offline_access'].includes(each));
        if (scopes.length > 0 && !scopes.includes(SCOPE))
          throw new errors.InvalidScope('requested scope is not allowed', asked ?? '');
        Object.assign(ctx.oidc.params ?? {}, { scope: SCOPE });
      },
      // the token request may name any of its forms
      resource(ctx) {
        Object.assign(ctx.oidc.params ?? {}, { resource: [...resources] });
      },
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false }, // the gateway would not check what a token is bound to
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => {
          refuseOthers(oneOf ?? []);
          return resource;
        },
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, asked) => {
          refuseOthers(asked);
          return { scope: SCOPE, audience: resource, accessTokenFormat: 'opaque' };
        },
      },
    },
    routes: { authorization: '/authorize', token: '/token', registration: '/register', revocation: '/revoke', jwks: '/jwks' },
    ttl: {
      AccessToken: (ctx) => Math.min(TOKEN_SECONDS, secondsLeft(ctx)),
      RefreshToken: secondsLeft,
      AuthorizationCode: CODE_SECONDS,
      Interaction: INTERACTION_SECONDS,
      Session: INTERACTION_SECONDS,
      Grant: INTERACTION_SECONDS,
    },
  } satisfies Configuration;
}

/** Every authorization asks the person, who is signed in to the web interface. */
function interactionsOf(
  { errors, interactionPolicy: { Check, Prompt } }: Library,
  parts: AuthorizationServerParts,
): Configuration {
  const { store, baseUrl, findSignedIn, now } = parts;
  const isUndecided = ({ oidc }: KoaContextWithOIDC): boolean => oidc.result?.consent === undefined;
  const promptOf = (name: 'login' | 'consent') =>
    new Prompt({ name, requestable: true }, new Check('undecided', 'the person has to decide', `${name}_required`, isUndecided));
  return {
    interactions: {
      policy: [promptOf('login'), promptOf('consent')],
      url: (_ctx, { uid }) => `${new URL(baseUrl() + INTERACTIONS_PATH).pathname}/${uid}`,
    },
    loadExistingGrant: async ({ oidc }) => {
      const id = oidc.result?.consent?.grantId;
      return id === undefined ? undefined : oidc.provider.Grant.find(id);
    },
    async findAccount(ctx, id) {
      // the one who decided must be the one whose browser receives the code
      const session = ctx.cookies.get(SESSION_COOKIE, { signed: false }) ?? '';
      if (ctx.oidc.route === 'resume' && (await findSignedIn(session)) !== id) {
        await store.oauth.deleteGrant(ctx.oidc.result?.consent?.grantId ?? '');
        throw new errors.AccessDenied('sign in again', 'another person is signed in');
      }
      const standing = await store.principals.byUserId(id);
      const isEnded = standing?.user.expiresAt != null && standing.user.expiresAt <= now();
      if (standing === null || standing.user.disabled || isEnded) return undefined;
      return { accountId: id, claims: async () => ({ sub: id }) };
    },
  };
}

function cookiesOf(baseUrl: string, keys: KeyRing): Configuration['cookies'] {
  const secure = baseUrl.startsWith('https:');
  const options = { signed: true, httpOnly: true, sameSite: 'lax', secure, overwrite: true } as const;
  const derived = keys.each((secret) => deriveKey(secret, 'cookies of the authorization server').toString('base64url'));
  return {
    keys: [...derived.all()],
    names: { session: UNUSED_COOKIE, interaction: 'sluice_oauth_interaction', resume: 'sluice_oauth_resume' },
    short: options,
    long: options,
  };
}

const UNUSED_COOKIE = 'sluice_oauth_session';

/** The authorization server has no sessions; the library sets the cookie of one nevertheless. */
function forgetSession(headers: KoaContextWithOIDC['response']['headers'], set: (lines: string[]) => void): void {
  const lines = [headers['set-cookie'] ?? []].flat();
  const kept = lines.filter((line) => !line.startsWith(UNUSED_COOKIE));
  if (kept.length < lines.length) set(kept);
}

/** The library needs a key, and clients ask for one. Nothing is signed with it: there are no ID tokens. */
function signingKey(keys: KeyRing): JWK {
  const seed = keys.each((secret) => deriveKey(secret, 'signing key of the authorization server')).newest();
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const { kty, crv, x, d } = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
  return { kty: kty ?? 'OKP', crv, x, d, alg: 'EdDSA', use: 'sig' };
}
