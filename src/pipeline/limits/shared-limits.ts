import { LRUCache } from 'lru-cache';
import { createLease, type Lease } from '../../core/concurrency/lease.ts';
import type { LimitRepository } from '../../store/metadata-store.ts';

/**
 * Limits over all replicas. A process takes a tenth of a second's calls, or a part of the slots, at a time, so that most calls are decided
 * without the store.
 */
export type SharedLimits = ReturnType<typeof createSharedLimits>;

export function createSharedLimits(limits: LimitRepository, process: string, now: () => number) {
  const calls = new LRUCache<string, Calls>({ max: MOST_NAMES });
  const slots = new Map<string, Slots>();

  const callsOf = (name: string, perSecond: number): Calls => {
    const known = calls.get(name);
    const found = known?.perSecond === perSecond ? known : createCalls(limits, name, perSecond, now);
    calls.set(name, found);
    return found;
  };
  const hold = (name: string): HeldSlots => createHeldSlots(limits, name, process, now);
  const slotsOf = (name: string): Slots => {
    const found = slots.get(name) ?? createSlots(hold(name));
    slots.set(name, found);
    return found;
  };

  return {
    /** Seconds to wait; 0: the call is within the rate. */
    admit: (name: string, perSecond: number): Promise<number> => callsOf(name, perSecond).admit(),
    /** A slot, or null if all are in use. */
    acquire: (name: string, most: number): Promise<Lease | null> => slotsOf(name).acquire(most),
    /** Slots that calls wait for, see user-slots.ts. */
    hold,
    /** Returns slots that were not needed lately, and reports that this process is alive. Call it every second. */
    async renew(): Promise<void> {
      for (const [name, each] of slots) {
        await each.renew();
        if (each.isUnused()) slots.delete(name);
      }
      await limits.keepSlots(process);
    },
    /** The process ends: others need not wait until its slots and rows are lost. */
    close: (): Promise<void> => limits.drop(process),
  };
}

const MOST_NAMES = 10_000;
const LEASE_MS = 1_000; // calls that were not made by then are lost, so that a saved allowance stays one second's
export const ASK_AGAIN_MS = 50;

type Calls = ReturnType<typeof createCalls>;

function createCalls(limits: LimitRepository, name: string, perSecond: number, now: () => number) {
  const batch = Math.max(1, Math.ceil(perSecond / 10));
  const waitSeconds = Math.max(1, Math.ceil(1 / perSecond));
  let left = 0;
  let until = 0;
  let emptyUntil = 0;
  let waiting = 0;
  let taking: Promise<void> | null = null;

  const use = (): boolean => {
    if (left < 1 || now() > until) return false;
    left--;
    return true;
  };
  const request = async (): Promise<void> => {
    const wanted = Math.max(batch, waiting);
    const granted = await limits.takeCalls(name, perSecond, wanted);
    const at = now();
    if (at > until) left = 0;
    left += granted;
    until = at + LEASE_MS;
    if (granted < wanted) emptyUntil = at + Math.max(ASK_AGAIN_MS, Math.min(100, 1000 / perSecond / 4));
  };
  /** Concurrent callers share one request. */
  const take = (): Promise<void> => {
    taking ??= request().finally(() => {
      taking = null;
    });
    return taking;
  };
  return {
    perSecond,
    async admit(): Promise<number> {
      if (use()) {
        // requests the next batch before this one is used up
        if (left < batch / 2 && batch > 1 && now() >= emptyUntil) take().catch(() => undefined);
        return 0;
      }
      waiting++;
      try {
        // a request that was under way did not ask for this call
        while (taking !== null || now() >= emptyUntil) {
          await take();
          if (use()) return 0;
        }
        return waitSeconds;
      } finally {
        waiting--;
      }
    },
  };
}

export type HeldSlots = ReturnType<typeof createHeldSlots>;

/** The slots of one name that this process may use. */
function createHeldSlots(limits: LimitRepository, name: string, process: string, now: () => number) {
  let held = 0;
  let wanted = 0;
  let peak = 0; // of the slots in use since the last renewal
  let fullUntil = 0;
  let asking: Promise<void> | null = null;

  const request = async (slots: { readonly most: number; readonly wanted: number; readonly used: number }): Promise<void> => {
    const before = held;
    held = Math.min(held, slots.used); // the rest may be given to others meanwhile
    held = await limits.holdSlots({ name, process, ...slots }).catch((error) => {
      held = before;
      throw error;
    });
    wanted = slots.wanted;
    if (held < wanted) fullUntil = now() + ASK_AGAIN_MS;
  };
  const ask = (most: number, demand: number, used: number): Promise<void> => {
    asking ??= request({ most, wanted: Math.min(most, demand), used }).finally(() => {
      asking = null;
    });
    return asking;
  };
  return {
    count: (): number => held,
    use(used: number): void {
      peak = Math.max(peak, used);
    },
    /** Whether there may be more for it now. */
    mayGrow: (): boolean => asking !== null || now() >= fullUntil,
    isUnused: (): boolean => held === 0 && wanted === 0 && asking === null,
    /** Concurrent callers share one request. */
    ask,
    /** Keeps what was needed since the last time, and leaves others their part if all are needed. */
    async renew(most: number, demand: number, used: number): Promise<void> {
      const needed = Math.max(peak, demand);
      peak = used;
      if (needed < Math.max(held, wanted) || (held > 1 && needed >= held)) await ask(most, needed, used);
    },
  };
}

type Slots = ReturnType<typeof createSlots>;

/** Slots that are acquired at once or not at all. */
function createSlots(held: HeldSlots) {
  let most = 0;
  let used = 0;
  let waiting = 0;

  const occupy = (): Lease => {
    held.use(++used);
    return createLease(() => used--);
  };
  return {
    isUnused: (): boolean => used === 0 && held.isUnused(),
    async acquire(limit: number): Promise<Lease | null> {
      most = limit;
      waiting++;
      try {
        while (used >= held.count() && used < most && held.mayGrow()) await held.ask(most, used + waiting + spareOf(most), used);
      } finally {
        waiting--;
      }
      return used < Math.min(held.count(), most) ? occupy() : null;
    },
    renew: (): Promise<void> => held.renew(most, used, used),
  };
}

/** The extra amount that a process requests, so that it needs fewer requests. */
export const spareOf = (most: number): number => Math.floor(most / 8);
