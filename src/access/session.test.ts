import { expect, it } from 'vitest';
import { hashSecret } from './hash-secret.ts';
import { generateSessionId, SESSION_IDLE_MS, MAX_SESSION_MS, isSessionExpired } from './session.ts';

it('has an id of 256 random bits, stored as a hash only', () => {
  const { id, hash } = generateSessionId();
  expect(Buffer.from(id, 'base64url')).toHaveLength(32);
  expect(hash).toBe(hashSecret(id));
  expect(hash).not.toContain(id);
  expect(generateSessionId().id).not.toBe(id);
});

it('ends after eight idle hours', () => {
  expect(isSessionExpired({ createdAt: 0, lastUsedAt: 0 }, SESSION_IDLE_MS)).toBe(false);
  expect(isSessionExpired({ createdAt: 0, lastUsedAt: 0 }, SESSION_IDLE_MS + 1)).toBe(true);
});

it('ends after a day, regardless of use', () => {
  const now = MAX_SESSION_MS;
  expect(isSessionExpired({ createdAt: 0, lastUsedAt: now }, now)).toBe(false);
  expect(isSessionExpired({ createdAt: 0, lastUsedAt: now }, now + 1)).toBe(true);
});
