import { setTimeout as delay } from 'node:timers/promises';
import { defaultMaxCellBytes } from '../encode/json-rows.ts';
import type { PageRequest, ResultPage } from '../result-page.ts';
import type { RowStream } from '../row-stream.ts';
import type { LiveDrain } from './live-drain.ts';
import { findRows, type Progress } from './read-page.ts';
import { readMark, type SharedMark, writeMark } from './shared-mark.ts';
import {
  drainIsAlive,
  folderOf,
  isMissing,
  isSnapshotId,
  lastUse,
  type Manifest,
  markUsed,
  readEnd,
  readManifest,
  type SnapshotFolder,
} from './snapshot-folder.ts';
import { createSpace } from './space.ts';
import { SnapshotStoppedError } from './stop.ts';
import { type SweepTargets, type Swept, sweep } from './sweep.ts';
import { type TakeAnswer, type TakeOptions, type TakeSurroundings, take } from './take.ts';

/** Results of more than one page, kept as files that already hold the JSON of their rows. Several processes may share the folder. */
export interface Snapshots {
  /** Answers the first page from the live stream and lets the rest drain. Rejects where the page cannot be had; closes the stream in any case. */
  take(rows: RowStream, options: TakeOptions): Promise<TakeAnswer>;
  /** Waits for a drain that has not come so far yet; rejects only by the signal or where the disk fails. */
  read(id: string, request: ReadRequest): Promise<ReadAnswer>;
  manifest(id: string): Promise<Manifest | null>;
  /** Lets identical calls find a snapshot; `at` is when its query began to run. */
  share(key: string, id: string, at: number): Promise<void>;
  /** The shared one that is no older than that. Never one that is known to lack rows. */
  shared(key: string, maxAgeMs: number): Promise<SharedMark | null>;
  /** Removes what is out of time, left over, or too much. */
  sweep(): Promise<Swept>;
  /** Gives drains a while; what then still runs is marked as incomplete. */
  close(options: { readonly graceMs: number }): Promise<void>;
}

export interface SnapshotsOptions {
  readonly folder: string;
  readonly now: () => number;
  readonly lifetimeMs?: number; // from the last use
  readonly maxBytesEach?: number;
  readonly maxRowsEach?: number;
  readonly maxBytesAll?: number;
  readonly maxBytesUser?: number;
  readonly maxCellBytes?: number;
  /** A sentence for a person about an error of the database, without its detail. */
  readonly reasonOf?: (error: unknown) => string;
}

export interface ReadRequest extends PageRequest {
  readonly signal?: AbortSignal | undefined;
}

export type ReadAnswer =
  | { readonly kind: 'page'; readonly page: ResultPage; readonly manifest: Manifest }
  | { readonly kind: 'gone' | 'expired' }
  | { readonly kind: 'incomplete'; readonly reason: string };

export function createSnapshots(options: SnapshotsOptions): Snapshots {
  const { folder, now, lifetimeMs = 30 * 60_000, maxBytesAll = 10 * 2 ** 30, maxBytesUser = 4 * 2 ** 30 } = options;
  const drains = new Map<string, LiveDrain>();
  let closed = false;
  const isFilling = (id: string) => drains.has(id);
  const sweepTo = (targets: SweepTargets) => sweep({ folder, now, lifetimeMs, targets, isFilling });
  const space = createSpace({ maxBytesAll, maxBytesUser }, sweepTo);
  const isOutOfTime = (usedAt: number, { keepUntil = 0 }: Manifest) => now() - usedAt > lifetimeMs && now() > keepUntil;
  const surroundings: TakeSurroundings = {
    folder,
    now,
    maxBytesEach: options.maxBytesEach ?? 2 ** 30,
    maxRowsEach: options.maxRowsEach ?? 5_000_000,
    maxCellBytes: options.maxCellBytes ?? defaultMaxCellBytes,
    reasonOf: options.reasonOf ?? (() => 'The query failed while its rows were being read.'),
    claim: space.claim,
    drains,
    running: new Map(),
    isClosed: () => closed,
  };

  return {
    take: (rows, takeOptions) => take(rows, takeOptions, surroundings),
    async read(id, request) {
      if (!isSnapshotId(id)) return { kind: 'gone' };
      const snapshot = folderOf(folder, id);
      const manifest = await readManifest(snapshot);
      if (!manifest) return { kind: 'gone' };
      const usedAt = (await lastUse(snapshot)) ?? manifest.createdAt;
      if (isOutOfTime(usedAt, manifest)) return { kind: 'expired' };
      const found = await awaitRows(snapshot, request, { drains, now });
      // A sweeper may have come between: its victim must not look like a broken result.
      if (found.kind === 'incomplete') return (await readManifest(snapshot)) ? found : { kind: 'gone' };
      if (now() - usedAt > touchEveryMs) await touch(snapshot, now());
      const { rows, rowCount, hasMore } = found;
      const { rowIndex } = request;
      return {
        kind: 'page',
        page: { rows, rowCount, rowIndex, nextRowIndex: rowIndex + rowCount, hasMore, columns: manifest.columns },
        manifest,
      };
    },
    manifest: async (id) => (isSnapshotId(id) ? readManifest(folderOf(folder, id)) : null),
    share: (key, id, at) => writeMark(folder, key, { id, at }),
    async shared(key, maxAgeMs) {
      const mark = await readMark(folder, key);
      const ageMs = now() - (mark?.at ?? 0);
      if (mark === null || ageMs > maxAgeMs || ageMs < 0) return null;
      const snapshot = folderOf(folder, mark.id);
      const end = await readEnd(snapshot);
      if (end !== null) return end.state === 'complete' ? mark : null;
      return drains.has(mark.id) || (await drainIsAlive(snapshot, now())) ? mark : null;
    },
    async sweep() {
      const swept = await sweepTo({ all: maxBytesAll });
      space.measured(swept);
      return swept;
    },
    async close({ graceMs }) {
      await settled(surroundings, graceMs);
      closed = true;
      for (const cursor of surroundings.running.keys()) cursor.stop(new SnapshotStoppedError());
      await settled(surroundings, markingMs);
    },
  };
}

async function awaitRows(
  folder: SnapshotFolder,
  request: ReadRequest,
  here: { drains: Map<string, LiveDrain>; now: () => number },
) {
  for (let pause = 20; ; pause = Math.min(pause * 1.5, 200)) {
    request.signal?.throwIfAborted();
    const changed = here.drains.get(folder.id)?.changed;
    const progress: Progress =
      (await readEnd(folder)) ?? (changed || (await drainIsAlive(folder, here.now())) ? 'running' : 'dead');
    const found = await findRows(folder, request, progress);
    if (found.kind !== 'wait') return found;
    if (changed) await untilAborted(changed, request.signal);
    else await delay(pause, undefined, { signal: request.signal });
  }
}

function untilAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}

async function touch(folder: SnapshotFolder, now: number): Promise<void> {
  try {
    await markUsed(folder, now);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function settled({ running }: TakeSurroundings, ms: number): Promise<void> {
  const timer = new AbortController();
  const all = Promise.all(running.values());
  await Promise.race([all, delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}

const touchEveryMs = 5_000;
const markingMs = 2_000;
