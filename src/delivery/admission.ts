import { failed, type Result, succeeded } from '../errors.ts';
import { AdmissionQueue, type WaitingCall } from './admission-queue.ts';

export interface AdmissionLimits {
  readonly perDatabase: number;
  readonly perUser: number;
  readonly inAll: number;
  readonly queue: number;
  readonly queueMs: number;
}

/** The right to run one execution. */
export interface Slot {
  /** Idempotent. */
  release(): void;
  /** No longer counts the slot as one of its user's. */
  releaseUser(): void;
}

export type Entered = Result<Slot>;

export type Admission = ReturnType<typeof createAdmission>;

/**
 * Bounds concurrent executions per database, per user and in total, with a short queue; further calls are rejected immediately. Fair: the
 * next call is one of the user with the fewest running, and a full queue drops a call of the user with the most waiting.
 */
export function createAdmission(limits: AdmissionLimits) {
  const perDatabase = new Map<string, number>();
  const perUser = new Map<string, number>();
  let running = 0;
  const queue = new AdmissionQueue();
  let arrivals = 0;
  let expiry: NodeJS.Timeout | undefined;
  let onWait: () => void = () => undefined;

  const runningOf = (userId: string): number => perUser.get(userId) ?? 0;
  const userFull = (userId: string): boolean => runningOf(userId) >= limits.perUser;
  const databaseFull = (databaseId: string): boolean => (perDatabase.get(databaseId) ?? 0) >= limits.perDatabase;
  const fits = (databaseId: string, userId: string): boolean =>
    running < limits.inAll && !databaseFull(databaseId) && !userFull(userId);

  function occupy(databaseId: string, userId: string): Slot {
    running++;
    add(perDatabase, databaseId, 1);
    add(perUser, userId, 1);
    let held = true;
    let heldByUser = true;
    const releaseUser = (): void => {
      if (heldByUser) add(perUser, userId, -1);
      heldByUser = false;
    };
    return {
      release: () => {
        if (!held) return;
        held = false;
        running--;
        add(perDatabase, databaseId, -1);
        releaseUser();
        admitAll();
      },
      releaseUser: () => {
        releaseUser();
        admitAll();
      },
    };
  }

  // one released slot may admit two calls: one that waited for its database, another for its user
  function admitAll(): void {
    while (queue.length > 0 && running < limits.inAll) {
      const next = queue.next(fits, runningOf);
      if (next === undefined) return;
      next.settle(succeeded(occupy(next.databaseId, next.userId)));
    }
  }

  /** Whether the queue has room now. A user with many waiting calls loses the latest of them to a user with few. */
  function makeRoom(userId: string): boolean {
    if (queue.length < limits.queue) return true;
    const latest = queue.latestOfBusiestUser();
    if (latest === undefined || queue.countOf(latest.userId) <= queue.countOf(userId) + 1) return false;
    latest.settle(failed({ kind: 'UserBusy', retryAfterSeconds: 1 }));
    return true;
  }

  const refusal = (userId: string) =>
    failed(userFull(userId) ? { kind: 'UserBusy', retryAfterSeconds: 1 } : { kind: 'Overloaded', retryAfterSeconds: 1 });

  /** One timer for all: every call waits equally long, so the first to arrive is the first to expire. */
  function expireLater(): void {
    if (expiry !== undefined || queue.length === 0) return;
    const first = Math.min(...Array.from(queue.all(), ({ until }) => until));
    expiry = setTimeout(
      () => {
        expiry = undefined;
        for (const each of [...queue.all()]) if (each.until <= performance.now()) each.settle(refusal(each.userId));
        expireLater();
      },
      first - performance.now() + 1,
    ).unref();
  }

  function wait(databaseId: string, userId: string, signal: AbortSignal): Promise<Entered> {
    return new Promise((resolve) => {
      const settle = (entered: Entered): void => {
        signal.removeEventListener('abort', leave);
        queue.remove(waiting);
        resolve(entered);
      };
      const leave = (): void => settle(failed({ kind: 'QueryCancelled', cause: signal.reason }));
      const waiting: WaitingCall = { databaseId, userId, arrival: ++arrivals, until: performance.now() + limits.queueMs, settle };
      signal.addEventListener('abort', leave);
      queue.add(waiting);
      expireLater();
      onWait();
    });
  }

  return {
    /** Resolves when a slot is free, or with the reason why none is. */
    enter(databaseId: string, userId: string, signal: AbortSignal): Entered | Promise<Entered> {
      if (signal.aborted) return failed({ kind: 'QueryCancelled', cause: signal.reason });
      if (fits(databaseId, userId)) return succeeded(occupy(databaseId, userId));
      if (limits.queueMs === 0 || !makeRoom(userId)) return refusal(userId);
      return wait(databaseId, userId, signal);
    },
    counts: () => ({ running, waiting: queue.length }),
    /** How many waiting calls could enter if a slot of this database were released. */
    wanting(databaseId: string): number {
      const helps = (each: WaitingCall) =>
        each.databaseId === databaseId || (running >= limits.inAll && !databaseFull(each.databaseId));
      return Array.from(queue.all()).filter((each) => !userFull(each.userId) && helps(each)).length;
    },
    /** How many slots of this database are free. */
    free: (databaseId: string): number =>
      Math.min(limits.perDatabase - (perDatabase.get(databaseId) ?? 0), limits.inAll - running),
    /** Calls `listener` whenever a call starts to wait. */
    onWait(listener: () => void): void {
      onWait = listener;
    },
  };
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
