import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { externalIdOf } from '../../access/oidc.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { OidcProvider } from '../sign-in/oidc-provider.ts';

export interface IdentityAssertionParts {
  readonly provider: Pick<OidcProvider, 'fetchSigningKeys'>;
  readonly now: () => number;
}

/** What an assertion must be for: our issuer, the application that presents it, and the gateway if it names a resource. */
export interface Expected {
  readonly audience: string;
  readonly clientId: string;
  readonly resources: readonly string[];
}

export interface IdentityAssertion {
  readonly externalId: string; // of the person, as company sign-in stores it
  readonly jti: string;
  readonly expiresAt: number;
  readonly scopes: readonly string[] | null; // null: not restricted
}

export type ReadAssertion = (assertion: string, expected: Expected) => Promise<Result<IdentityAssertion>>;

const TYPE = 'oauth-id-jag+jwt';
/** Of public keys only. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const SKEW_SECONDS = 30;
const MAX_LENGTH = 16_384;

/** Verifies identity assertions (ID-JAG) of the company's provider. Whether one was used before is for the caller to check. */
export function createReadAssertion({ provider, now }: IdentityAssertionParts): ReadAssertion {
  let known: { readonly uri: string; readonly keys: JWTVerifyGetKey } | null = null;
  const keysAt = (uri: string): JWTVerifyGetKey => {
    if (known?.uri !== uri) known = { uri, keys: createRemoteJWKSet(new URL(uri)) };
    return known.keys;
  };
  return async (assertion, expected) => {
    if (assertion.length > MAX_LENGTH) return assertionInvalid('it is too long');
    const signing = await provider.fetchSigningKeys();
    if (!signing.ok) return signing;
    const { issuer, jwksUri } = signing.value;
    try {
      const { payload } = await jwtVerify(assertion, keysAt(jwksUri), {
        typ: TYPE,
        issuer,
        audience: expected.audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'jti', 'iat', 'exp', 'client_id'],
        currentDate: new Date(now()),
        clockTolerance: SKEW_SECONDS,
      });
      return read(payload, issuer, expected);
    } catch (error) {
      return error instanceof errors.JOSEError && !isUnreachable(error)
        ? assertionInvalid(error.message)
        : failed({ kind: 'ProviderUnavailable', cause: error });
    }
  };
}

function read(
  { aud, sub, jti, exp, client_id: clientId, resource, scope }: Readonly<Record<string, unknown>>,
  issuer: string,
  expected: Expected,
): Result<IdentityAssertion> {
  if (typeof aud !== 'string') return assertionInvalid('it is for several audiences');
  if (typeof sub !== 'string' || sub === '' || typeof jti !== 'string' || jti === '' || typeof exp !== 'number')
    return assertionInvalid('sub, jti and exp are needed');
  if (clientId !== expected.clientId) return assertionInvalid('it was issued to another client');
  const named = [resource ?? []].flat();
  if (!named.every((each) => expected.resources.some((known) => known === each)))
    return assertionInvalid('it is for another resource');
  if (scope !== undefined && typeof scope !== 'string') return assertionInvalid('its scope is not valid');
  return succeeded({
    externalId: externalIdOf(issuer, sub),
    jti,
    expiresAt: (exp + SKEW_SECONDS) * 1000,
    scopes: scope?.split(' ') ?? null,
  });
}

export const assertionInvalid = (reason: string) =>
  failed({ kind: 'IdentityInvalid', cause: new Error(`The assertion is not valid: ${reason}`) });

/** The keys could not be read; the generic error has no more specific type. */
const isUnreachable = (error: errors.JOSEError): boolean =>
  error instanceof errors.JWKSTimeout || error.code === 'ERR_JOSE_GENERIC';
