import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeStaleMark, sharedPrefix } from './shared-mark.ts';
import {
  drainIsAlive,
  folderOf,
  isMissing,
  isSnapshotId,
  lastUse,
  readEnd,
  readManifest,
  removeFolder,
  sizeOf,
  trashPrefix,
  userOf,
} from './snapshot-folder.ts';

export interface SweepRequest {
  readonly folder: string;
  readonly now: () => number;
  readonly lifetimeMs: number;
  readonly targets: SweepTargets;
  /** Filled by this process at the moment. */
  isFilling(id: string): boolean;
}

/** Past a target the ones that were not used for the longest time go first. */
export interface SweepTargets {
  readonly all: number; // bytes
  readonly user?: { readonly id: string; readonly bytes: number };
}

/** `bytes` is what is left, `ofUsers` whose it is. */
export interface Swept {
  readonly removed: number;
  readonly bytes: number;
  readonly ofUsers: ReadonlyMap<string, number>;
}

export async function sweep(request: SweepRequest): Promise<Swept> {
  const kept: Kept[] = [];
  let removed = 0;
  for (const name of await list(request.folder)) {
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
  const byAge = kept.filter((snapshot) => snapshot.removable).sort((a, b) => a.usedAt - b.usedAt);
  const gone = new Set<Kept>();
  const removeWhile = async (from: Iterable<Kept>, isTooMuch: () => boolean) => {
    for (const snapshot of from) {
      if (!isTooMuch()) return;
      await removeFolder(request.folder, snapshot.id);
      gone.add(snapshot);
      bytes -= snapshot.bytes;
      ofUsers.set(snapshot.userId, (ofUsers.get(snapshot.userId) ?? 0) - snapshot.bytes);
      removed++;
    }
  };
  const { all, user } = request.targets;
  if (user !== undefined) {
    const theirs = byAge.filter((snapshot) => snapshot.userId === user.id);
    await removeWhile(theirs, () => (ofUsers.get(user.id) ?? 0) > user.bytes);
  }
  const others = byAge.filter((snapshot) => !gone.has(snapshot));
  await removeWhile(others, () => bytes > all);
  return { removed, bytes, ofUsers };
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
  const usedAt = (await lastUse(folder)) ?? (await createdAt(folder.path)) ?? now;
  if (!filling) {
    const manifest = now - usedAt > orphanMs ? await readManifest(folder) : undefined;
    if (manifest === null) return 'remove';
    if (now - usedAt > request.lifetimeMs && now > (manifest?.keepUntil ?? 0)) return 'remove';
  }
  return { userId: await userOf(folder), usedAt, bytes: await sizeOf(folder), removable: !filling };
}

async function list(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function createdAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const orphanMs = 60_000;
