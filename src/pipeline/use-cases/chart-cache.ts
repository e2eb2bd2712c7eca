import { LRUCache } from 'lru-cache';
import type { Result } from '../../core/errors.ts';

/** Caches values for a short time. Concurrent requests for the same key share one computation. */
export interface ChartCache<T> {
  /** `make` gets a signal that aborts when all waiting callers have disconnected. `signal` is the caller's. */
  get(key: string, signal: AbortSignal, make: (left: AbortSignal) => Promise<Result<Sized<T>>>): Promise<Found<T>>;
}

export interface Sized<T> {
  readonly value: T;
  readonly bytes: number;
}

export interface Found<T> {
  readonly result: Result<T>;
  readonly cached: boolean; // computed for another caller
}

const MAX_BYTES = 64 << 20;
// failures are cached too, but shorter
const FAILURE_MS = 1000;

interface Making<T> {
  readonly result: Promise<Result<T>>;
  readonly left: AbortController;
  waiting: number;
}

export function createChartCache<T>(keepMs: () => number, now: () => number, maxBytes = MAX_BYTES): ChartCache<T> {
  const kept = new LRUCache<string, Result<T>>({ maxSize: maxBytes, ttlAutopurge: true, ttlResolution: 0, perf: { now } });
  const making = new Map<string, Making<T>>();

  const begin = (key: string, make: (left: AbortSignal) => Promise<Result<Sized<T>>>): Making<T> => {
    const left = new AbortController();
    const work = async (): Promise<Result<T>> => {
      try {
        const made = await make(left.signal);
        const result = made.ok ? { ok: true as const, value: made.value.value } : made;
        const ttl = made.ok ? keepMs() : Math.min(FAILURE_MS, keepMs());
        const size = made.ok ? Math.max(1, made.value.bytes) : 1;
        if (ttl > 0 && !left.signal.aborted) kept.set(key, result, { ttl, size });
        return result;
      } finally {
        if (making.get(key) === begun) making.delete(key);
      }
    };
    const begun: Making<T> = { result: Promise.resolve().then(work), left, waiting: 0 };
    making.set(key, begun);
    return begun;
  };

  return {
    async get(key, signal, make) {
      const found = kept.get(key);
      if (found !== undefined) return { result: found, cached: true };
      const under = making.get(key);
      const mine = under ?? begin(key, make);
      mine.waiting++;
      const leave = (): void => {
        if (--mine.waiting > 0) return;
        if (making.get(key) === mine) making.delete(key);
        mine.left.abort(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
      try {
        return { result: await mine.result, cached: under !== undefined };
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
  };
}
