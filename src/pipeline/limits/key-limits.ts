import { LRUCache } from 'lru-cache';
import { type KeyLimits, resolveLimit } from '../../access/api-key.ts';
import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { createLease, type Lease, unlimited } from '../../core/concurrency/lease.ts';
import { Tally } from '../../core/concurrency/tally.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { SharedLimits } from './shared-limits.ts';

export type CheckRate = (principal: Principal) => Promise<Result<null>>;

const MAX_KEYS = 10_000;

/** Bounds the calls per second of each key and each data link: of all replicas if they share limits, otherwise of this process. */
export function createCheckRate(
  config: () => Pick<Config, 'ratePerKey' | 'ratePerLink'>,
  now: () => number,
  shared: Pick<SharedLimits, 'admit'> | null = null,
): CheckRate {
  const secondsToWait = createKeyRate();
  const rateOf = (principal: Principal) => {
    const { authentication } = principal;
    if (authentication.kind === 'link') return { name: `link ${authentication.link.id}`, perSecond: config().ratePerLink };
    const counted = countedAs(principal);
    const perSecond = resolveLimit(counted?.limits?.callsPerSecond, config().ratePerKey);
    return counted === null ? null : { name: `key ${counted.id}`, perSecond };
  };
  return async (principal) => {
    const rate = rateOf(principal);
    if (rate === null || rate.perSecond === 0) return succeeded(null);
    const { name, perSecond } = rate;
    const wait = shared === null ? secondsToWait(name, perSecond, now()) : await shared.admit(name, perSecond);
    return wait === 0 ? succeeded(null) : failed({ kind: 'RateExceeded', retryAfterSeconds: wait });
  };
}

/** What the limits of keys count: a key, an application that its user allowed, or a viewer, whose tokens change all the time. Null: no limit. */
function countedAs({ authentication, userId }: Principal): { readonly id: string; readonly limits: KeyLimits | null } | null {
  if (authentication.kind === 'key') return { id: authentication.keyId, limits: authentication.limits };
  if (authentication.kind === 'grant') return { id: authentication.grantId, limits: null };
  return authentication.kind === 'viewer' ? { id: userId, limits: null } : null;
}

/** A token bucket per key, which holds the calls of one second. Returns the seconds to wait; 0: admitted. `perSecond` 0: no limit. */
export function createKeyRate(): (keyId: string, perSecond: number, now: number) => number {
  const buckets = new LRUCache<string, { readonly tokens: number; readonly at: number }>({ max: MAX_KEYS });
  return (keyId, perSecond, now) => {
    if (perSecond === 0) return 0;
    const bucket = buckets.get(keyId) ?? { tokens: perSecond, at: now };
    const seconds = Math.max(0, now - bucket.at) / 1000; // a clock that was set back changes nothing
    const tokens = Math.min(perSecond, bucket.tokens + seconds * perSecond);
    buckets.set(keyId, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  };
}

export type KeySlots = ReturnType<typeof createKeySlots>;

/** Bounds how many queries of one key run or wait at the same time: in all replicas if they share limits, otherwise in this process. */
export function createKeySlots(config: () => Pick<Config, 'keyConcurrent'>, shared: Pick<SharedLimits, 'acquire'> | null = null) {
  const used = new Tally();

  function acquireHere(keyId: string, most: number): Lease | null {
    if (used.of(keyId) >= most) return null;
    used.add(keyId, 1);
    return createLease(() => used.add(keyId, -1));
  }

  return {
    /** A slot of the key; a failure if all are in use. */
    async acquire(principal: Principal): Promise<Result<Lease>> {
      const counted = countedAs(principal);
      const most = counted === null ? 0 : resolveLimit(counted.limits?.concurrent, config().keyConcurrent);
      if (counted === null || most === 0) return succeeded(unlimited);
      const lease = shared === null ? acquireHere(counted.id, most) : await shared.acquire(`key ${counted.id}`, most);
      return lease === null ? failed({ kind: 'KeyBusy', most, retryAfterSeconds: 1 }) : succeeded(lease);
    },
  };
}
