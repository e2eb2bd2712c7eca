import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ChartConfig } from '../../charts/chart-config.ts';
import type { KeyRing } from '../key-ring.ts';
import { deriveKey } from '../secret-box.ts';
import type { KeptParameters } from './embed-parameters.ts';

export const DEFAULT_EMBED_DAYS = 7;
export const MAX_EMBED_DAYS = 3650;

/** What an embed token opens: one chart of one query, fixed when it was issued, with the rights that its issuer has at each view. */
export interface Embed {
  readonly id: string; // a UUID; stays when the token is regenerated
  readonly userId: string; // the issuer
  readonly queryName: string;
  readonly parameters: KeptParameters; // opened by EmbedParameters
  readonly chart: ChartConfig;
  readonly stamp: string; // what the one token that counts now carries
  readonly days: number | null; // lifetime; null: never expires
  readonly createdAt: number;
  readonly issuedAt: number; // of the token that counts now
  readonly expiresAt: number | null;
  readonly views: number;
  readonly lastViewedAt: number | null;
}

/** A token that was signed here; whether it still counts, the store knows. */
export interface SignedEmbed {
  readonly id: string;
  readonly stamp: string;
}

export interface EmbedTokens {
  /** The same for the same embed, so that its issuer can be shown it again without its being stored. */
  sign(embed: SignedEmbed): string;
  /** Null for anything that was not signed here. */
  read(token: string): SignedEmbed | null;
}

/** A token stays good when a new secret comes, as long as the one that signed it is kept. */
export function rotatingEmbedTokens(ring: KeyRing): EmbedTokens {
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
      // no other spelling of the same bytes: the decoder overlooks foreign characters
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

export const newStamp = (): string => randomBytes(stampBytes).toString('base64url');

/** The lifetime of a token that is issued at `now`. */
export const issuedFor = (days: number | null, now: number): Pick<Embed, 'stamp' | 'days' | 'issuedAt' | 'expiresAt'> => ({
  stamp: newStamp(),
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
