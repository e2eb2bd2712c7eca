import { failed, type Result } from '../errors.ts';

const AT_ONCE = 2;
const WAITING = 32;
const WAIT_MS = 5_000;

/** Bounds reads of the store that may take long: a few at a time, some wait for a while, the others are refused. */
export type LongReads = <T>(read: () => Promise<Result<T>>) => Promise<Result<T>>;

export function createLongReads(atOnce = AT_ONCE, mostWaiting = WAITING, waitMs = WAIT_MS): LongReads {
  let running = 0;
  const waiting = new Set<() => void>();

  /** Resolves to false where no turn came in time. */
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

  return async (read) => {
    if (running < atOnce) running++;
    else if (waiting.size >= mostWaiting || !(await turn())) return failed({ kind: 'Overloaded', retryAfterSeconds: 1 });
    try {
      return await read();
    } finally {
      running--;
      waiting.values().next().value?.();
    }
  };
}
