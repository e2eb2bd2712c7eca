import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, writeJson } from '../files/file-access.ts';
import { folderOf, isSnapshotId, readManifest } from './snapshot-folder.ts';

/** Refers to the snapshot that identical calls share: a file next to the snapshots, named by the key of the calls. */
export interface SharedMark {
  readonly id: string; // of the snapshot
  readonly at: number; // when its query began to run
}

export const sharedPrefix = 'shared-';

export async function readMark(snapshots: string, key: string): Promise<SharedMark | null> {
  const mark = await readJson<SharedMark>(pathOf(snapshots, key));
  return mark !== null && isSnapshotId(mark.id) && Number.isFinite(mark.at) ? mark : null;
}

/** An older result never replaces a newer one. */
export async function writeMark(snapshots: string, key: string, mark: SharedMark): Promise<void> {
  const known = await readMark(snapshots, key);
  if (known === null || known.at <= mark.at) await writeJson(pathOf(snapshots, key), mark);
}

/** `name` is a file in this folder; it stays if its snapshot exists. */
export async function removeStaleMark(snapshots: string, name: string): Promise<void> {
  const mark = await readMark(snapshots, name.slice(sharedPrefix.length));
  if (mark !== null && (await readManifest(folderOf(snapshots, mark.id))) !== null) return;
  await rm(join(snapshots, name), { force: true });
}

const pathOf = (snapshots: string, key: string) => join(snapshots, `${sharedPrefix}${key}`);
