import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SentParameter } from '../catalog/parameter.ts';
import type { ChartConfig } from '../core/chart-config.ts';
import type { FileFormat } from '../core/file-format.ts';
import type { KeyRing } from './key-ring.ts';
import { createSecretBox, deriveKey } from './secret-box.ts';

export const DEFAULT_EMBED_DAYS = 7;
export const DEFAULT_LINK_DAYS = 90;
export const MAX_DAYS = 3650;

/** A query that its issuer opened to others under an address with a token. Each use runs with the issuer's rights at that moment, but for signed embeds. */
export interface Share {
  readonly id: string; // a UUID; stays when the token is regenerated
  readonly userId: string; // the issuer
  readonly queryName: string;
  readonly parameters: KeptParameters; // opened by ShareParameters
  readonly open: readonly string[]; // parameters that those who use it may send
  readonly stamp: string; // identifies the current token
  readonly days: number | null; // lifetime; null: never expires
  readonly createdAt: number;
  readonly issuedAt: number; // when the current token was issued
  readonly expiresAt: number | null;
  readonly views: number;
  readonly lastViewedAt: number | null;
}

/** One chart of the query, fixed when it was issued. */
export interface Embed extends Share {
  readonly chart: ChartConfig;
  readonly viewer: EmbedViewer;
}

/** Whose rows a view shows: those of the issuer, or those of a viewer for whom an application signed a token. */
export const embedViewers = ['issuer', 'signed'] as const;
export type EmbedViewer = (typeof embedViewers)[number];

/** The rows of the query as a file. */
export interface DataLink extends Share {
  readonly name: string;
  readonly format: FileFormat;
  readonly asIssuer: boolean; // readers see the rows that the identity of the issuer selects
}

export type ShareKind = 'embed' | 'link';

/** The content of a token with a valid signature. The store decides whether it is still current. */
export type SignedShare = Pick<Share, 'id' | 'stamp'>;

export interface ShareTokens {
  /** Deterministic, so that the issuer can see the token again without it being stored. */
  sign(share: SignedShare): string;
  /** Null if the signature is not valid. */
  read(token: string): SignedShare | null;
}

const kinds = {
  embed: { version: 'E', tokens: 'embed tokens', parameters: 'embed parameters' },
  link: { version: 'L', tokens: 'data link tokens', parameters: 'data link parameters' },
} as const;

/**
 * A letter for the kind, then base64url of id (16 bytes), stamp (12) and HMAC-SHA-256 over all of these (32). Tokens stay valid
 * after a rotation as long as the secret that signed them is kept.
 */
export function createShareTokens(ring: KeyRing, kind: ShareKind): ShareTokens {
  const { version, tokens } = kinds[kind];
  const keys = ring.each((secret) => deriveKey(secret, tokens));
  const macOf = (body: Buffer, key: Buffer): Buffer => createHmac('sha256', key).update(version).update(body).digest();
  return {
    sign({ id, stamp }) {
      const body = Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), Buffer.from(stamp, 'base64url')]);
      return version + Buffer.concat([body, macOf(body, keys.newest())]).toString('base64url');
    },
    read(token) {
      // the base64url decoder ignores foreign characters: accept the canonical spelling only
      if (!token.startsWith(version) || !/^.[A-Za-z0-9_-]{80}$/.test(token)) return null;
      const bytes = Buffer.from(token.slice(version.length), 'base64url');
      const body = bytes.subarray(0, idBytes + stampBytes);
      const mac = bytes.subarray(idBytes + stampBytes);
      const signer = keys.find((key) => (timingSafeEqual(mac, macOf(body, key)) ? key : null));
      if (signer === null) return null;
      const hex = body.toString('hex', 0, idBytes);
      const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      return { id, stamp: body.toString('base64url', idBytes) };
    },
  };
}

export const createStamp = (): string => randomBytes(stampBytes).toString('base64url');

export type Lifetime = Pick<Share, 'stamp' | 'days' | 'issuedAt' | 'expiresAt'>;

/** The stamp and lifetime of a token issued at `now`. */
export const createLifetime = (days: number | null, now: number): Lifetime => ({
  stamp: createStamp(),
  days,
  issuedAt: now,
  expiresAt: days === null ? null : now + days * DAY_MS,
});

export const isLifetime = (days: number | null): boolean =>
  days === null || (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS);

export const isShareExpired = ({ expiresAt }: Pick<Share, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && expiresAt <= now;

const idBytes = 16;
const stampBytes = 12;
const DAY_MS = 86_400_000;

/** Parameters as stored: sealed, or a plain list if it is empty or was written before sealing was introduced. */
export type KeptParameters = string | readonly SentParameter[];

export type ShareParameters = ReturnType<typeof createShareParameters>;

/** Seals parameter values at rest, bound to the id so that they cannot be moved to another embed or link. */
export function createShareParameters(ring: KeyRing, kind: ShareKind) {
  const box = createSecretBox(ring, kinds[kind].parameters);
  const context = (id: string): string => `${kind}:${id}`;
  return {
    seal: (id: string, parameters: readonly SentParameter[]): KeptParameters =>
      parameters.length === 0 ? [] : box.seal(JSON.stringify(parameters), context(id)),
    /** Null if they were sealed under a secret that no longer exists. */
    open({ id, parameters }: Pick<Share, 'id' | 'parameters'>): readonly SentParameter[] | null {
      if (typeof parameters !== 'string') return parameters;
      const opened = box.open(parameters, context(id));
      return opened === null ? null : JSON.parse(opened);
    },
  };
}
