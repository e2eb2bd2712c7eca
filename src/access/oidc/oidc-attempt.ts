import type { KeyRing } from '../key-ring.ts';
import { rotatingSecretBox } from '../secret-box.ts';

/** A sign-in at the company's provider that was begun: what its answer must match, kept by the browser, sealed. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string; // PKCE
  readonly next: string; // where the person wanted to go
  readonly at: number;
}

export interface Attempts {
  seal(attempt: Attempt): string;
  /** Null when it was altered, is not ours or too old. */
  open(sealed: string, now: number): Attempt | null;
}

export const ATTEMPT_SECONDS = 600;

export function createAttempts(ring: KeyRing): Attempts {
  const box = rotatingSecretBox(ring, 'sign-in attempts');
  return {
    seal: (attempt) => box.seal(JSON.stringify(attempt), CONTEXT),
    open(sealed, now) {
      const text = box.open(sealed, CONTEXT);
      if (text === null) return null;
      const attempt: Attempt = JSON.parse(text);
      const age = now - attempt.at;
      return age > ATTEMPT_SECONDS * 1000 ? null : attempt;
    },
  };
}

const CONTEXT = 'attempt';
const MAX_LENGTH = 1000; // it stands in a cookie

/** A page of this service, whatever was asked for. */
export function localPath(wanted: unknown): string {
  const home = '/';
  if (typeof wanted !== 'string' || wanted.length > MAX_LENGTH || !/^\/[!-[\]-~]*$/.test(wanted)) return home; // ASCII but \
  const here = 'http://own.invalid';
  if (!URL.canParse(wanted, here)) return home;
  const { origin, pathname, search, hash } = new URL(wanted, here);
  // the standard takes steps (/..//elsewhere) out of a path, after which it may name a host
  if (origin !== here || pathname.startsWith('//') || /^\/(sign-in|api)(\/|$)/.test(pathname)) return home;
  return pathname + search + hash;
}
