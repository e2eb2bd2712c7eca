import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClassifiedColumn } from '../classified-column.ts';
import { ifPresent, modifiedAt, readJson, sizeOfFile, writeJson } from '../files/file-access.ts';
import { type DrainOwner, hasEnded, thisProcess } from './drain-owner.ts';

export interface SnapshotOwner {
  readonly userId: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly queryVersion: number;
}

/** The metadata of a snapshot; written once, before the first page is returned. */
export interface Manifest extends SnapshotOwner {
  readonly format: 1;
  readonly id: string;
  readonly columns: readonly ClassifiedColumn[];
  readonly createdAt: number;
  readonly keepUntil?: number; // for shared results: kept until then, used or not
}

/** How the drain ended. Without a mark it is running, or its process died. */
export interface EndMark {
  readonly state: 'complete' | 'failed' | 'bounded' | 'given-up';
  readonly rows: number;
  readonly reason: string | null; // shown to users; null if complete or given up
}

/** The demand of a reader in another process: it waits for this row, and has read the rows up to this byte. */
export interface WantedRows {
  readonly rows: number;
  readonly bytes: number;
  readonly mark: string; // unique per write
}

/**
 * A snapshot on disk: `rows` (JSON rows, each followed by a comma), `offsets` (the end of each row, 8 bytes little-endian, written after
 * the rows), `manifest.json`, `drain.json` (the process that fills it; its mtime is the heartbeat), `end.json`, `used` (the user whose
 * space it takes; its mtime is the last use), `wanted.json` (the demand of readers in other processes).
 */
export interface SnapshotFolder {
  readonly id: string;
  readonly path: string;
  readonly rows: string;
  readonly offsets: string;
}

export const newSnapshotId = () => randomBytes(16).toString('hex');
export const isSnapshotId = (text: string) => /^[0-9a-f]{32}$/.test(text);

export function folderOf(snapshots: string, id: string): SnapshotFolder {
  const path = join(snapshots, id);
  return { id, path, rows: join(path, 'rows'), offsets: join(path, 'offsets') };
}

export async function createFolder(folder: SnapshotFolder, userId: string, now: number): Promise<void> {
  await mkdir(folder.path, { recursive: true, mode: 0o700 });
  await Promise.all([
    writeFile(join(folder.path, 'drain.json'), JSON.stringify(thisProcess()), { mode: 0o600 }),
    writeFile(join(folder.path, 'used'), userId, { mode: 0o600 }),
  ]);
  await Promise.all([beat(folder, now), markUsed(folder, now)]);
}

export const writeManifest = (folder: SnapshotFolder, manifest: Manifest) =>
  writeJson(join(folder.path, 'manifest.json'), manifest);
export const writeEnd = (folder: SnapshotFolder, end: EndMark) => writeJson(join(folder.path, 'end.json'), end);

export async function readManifest(folder: SnapshotFolder): Promise<Manifest | null> {
  const manifest = await readJson<Manifest>(join(folder.path, 'manifest.json'));
  return manifest?.format === 1 ? manifest : null;
}

export const readEnd = (folder: SnapshotFolder) => readJson<EndMark>(join(folder.path, 'end.json'));

export const writeWanted = (folder: SnapshotFolder, wanted: Omit<WantedRows, 'mark'>) =>
  writeJson(join(folder.path, 'wanted.json'), { ...wanted, mark: randomBytes(8).toString('hex') } satisfies WantedRows);
export const readWanted = (folder: SnapshotFolder) => readJson<WantedRows>(join(folder.path, 'wanted.json'));

export const beat = (folder: SnapshotFolder, now: number) => setTime(join(folder.path, 'drain.json'), now);
const lastBeat = (folder: SnapshotFolder) => modifiedAt(join(folder.path, 'drain.json'));

export const markUsed = (folder: SnapshotFolder, now: number) => setTime(join(folder.path, 'used'), now);
export const lastUse = (folder: SnapshotFolder) => modifiedAt(join(folder.path, 'used'));
/** Whether a page after the first was read: only then the last use is later than the creation. */
export const isFollowed = ({ createdAt }: Manifest, usedAt: number) => usedAt >= createdAt + 0.5; // file times are not exact
export const userOf = async (folder: SnapshotFolder) =>
  (await ifPresent(() => readFile(join(folder.path, 'used'), 'utf8'))) ?? '';

/** If not even an end mark can be written: a drain without an owner counts as dead. */
export const disownDrain = (folder: SnapshotFolder) => unlink(join(folder.path, 'drain.json'));

/** Whether another process still fills it; call it only if there is no end mark. */
export async function drainIsAlive(folder: SnapshotFolder, now: number): Promise<boolean> {
  const beatAt = await lastBeat(folder);
  if (beatAt === null || now - beatAt > heartbeat.deadAfterMs) return false;
  const owner = await readJson<DrainOwner>(join(folder.path, 'drain.json'));
  return owner !== null && !hasEnded(owner);
}

export const heartbeat = { everyMs: 2_000, deadAfterMs: 10_000 };

export const trashPrefix = 'removed-';

/** Renames the folder first, so that a reader finds the whole snapshot or none. */
export async function removeFolder(snapshots: string, id: string): Promise<void> {
  const trash = join(snapshots, `${trashPrefix}${id}-${randomBytes(4).toString('hex')}`);
  await ifPresent(() => rename(join(snapshots, id), trash));
  await rm(trash, { recursive: true, force: true });
}

/** The end mark stays until the snapshot expires, so that readers learn that the rest was given up. */
export async function removeRows(folder: SnapshotFolder): Promise<void> {
  await writeEnd(folder, { state: 'given-up', rows: 0, reason: null });
  await Promise.all([folder.rows, folder.offsets].map((path) => rm(path, { force: true })));
}

export async function sizeOf(folder: SnapshotFolder): Promise<number> {
  const [rows, offsets] = await Promise.all([sizeOfFile(folder.rows), sizeOfFile(folder.offsets)]);
  return rows + offsets;
}

const setTime = (path: string, now: number) => utimes(path, now / 1000, now / 1000);
