import { createHash, randomBytes } from 'node:crypto';

export const SESSION_COOKIE = 'sluice_session';

export const SESSION_IDLE_MS = 8 * 3600_000;
export const MAX_SESSION_MS = 24 * 3600_000;

export function generateSessionId(): { readonly id: string; readonly hash: string } {
  const id = randomBytes(32).toString('base64url');
  return { id, hash: sessionHash(id) };
}

export const sessionHash = (id: string): string => createHash('sha256').update(id).digest('hex');

export function sessionExpired(session: { createdAt: number; lastUsedAt: number }, now: number): boolean {
  return now - session.lastUsedAt > SESSION_IDLE_MS || now - session.createdAt > MAX_SESSION_MS;
}
