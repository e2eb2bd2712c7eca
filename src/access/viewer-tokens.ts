import { hash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, errors, importJWK, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { definedFields } from '../core/defined-fields.ts';
import { type CredentialOwner, failed, type Result, succeeded } from '../core/errors.ts';
import type { SecretBox } from './secret-box.ts';
import { ownerOf, type SigningKeys, type User } from './user.ts';
import { CLOCK_SKEW_SECONDS, subOf, type Viewer, viewerOf } from './viewer.ts';

export interface ViewerTokenParts {
  readonly secrets: SecretBox;
  /** The public keys at an address. `unknownKey`: read them again, because a token names a key that is not among the known ones. */
  readonly fetchKeys: (uri: string, reason?: 'unknownKey') => Promise<readonly JWK[]>;
  readonly audience: () => string; // the base URL
  readonly now: () => number;
}

type VerificationKey = {
  readonly kid: string | undefined;
  readonly alg: string;
  readonly key: Awaited<ReturnType<typeof importJWK>>;
};
type KeySet = readonly VerificationKey[];

interface Signed {
  readonly payload: JWTPayload;
  readonly reason?: string; // what is wrong with it
}

interface Verified {
  readonly applicationId: string;
  readonly keys: KeySet;
  readonly viewer: Viewer;
}

const MAX_TOKEN_LENGTH = 16_384;
const MAX_REMEMBERED_LENGTH = 16 << 20;
const MAX_KEY_SETS = 1000;

export type ViewerTokens = ReturnType<typeof createViewerTokens>;

/**
 * Verifies tokens that applications sign for their viewers. A verified token is remembered until it ends or the keys of its application
 * change; whether application and viewer may still call is for the caller to check.
 */
export function createViewerTokens({ secrets, fetchKeys, audience, now }: ViewerTokenParts) {
  const verified = new LRUCache<string, Verified>({ maxSize: MAX_REMEMBERED_LENGTH });
  const keySets = new WeakMap<readonly JWK[], Promise<KeySet>>();
  const imported = new LRUCache<string, Promise<KeySet>>({ max: MAX_KEY_SETS });
  const nameOf = (token: string): string => hash('sha256', token, 'base64url');

  /** The same object as long as the keys are the same. */
  const importKeys = (signing: Exclude<SigningKeys, { jwksUri: string }>, context: string): Promise<KeySet> => {
    const text = JSON.stringify([context, signing]);
    const known = imported.get(text) ?? ('jwks' in signing ? importAll(signing.jwks) : openSecret(signing.sealedSecret, context));
    imported.set(text, known);
    return known;
  };
  const openSecret = async (sealed: string, context: string): Promise<KeySet> => {
    const secret = secrets.open(sealed, context);
    return secret === null ? [] : [{ kid: undefined, alg: 'HS256', key: Buffer.from(secret, 'base64url') }];
  };
  const keysOf = async ({ id, signing }: User, reason?: 'unknownKey'): Promise<KeySet> => {
    if (signing === null) return [];
    if (!('jwksUri' in signing)) return importKeys(signing, id);
    const fetched = await fetchKeys(signing.jwksUri, reason);
    const known = keySets.get(fetched) ?? importAll(fetched);
    keySets.set(fetched, known);
    return known;
  };

  /** The claims that one of the keys signed, or what is wrong with them. */
  async function readSigned(token: string, user: User, keys: KeySet): Promise<Signed | null> {
    const aud = audience();
    for (const { alg, key } of keys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [alg],
          issuer: user.id,
          audience: [aud, `${aud}/`],
          currentDate: new Date(now()),
          clockTolerance: CLOCK_SKEW_SECONDS, // of `nbf`; the viewer ends when the token says so
        });
        return { payload };
      } catch (error) {
        // another key may have signed it, also where this one cannot verify anything
        if (error instanceof errors.JWTExpired) return { payload: error.payload };
        if (!(error instanceof errors.JWTClaimValidationFailed)) continue;
        const { claim, payload } = error;
        return { payload, reason: claim === 'aud' ? `aud must be "${aud}".` : `${claim} is not valid.` };
      }
    }
    return null;
  }

  async function verify(
    token: string,
    user: User,
    keys: KeySet,
    fits: (key: VerificationKey) => boolean,
  ): Promise<Result<Viewer>> {
    const signed = await readSigned(token, user, keys.filter(fits));
    if (signed === null) return invalid;
    const owner = ownedBy(user, subOf(signed.payload));
    const refuse = (reason: string): Result<never> => failed({ kind: 'CredentialInvalid', of: 'viewer', owner, reason });
    const viewer = viewerOf(signed.payload, now());
    if ('reason' in viewer) return refuse(viewer.reason);
    if (signed.reason !== undefined) return refuse(signed.reason);
    if (viewer.expiresAt <= now()) return failed({ kind: 'CredentialExpired', of: 'viewer', owner });
    verified.set(nameOf(token), { applicationId: user.id, keys, viewer }, { size: token.length });
    return succeeded(viewer);
  }

  return {
    /** The application that a token names, not verified yet; null if this is no token. */
    applicationIdOf(token: string): string | null {
      const known = verified.get(nameOf(token));
      if (known !== undefined) return known.applicationId;
      if (token.length > MAX_TOKEN_LENGTH) return null;
      try {
        const iss: unknown = decodeJwt(token).iss;
        return typeof iss === 'string' && idForm.test(iss) ? iss : null;
      } catch {
        return null;
      }
    },
    async read(token: string, application: User): Promise<Result<Viewer>> {
      const keys = await keysOf(application);
      const known = verified.get(nameOf(token));
      if (known !== undefined && known.keys === keys && known.applicationId === application.id) {
        const { viewer } = known;
        if (viewer.expiresAt > now()) return succeeded(viewer);
        return failed({ kind: 'CredentialExpired', of: 'viewer', owner: ownedBy(application, viewer.sub) });
      }
      const header = headerOf(token);
      if (header === null) return invalid;
      // the algorithm is that of the key, never that of the token alone
      const fits = ({ alg, kid }: VerificationKey): boolean =>
        alg === header.alg && (kid === undefined || header.kid === undefined || kid === header.kid);
      return verify(token, application, keys.some(fits) ? keys : await keysOf(application, 'unknownKey'), fits);
    },
  };
}

const ownedBy = (application: User, sub: string | undefined): CredentialOwner => ({
  ...ownerOf(application),
  ...definedFields({ viewer: sub }),
});

const idForm = /^[\w-]{1,64}$/;
const invalid = failed({ kind: 'CredentialInvalid', of: 'viewer' });

function headerOf(token: string) {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return null;
  }
}

/** Keys that cannot be read are left out: an address may also have keys for other purposes. */
async function importAll(keys: readonly JWK[]): Promise<KeySet> {
  const imported = keys.map(async (jwk): Promise<KeySet> => {
    const alg = algorithmOf(jwk);
    const key = alg === null ? null : await importJWK(publicPart(jwk), alg).catch(() => null);
    return alg === null || key === null ? [] : [{ kid: jwk.kid, alg, key }];
  });
  return (await Promise.all(imported)).flat();
}

type PublicMember = 'kty' | 'crv' | 'x' | 'y' | 'n' | 'e' | 'kid' | 'alg' | 'use';
export type PublicKey = { readonly [Member in PublicMember]?: string | undefined };

export const publicPart = (key: PublicKey): JWK => {
  const { kty, crv, x, y, n, e, kid, alg, use } = key;
  return definedFields({ kty, crv, x, y, n, e, kid, alg, use });
};

const algorithms: Readonly<Record<string, string>> = { Ed25519: 'EdDSA', 'P-256': 'ES256' };

/** The only algorithm that a key is used with; null: none. */
export function algorithmOf({ kty, crv, use, alg }: JWK): string | null {
  const own = kty === 'RSA' ? 'RS256' : kty === 'OKP' || kty === 'EC' ? (algorithms[crv ?? ''] ?? null) : null;
  if (use !== undefined && use !== 'sig') return null;
  return alg === undefined || alg === own || (alg === 'Ed25519' && own === 'EdDSA') ? own : null;
}

const MAX_KEYS = 20;

/** The keys of a JWKS that tokens may be signed with; others are left out. Throws if this is no JWKS. */
export function readPublicKeys(document: unknown): readonly JWK[] {
  const keys: unknown = typeof document === 'object' && document !== null && 'keys' in document ? document.keys : null;
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new Error(`A JWKS with at most ${MAX_KEYS} keys is expected.`);
  return keys.filter((key: JWK) => typeof key === 'object' && key !== null && algorithmOf(key) !== null);
}
