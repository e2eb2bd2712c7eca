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
  enter(databaseId: string, userId: string, signal: AbortSignal): Promise<Result<{ release: () => void }>>;
  counts(): { running: number; waiting: number };
}

interface Waiting {
  readonly databaseId: string;
  readonly userId: string;
  readonly admit: () => void;
}

/** Bounds what runs at once, per database, per user and in all, with a short queue; past it the answer is no, at once. */
export function createAdmission(limits: AdmissionLimits): Admission {
  const perDatabase = new Map<string, number>();
  const perUser = new Map<string, number>();
  let running = 0;
  const queue: Waiting[] = [];

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
      const next = queue.find((each) => fits(each.databaseId, each.userId));
      if (next === undefined) return;
      next.admit();
    }
  }

  const refusal = (userId: string) =>
    failed(userFull(userId) ? { kind: 'UserBusy', retryAfterSeconds: 1 } : { kind: 'Overloaded', retryAfterSeconds: 1 });

  return {
    enter: (databaseId, userId, signal) => {
      if (signal.aborted) return Promise.resolve(failed({ kind: 'QueryCancelled', cause: signal.reason }));
      if (fits(databaseId, userId)) return Promise.resolve(succeeded(occupy(databaseId, userId)));
      if (queue.length >= limits.queue || limits.queueMs === 0) return Promise.resolve(refusal(userId));
      return new Promise((resolve) => {
        const leave = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', aborted);
          const index = queue.indexOf(waiting);
          if (index >= 0) queue.splice(index, 1);
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
        };
        const timer = setTimeout(() => {
          leave();
          resolve(refusal(userId));
        }, limits.queueMs);
        signal.addEventListener('abort', aborted);
        queue.push(waiting);
      });
    },
    counts: () => ({ running, waiting: queue.length }),
  };
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
