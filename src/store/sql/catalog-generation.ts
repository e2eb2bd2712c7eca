/** A number that increases with every committed change to the tables of these reads; null if it cannot be determined. */
export interface Generation {
  /** Undefined if it has to be read first. */
  now(): number | null | undefined;
  soon(): Promise<number | null>;
}

/**
 * Reads the generation once for all calls that wait for it. A read that started before a call may miss a change committed in between,
 * so a call waits for the next read. That read starts after all events of the current turn of the event loop, and one read runs at a
 * time. Its value is valid for what the waiting calls do until their next wait, and no longer: new calls come with new events.
 */
export function catalogGeneration(read: () => number | null | Promise<number | null>): Generation & { forget(): void } {
  let known: number | undefined;
  let next: Promise<number | null> | undefined; // not started
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
    // scheduled from a microtask, so that the tick runs after everything that follows from this read without a wait
    queueMicrotask(() => process.nextTick(forget));
    return value;
  }

  function start(): number | null | Promise<number | null> {
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
        const schedule = (): unknown => setImmediate(() => resolve(start()));
        const fail = (error: unknown): void => {
          next = undefined; // these calls have already waited for the store
          reject(error);
        };
        if (running === undefined) schedule();
        else running.then(schedule, fail);
      });
      return next;
    },
    forget,
  };
}
