import { type Continuations, createContinuations } from '../results/continuation.ts';
import type { KeyRing } from './key-ring.ts';
import { deriveKey } from './secret-box.ts';

/** Codes that were issued under an older secret of the installation stay good. */
export function rotatingContinuations(ring: KeyRing): Continuations {
  const sealers = ring.each((secret) => createContinuations(deriveKey(secret, 'continuations')));
  return {
    issue: (continuation) => sealers.newest().issue(continuation),
    read: (code, kind) => sealers.find((each) => each.read(code, kind)),
  };
}
