import { setTimeout as delay } from 'node:timers/promises';
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

export type UserSlots = ReturnType<typeof createUserSlots>;

/** Bounds how many queries of one user run in all replicas. A call waits for a slot as long as in the queue of this process. */
export function createUserSlots(shared: Pick<SharedLimits, 'acquire'>, { most, waitMs }: { most: number; waitMs: number }) {
  return {
    acquire(userId: string, signal: AbortSignal): Result<() => void> | Promise<Result<() => void>> {
      const acquired = shared.acquire(`user ${userId}`, most);
      return acquired === null || acquired instanceof Promise ? waited(acquired) : succeeded(acquired);

      async function waited(first: null | Promise<(() => void) | null>): Promise<Result<() => void>> {
        let release = await first;
        for (let left = waitMs; release === null && left > 0 && !signal.aborted; left -= RETRY_MS) {
          await delay(RETRY_MS);
          release = await shared.acquire(`user ${userId}`, most);
        }
        if (release === null) return failed({ kind: 'UserBusy', retryAfterSeconds: 1 });
        if (!signal.aborted) return succeeded(release);
        release();
        return failed({ kind: 'QueryCancelled', cause: signal.reason });
      }
    },
  };
}

const RETRY_MS = 50;
