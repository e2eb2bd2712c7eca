import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Result } from '../core/errors.ts';

const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

type Account = { readonly id: string; readonly credentialVersion: number };

export interface ShownCredential {
  readonly username: string;
  readonly password: string;
  readonly address: string;
  readonly credentialVersion: number; // 0 for an unknown user, so that timing does not reveal which users exist
}

export type CredentialMemory = ReturnType<typeof createCredentialMemory>;

/**
 * Avoids the slow hash for callers that send Basic credentials with every request. Holds an HMAC under a per-process key, never
 * the password.
 */
export function createCredentialMemory() {
  const key = randomBytes(32);
  const verified = new LRUCache<string, number>({ maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 });
  const underWay = new Map<string, Promise<Result<null>>>();
  const macOf = (...parts: readonly (string | number)[]): string =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64');
  return {
    /** True if this password was verified within the last minute and the account's credentials have not changed since. */
    knows: (user: Account, password: string, now: number): boolean =>
      (verified.get(macOf(user.id, user.credentialVersion, password)) ?? 0) > now,
    remember(user: Account, password: string, now: number): void {
      verified.set(macOf(user.id, user.credentialVersion, password), now + REMEMBERED_MS);
    },
    /**
     * Runs `verify` once for concurrent calls with the same credential from the same address: a client that starts with many
     * parallel calls is not guessing, and one hash is enough for it.
     */
    verifyOnce({ username, password, address, credentialVersion }: ShownCredential, verify: () => Promise<Result<null>>) {
      const entry = macOf(username.toLowerCase(), password, address, credentialVersion);
      const running = underWay.get(entry);
      if (running !== undefined) return running;
      const begun = verify().finally(() => underWay.delete(entry));
      underWay.set(entry, begun);
      return begun;
    },
  };
}
