import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
} from './snapshot-folder.ts';

export interface SweepRequest {
  readonly folder: string;
  readonly now: () => number;
  readonly lifetimeMs: number;
  /** Past it the ones that were not used for the longest time go first. */
  readonly maxBytes: number;
  /** Filled by this process at the moment. */
  isFilling(id: string): boolean;
}

export interface Swept {
  readonly removed: number;
  readonly bytes: number; // what is left
}

export async function sweep(request: SweepRequest): Promise<Swept> {
  const kept: { id: string; usedAt: number; bytes: number; removable: boolean }[] = [];
  let removed = 0;
  for (const name of await list(request.folder)) {
    if (name.startsWith(trashPrefix)) await rm(join(request.folder, name), { recursive: true, force: true });
    if (!isSnapshotId(name)) continue;
    const found = await inspect(request, name);
    if (found === 'remove') {
      await removeFolder(request.folder, name);
      removed++;
    } else kept.push({ id: name, ...found });
  }

  let bytes = kept.reduce((sum, snapshot) => sum + snapshot.bytes, 0);
  kept.sort((a, b) => a.usedAt - b.usedAt);
  for (const snapshot of kept) {
    if (bytes <= request.maxBytes) break;
    if (!snapshot.removable) continue;
    await removeFolder(request.folder, snapshot.id);
    bytes -= snapshot.bytes;
    removed++;
  }
  return { removed, bytes };
}

async function inspect(
  request: SweepRequest,
  id: string,
): Promise<'remove' | { usedAt: number; bytes: number; removable: boolean }> {
  const folder = folderOf(request.folder, id);
  const now = request.now();
  const filling = request.isFilling(id) || ((await readEnd(folder)) === null && (await drainIsAlive(folder, now)));
  const usedAt = (await lastUse(folder)) ?? (await createdAt(folder.path)) ?? now;
  if (!filling) {
    if (now - usedAt > request.lifetimeMs) return 'remove';
    if (now - usedAt > orphanMs && (await readManifest(folder)) === null) return 'remove';
  }
  return { usedAt, bytes: await sizeOf(folder), removable: !filling };
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
