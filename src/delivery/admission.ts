import { failed, type Result, succeeded } from '../errors.ts';
import { type Waiting, WaitingLanes } from './waiting-lanes.ts';

export interface AdmissionLimits {
  readonly perDatabase: number;
  readonly perUser: number;
  readonly inAll: number;
  readonly queue: number;
  readonly queueMs: number;
}

export interface Admission {
  /** A place to run in, once there is one; `release` gives it back (idempotent). */
  enter(databaseId: string, userId: string, signal: AbortSignal): Entered | Promise<Entered>;
  counts(): { running: number; waiting: number };
  /** How many of those who wait could enter if a place of this database were given back. */
  wanting(databaseId: string): number;
  /** Calls `listener` whenever somebody begins to wait. */
  onWait(listener: () => void): void;
}

export interface Place {
  /** Gives it back (idempotent). */
  release(): void;
  /** From here on it does not count as one of its user's. */
  leaveUser(): void;
}

/** A place, or why there is none. */
export type Entered = Result<Place>;

interface WaitingCall extends Waiting {
  /** Out of the queue and into its place, or away with the reason. */
  readonly answer: (entered: Entered) => void;
}

/**
 * Bounds concurrent executions per database, per user and in total, with a short queue; beyond it calls are refused at once. Fair: the next
 * call is one of the user with the fewest running, and a full queue drops a call of the user with the most waiting.
 */
export function createAdmission(limits: AdmissionLimits): Admission {
  const perDatabase = new Map<string, number>();
  const perUser = new Map<string, number>();
  let running = 0;
  const queue = new WaitingLanes<WaitingCall>();
  let arrivals = 0;
  let expiry: NodeJS.Timeout | undefined;
  let waitBegan: () => void = () => undefined;

  const runningOf = (userId: string): number => perUser.get(userId) ?? 0;
  const userFull = (userId: string): boolean => runningOf(userId) >= limits.perUser;
  const databaseFull = (databaseId: string): boolean => (perDatabase.get(databaseId) ?? 0) >= limits.perDatabase;
  const fits = (databaseId: string, userId: string): boolean =>
    running < limits.inAll && !databaseFull(databaseId) && !userFull(userId);

  function occupy(databaseId: string, userId: string): Place {
    running++;
    add(perDatabase, databaseId, 1);
    add(perUser, userId, 1);
    let held = true;
    let ofUser = true;
    const leaveUser = (): void => {
      if (ofUser) add(perUser, userId, -1);
      ofUser = false;
    };
    return {
      release: () => {
        if (!held) return;
        held = false;
        running--;
        add(perDatabase, databaseId, -1);
        leaveUser();
        admitAll();
      },
      leaveUser: () => {
        leaveUser();
        admitAll();
      },
    };
  }

  // one place given back may make room for two: one that waited for its database, another for its user
  function admitAll(): void {
    while (queue.length > 0 && running < limits.inAll) {
      const next = queue.next(fits, runningOf);
      if (next === undefined) return;
      next.answer(succeeded(occupy(next.databaseId, next.userId)));
    }
  }

  /** True when there is room now. Who has many waiting gives up the latest of them for somebody who has few. */
  function makeRoom(userId: string): boolean {
    if (queue.length < limits.queue) return true;
    const crowding = queue.latestOfTheCrowd();
    if (crowding === undefined || queue.of(crowding.userId) <= queue.of(userId) + 1) return false;
    crowding.answer(failed({ kind: 'UserBusy', retryAfterSeconds: 1 }));
    return true;
  }

  const refusal = (userId: string) =>
    failed(userFull(userId) ? { kind: 'UserBusy', retryAfterSeconds: 1 } : { kind: 'Overloaded', retryAfterSeconds: 1 });

  /** One clock for all: everyone waits equally long, so the first to arrive is the first to expire. */
  function expireLater(): void {
    if (expiry !== undefined || queue.length === 0) return;
    const first = Math.min(...Array.from(queue.all(), ({ until }) => until));
    expiry = setTimeout(
      () => {
        expiry = undefined;
        for (const each of [...queue.all()]) if (each.until <= performance.now()) each.answer(refusal(each.userId));
        expireLater();
      },
      first - performance.now() + 1,
    ).unref();
  }

  function wait(databaseId: string, userId: string, signal: AbortSignal): Promise<Entered> {
    return new Promise((resolve) => {
      const answer = (entered: Entered): void => {
        signal.removeEventListener('abort', leave);
        queue.remove(waiting);
        resolve(entered);
      };
      const leave = (): void => answer(failed({ kind: 'QueryCancelled', cause: signal.reason }));
      const waiting: WaitingCall = { databaseId, userId, arrival: ++arrivals, until: performance.now() + limits.queueMs, answer };
      signal.addEventListener('abort', leave);
      queue.add(waiting);
      expireLater();
      waitBegan();
    });
  }

  return {
    enter: (databaseId, userId, signal) => {
      if (signal.aborted) return failed({ kind: 'QueryCancelled', cause: signal.reason });
      if (fits(databaseId, userId)) return succeeded(occupy(databaseId, userId));
      if (limits.queueMs === 0 || !makeRoom(userId)) return refusal(userId);
      return wait(databaseId, userId, signal);
    },
    counts: () => ({ running, waiting: queue.length }),
    wanting: (databaseId) => {
      const helps = (each: WaitingCall) =>
        each.databaseId === databaseId || (running >= limits.inAll && !databaseFull(each.databaseId));
      return Array.from(queue.all()).filter((each) => !userFull(each.userId) && helps(each)).length;
    },
    onWait: (listener) => {
      waitBegan = listener;
    },
  };
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
