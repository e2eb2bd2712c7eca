import type { Generation } from './remembered-reads.ts';

/**
 * Reads the generation once for all calls that wait for it. A read that began before a call may miss what was committed and reported in
 * between, so a call waits for the next read. It begins after all events of the current turn of the event loop were handled, and one read
 * runs at a time. Its value is valid for what the waiting calls do without another wait, and no longer: new calls come with new events.
 */
export function catalogGeneration(read: () => number | null | Promise<number | null>): Generation & { forget(): void } {
  let known: number | undefined;
  let next: Promise<number | null> | undefined; // has not begun
  let running: Promise<number | null> | undefined;
  const forget = (): void => {
    known = undefined;
  };
  const ended = (): void => {
    running = undefined;
  };

  function publish(value: number | null): number | null {
    if (value === null) return null;
    known = value;
    // scheduled from a microtask: the tick then comes after all that follows from this read without a wait
    queueMicrotask(() => process.nextTick(forget));
    return value;
  }

  function begin(): number | null | Promise<number | null> {
    next = undefined;
    const value = read();
    if (!(value instanceof Promise)) return publish(value);
    running = value.then(publish);
    running.then(ended, ended);
    return running;
  }

  return {
    now: () => known,
    soon: () => {
      next ??= new Promise((resolve, reject) => {
        const start = (): unknown => setImmediate(() => resolve(begin()));
        const fail = (error: unknown): void => {
          next = undefined; // these calls have waited for the store already
          reject(error);
        };
        if (running === undefined) start();
        else running.then(start, fail);
      });
      return next;
    },
    forget,
  };
}
