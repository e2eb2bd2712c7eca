import { narrower } from '../../access/key-limits.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { createLease, type Lease, unlimited } from '../../core/concurrency/lease.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { SharedLimits } from './shared-limits.ts';

export type KeySlots = ReturnType<typeof createKeySlots>;

/** Bounds how many queries of one key run or wait at the same time: in all replicas if they share limits, otherwise in this process. */
export function createKeySlots(config: () => Pick<Config, 'keyConcurrent'>, shared: Pick<SharedLimits, 'acquire'> | null = null) {
  const used = new Map<string, number>();

  function acquireHere(keyId: string, most: number): Lease | null {
    const before = used.get(keyId) ?? 0;
    if (before >= most) return null;
    used.set(keyId, before + 1);
    return createLease(() => {
      const left = (used.get(keyId) ?? 1) - 1;
      if (left > 0) used.set(keyId, left);
      else used.delete(keyId);
    });
  }

  return {
    /** A slot of the key; a failure if all are in use. */
    async acquire({ authentication }: Principal): Promise<Result<Lease>> {
      const most = authentication.kind === 'key' ? narrower(authentication.limits?.concurrent, config().keyConcurrent) : 0;
      if (authentication.kind !== 'key' || most === 0) return succeeded(unlimited);
      const lease =
        shared === null ? acquireHere(authentication.keyId, most) : await shared.acquire(`key ${authentication.keyId}`, most);
      return lease === null ? failed({ kind: 'KeyBusy', most, retryAfterSeconds: 1 }) : succeeded(lease);
    },
  };
}
