import { setImmediate } from 'node:timers/promises';

/** A number that increases with every committed change to the tables of these reads; null if it cannot be determined. */
export interface Generation {
  /** Undefined if it has to be read first. */
  peek(): number | null | undefined;
  readNext(): Promise<number | null>;
}

/**
 * Reads the generation once for all calls that wait for it. A read that started before a call may miss a change committed in between,
 * so a call waits for the next read. That read starts after all events of the current turn of the event loop, and one read runs at a
 * time. Its value is valid for what the waiting calls do until their next wait, and no longer: new calls come with new events.
 */
export function catalogGeneration(read: () => number | null | Promise<number | null>): Generation & { forget(): void } {
  let known: number | undefined;
  let forgotten = 0; // times
  let next: Promise<number | null> | undefined; // not started
  let running: Promise<number | null> | undefined;
  const forget = (): void => {
    known = undefined;
    forgotten++;
  };

  async function readKnown(): Promise<number | null> {
    const before = forgotten;
    const value = await read();
    if (value === null || forgotten !== before) return value; // this process wrote in the meantime
    known = value;
    process.nextTick(forget); // from a microtask: the tick runs after everything that follows from this read without a wait
    return value;
  }

  async function readNext(): Promise<number | null> {
    try {
      if (running !== undefined) await running; // if it fails, these calls fail as well: they have already waited for the store
      await setImmediate();
    } finally {
      next = undefined;
    }
    running = readKnown();
    try {
      return await running;
    } finally {
      running = undefined;
    }
  }

  return {
    peek: () => known,
    readNext: () => (next ??= readNext()),
    forget,
  };
}
