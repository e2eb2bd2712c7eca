import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SentParameter } from '../catalog/parameter.ts';
import type { ChartConfig } from '../core/chart-config.ts';
import type { KeyRing } from './key-ring.ts';
import { deriveKey, type SecretBox } from './secret-box.ts';

export const DEFAULT_EMBED_DAYS = 7;
export const MAX_EMBED_DAYS = 3650;

/** One chart of one query, fixed when it was issued. Each view runs with the issuer's rights at that moment. */
export interface Embed {
  readonly id: string; // a UUID; stays when the token is regenerated
  readonly userId: string; // the issuer
  readonly queryName: string;
  readonly parameters: KeptParameters; // opened by EmbedParameters
  readonly chart: ChartConfig;
  readonly stamp: string; // identifies the current token
  readonly days: number | null; // lifetime; null: never expires
  readonly createdAt: number;
  readonly issuedAt: number; // when the current token was issued
  readonly expiresAt: number | null;
  readonly views: number;
  readonly lastViewedAt: number | null;
}

/** The content of a token with a valid signature. The store decides whether the embed is still current. */
export interface SignedEmbed {
  readonly id: string;
  readonly stamp: string;
}

export interface EmbedTokens {
  /** Deterministic, so that the issuer can see the token again without it being stored. */
  sign(embed: SignedEmbed): string;
  /** Null if the signature is not valid. */
  read(token: string): SignedEmbed | null;
}

/** Tokens stay valid after a rotation as long as the secret that signed them is kept. */
export function createRotatingEmbedTokens(ring: KeyRing): EmbedTokens {
  const signers = ring.each((secret) => createEmbedTokens(deriveKey(secret, 'embed tokens')));
  return {
    sign: (embed) => signers.newest().sign(embed),
    read: (token) => signers.find((each) => each.read(token)),
  };
}

/** `E`, then base64url of id (16 bytes), stamp (12) and HMAC-SHA-256 over both (32). */
export function createEmbedTokens(key: Buffer): EmbedTokens {
  const macOf = (body: Buffer): Buffer => createHmac('sha256', key).update(version).update(body).digest();
  return {
    sign({ id, stamp }) {
      const body = Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), Buffer.from(stamp, 'base64url')]);
      return version + Buffer.concat([body, macOf(body)]).toString('base64url');
    },
    read(token) {
      // the base64url decoder ignores foreign characters: accept the canonical spelling only
      if (!/^E[A-Za-z0-9_-]{80}$/.test(token)) return null;
      const bytes = Buffer.from(token.slice(version.length), 'base64url');
      const body = bytes.subarray(0, idBytes + stampBytes);
      if (!timingSafeEqual(bytes.subarray(idBytes + stampBytes), macOf(body))) return null;
      const hex = body.toString('hex', 0, idBytes);
      const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      return { id, stamp: body.toString('base64url', idBytes) };
    },
  };
}

export const createStamp = (): string => randomBytes(stampBytes).toString('base64url');

/** The stamp and lifetime of a token issued at `now`. */
export const createLifetime = (days: number | null, now: number): Pick<Embed, 'stamp' | 'days' | 'issuedAt' | 'expiresAt'> => ({
  stamp: createStamp(),
  days,
  issuedAt: now,
  expiresAt: days === null ? null : now + days * DAY_MS,
});

export const embedExpired = ({ expiresAt }: Pick<Embed, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && expiresAt <= now;

const version = 'E';
const idBytes = 16;
const stampBytes = 12;
const DAY_MS = 86_400_000;

/** An embed's parameters as stored: sealed, or a plain list if it is empty or was written before sealing was introduced. */
export type KeptParameters = string | readonly SentParameter[];

export type EmbedParameters = ReturnType<typeof createEmbedParameters>;

/** Seals an embed's parameter values at rest, bound to the embed's id so that they cannot be moved to another embed. */
export function createEmbedParameters(box: SecretBox) {
  return {
    seal: (embedId: string, parameters: readonly SentParameter[]): KeptParameters =>
      parameters.length === 0 ? [] : box.seal(JSON.stringify(parameters), context(embedId)),
    /** Null if they were sealed under a secret that no longer exists. */
    open({ id, parameters }: { readonly id: string; readonly parameters: KeptParameters }): readonly SentParameter[] | null {
      if (typeof parameters !== 'string') return parameters;
      const opened = box.open(parameters, context(id));
      return opened === null ? null : JSON.parse(opened);
    },
  };
}

const context = (embedId: string): string => `embed:${embedId}`;
