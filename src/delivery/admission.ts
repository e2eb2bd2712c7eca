import { failed, type Result, succeeded } from '../errors.ts';
import { cancelledBy } from './steps/cancelled-by.ts';

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
  let runningWithoutSlot = 0;
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
      const leave = (): void => settle(failed({ kind: 'QueryCancelled', cause: signal.reason, ...cancelledBy(signal.reason) }));
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
    /** Counts a call that needs no slot as running. Returns a function that ends it. */
    enterWithoutSlot(): () => void {
      runningWithoutSlot++;
      return () => {
        runningWithoutSlot--;
      };
    },
    counts: () => ({ running: running + runningWithoutSlot, waiting: queue.length }),
    /** How many waiting calls could enter if a slot of this database were released. */
    wanting(databaseId: string): number {
      const helps = (each: WaitingCall) =>
        each.databaseId === databaseId || (running >= limits.inAll && !databaseFull(each.databaseId));
      return Array.from(queue.all()).filter((each) => !userFull(each.userId) && helps(each)).length;
    },
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

interface WaitingCall {
  readonly databaseId: string;
  readonly userId: string;
  readonly arrival: number; // increases with each call
  readonly until: number;
  /** Removes the call from the queue, with a slot or with the reason why not. */
  readonly settle: (entered: Entered) => void;
}

/** Waiting calls, grouped by database and user. The calls of a group need the same slot, so only the first of each is considered. */
class AdmissionQueue {
  readonly #groups = new Map<string, WaitingCall[]>(); // none is empty
  readonly #perUser = new Map<string, number>();
  length = 0;

  countOf(userId: string): number {
    return this.#perUser.get(userId) ?? 0;
  }

  *all(): Iterable<WaitingCall> {
    for (const group of this.#groups.values()) yield* group;
  }

  add(call: WaitingCall): void {
    const group = this.#groups.get(groupOf(call));
    if (group === undefined) this.#groups.set(groupOf(call), [call]);
    else group.push(call);
    this.#count(call.userId, 1);
  }

  /** Has no effect if the call is not in the queue. */
  remove(call: WaitingCall): void {
    const group = this.#groups.get(groupOf(call)) ?? [];
    const at = group.indexOf(call);
    if (at < 0) return;
    if (group.length === 1) this.#groups.delete(groupOf(call));
    else group.splice(at, 1);
    this.#count(call.userId, -1);
  }

  /** Of the calls that fit, one of the user with the lowest weight; of those the first to arrive. */
  next(fits: (databaseId: string, userId: string) => boolean, weightOf: (userId: string) => number): WaitingCall | undefined {
    let best: WaitingCall | undefined;
    let bestWeight = Number.POSITIVE_INFINITY;
    for (const [first] of this.#groups.values()) {
      if (first === undefined || !fits(first.databaseId, first.userId)) continue;
      const weight = weightOf(first.userId);
      if (weight > bestWeight || (weight === bestWeight && first.arrival > (best?.arrival ?? 0))) continue;
      [best, bestWeight] = [first, weight];
    }
    return best;
  }

  /** The latest call of the user with the most waiting calls. */
  latestOfBusiestUser(): WaitingCall | undefined {
    let latest: WaitingCall | undefined;
    for (const call of this.all()) {
      const more = this.countOf(call.userId) - (latest === undefined ? 0 : this.countOf(latest.userId));
      if (more > 0 || (more === 0 && call.arrival > (latest?.arrival ?? 0))) latest = call;
    }
    return latest;
  }

  #count(userId: string, change: number): void {
    this.length += change;
    add(this.#perUser, userId, change);
  }
}

const groupOf = ({ databaseId, userId }: WaitingCall): string => `${databaseId} ${userId}`;
