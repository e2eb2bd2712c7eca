import { createLease, type Lease } from '../../core/concurrency/lease.ts';
import { failed, succeeded } from '../../core/errors.ts';
import type { LimitRepository } from '../../store/metadata-store.ts';
import { findCanceller } from '../steps/find-canceller.ts';
import type { Admission, Entered } from './admission.ts';

/**
 * Limits over all replicas. A process takes a tenth of a second's calls, or a part of the slots, at a time, so that most calls are decided
 * without the store.
 */
export type SharedLimits = ReturnType<typeof createSharedLimits>;

export function createSharedLimits(limits: LimitRepository, process: string, now: () => number) {
  const calls = new Map<string, Calls>(); // the least recently used first
  const slots = new Map<string, Slots>();

  const callsOf = (name: string, perSecond: number): Calls => {
    const known = calls.get(name);
    calls.delete(name);
    const found = known?.perSecond === perSecond ? known : createCalls(limits, name, perSecond, now);
    calls.set(name, found);
    if (calls.size > MOST_NAMES) calls.delete(calls.keys().next().value ?? '');
    return found;
  };
  const slotsOf = (name: string): Slots => {
    const found = slots.get(name) ?? createSlots(limits, name, process, now);
    slots.set(name, found);
    return found;
  };

  return {
    /** Seconds to wait; 0: the call is within the rate. */
    admit: (name: string, perSecond: number): Promise<number> => callsOf(name, perSecond).admit(),
    /** A slot, or null if all are in use. */
    acquire: (name: string, most: number): Promise<Lease | null> => slotsOf(name).acquire(most),
    /** Returns slots that were not needed lately, and tells that this process is alive. Call it every second. */
    async renew(): Promise<void> {
      if (slots.size === 0) return;
      for (const [name, each] of slots) {
        await each.returnIdle();
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
const ASK_AGAIN_MS = 50;

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
        // asks for the next batch before this one is used up
        if (left < batch / 2 && batch > 1 && now() >= emptyUntil) take().catch(() => undefined);
        return 0;
      }
      if (now() < emptyUntil && taking === null) return waitSeconds;
      waiting++;
      await take().finally(() => waiting--);
      return use() ? 0 : waitSeconds;
    },
  };
}

type Slots = ReturnType<typeof createSlots>;

function createSlots(limits: LimitRepository, name: string, process: string, now: () => number) {
  let most = 0;
  let held = 0;
  let used = 0;
  let peak = 0; // of the slots in use since the last return
  let fullUntil = 0;
  let waiting = 0;
  let asking: Promise<void> | null = null;

  const occupy = (): Lease => {
    used++;
    peak = Math.max(peak, used);
    return createLease(() => used--);
  };
  const request = async (wanted: number): Promise<void> => {
    const before = held;
    // slots that are given back must not be occupied meanwhile
    held = Math.min(held, wanted);
    const granted = await limits.holdSlots(name, process, most, Math.max(wanted, used)).catch((error) => {
      held = before;
      throw error;
    });
    held = granted;
    if (granted < wanted) fullUntil = now() + ASK_AGAIN_MS;
  };
  const ask = (wanted: number): Promise<void> => {
    asking ??= request(Math.min(most, wanted)).finally(() => {
      asking = null;
    });
    return asking;
  };
  const acquireLater = async (): Promise<Lease | null> => {
    waiting++;
    try {
      // an earlier request may have been for fewer
      while (asking !== null) await asking.catch(() => undefined);
      if (used < Math.min(held, most)) return occupy();
      await ask(used + waiting + Math.floor(most / 8));
    } finally {
      waiting--;
    }
    return used < held ? occupy() : null;
  };
  return {
    isUnused: (): boolean => held === 0 && used === 0,
    async acquire(limit: number): Promise<Lease | null> {
      most = limit;
      if (used < Math.min(held, most)) return occupy();
      if (used >= most || (now() < fullUntil && asking === null)) return null;
      return acquireLater();
    },
    /** Keeps what was in use since the last time. */
    async returnIdle(): Promise<void> {
      const wanted = Math.max(peak, used);
      peak = used;
      if (wanted < held && asking === null) await ask(wanted);
    },
  };
}

/**
 * Admits a call to a slot of this process and to one of its user over all replicas. A call that waits for its user's slot holds none of the
 * process meanwhile, so that it does not keep other users from the database.
 */
export function createReplicaAdmission(
  admission: Pick<Admission, 'enter' | 'estimateWait'>,
  shared: Pick<SharedLimits, 'acquire'>,
  { mostPerUser, mostWaiting, waitMs }: { mostPerUser: number; mostWaiting: number; waitMs: number },
): Pick<Admission, 'enter'> {
  const waiters = new Map<string, Set<() => void>>(); // by user
  let waiting = 0;

  /** Until a query of the user has ended here, or for a moment, because one may have ended elsewhere. */
  const waitForSlot = (userId: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const ofUser = waiters.get(userId) ?? new Set();
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        ofUser.delete(end);
        if (ofUser.size === 0) waiters.delete(userId);
        resolve();
      };
      const timer = setTimeout(end, RETRY_MS);
      signal.addEventListener('abort', end);
      waiters.set(userId, ofUser.add(end));
    });
  const wakeFirst = (userId: string): void => waiters.get(userId)?.values().next().value?.();

  /** Null: replicas run as many queries of this user as are allowed. */
  async function tryEnter(databaseId: string, userId: string, signal: AbortSignal): Promise<Entered | null> {
    const entered = await admission.enter(databaseId, userId, signal);
    if (!entered.ok) return entered;
    using acquired = new DisposableStack(); // returned unless both are acquired
    const slot = acquired.use(entered.value);
    const ofUser = await shared.acquire(`user ${userId}`, mostPerUser);
    if (ofUser === null) return null;
    acquired.defer(() => wakeFirst(userId));
    acquired.use(ofUser);
    const held = acquired.move();
    return succeeded({
      [Symbol.dispose]: () => held.dispose(),
      releaseUser() {
        ofUser[Symbol.dispose]();
        slot.releaseUser();
        wakeFirst(userId);
      },
    });
  }

  return {
    async enter(databaseId, userId, signal) {
      const until = performance.now() + waitMs;
      for (;;) {
        const entered = await tryEnter(databaseId, userId, signal);
        if (entered !== null) return entered;
        if (performance.now() >= until || waiting >= mostWaiting)
          return failed({ kind: 'UserBusy', retryAfterSeconds: admission.estimateWait(databaseId, waiting) });
        waiting++;
        await waitForSlot(userId, signal);
        waiting--;
        if (signal.aborted) return failed({ kind: 'QueryCancelled', cause: signal.reason, ...findCanceller(signal.reason) });
      }
    },
  };
}

const RETRY_MS = 50;
