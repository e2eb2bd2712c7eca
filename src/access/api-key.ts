import { hash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The tools that the MCP gateway lists for a key: the general ones, or one for each query that the key is restricted to. */
export const keyTools = ['generic', 'typed'] as const;
export type KeyTools = (typeof keyTools)[number];

export const ACTIVE_KEYS_PER_USER = 5;
export const DEFAULT_KEY_DAYS = 90;

export interface NewApiKey {
  readonly id: string;
  readonly key: string; // shown once, never stored
  readonly prefix: string;
  readonly hash: string;
}

/**
 * `slc_<8 id>_<43 base64url><8 hex checksum>`. The checksum rejects mistyped keys, and lets secret scanners recognize leaked
 * ones, without a lookup.
 */
export function generateApiKey(): NewApiKey {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const id = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('');
  const body = `slc_${id}_${randomBytes(32).toString('base64url')}`;
  const key = body + checksum(body);
  return { id, key, prefix: `slc_${id}`, hash: hash('sha256', key) };
}

/** The hash that a key is stored under; null for text that is not an API key. */
export function hashApiKey(key: string): string | null {
  if (!/^slc_[a-z0-9]{8}_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/.test(key)) return null;
  const body = key.slice(0, -8);
  return checksum(body) === key.slice(-8) ? hash('sha256', key) : null;
}

/** Truncates every API key in the text to the prefix that lists show, and every signed token to its first letters. */
export function redactKeys(text: string): string {
  const withoutKeys = text.includes('slc_') ? text.replaceAll(/(slc_[a-z0-9]{8})_[A-Za-z0-9_-]{20,}/g, '$1…') : text;
  return withoutKeys.includes('eyJ') ? withoutKeys.replaceAll(/(?<![\w-])eyJ[\w-]*\.[\w-]+\.[\w-]{20,}/g, 'eyJ…') : withoutKeys;
}

export type ApiKeyState = 'active' | 'expired' | 'revoked';

export function apiKeyState(key: { expiresAt: number | null; revokedAt: number | null }, now: number): ApiKeyState {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'active';
}

const checksum = (body: string): string => crc32(body).toString(16).padStart(8, '0');

/** The limits of a single key. The general limits, which are settings, apply as well. */
export interface KeyLimits {
  readonly callsPerSecond?: number;
  readonly rowsPerDay?: number;
  readonly concurrent?: number;
}

/** The lower of a key's own limit and the general limit; 0: no limit. */
export function resolveLimit(own: number | undefined, general: number): number {
  if (own === undefined) return general;
  return general === 0 ? own : Math.min(own, general);
}

const DAY_MS = 86_400_000;

/** UTC days, so that all processes agree. */
export const dayOf = (now: number): number => Math.floor(now / DAY_MS);
export const nextDayAt = (now: number): number => (dayOf(now) + 1) * DAY_MS;
