import { Semaphore } from '../core/concurrency/semaphore.ts';
import { failed, type Result } from '../core/errors.ts';

const WAIT_MS = 5_000;

export type BoundedWork = <T>(work: () => Promise<Result<T>>) => Promise<Result<T>>;

/** Bounds slow work: a few run at a time, some wait for a limited time, the rest are rejected. */
export function createBoundedWork(atOnce: number, maxWaiting: number, waitMs = WAIT_MS): BoundedWork {
  const semaphore = new Semaphore(atOnce);
  return async (work) => {
    if (!semaphore.tryAcquire()) {
      const isGranted = semaphore.waiting < maxWaiting && (await semaphore.acquireWithin(waitMs));
      if (!isGranted) return failed({ kind: 'Overloaded', retryAfterSeconds: 1 });
    }
    try {
      return await work();
    } finally {
      semaphore.release();
    }
  };
}
