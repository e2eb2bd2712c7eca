import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '../../core/error-code.ts';
import type { Failure } from '../../core/errors.ts';
import type { ClassifiedColumn } from '../columns.ts';

/**
 * Stores snapshots: encoded rows, the offset at which each ends, and their metadata. Several processes may use the same storage: one
 * fills a snapshot, all read it meanwhile. Methods reject if the storage fails; a snapshot that another process has removed is null.
 */
export interface SnapshotStorage {
  /** A new snapshot that this process fills. */
  create(id: string, userId: string): Promise<SnapshotWriter>;
  manifest(id: string): Promise<Manifest | null>;
  /** `isFilledHere`: this process fills it, so it is known to be running. */
  progress(id: string, isFilledHere: boolean): Promise<Progress>;
  /** Null if no rows are stored. Read `progress` first: a drain that had ended has stored all its rows. */
  open(id: string): Promise<StoredRows | null>;
  readLastUse(manifest: Manifest): Promise<LastUse>;
  markUsed(manifest: Manifest, at: number): Promise<void>;
  /** Reports to the process that fills the snapshot what readers in other processes ask for. */
  writeWanted(id: string, wanted: Omit<WantedRows, 'mark'>): Promise<void>;
  readWanted(id: string): Promise<WantedRows | null>;
  /** All snapshots, also those without a manifest. It may be some seconds old. */
  list(): Promise<readonly ListedSnapshot[]>;
  /** A reader finds the whole snapshot or none. */
  remove(id: string): Promise<void>;
  /** Removes the rows, and leaves the end mark `given-up` for readers until the snapshot expires. */
  removeRows(id: string): Promise<void>;
  /** The snapshot that identical calls share. */
  readSharedMark(key: string): Promise<SharedMark | null>;
  writeSharedMark(key: string, mark: SharedMark): Promise<void>;
  /** Removes what interrupted removals have left, and marks whose snapshot is gone. */
  removeLeftovers(): Promise<void>;
}

/** Fills one snapshot. A heartbeat shows other processes that this one is alive until `end`, `abandon` or `discard`. */
export interface SnapshotWriter {
  readonly id: string;
  /** The number of rows that other processes can read. */
  readonly storedRows: number;
  /** Makes the snapshot readable. */
  writeManifest(manifest: Manifest): Promise<void>;
  /** Copies or stores both. After a failure it may be repeated. Waits while too many bytes are not stored yet. */
  append(rows: Buffer, offsets: Buffer): Promise<void>;
  /** Resolves when everything that was appended is stored. */
  settle(): Promise<void>;
  /** Never rejects: without an end mark the snapshot counts as incomplete once this process no longer fills it. */
  end(mark: EndMark): Promise<void>;
  /** Removes the rows and leaves an end mark; never rejects. */
  abandon(): Promise<void>;
  /** Removes everything; never rejects. */
  discard(): Promise<void>;
}

/** The stored rows at one moment. */
export interface StoredRows extends AsyncDisposable {
  readonly rowCount: number;
  readonly byteCount: number; // may be less than the offsets say, after a crash of the machine
  /** The ends of the rows from `from` up to but excluding `until`, `offsetBytes` each; fewer if they are missing. */
  offsets(from: number, until: number): Promise<Buffer>;
  /** JSON rows, each followed by a comma; fewer bytes if they are missing. */
  rows(start: number, end: number): Promise<Buffer>;
}

export interface SnapshotOwner {
  readonly userId: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly queryVersion: number;
}

/** The metadata of a snapshot; written before the first page is returned, and before that for readers who wait for it. */
export interface Manifest extends SnapshotOwner {
  readonly format: 1;
  readonly id: string;
  readonly columns: readonly ClassifiedColumn[];
  readonly createdAt: number;
  readonly keepUntil?: number; // for shared results: kept until then, used or not
  readonly isPending?: boolean; // no rows may be read yet, and the columns are not known
}

/** How the drain ended. */
export interface EndMark {
  readonly state: 'complete' | 'failed' | 'bounded' | 'given-up';
  readonly rows: number;
  readonly reason: string | null; // shown to users; null if complete or given up
  readonly failure?: Failure; // of an execution without a first page; without its cause
}

/** The state of the drain: its end mark, running, or dead without an end mark. */
export type Progress = EndMark | 'running' | 'dead';

export interface LastUse {
  readonly at: number;
  readonly isFollowed: boolean; // a page after the first was read
}

/** The demand of a reader in another process: it waits for this row, and has read the rows up to this byte. */
export interface WantedRows {
  readonly rows: number;
  readonly bytes: number;
  readonly mark: string; // unique per write
}

export interface ListedSnapshot {
  readonly id: string;
  readonly userId: string;
  readonly usedAt: number;
  readonly bytes: number;
}

export interface SharedMark {
  readonly id: string; // of the snapshot
  readonly at: number; // when its query began to run
}

export const createSnapshotId = () => randomUUID().replaceAll('-', ''); // randomBytes would take 3 % of a call over MCP: unlike randomUUID, it keeps no random bytes for the next id
export const isSnapshotId = (text: string) => /^[0-9a-f]{32}$/.test(text);

export const isManifest = (manifest: Manifest | null): manifest is Manifest => manifest?.format === 1;
export const isSharedMark = (mark: SharedMark | null): mark is SharedMark =>
  mark !== null && isSnapshotId(mark.id) && Number.isFinite(mark.at);
export const abandonedMark: EndMark = { state: 'given-up', rows: 0, reason: null };

export const offsetBytes = 8; // little-endian

export function readOffset(bytes: Buffer, index: number): number {
  return bytes.readUInt32LE(index * offsetBytes) + bytes.readUInt32LE(index * offsetBytes + 4) * 2 ** 32;
}

export function offsetsOf(ends: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(ends.length * offsetBytes);
  let at = 0;
  for (const end of ends) {
    at = bytes.writeUInt32LE(end % 2 ** 32, at);
    at = bytes.writeUInt32LE(Math.floor(end / 2 ** 32), at);
  }
  return bytes;
}

/** The process that fills a snapshot; other processes stop waiting once it has ended. */
export interface DrainOwner {
  readonly machine: string;
  readonly pid: number;
  readonly process: string;
}

export function thisProcess(): DrainOwner {
  return { machine: machine(), pid: process.pid, process: processName };
}

/** True only if it is certain; for a process on another machine, only its heartbeat is known. */
export function hasEnded(owner: DrainOwner): boolean {
  if (owner.machine !== machine()) return false;
  // after a restart in a container, the new process often has the same pid
  if (owner.pid === process.pid) return owner.process !== processName;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

const processName = randomUUID();

let known: string | undefined;

/** Pids are unique only within one boot and one process namespace. */
function machine(): string {
  known ??= [
    hostname(),
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    attempt(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
  return known;
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
