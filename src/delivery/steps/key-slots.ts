import { narrower } from '../../access/key-limits.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { failed, type Result, succeeded } from '../../errors.ts';

export type KeySlots = ReturnType<typeof createKeySlots>;

/** Bounds how many queries of one key run or wait at the same time in this process. */
export function createKeySlots(config: () => Pick<Config, 'keyConcurrent'>) {
  const used = new Map<string, number>();
  return {
    /** A function that releases the slot (idempotent); a failure if all are in use. */
    acquire({ means }: Principal): Result<() => void> {
      if (means.kind !== 'key') return unbounded;
      const most = narrower(means.limits?.concurrent, config().keyConcurrent);
      if (most === 0) return unbounded;
      const { keyId } = means;
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
