import { accountOf, isViewer } from '../../core/account-of.ts';
import { ActiveSet } from '../../core/concurrency/active-set.ts';
import type { Lease } from '../../core/concurrency/lease.ts';
import { Tally } from '../../core/concurrency/tally.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { findCanceller } from '../steps/find-canceller.ts';

export interface AdmissionLimits {
  readonly perDatabase: number;
  readonly perUser: number;
  readonly inAll: number;
  readonly queue: number;
  readonly queueMs: number;
}

/** The right to run one execution. */
export interface Slot extends Lease {
  /** No longer counts the slot as one of its user's. */
  releaseUser(): void;
}

export type Entered = Result<Slot>;

export type Admission = ReturnType<typeof createAdmission>;

/**
 * Bounds concurrent executions per database, per user and in total, with a short queue; further calls are rejected immediately. Fair: the
 * next call is one of the user with the fewest running, of those one of a user with few waiting, and a full queue drops a call of the
 * user with the most waiting. `mostOf` is how many executions of a user this process may run now, if several processes share them.
 */
export function createAdmission(limits: AdmissionLimits, mostOf: (userId: string) => number = () => limits.perUser) {
  const perDatabase = new Tally();
  const perUser = new Tally();
  const runTimes = new Map<string, RunTimes>(); // by database
  let running = 0;
  const queue = new AdmissionQueue();
  let arrivals = 0;
  let expiry: NodeJS.Timeout | undefined;
  let onWait: () => void = () => undefined;

  const runningOf = (userId: string): number => perUser.of(accountOf(userId));
  // the viewers of an application share its slots, of which the last quarter is for those with nothing running
  const keptForOthers = (userId: string): number =>
    isViewer(userId) && perUser.of(userId) > 0 ? Math.floor(limits.perUser / VIEWER_SHARE) : 0;
  const userFull = (userId: string): boolean =>
    runningOf(userId) >= Math.min(mostOf(accountOf(userId)), limits.perUser - keptForOthers(userId));
  // of many slots, the last one is for users with nothing running: one user with slow queries does not take them all
  const kept = limits.perDatabase >= KEEPS_ONE_FROM ? 1 : 0;
  const databaseFull = (databaseId: string, userId: string): boolean =>
    perDatabase.of(databaseId) >= limits.perDatabase - (runningOf(userId) > 0 ? kept : 0);
  const fits = (databaseId: string, userId: string): boolean =>
    running < limits.inAll && !databaseFull(databaseId, userId) && !userFull(userId);

  function occupy(databaseId: string, userId: string): Slot {
    running++;
    perDatabase.add(databaseId, 1);
    addOwner(perUser, userId, 1);
    const endRun = runTimesOf(databaseId).begin();
    let held = true;
    let heldByUser = true;
    const releaseUser = (): void => {
      if (heldByUser) addOwner(perUser, userId, -1);
      heldByUser = false;
    };
    return {
      [Symbol.dispose]() {
        if (!held) return;
        held = false;
        running--;
        perDatabase.add(databaseId, -1);
        endRun();
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
    const latest = queue.findLatestOfBusiestUser();
    if (latest === undefined || queue.countOf(accountOf(latest.userId)) <= queue.countOf(accountOf(userId)) + 1) return false;
    latest.settle(failed({ kind: 'UserBusy', retryAfterSeconds: estimateWait(latest.databaseId, queue.countOf(latest.userId)) }));
    return true;
  }

  function refusal(databaseId: string, userId: string): Entered {
    const kind = userFull(userId) ? 'UserBusy' : 'Overloaded';
    return failed({
      kind,
      retryAfterSeconds: estimateWait(databaseId, kind === 'UserBusy' ? queue.countOf(userId) : queue.length),
    });
  }

  /** Seconds until as many calls as wait now have run, as long as others of that database take. */
  function estimateWait(databaseId: string, waiting: number): number {
    const rounds = Math.ceil((waiting + 1) / Math.min(limits.perDatabase, limits.perUser, limits.inAll));
    return Math.min(MOST_RETRY_SECONDS, Math.max(1, Math.ceil((rounds * runTimesOf(databaseId).meanMs) / 1000)));
  }

  function runTimesOf(databaseId: string): RunTimes {
    const found = runTimes.get(databaseId) ?? new RunTimes();
    runTimes.set(databaseId, found);
    return found;
  }

  /** One timer for all: every call waits equally long, so the first to arrive is the first to expire. */
  function expireLater(): void {
    if (expiry !== undefined || queue.length === 0) return;
    const first = Math.min(...Array.from(queue.list(), ({ until }) => until));
    expiry = setTimeout(
      () => {
        expiry = undefined;
        for (const each of [...queue.list()])
          if (each.until <= performance.now()) each.settle(refusal(each.databaseId, each.userId));
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
      const leave = (): void => settle(failed({ kind: 'QueryCancelled', cause: signal.reason, ...findCanceller(signal.reason) }));
      const since = performance.now();
      const group = `${databaseId} ${userId}`;
      const waiting: WaitingCall = {
        databaseId,
        userId,
        group,
        arrival: ++arrivals,
        since,
        until: since + limits.queueMs,
        settle,
      };
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
      if (limits.queueMs === 0 || !makeRoom(userId)) return refusal(databaseId, userId);
      return wait(databaseId, userId, signal);
    },
    estimateWait,
    /** Admits waiting calls: a user may run more than before. */
    admitAll,
    countOf: (userId: string) => ({ running: runningOf(userId), waiting: queue.countOf(userId) }),
    counts: () => ({ running, waiting: queue.length }),
    /** How many waiting calls could enter if a slot of this database were released. */
    countWaiting(databaseId: string): number {
      const helps = (each: WaitingCall) =>
        each.databaseId === databaseId || (running >= limits.inAll && !databaseFull(each.databaseId, each.userId));
      return Array.from(queue.list()).filter((each) => !userFull(each.userId) && helps(each)).length;
    },
    /** Calls `listener` whenever a call starts to wait. */
    onWait(listener: () => void): void {
      onWait = listener;
    },
  };
}

const KEEPS_ONE_FROM = 8;
const VIEWER_SHARE = 4;
const MOST_RETRY_SECONDS = 60;

/** How long the runs of a database take: those that ended lately, and those that run now. */
class RunTimes {
  readonly #begun = new ActiveSet<{ readonly at: number }>();
  #endedMs = 0;

  get meanMs(): number {
    if (this.#begun.size === 0) return this.#endedMs;
    const now = performance.now();
    let sum = 0;
    for (const { at } of this.#begun.list()) sum += now - at;
    return Math.max(this.#endedMs, sum / this.#begun.size);
  }

  begin(): () => void {
    const run = { at: performance.now() };
    this.#begun.add(run);
    return () => {
      this.#begun.remove(run);
      this.#endedMs += (performance.now() - run.at - this.#endedMs) / RUNS_IN_MEAN;
    };
  }
}

const RUNS_IN_MEAN = 16;

/** Counts a viewer for itself and for its application. */
function addOwner(counts: Tally, userId: string, change: number): void {
  counts.add(accountOf(userId), change);
  if (isViewer(userId)) counts.add(userId, change);
}

interface WaitingCall {
  readonly databaseId: string;
  readonly userId: string;
  readonly group: string; // the calls that need the same slot
  readonly arrival: number; // increases with each call
  readonly since: number;
  readonly until: number;
  /** Removes the call from the queue, with a slot or with the reason why not. */
  readonly settle: (entered: Entered) => void;
}

/** Waiting calls, grouped by database and user. The calls of a group need the same slot, so only the first of each is considered. */
class AdmissionQueue {
  readonly #groups = new Map<string, WaitingCall[]>(); // none is empty
  readonly #perUser = new Tally();
  length = 0;

  countOf(userId: string): number {
    return this.#perUser.of(userId);
  }

  #countOfBoth(userId: string): number {
    return this.countOf(accountOf(userId)) + (isViewer(userId) ? this.countOf(userId) : 0);
  }

  *list(): Iterable<WaitingCall> {
    for (const group of this.#groups.values()) yield* group;
  }

  add(call: WaitingCall): void {
    const group = this.#groups.get(call.group);
    if (group === undefined) this.#groups.set(call.group, [call]);
    else group.push(call);
    this.#count(call.userId, 1);
  }

  /** Has no effect if the call is not in the queue. */
  remove(call: WaitingCall): void {
    const group = this.#groups.get(call.group) ?? [];
    const at = group.indexOf(call);
    if (at < 0) return;
    if (group.length === 1) this.#groups.delete(call.group);
    else group.splice(at, 1);
    this.#count(call.userId, -1);
  }

  /**
   * Of the calls that fit, one of the user with the fewest running. Among those each further waiting call of a user counts like an arrival
   * a second later: a single call does not wait behind a batch, and calls of a batch do not wait forever behind single ones.
   */
  next(fits: (databaseId: string, userId: string) => boolean, runningOf: (userId: string) => number): WaitingCall | undefined {
    let best: { readonly call: WaitingCall; readonly running: number; readonly due: number } | undefined;
    for (const [call] of this.#groups.values()) {
      if (call === undefined || !fits(call.databaseId, call.userId)) continue;
      const running = runningOf(call.userId);
      const due = call.since + (this.#countOfBoth(call.userId) - 1) * FURTHER_CALL_MS;
      const isNext =
        best === undefined ||
        running < best.running ||
        (running === best.running && (due < best.due || (due === best.due && call.arrival < best.call.arrival)));
      if (isNext) best = { call, running, due };
    }
    return best?.call;
  }

  /** The latest call of the user with the most waiting calls. */
  findLatestOfBusiestUser(): WaitingCall | undefined {
    let latest: WaitingCall | undefined;
    for (const call of this.list()) {
      const more = this.#countOfBoth(call.userId) - (latest === undefined ? 0 : this.#countOfBoth(latest.userId));
      if (more > 0 || (more === 0 && call.arrival > (latest?.arrival ?? 0))) latest = call;
    }
    return latest;
  }

  #count(userId: string, change: number): void {
    this.length += change;
    addOwner(this.#perUser, userId, change);
  }
}

const FURTHER_CALL_MS = 1_000;
