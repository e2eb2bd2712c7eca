import { failed, type Result } from '../errors.ts';

const WAIT_MS = 5_000;

/** Bounds slow work: a few run at a time, some wait for a limited time, the rest are rejected. */
export type Semaphore = <T>(work: () => Promise<Result<T>>) => Promise<Result<T>>;

export function createSemaphore(atOnce: number, maxWaiting: number, waitMs = WAIT_MS): Semaphore {
  let running = 0;
  const waiting = new Set<() => void>();

  /** Resolves to false on timeout. */
  const turn = (): Promise<boolean> =>
    new Promise((resolve) => {
      const begin = (): void => {
        clearTimeout(timer);
        waiting.delete(begin);
        running++;
        resolve(true);
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        resolve(false);
      }, waitMs).unref();
      waiting.add(begin);
    });

  return async (work) => {
    if (running < atOnce) running++;
    else if (waiting.size >= maxWaiting || !(await turn())) return failed({ kind: 'Overloaded', retryAfterSeconds: 1 });
    try {
      return await work();
    } finally {
      running--;
      waiting.values().next().value?.();
    }
  };
}
