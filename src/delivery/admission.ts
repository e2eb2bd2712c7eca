import { failed, type Result, succeeded } from '../errors.ts';

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
}

/** A place, or why there is none. */
export type Entered = Result<{ release: () => void }>;

interface Waiting {
  readonly databaseId: string;
  readonly userId: string;
  readonly admit: () => void;
  readonly refuse: () => void;
}

/**
 * Bounds what runs at once, per database, per user and in all, with a short queue; past it the answer is no, at once. Fair: of those who
 * wait, whoever has the least running is next, and a full queue takes from whoever fills it the most.
 */
export function createAdmission(limits: AdmissionLimits): Admission {
  const perDatabase = new Map<string, number>();
  const perUser = new Map<string, number>();
  let running = 0;
  const queue: Waiting[] = [];
  const waitingPerUser = new Map<string, number>();
  const waitingOf = (userId: string): number => waitingPerUser.get(userId) ?? 0;

  const userFull = (userId: string): boolean => (perUser.get(userId) ?? 0) >= limits.perUser;
  const fits = (databaseId: string, userId: string): boolean =>
    running < limits.inAll && (perDatabase.get(databaseId) ?? 0) < limits.perDatabase && !userFull(userId);

  function occupy(databaseId: string, userId: string): { release: () => void } {
    running++;
    add(perDatabase, databaseId, 1);
    add(perUser, userId, 1);
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        running--;
        add(perDatabase, databaseId, -1);
        add(perUser, userId, -1);
        admitAll();
      },
    };
  }

  // one place given back may make room for two: one that waited for its database, another for its user
  function admitAll(): void {
    for (;;) {
      const next = least(
        queue.filter((each) => fits(each.databaseId, each.userId)),
        ({ userId }) => perUser.get(userId) ?? 0,
      );
      if (next === undefined) return;
      next.admit();
    }
  }

  /** True when there is room now. Who has many waiting gives up the latest of them for somebody who has few. */
  function makeRoom(userId: string): boolean {
    if (queue.length < limits.queue) return true;
    const crowding = least(queue, (each) => -waitingOf(each.userId));
    if (crowding === undefined || waitingOf(crowding.userId) <= waitingOf(userId) + 1) return false;
    queue.findLast((each) => each.userId === crowding.userId)?.refuse();
    return true;
  }

  const refusal = (userId: string) =>
    failed(userFull(userId) ? { kind: 'UserBusy', retryAfterSeconds: 1 } : { kind: 'Overloaded', retryAfterSeconds: 1 });

  return {
    enter: (databaseId, userId, signal) => {
      if (signal.aborted) return failed({ kind: 'QueryCancelled', cause: signal.reason });
      if (fits(databaseId, userId)) return succeeded(occupy(databaseId, userId));
      if (limits.queueMs === 0 || !makeRoom(userId)) return refusal(userId);
      return new Promise((resolve) => {
        const leave = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', aborted);
          const index = queue.indexOf(waiting);
          if (index < 0) return;
          queue.splice(index, 1);
          add(waitingPerUser, userId, -1);
        };
        const aborted = (): void => {
          leave();
          resolve(failed({ kind: 'QueryCancelled', cause: signal.reason }));
        };
        const waiting: Waiting = {
          databaseId,
          userId,
          admit: () => {
            leave();
            resolve(succeeded(occupy(databaseId, userId)));
          },
          refuse: () => {
            leave();
            resolve(failed({ kind: 'UserBusy', retryAfterSeconds: 1 }));
          },
        };
        const timer = setTimeout(() => {
          leave();
          resolve(refusal(userId));
        }, limits.queueMs);
        signal.addEventListener('abort', aborted);
        queue.push(waiting);
        add(waitingPerUser, userId, 1);
      });
    },
    counts: () => ({ running, waiting: queue.length }),
  };
}

/** The first of those that weigh the least. */
function least<T>(all: readonly T[], weightOf: (each: T) => number): T | undefined {
  let best: T | undefined;
  let bestWeight = Number.POSITIVE_INFINITY;
  for (const each of all) {
    const weight = weightOf(each);
    if (weight < bestWeight) [best, bestWeight] = [each, weight];
  }
  return best;
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
