import { narrower } from '../../access/key-limits.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { failed, type Result, succeeded } from '../../errors.ts';

/** Bounds how many queries of one key run at the same time in this process, those that wait for a place among them. */
export interface KeyPlaces {
  /** What gives the place back (idempotent); past the bound the answer is no, at once. */
  enter(principal: Principal): Result<() => void>;
}

export function createKeyPlaces(config: () => Pick<Config, 'keyConcurrent'>): KeyPlaces {
  const taken = new Map<string, number>();
  return {
    enter: ({ means }) => {
      if (means.kind !== 'key') return unbounded;
      const most = narrower(means.limits?.concurrent, config().keyConcurrent);
      if (most === 0) return unbounded;
      const { keyId } = means;
      const before = taken.get(keyId) ?? 0;
      if (before >= most) return failed({ kind: 'KeyBusy', most, retryAfterSeconds: 1 });
      taken.set(keyId, before + 1);
      let held = true;
      return succeeded(() => {
        if (!held) return;
        held = false;
        const left = (taken.get(keyId) ?? 1) - 1;
        if (left > 0) taken.set(keyId, left);
        else taken.delete(keyId);
      });
    },
  };
}

const unbounded = succeeded(() => undefined);
