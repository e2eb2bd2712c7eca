import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type JWK, SignJWT } from 'jose';
import { admin, type Caller, expectStatus, type TestService } from '../services/service.ts';
import { createApplication } from './accounts.ts';

export interface Signer {
  readonly alg: string;
  readonly kid?: string;
  readonly key: KeyObject | Uint8Array;
  readonly jwk: JWK; // public
}

export function createSigner(alg: 'EdDSA' | 'ES256' | 'RS256' = 'EdDSA', kid?: string): Signer {
  const pair =
    alg === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : alg === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...pair.publicKey.export({ format: 'jwk' }), ...(kid === undefined ? {} : { kid }) };
  return { alg, key: pair.privateKey, jwk, ...(kid === undefined ? {} : { kid }) };
}

export const seconds = (): number => Math.floor(Date.now() / 1000);

/** A token with good claims, changed by `claims`; those that are undefined are left out. */
export function sign(
  { alg, kid, key }: Pick<Signer, 'alg' | 'kid' | 'key'>,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): Promise<string> {
  const all = { iat: seconds(), exp: seconds() + 300, ...claims };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new SignJWT(given).setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }), ...header }).sign(key);
}

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** An application with one signing key, and tokens of its viewers. */
export async function createVouchingApplication(service: TestService, username: string, more: Record<string, unknown> = {}) {
  const signer = createSigner();
  const application = await createApplication(service, username, more);
  const path = `/api/v1/users/${application.id}`;
  const root = service.as(admin);
  await expectStatus(root.call('PUT', `${path}/signing-keys`, { jwks: { keys: [signer.jwk] } }), 200);
  const tokenOf = (sub: string, claims: Record<string, unknown> = {}, by: Pick<Signer, 'alg' | 'kid' | 'key'> = signer) =>
    sign(by, { iss: application.id, aud: service.url, sub, ...claims });
  return {
    ...application,
    path,
    signer,
    tokenOf,
    /** A caller for a viewer. */
    as: async (sub: string, claims: Record<string, unknown> = {}, at: TestService = service): Promise<Caller> =>
      at.as({ token: await tokenOf(sub, claims) }),
  };
}

/** Limits that a thousand viewers exceed. */
export const fewSlots = { SLUICE_MAX_PER_USER: '4', SLUICE_QUEUE: '16', SLUICE_QUEUE_SECONDS: '60' };

/** Calls for a thousand viewers, as many at once as the backlog of a listening socket takes. */
export async function forEachOfThousand<T>(call: (index: number) => Promise<T>): Promise<readonly T[]> {
  const done: T[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < 1000) done.push(await call(next++));
  };
  await Promise.all(Array.from({ length: 250 }, caller));
  return done;
}
