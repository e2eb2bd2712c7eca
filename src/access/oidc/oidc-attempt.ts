import type { KeyRing } from '../key-ring.ts';
import { createRotatingSecretBox } from '../secret-box.ts';

/**
 * A sign-in in progress at the OpenID Connect provider: the values that its callback must match. The browser keeps it, sealed,
 * in a cookie.
 */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string; // PKCE
  readonly next: string; // the page to return to
  readonly at: number;
}

export type Attempts = ReturnType<typeof createAttempts>;

export const ATTEMPT_SECONDS = 600;

export function createAttempts(ring: KeyRing) {
  const box = createRotatingSecretBox(ring, 'sign-in attempts');
  return {
    seal: (attempt: Attempt): string => box.seal(JSON.stringify(attempt), CONTEXT),
    /** Null if it was altered, was not sealed here or has expired. */
    open(sealed: string, now: number): Attempt | null {
      const text = box.open(sealed, CONTEXT);
      if (text === null) return null;
      const attempt: Attempt = JSON.parse(text);
      const age = now - attempt.at;
      return age > ATTEMPT_SECONDS * 1000 ? null : attempt;
    },
  };
}

const CONTEXT = 'attempt';
const MAX_LENGTH = 1000; // stored in a cookie

/** The requested path if it is a page of this service, otherwise the home page. */
export function toLocalPath(wanted: unknown): string {
  const home = '/';
  if (typeof wanted !== 'string' || wanted.length > MAX_LENGTH || !/^\/[!-[\]-~]*$/.test(wanted)) return home; // ASCII but \
  const here = 'http://own.invalid';
  if (!URL.canParse(wanted, here)) return home;
  const { origin, pathname, search, hash } = new URL(wanted, here);
  // URL parsing resolves dot segments, after which the path may name a host (/..//elsewhere)
  if (origin !== here || pathname.startsWith('//') || /^\/(sign-in|api)(\/|$)/.test(pathname)) return home;
  return pathname + search + hash;
}
