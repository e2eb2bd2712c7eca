import { narrower } from '../../access/api-key.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { createLease, type Lease, unlimited } from '../../core/concurrency/lease.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { SharedLimits } from './shared-limits.ts';

export type CheckRate = (principal: Principal) => Promise<Result<null>>;

const MAX_KEYS = 10_000;

/** Bounds the calls per second of each key: of all replicas if they share limits, otherwise of this process. */
export function createCheckRate(
  config: () => Pick<Config, 'ratePerKey'>,
  now: () => number,
  shared: Pick<SharedLimits, 'admit'> | null = null,
): CheckRate {
  const secondsToWait = createKeyRate();
  return async ({ authentication }) => {
    if (authentication.kind !== 'key') return succeeded(null);
    const { keyId } = authentication;
    const perSecond = narrower(authentication.limits?.callsPerSecond, config().ratePerKey);
    const isShared = shared !== null && perSecond > 0;
    const wait = isShared ? await shared.admit(`key ${keyId}`, perSecond) : secondsToWait(keyId, perSecond, now());
    return wait === 0 ? succeeded(null) : failed({ kind: 'RateExceeded', retryAfterSeconds: wait });
  };
}

/** A token bucket per key, which holds the calls of one second. Returns the seconds to wait; 0: admitted. `perSecond` 0: no limit. */
export function createKeyRate(): (keyId: string, perSecond: number, now: number) => number {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (keyId, perSecond, now) => {
    if (perSecond === 0) return 0;
    const bucket = buckets.get(keyId) ?? { tokens: perSecond, at: now };
    const seconds = Math.max(0, now - bucket.at) / 1000; // a clock that was set back changes nothing
    const tokens = Math.min(perSecond, bucket.tokens + seconds * perSecond);
    buckets.delete(keyId);
    buckets.set(keyId, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    if (buckets.size > MAX_KEYS) buckets.delete(buckets.keys().next().value ?? '');
    return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  };
}

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
