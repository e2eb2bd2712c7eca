import { Tally } from '../../core/concurrency/tally.ts';
import type { ListedSnapshot, SnapshotStorage } from '../storage/snapshot-storage.ts';
import { SpaceExhaustedError } from './stop.ts';

export type Space = ReturnType<typeof createSpace>;

/** Bounds the total size of snapshots, and that per user, while they grow. A sweep measures what other processes have written. */
export function createSpace(
  { maxBytesAll, maxBytesUser }: { maxBytesAll: number; maxBytesUser: number },
  sweepTo: (targets: SweepTargets) => Promise<Swept>,
) {
  let used: Used | null = null;
  let sweeping: Promise<unknown> = Promise.resolve();
  const setMeasured = ({ bytes, ofUsers }: Swept): Used => (used = { all: bytes, ofUsers });
  // one at a time: concurrent sweeps would remove more than needed
  const runSerially = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = sweeping.then(work, work);
    sweeping = turn.catch(() => undefined);
    return turn;
  };
  const isUserFull = (userId: string, bytes: number) => (used?.ofUsers.of(userId) ?? 0) + bytes > maxBytesUser;
  const findRoom = (userId: string, bytes: number): Used | null =>
    used !== null && used.all + bytes <= maxBytesAll && !isUserFull(userId, bytes) ? used : null;
  // frees more than requested, because otherwise every further chunk would sweep again
  const targetFor = (bytes: number, bound: number) => Math.min(bound * 0.9, bound - bytes);
  const makeRoom = async (userId: string, bytes: number) => {
    const now = used ?? setMeasured(await sweepTo({ all: maxBytesAll }));
    if (findRoom(userId, bytes) !== null) return;
    const all = now.all + bytes > maxBytesAll ? targetFor(bytes, maxBytesAll) : maxBytesAll;
    setMeasured(
      await sweepTo(isUserFull(userId, bytes) ? { all, user: { id: userId, bytes: targetFor(bytes, maxBytesUser) } } : { all }),
    );
  };
  return {
    async claim(userId: string, bytes: number): Promise<void> {
      if (findRoom(userId, bytes) === null) await runSerially(() => makeRoom(userId, bytes));
      const room = findRoom(userId, bytes);
      if (room === null) throw new SpaceExhaustedError(isUserFull(userId, bytes) ? 'user' : 'all');
      room.all += bytes;
      room.ofUsers.add(userId, bytes);
    },
    release(userId: string, bytes: number): void {
      if (used === null) return;
      used.all = Math.max(0, used.all - bytes);
      used.ofUsers.add(userId, -Math.min(bytes, used.ofUsers.of(userId)));
    },
    setMeasured,
  };
}

interface Used {
  all: number; // bytes
  readonly ofUsers: Tally;
}

export interface SweepRequest {
  readonly storage: SnapshotStorage;
  readonly now: () => number;
  readonly lifetimeMs: number;
  readonly targets: SweepTargets;
  /** Whether this process is filling it. */
  isFilling(id: string): boolean;
}

/** Above a target, snapshots without a read after their first page are removed first, then the least recently used. */
export interface SweepTargets {
  readonly all: number; // bytes
  readonly user?: { readonly id: string; readonly bytes: number };
}

/** `bytes` is the remaining size, `ofUsers` the same by user, `ids` the snapshots that still have rows. */
export interface Swept {
  readonly removed: number;
  readonly ids: ReadonlySet<string>;
  readonly bytes: number;
  readonly ofUsers: Tally;
}

export async function sweep(request: SweepRequest): Promise<Swept> {
  const { storage } = request;
  const kept: ListedSnapshot[] = [];
  let removed = 0;
  await storage.removeLeftovers();
  for (const snapshot of await storage.list()) {
    if (await isExpired(request, snapshot)) {
      await storage.remove(snapshot.id);
      removed++;
    } else kept.push(snapshot);
  }

  const ofUsers = new Tally();
  for (const { userId, bytes } of kept) ofUsers.add(userId, bytes);
  let bytes = kept.reduce((sum, snapshot) => sum + snapshot.bytes, 0);
  const gone = new Set<string>();
  const removeWhile = async (from: Iterable<Removable>, isTooMuch: () => boolean) => {
    for (const snapshot of from) {
      if (!isTooMuch()) return;
      if (snapshot.hasReaders) await storage.removeRows(snapshot.id);
      else await storage.remove(snapshot.id);
      gone.add(snapshot.id);
      bytes -= snapshot.bytes;
      ofUsers.add(snapshot.userId, -snapshot.bytes);
      removed++;
    }
  };
  const { all, user } = request.targets;
  const isTooMuch = () => bytes > all;
  const isTooMuchOfUser = () => user !== undefined && ofUsers.of(user.id) > user.bytes;
  if (isTooMuch() || isTooMuchOfUser()) {
    const removable = await sortRemovable(request, kept);
    const theirs = removable.filter((snapshot) => snapshot.userId === user?.id);
    await removeWhile(theirs, isTooMuchOfUser);
    const others = removable.filter((snapshot) => !gone.has(snapshot.id));
    await removeWhile(others, isTooMuch);
  }
  const ids = new Set(kept.filter((snapshot) => !gone.has(snapshot.id)).map(({ id }) => id));
  return { removed, bytes, ofUsers, ids };
}

/** The snapshots that may be removed, the least needed first. */
async function sortRemovable(request: SweepRequest, kept: readonly ListedSnapshot[]): Promise<readonly Removable[]> {
  const { storage, now } = request;
  const found: Removable[] = [];
  for (const snapshot of kept) {
    if (snapshot.bytes === 0 || (await isFilled(request, snapshot.id))) continue;
    const manifest = await storage.manifest(snapshot.id);
    const isNeeded = manifest !== null && ((manifest.keepUntil ?? 0) > now() || (await storage.readLastUse(manifest)).isFollowed);
    found.push({ ...snapshot, isNeeded, hasReaders: manifest !== null });
  }
  return found.sort((a, b) => Number(a.isNeeded) - Number(b.isNeeded) || a.usedAt - b.usedAt);
}

interface Removable extends ListedSnapshot {
  readonly isNeeded: boolean; // read after its first page, or shared
  readonly hasReaders: boolean; // its end mark stays for them
}

/** Whether its time is over, or it never became readable. */
async function isExpired(request: SweepRequest, { id, usedAt }: ListedSnapshot): Promise<boolean> {
  const { storage, now, lifetimeMs } = request;
  const unusedMs = now() - usedAt;
  if (unusedMs <= Math.min(orphanMs, lifetimeMs) || (await isFilled(request, id))) return false;
  const manifest = await storage.manifest(id);
  if (manifest === null) return unusedMs > orphanMs;
  return unusedMs > lifetimeMs && now() > (manifest.keepUntil ?? 0);
}

/** Whether this or another process fills it. */
const isFilled = async ({ storage, isFilling }: SweepRequest, id: string): Promise<boolean> =>
  isFilling(id) || (await storage.progress(id, false)) === 'running';

const orphanMs = 60_000;
