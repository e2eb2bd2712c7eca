import type { ClientAuth, Configuration } from 'openid-client';
import { externalIdOf } from '../../access/oidc.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';

export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly scopes: string;
}

/** The values that the callback must match. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export type OidcProvider = ReturnType<typeof createOidcProvider>;

const DISCOVERY_FRESH_MS = 3_600_000;
const TIMEOUT_SECONDS = 10;
const MAX_CAUSE_DEPTH = 3;
const MAX_CAUSE_LENGTH = 300;

/** Authorization code flow with PKCE. Discovery happens at the first sign-in, so that the service starts without the provider. */
export function createOidcProvider(client: OidcClient, now: () => number) {
  const discovered = createDiscovery(client, now);
  return {
    /** The URL to redirect the browser to, and the values that the callback must match. */
    async createAuthorizationRequest(redirectUri: string) {
      const provider = await discovered();
      if (!provider.ok) return provider;
      const oidc = await import('openid-client');
      const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
      const url = oidc.buildAuthorizationUrl(provider.value, {
        redirect_uri: redirectUri,
        scope: client.scopes,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      });
      return succeeded({ url: url.href, checks });
    },
    async fetchSigningKeys(): Promise<Result<{ issuer: string; jwksUri: string }>> {
      const provider = await discovered();
      if (!provider.ok) return provider;
      const { issuer, jwks_uri: jwksUri } = provider.value.serverMetadata();
      if (jwksUri === undefined) return failed({ kind: 'IdentityInvalid', cause: new Error('The provider publishes no keys') });
      return succeeded({ issuer, jwksUri });
    },
    /** The verified identity behind the callback URL. */
    async fetchIdentity(callbackUrl: URL, checks: OidcChecks) {
      const provider = await discovered();
      return provider.ok ? exchangeCode(provider.value, callbackUrl, checks) : provider;
    },
  };
}

async function exchangeCode(provider: Configuration, callbackUrl: URL, { state, nonce, verifier }: OidcChecks) {
  const oidc = await import('openid-client');
  try {
    const tokens = await oidc.authorizationCodeGrant(provider, callbackUrl, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
    });
    const idClaims = tokens.claims();
    const { issuer, userinfo_endpoint } = provider.serverMetadata();
    // one provider may serve many issuers (Microsoft's `common`): accept the configured one only
    if (idClaims === undefined || idClaims.iss !== issuer)
      return failed({ kind: 'IdentityInvalid', cause: new Error('another issuer') });
    const more = userinfo_endpoint === undefined ? {} : await oidc.fetchUserInfo(provider, tokens.access_token, idClaims.sub);
    return succeeded({ externalId: externalIdOf(idClaims.iss, idClaims.sub), claims: { ...more, ...idClaims } });
  } catch (error) {
    const cause = redactCause(error);
    if (error instanceof oidc.AuthorizationResponseError) return failed({ kind: 'ProviderRefused', cause });
    return failed({ kind: isUnreachable(error) ? 'ProviderUnavailable' : 'IdentityInvalid', cause });
  }
}

/** One request at a time, cached for an hour, and longer while the provider is unreachable. */
function createDiscovery(client: OidcClient, now: () => number): () => Promise<Result<Configuration>> {
  let known: { readonly provider: Configuration; readonly at: number } | null = null;
  let asking: Promise<Result<Configuration>> | null = null;
  const ask = async (): Promise<Result<Configuration>> => {
    try {
      const provider = await discover(client);
      known = { provider, at: now() };
      return succeeded(provider);
    } catch (error) {
      return known === null ? failed({ kind: 'ProviderUnavailable', cause: redactCause(error) }) : succeeded(known.provider);
    } finally {
      asking = null;
    }
  };
  return async () => {
    if (known !== null && now() - known.at < DISCOVERY_FRESH_MS) return succeeded(known.provider);
    asking ??= ask();
    return asking;
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcClient): Promise<Configuration> {
  const oidc = await import('openid-client');
  const byBasic = clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
  const byPost = clientSecret === null ? oidc.None() : oidc.ClientSecretPost(clientSecret);
  const authenticate: ClientAuth = (server, ...more) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']; // the default by the standard
    return methods.includes('client_secret_basic') ? byBasic(server, ...more) : byPost(server, ...more);
  };
  return oidc.discovery(new URL(issuer), clientId, {}, authenticate, {
    timeout: TIMEOUT_SECONDS,
    execute: [
      oidc.enableNonRepudiationChecks, // verify the signature although the token comes directly from the provider
      ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []), // the settings allow http on loopback only
    ],
  });
}

/**
 * For the log: names and messages only, without what the library attaches (responses, tokens, claims, the authorization code).
 */
function redactCause(error: unknown): Error {
  const parts: string[] = [];
  let each: unknown = error;
  for (let depth = 0; depth < MAX_CAUSE_DEPTH && each instanceof Error; depth++) {
    const words = [fieldOf(each, 'code'), each.message, fieldOf(each, 'error'), fieldOf(each, 'error_description')];
    parts.push(words.filter((word) => word !== '').join(' '));
    each = each.cause;
  }
  if (each instanceof Response) parts.push(`status ${each.status}`);
  const plain = new Error(parts.join(': ').slice(0, MAX_CAUSE_LENGTH));
  plain.stack = plain.message; // this stack would point here
  return plain;
}

/** The provider did not respond, timed out, or responded with a server error. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError && error.message === 'fetch failed') return true;
  if (fieldOf(error, 'code') === 'OAUTH_TIMEOUT') return true;
  const status = error.cause instanceof Response ? error.cause.status : 'status' in error ? error.status : 0;
  return typeof status === 'number' && status >= 500;
}

function fieldOf(error: Error, name: string): string {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : '';
}
