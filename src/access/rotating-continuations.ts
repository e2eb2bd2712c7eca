import { type Continuations, createContinuations } from '../results/continuation.ts';
import type { KeyRing } from './key-ring.ts';
import { deriveKey } from './secret-box.ts';

/** Continuation codes stay valid after a rotation as long as the secret that sealed them is kept. */
export function rotatingContinuations(ring: KeyRing): Continuations {
  const sealers = ring.each((secret) => createContinuations(deriveKey(secret, 'continuations')));
  return {
    issue: (continuation) => sealers.newest().issue(continuation),
    read: (code, kind) => sealers.find((each) => each.read(code, kind)),
  };
}
