import { StoreError } from '../metadata-store.ts';

/** One at a time, in the order of arrival; who waits longer than the deadline leaves with `unavailable`. */
export function turnstile(): { take(deadline: number): Promise<void>; give(): void } {
  const waiting = new Set<() => void>();
  let taken = false;

  return {
    take(deadline) {
      if (!taken) {
        taken = true;
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        const enter = () => {
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(enter);
          reject(new StoreError('unavailable', 'The metadata store was busy for too long.'));
        }, deadline - performance.now());
        waiting.add(enter);
      });
    },
    give() {
      const [next] = waiting;
      if (!next) {
        taken = false;
        return;
      }
      waiting.delete(next);
      next();
    },
  };
}
