import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPresent, modifiedAt } from '../files/file-access.ts';
import { removeStaleMark, sharedPrefix } from './shared-mark.ts';
import {
  drainIsAlive,
  folderOf,
  isFollowed,
  isSnapshotId,
  lastUse,
  readEnd,
  readManifest,
  removeFolder,
  removeRows,
  sizeOf,
  trashPrefix,
  userOf,
} from './snapshot-folder.ts';

export interface SweepRequest {
  readonly folder: string;
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
  readonly ofUsers: ReadonlyMap<string, number>;
}

export async function sweep(request: SweepRequest): Promise<Swept> {
  const kept: Kept[] = [];
  let removed = 0;
  for (const name of (await ifPresent(() => readdir(request.folder))) ?? []) {
    if (name.startsWith(trashPrefix)) await rm(join(request.folder, name), { recursive: true, force: true });
    if (name.startsWith(sharedPrefix)) await removeStaleMark(request.folder, name);
    if (!isSnapshotId(name)) continue;
    const found = await inspect(request, name);
    if (found === 'remove') {
      await removeFolder(request.folder, name);
      removed++;
    } else kept.push({ id: name, ...found });
  }

  const ofUsers = new Map<string, number>();
  for (const { userId, bytes } of kept) ofUsers.set(userId, (ofUsers.get(userId) ?? 0) + bytes);
  let bytes = kept.reduce((sum, snapshot) => sum + snapshot.bytes, 0);
  const gone = new Set<string>();
  const removeWhile = async (from: Iterable<Removable>, isTooMuch: () => boolean) => {
    for (const snapshot of from) {
      if (!isTooMuch()) return;
      if (snapshot.hasReaders) await removeRows(folderOf(request.folder, snapshot.id));
      else await removeFolder(request.folder, snapshot.id);
      gone.add(snapshot.id);
      bytes -= snapshot.bytes;
      ofUsers.set(snapshot.userId, (ofUsers.get(snapshot.userId) ?? 0) - snapshot.bytes);
      removed++;
    }
  };
  const { all, user } = request.targets;
  const isTooMuch = () => bytes > all;
  const isTooMuchOfUser = () => user !== undefined && (ofUsers.get(user.id) ?? 0) > user.bytes;
  if (isTooMuch() || isTooMuchOfUser()) {
    const removable = await inOrder(request, kept);
    const theirs = removable.filter((snapshot) => snapshot.userId === user?.id);
    await removeWhile(theirs, isTooMuchOfUser);
    const others = removable.filter((snapshot) => !gone.has(snapshot.id));
    await removeWhile(others, isTooMuch);
  }
  const ids = new Set(kept.filter((snapshot) => !gone.has(snapshot.id)).map(({ id }) => id));
  return { removed, bytes, ofUsers, ids };
}

/** The snapshots that may be removed, the least needed first. */
async function inOrder({ folder, now }: SweepRequest, kept: readonly Kept[]): Promise<readonly Removable[]> {
  const found: Removable[] = [];
  for (const snapshot of kept) {
    if (!snapshot.removable || snapshot.bytes === 0) continue;
    const manifest = await readManifest(folderOf(folder, snapshot.id));
    const isNeeded = manifest !== null && (isFollowed(manifest, snapshot.usedAt) || (manifest.keepUntil ?? 0) > now());
    found.push({ ...snapshot, isNeeded, hasReaders: manifest !== null });
  }
  return found.sort((a, b) => Number(a.isNeeded) - Number(b.isNeeded) || a.usedAt - b.usedAt);
}

interface Removable extends Kept {
  readonly isNeeded: boolean; // read after its first page, or shared
  readonly hasReaders: boolean; // its end mark stays for them
}

interface Kept {
  readonly id: string;
  readonly userId: string;
  readonly usedAt: number;
  readonly bytes: number;
  readonly removable: boolean;
}

async function inspect(request: SweepRequest, id: string): Promise<'remove' | Omit<Kept, 'id'>> {
  const folder = folderOf(request.folder, id);
  const now = request.now();
  const filling = request.isFilling(id) || ((await readEnd(folder)) === null && (await drainIsAlive(folder, now)));
  const usedAt = (await lastUse(folder)) ?? (await modifiedAt(folder.path)) ?? now;
  if (!filling) {
    const manifest = now - usedAt > orphanMs ? await readManifest(folder) : undefined;
    if (manifest === null) return 'remove';
    if (now - usedAt > request.lifetimeMs && now > (manifest?.keepUntil ?? 0)) return 'remove';
  }
  return { userId: await userOf(folder), usedAt, bytes: await sizeOf(folder), removable: !filling };
}

const orphanMs = 60_000;
