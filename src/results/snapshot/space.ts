import { SpaceExhaustedError } from './stop.ts';
import type { SweepTargets, Swept } from './sweep.ts';

/** Bounds the total size of snapshots, and that per user, while they grow. A sweep measures what other processes have written. */
export interface Space {
  claim(userId: string, bytes: number): Promise<void>;
  release(userId: string, bytes: number): void;
  setMeasured(swept: Swept): unknown;
}

export function createSpace(
  { maxBytesAll, maxBytesUser }: { maxBytesAll: number; maxBytesUser: number },
  sweepTo: (targets: SweepTargets) => Promise<Swept>,
): Space {
  let used: { all: number; ofUsers: Map<string, number> } | null = null;
  let sweeping: Promise<unknown> = Promise.resolve();
  const setMeasured = ({ bytes, ofUsers }: Swept) => {
    used = { all: bytes, ofUsers: new Map(ofUsers) };
    return used;
  };
  // one at a time: concurrent sweeps would remove more than needed
  const runSerially = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = sweeping.then(work, work);
    sweeping = turn.catch(() => undefined);
    return turn;
  };
  const roomFor = (userId: string, bytes: number) => {
    const ofUser = used?.ofUsers.get(userId) ?? 0;
    return used !== null && used.all + bytes <= maxBytesAll && ofUser + bytes <= maxBytesUser ? ofUser : null;
  };
  // frees more than requested, because otherwise every further chunk would sweep again
  const targetFor = (bytes: number, bound: number) => Math.min(bound * 0.9, bound - bytes);
  const makeRoom = async (userId: string, bytes: number) => {
    const now = used ?? setMeasured(await sweepTo({ all: maxBytesAll }));
    if (roomFor(userId, bytes) !== null) return;
    const userIsFull = (now.ofUsers.get(userId) ?? 0) + bytes > maxBytesUser;
    const all = now.all + bytes > maxBytesAll ? targetFor(bytes, maxBytesAll) : maxBytesAll;
    setMeasured(await sweepTo(userIsFull ? { all, user: { id: userId, bytes: targetFor(bytes, maxBytesUser) } } : { all }));
  };
  return {
    async claim(userId, bytes) {
      if (roomFor(userId, bytes) === null) await runSerially(() => makeRoom(userId, bytes));
      const ofUser = roomFor(userId, bytes);
      if (ofUser === null || used === null) {
        const isFull = (used?.ofUsers.get(userId) ?? 0) + bytes > maxBytesUser;
        throw new SpaceExhaustedError(isFull ? 'user' : 'all');
      }
      used.all += bytes;
      used.ofUsers.set(userId, ofUser + bytes);
    },
    release(userId, bytes) {
      if (used === null) return;
      used.all = Math.max(0, used.all - bytes);
      used.ofUsers.set(userId, Math.max(0, (used.ofUsers.get(userId) ?? 0) - bytes));
    },
    setMeasured,
  };
}
