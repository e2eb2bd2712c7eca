import { setTimeout as sleep } from 'node:timers/promises';
import { accountOf } from '../../core/account-of.ts';
import { Tally } from '../../core/concurrency/tally.ts';
import type { Admission } from './admission.ts';
import { ASK_AGAIN_MS, type HeldSlots, type SharedLimits, spareOf } from './shared-limits.ts';

type Enter = Admission['enter'];

/** The slots of users that this process holds, of those that all processes share. */
export function createUserSlots(shared: Pick<SharedLimits, 'hold'>, perUser: number) {
  const users = new Map<string, HeldSlots>();
  const heldOf = (userId: string): HeldSlots => {
    const found = users.get(userId) ?? shared.hold(`user ${userId}`);
    users.set(userId, found);
    return found;
  };
  const mostOf = (userId: string): number => Math.min(perUser, users.get(userId)?.count() ?? 0);

  return {
    mostOf,
    /** Admits calls, and holds as many slots of their users as these need. A call that waits for one holds no other. */
    share(admission: Pick<Admission, 'enter' | 'admitAll' | 'countOf'>) {
      const arriving = new Tally(); // calls by user that wait for a response about slots
      const asking = new Set<string>(); // users whose calls wait for other processes to return slots

      const lacksSlots = (userId: string): boolean => {
        const { running } = admission.countOf(userId);
        return running >= mostOf(userId) && running < perUser;
      };
      const countDemand = (userId: string): number => {
        const { running, waiting } = admission.countOf(userId);
        return running + waiting + arriving.of(userId);
      };
      async function ask(userId: string, spare = 0): Promise<void> {
        await heldOf(userId).ask(perUser, countDemand(userId) + spare, admission.countOf(userId).running);
        admission.admitAll();
      }
      async function askWhileWaiting(userId: string): Promise<void> {
        if (asking.has(userId)) return;
        asking.add(userId);
        while (admission.countOf(userId).waiting > 0) {
          await sleep(ASK_AGAIN_MS, undefined, { ref: false });
          if (lacksSlots(userId)) await ask(userId).catch(() => undefined); // the calls wait as long as for any slot
        }
        asking.delete(userId);
      }
      const enterNow: Enter = (databaseId, userId, signal) => {
        const entered = admission.enter(databaseId, userId, signal);
        const account = accountOf(userId);
        const { running, waiting } = admission.countOf(account);
        heldOf(account).use(running);
        if (waiting > 0) void askWhileWaiting(account);
        return entered;
      };
      const enterAfterAsking = async (...call: Parameters<Enter>) => {
        const userId = accountOf(call[1]);
        arriving.add(userId, 1);
        try {
          while (lacksSlots(userId) && heldOf(userId).mayGrow()) await ask(userId, spareOf(perUser));
        } finally {
          arriving.add(userId, -1);
        }
        return enterNow(...call);
      };
      const enter: Enter = (...call) => {
        const account = accountOf(call[1]);
        return lacksSlots(account) && heldOf(account).mayGrow() ? enterAfterAsking(...call) : enterNow(...call);
      };
      return {
        enter,
        /** Call it every second. */
        async renew(): Promise<void> {
          for (const [userId, held] of users) {
            await held.renew(perUser, countDemand(userId), admission.countOf(userId).running);
            admission.admitAll();
            if (held.isUnused() && countDemand(userId) === 0) users.delete(userId);
          }
        },
      };
    },
  };
}
