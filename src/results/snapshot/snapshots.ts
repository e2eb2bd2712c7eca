import { setTimeout as delay } from 'node:timers/promises';
import { endsWithin } from '../../core/concurrency/ends-within.ts';
import type { Failure } from '../../core/errors.ts';
import { defaultMaxCellBytes } from '../encode/json-rows.ts';
import type { PageRequest, ResultPage } from '../result-page.ts';
import type { RowStream } from '../row-stream.ts';
import {
  isSnapshotId,
  type Manifest,
  type SharedMark,
  type SnapshotOwner,
  type SnapshotStorage,
} from '../storage/snapshot-storage.ts';
import { type DrainBounds, drainBounds, DrainScheduler, type Load } from './drain-scheduler.ts';
import { ASKS, PendingResult } from './pending-result.ts';
import { findRows, reasonOf } from './read-page.ts';
import { createSpace, sweep, type SweepTargets, type Swept } from './space.ts';
import { SnapshotStoppedError } from './stop.ts';
import { take, type TakeResult, type TakeContext, type TakeOptions } from './take.ts';

export type Snapshots = ReturnType<typeof createSnapshots>;

export interface SnapshotsOptions {
  readonly storage: SnapshotStorage;
  readonly now: () => number;
  readonly lifetimeMs?: number; // from the last use
  readonly maxBytesEach?: number;
  readonly maxRowsEach?: number;
  readonly maxBytesAll?: number;
  readonly maxBytesUser?: number;
  readonly maxCellBytes?: number;
  /** Left out: no call ever waits for a slot. */
  readonly load?: Load;
  /** Drains per database that may hold a cursor without demand for their rows. */
  readonly maxPaused?: number;
  readonly drainBounds?: DrainBounds;
  /** How long an execution without a first page continues without a request for it. */
  readonly unaskedMs?: number;
  /** The message for users about an error of the database, without its detail. */
  readonly reasonOf?: (error: unknown) => string;
}

export interface ReadRequest extends PageRequest {
  readonly signal?: AbortSignal | undefined;
}

export type ReadResult =
  | { readonly kind: 'page'; readonly page: ResultPage; readonly manifest: Manifest }
  | { readonly kind: 'gone' | 'expired' | 'given-up' }
  | { readonly kind: 'incomplete'; readonly reason: string }
  | { readonly kind: 'failed'; readonly failure: Failure }; // before the first page

/** Results of more than one page, stored as encoded JSON rows. Several processes may share the storage. */
export function createSnapshots(options: SnapshotsOptions) {
  const { storage, now, lifetimeMs = 30 * 60_000, maxBytesAll = 10 * 2 ** 30, maxBytesUser = 4 * 2 ** 30 } = options;
  const { unaskedMs = 60_000, load = noLoad, maxPaused = 8, drainBounds: bounds = drainBounds } = options;
  let isQuiet = true;
  const quietening = setTimeout(() => (isQuiet = true), quietMs).unref();
  const markActive = () => {
    isQuiet = false;
    quietening.refresh();
  };
  const scheduler = new DrainScheduler({
    ...{ now, load, maxPaused, bounds },
    isQuiet: () => isQuiet,
    readWantedElsewhere: storage.readWanted,
  });
  const marks: Marks = new Map();
  let closed = false;
  const isFilling = (id: string) => scheduler.has(id);
  const sweepTo = (targets: SweepTargets) => sweep({ storage, now, lifetimeMs, targets, isFilling });
  const space = createSpace({ maxBytesAll, maxBytesUser }, sweepTo);
  const isOutOfTime = (usedAt: number, { keepUntil = 0 }: Manifest) => now() - usedAt > lifetimeMs && now() > keepUntil;
  const context: TakeContext = {
    storage,
    now,
    maxBytesEach: options.maxBytesEach ?? 2 ** 30,
    maxRowsEach: options.maxRowsEach ?? 5_000_000,
    maxCellBytes: options.maxCellBytes ?? defaultMaxCellBytes,
    reasonOf: options.reasonOf ?? (() => 'The query failed while its rows were being read.'),
    space,
    scheduler,
    running: new Map(),
    isClosed: () => closed,
  };

  return {
    /** Returns the first page from the live stream and drains the rest. Rejects if the page cannot be read; always closes the stream. */
    take(rows: RowStream, takeOptions: TakeOptions): Promise<TakeResult> {
      markActive();
      return take(rows, takeOptions, context);
    },
    /** Waits until the drain has reached the page; rejects only by the signal or if the storage fails. */
    async read(id: string, request: ReadRequest): Promise<ReadResult> {
      if (!isSnapshotId(id)) return { kind: 'gone' };
      markActive();
      const manifest = await awaitManifest(storage, id, request, unaskedMs / ASKS, now);
      if ('kind' in manifest) return manifest;
      const used = await storage.readLastUse(manifest);
      if (isOutOfTime(used.at, manifest)) return { kind: 'expired' };
      const found = await awaitRows(manifest, request, { storage, scheduler, now, marks });
      // if a sweeper removed it meanwhile, it must not look like a broken result
      if (found.kind === 'incomplete') {
        if (!(await storage.manifest(id))) return { kind: 'gone' };
        const progress = await storage.progress(id, scheduler.has(id));
        return typeof progress === 'object' && progress.state === 'given-up' ? { kind: 'given-up' } : found;
      }
      if (found.kind === 'given-up') return found;
      if (!used.isFollowed || now() - used.at > touchEveryMs) await storage.markUsed(manifest, now());
      const { kind: _kind, end: _end, ...page } = found;
      const { rowIndex } = request;
      const nextRowIndex = rowIndex + page.rowCount;
      return { kind: 'page', page: { ...page, rowIndex, nextRowIndex, columns: manifest.columns }, manifest };
    },
    /** A result that readers may wait for before it has a page; `stop` ends its execution. */
    begin(owner: SnapshotOwner, stop: (error: Error) => void): PendingResult {
      const onAnnounced = (pending: PendingResult) => {
        const ended = Promise.withResolvers<void>();
        context.running.set(pending, ended.promise);
        return () => {
          context.running.delete(pending);
          ended.resolve();
        };
      };
      return new PendingResult({ storage, now, owner, unaskedMs, stop, begin: onAnnounced });
    },
    manifest: async (id: string): Promise<Manifest | null> => (isSnapshotId(id) ? storage.manifest(id) : null),
    /** Shares a snapshot with identical calls, unless they have a newer one; `at` is the time when its query started. */
    async share(key: string, id: string, at: number): Promise<void> {
      const known = await storage.readSharedMark(key);
      if (known === null || known.at <= at) await storage.writeSharedMark(key, { id, at });
    },
    /** The shared snapshot if it is not older than `maxAgeMs`. Never one that is known to lack rows. */
    async findShared(key: string, maxAgeMs: number): Promise<SharedMark | null> {
      const mark = await storage.readSharedMark(key);
      const ageMs = now() - (mark?.at ?? 0);
      if (mark === null || ageMs > maxAgeMs || ageMs < 0) return null;
      const progress = await storage.progress(mark.id, scheduler.has(mark.id));
      return progress === 'running' || (progress !== 'dead' && progress.state === 'complete') ? mark : null;
    },
    /** Removes expired snapshots, leftovers, and the least needed ones above the bounds. */
    async sweep(): Promise<Swept> {
      const swept = await sweepTo({ all: maxBytesAll });
      space.setMeasured(swept);
      scheduler.keepOnly(swept.ids);
      return swept;
    },
    /** The process will end soon: from now on, no drain waits for its readers. */
    prepareToClose: (): void => scheduler.open(),
    /** Waits for drains, at most `graceMs`; those still running are then marked as incomplete. */
    async close({ graceMs }: { readonly graceMs: number }): Promise<void> {
      scheduler.open();
      await waitForDrains(context, graceMs);
      closed = true;
      for (const each of context.running.keys()) each.stop(new SnapshotStoppedError());
      await waitForDrains(context, markingMs);
    },
  };
}

/** Waits for the first page of a result that was announced without one, and reports that to the process that runs it. */
async function awaitManifest(
  storage: SnapshotStorage,
  id: string,
  { rowIndex, rowSize, signal }: ReadRequest,
  requestEveryMs: number,
  now: () => number,
): Promise<Manifest | Exclude<ReadResult, { readonly kind: 'page' }>> {
  let requestedAt = -Infinity;
  for (let pause = 20; ; pause = Math.min(pause * 1.5, 1000)) {
    const manifest = await storage.manifest(id);
    if (!manifest) return { kind: 'gone' };
    if (!manifest.isPending) return manifest;
    const progress = await storage.progress(id, false);
    if (progress !== 'running') {
      const last = await storage.manifest(id); // it may have a first page since
      if (last && !last.isPending) return last;
      if (typeof progress === 'object' && progress.failure) return { kind: 'failed', failure: progress.failure };
      const isGivenUp = typeof progress === 'object' && progress.state === 'given-up';
      return isGivenUp ? { kind: 'given-up' } : { kind: 'incomplete', reason: reasonOf(progress) };
    }
    if (now() - requestedAt >= requestEveryMs) {
      requestedAt = now();
      await storage.writeWanted(id, { rows: rowIndex + rowSize, bytes: 0 }).catch(() => undefined);
    }
    await delay(pause, undefined, { signal });
  }
}

interface Here {
  readonly storage: SnapshotStorage;
  readonly scheduler: DrainScheduler;
  readonly now: () => number;
  readonly marks: Marks;
}

async function awaitRows({ id, columns }: Manifest, request: ReadRequest, here: Here) {
  const { storage, scheduler, now } = here;
  let leave: (() => void) | undefined;
  try {
    for (let pause = 20; ; pause = Math.min(pause * 1.5, 200)) {
      request.signal?.throwIfAborted();
      const drain = scheduler.get(id);
      const changed = drain?.changed;
      const progress = await storage.progress(id, drain !== undefined);
      const found = await findRows(storage, id, request, progress, columns);
      if (found.kind === 'rows') {
        if (drain) scheduler.reportRead(drain, found.end);
        else if (progress === 'running') await markRead(id, found.end, now(), here);
        else scheduler.reportFollowed(id);
      }
      if (found.kind !== 'wait') return found;
      if (drain) {
        leave ??= scheduler.addReader(drain);
        await endsWithin(changed ?? Promise.resolve(), undefined, request.signal);
      } else {
        await storage.writeWanted(id, { rows: request.rowIndex + request.rowSize, bytes: 0 }).catch(() => undefined);
        await delay(pause, undefined, { signal: request.signal });
      }
    }
  } finally {
    leave?.();
  }
}

/** Positions of this process's readers, as last written to snapshots that other processes fill. */
type Marks = Map<string, { readonly bytes: number; readonly at: number }>;

/**
 * Reports the position to the process that fills the snapshot. Not for every page, because the drain is far ahead. If the write fails, a
 * waiting reader tries again.
 */
async function markRead(id: string, bytes: number, at: number, { storage, marks }: Here): Promise<void> {
  const before = marks.get(id);
  if (before && bytes < before.bytes + markEveryBytes && at - before.at < markEveryMs) return;
  if (marks.size >= mostMarks) marks.clear();
  marks.set(id, { bytes, at });
  await storage.writeWanted(id, { rows: 0, bytes }).catch(() => undefined);
}

const waitForDrains = ({ running }: TakeContext, ms: number): Promise<boolean> => endsWithin(Promise.all(running.values()), ms);

const noLoad: Load = {
  counts: () => ({ running: 0, waiting: 0 }),
  countWaiting: () => 0,
  onWait: () => undefined,
};

const quietMs = 50;
const touchEveryMs = 5_000;
const markEveryMs = 1_000;
const markEveryBytes = 2 ** 21;
const mostMarks = 1_000;
const markingMs = 2_000;
