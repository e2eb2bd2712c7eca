import { createHmac, randomBytes } from 'node:crypto';

const REMEMBERED_MS = 60_000;
const MOST = 10_000;

export interface CredentialMemory {
  /** True when this very password was verified in the last minute and the account's credentials did not change since. */
  knows(user: { id: string; credentialVersion: number }, password: string, now: number): boolean;
  remember(user: { id: string; credentialVersion: number }, password: string, now: number): void;
}

/** Spares the slow hash for a caller who sends Basic with every request. Holds an HMAC under a key of this process, never the password. */
export function createCredentialMemory(): CredentialMemory {
  const key = randomBytes(32);
  const verified = new Map<string, number>();
  const mark = (user: { id: string; credentialVersion: number }, password: string): string =>
    createHmac('sha256', key).update(`${user.id}\0${user.credentialVersion}\0${password}`).digest('base64');
  return {
    knows: (user, password, now) => (verified.get(mark(user, password)) ?? 0) > now,
    remember: (user, password, now) => {
      const entry = mark(user, password);
      verified.delete(entry);
      verified.set(entry, now + REMEMBERED_MS);
      if (verified.size > MOST) verified.delete(verified.keys().next().value ?? '');
    },
  };
}
