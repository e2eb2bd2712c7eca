/** Calls a second per key, as a token bucket that holds one second's worth. */
export interface KeyRate {
  /** Seconds to wait; 0: go ahead. `perSecond` 0 switches it off. */
  take(keyId: string, perSecond: number, now: number): number;
}

const MOST_KEYS = 10_000;

export function createKeyRate(): KeyRate {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    take(keyId, perSecond, now) {
      if (perSecond === 0) return 0;
      const bucket = buckets.get(keyId) ?? { tokens: perSecond, at: now };
      const seconds = Math.max(0, now - bucket.at) / 1000; // a clock that was set back gives nothing and takes nothing
      const tokens = Math.min(perSecond, bucket.tokens + seconds * perSecond);
      buckets.delete(keyId);
      buckets.set(keyId, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
      if (buckets.size > MOST_KEYS) buckets.delete(buckets.keys().next().value ?? '');
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
    },
  };
}
