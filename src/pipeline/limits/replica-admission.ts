import { setTimeout as delay } from 'node:timers/promises';
import { failed, succeeded } from '../../core/errors.ts';
import { findCanceller } from '../steps/find-canceller.ts';
import type { Admission, Entered } from './admission.ts';
import type { SharedLimits } from './shared-limits.ts';

export interface ReplicaAdmissionOptions {
  readonly mostPerUser: number;
  readonly mostWaiting: number;
  readonly waitMs: number;
}

/**
 * Admits a call to a slot of this process and to one of its user over all replicas. A call that waits for its user's slot holds none of the
 * process meanwhile, so that it does not keep other users from the database.
 */
export function createReplicaAdmission(
  admission: Pick<Admission, 'enter' | 'estimateWait'>,
  shared: Pick<SharedLimits, 'acquire'>,
  { mostPerUser, mostWaiting, waitMs }: ReplicaAdmissionOptions,
): Pick<Admission, 'enter'> {
  let waiting = 0;

  /** Null: replicas run as many queries of this user as are allowed. */
  async function tryEnter(databaseId: string, userId: string, signal: AbortSignal): Promise<Entered | null> {
    const entered = await admission.enter(databaseId, userId, signal);
    if (!entered.ok) return entered;
    using acquired = new DisposableStack(); // returned unless both are acquired
    const slot = acquired.use(entered.value);
    const ofUser = await shared.acquire(`user ${userId}`, mostPerUser);
    if (ofUser === null) return null;
    acquired.use(ofUser);
    const held = acquired.move();
    return succeeded({
      [Symbol.dispose]: () => held.dispose(),
      releaseUser() {
        ofUser[Symbol.dispose]();
        slot.releaseUser();
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
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
        waiting--;
        if (signal.aborted) return failed({ kind: 'QueryCancelled', cause: signal.reason, ...findCanceller(signal.reason) });
      }
    },
  };
}

const RETRY_MS = 50;
