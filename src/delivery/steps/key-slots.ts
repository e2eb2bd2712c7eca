import { narrower } from '../../access/key-limits.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import type { SharedLimits } from '../shared-limits.ts';

export type KeySlots = ReturnType<typeof createKeySlots>;

/** Bounds how many queries of one key run or wait at the same time: in all replicas if they share limits, otherwise in this process. */
export function createKeySlots(config: () => Pick<Config, 'keyConcurrent'>, shared: Pick<SharedLimits, 'acquire'> | null = null) {
  const used = new Map<string, number>();
  return {
    /** A function that releases the slot (idempotent); a failure if all are in use. A promise only if the store has to be asked. */
    acquire({ means }: Principal): Result<() => void> | Promise<Result<() => void>> {
      if (means.kind !== 'key') return unbounded;
      const most = narrower(means.limits?.concurrent, config().keyConcurrent);
      if (most === 0) return unbounded;
      const { keyId } = means;
      if (shared !== null) {
        const resultOf = (release: (() => void) | null): Result<() => void> =>
          release === null ? failed({ kind: 'KeyBusy', most, retryAfterSeconds: 1 }) : succeeded(release);
        const acquired = shared.acquire(`key ${keyId}`, most);
        return acquired instanceof Promise ? acquired.then(resultOf) : resultOf(acquired);
      }
      const before = used.get(keyId) ?? 0;
      if (before >= most) return failed({ kind: 'KeyBusy', most, retryAfterSeconds: 1 });
      used.set(keyId, before + 1);
      let held = true;
      return succeeded(() => {
        if (!held) return;
        held = false;
        const left = (used.get(keyId) ?? 1) - 1;
        if (left > 0) used.set(keyId, left);
        else used.delete(keyId);
      });
    },
  };
}

const unbounded = succeeded(() => undefined);
