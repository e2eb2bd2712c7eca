import { randomBytes } from 'node:crypto';
import { hashSecret } from './hash-secret.ts';

export const SESSION_COOKIE = 'sluice_session';

export const SESSION_IDLE_MS = 8 * 3600_000;
export const MAX_SESSION_MS = 24 * 3600_000;

export function generateSessionId(): { readonly id: string; readonly hash: string } {
  const id = randomBytes(32).toString('base64url');
  return { id, hash: hashSecret(id) };
}

export function isSessionExpired(session: { createdAt: number; lastUsedAt: number }, now: number): boolean {
  return now - session.lastUsedAt > SESSION_IDLE_MS || now - session.createdAt > MAX_SESSION_MS;
}
