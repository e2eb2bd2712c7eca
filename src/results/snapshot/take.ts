import type { ClassifiedColumn, ValuesSeen } from '../classified-column.ts';
import type { LabelledColumn } from '../column.ts';
import { createJsonRowEncoder } from '../encode/json-rows.ts';
import type { PageRequest, ResultPage } from '../result-page.ts';
import type { RowStream } from '../row-stream.ts';
import { observeValues } from '../values-seen.ts';
import { wholePage } from '../whole-page.ts';
import { type Filling, type FirstRows, fillFirstPage, fillRest, readToTheEnd } from './fill.ts';
import { LiveDrain } from './live-drain.ts';
import { RowCursor } from './row-cursor.ts';
import { RowLog } from './row-log.ts';
import {
  beat,
  createFolder,
  disownDrain,
  folderOf,
  heartbeat,
  newSnapshotId,
  removeFolder,
  type SnapshotFolder,
  type SnapshotOwner,
  writeEnd,
  writeManifest,
} from './snapshot-folder.ts';
import { SnapshotStoppedError, SnapshotStorageError, type Stop, stopBy } from './stop.ts';

export interface TakeOptions extends PageRequest {
  readonly owner: SnapshotOwner;
  readonly columns: readonly LabelledColumn[];
  readonly classify: (firstPage: readonly ValuesSeen[]) => readonly ClassifiedColumn[];
  /** The query's own bound. */
  readonly maxRows?: number | undefined;
  /** For a result that other calls may share: kept even where its first page is all of it, and at least until then. */
  readonly keepUntil?: number | undefined;
  /** For queries with an Epilogue: their rows count only once it is committed. */
  readonly wholeBeforeFirstPage: boolean;
  /** Rows read so far, about once a batch. */
  readonly onRows?: ((count: number) => void) | undefined;
  /** Once, when the stream is closed and nothing more will be written, whether or not `take` has answered by then. */
  readonly onEnd?: ((outcome: TakeOutcome) => void) | undefined;
}

export type TakeOutcome = Stop & { readonly rows: number };

export type TakeAnswer =
  | { readonly kind: 'page'; readonly page: ResultPage; readonly snapshotId: string | null } // null only where nothing is kept, since the page is all
  | { readonly kind: 'incomplete'; readonly reason: string };

/** What one process knows and shares among its takes. */
export interface TakeSurroundings {
  readonly folder: string;
  readonly now: () => number;
  readonly maxBytesEach: number;
  readonly maxRowsEach: number;
  readonly maxCellBytes: number;
  readonly reasonOf: (error: unknown) => string;
  readonly claim: (userId: string, bytes: number) => Promise<void>;
  readonly drains: Map<string, LiveDrain>;
  readonly running: Map<RowCursor, Promise<unknown>>;
  readonly isClosed: () => boolean;
}

export async function take(stream: RowStream, options: TakeOptions, surroundings: TakeSurroundings): Promise<TakeAnswer> {
  const page = wholePage(stream.whole, options, surroundings);
  if (page !== null) {
    options.onEnd?.({ ...whole, rows: page.rowCount });
    return { kind: 'page', page, snapshotId: null };
  }
  const taking = begin(stream, options, surroundings);
  const { cursor, log } = taking;
  const finished = Promise.withResolvers<void>();
  surroundings.running.set(cursor, finished.promise);
  if (surroundings.isClosed()) cursor.stop(new SnapshotStoppedError());
  const end = (outcome: TakeOutcome) => {
    surroundings.running.delete(cursor);
    finished.resolve();
    options.onEnd?.(outcome);
  };
  const giveUp = async (stop: Stop) => {
    await Promise.all([cursor.close(), taking.discard()]);
    end({ ...stop, rows: log.rowCount });
  };

  try {
    const observer = observeValues(options.columns);
    const first = await fillFirstPage(taking, options, observer, taking.stopBy);
    const columns = options.classify(observer.seen());
    const page = pageOf(first, log, options, columns);
    const folder = await keepRest(taking, first, options, columns);
    if (folder === null) {
      const stop = first.stop ?? whole;
      await giveUp(stop);
      return answer(page, stop, null);
    }
    const drained = drain(taking, folder, first.stop, options.wholeBeforeFirstPage);
    if (!options.wholeBeforeFirstPage) {
      drained.then((stop) => end({ ...stop, rows: log.flushedRows }));
      return answer(page, first.stop, folder.id);
    }
    const stop = await drained;
    if (stop.state === 'failed') throw stop.error;
    if (first.rowCount === 0 && stop.state === 'bounded') await taking.discard();
    end({ ...stop, rows: log.flushedRows });
    return answer(page, stop, folder.id);
  } catch (error) {
    await giveUp(taking.stopBy(error));
    throw error;
  }
}

const whole: Stop = { state: 'complete' };

/** Null where nothing is to be kept, and where a result that is all told already cannot be. */
async function keepRest(
  taking: Taking,
  { stop, rowCount }: FirstRows,
  { keepUntil, wholeBeforeFirstPage }: TakeOptions,
  columns: readonly ClassifiedColumn[],
): Promise<SnapshotFolder | null> {
  if (stop?.state === 'complete') return keepUntil === undefined ? null : taking.keep(columns).catch(() => null);
  return stop && !wholeBeforeFirstPage && rowCount === 0 ? null : taking.keep(columns);
}

interface Taking extends Filling {
  readonly drains: Map<string, LiveDrain>;
  now(): number;
  stopBy(error: unknown): Stop;
  /** Makes the snapshot readable. */
  keep(columns: readonly ClassifiedColumn[]): Promise<SnapshotFolder>;
  discard(): Promise<void>;
  stopHeartbeat(): void;
}

function begin(stream: RowStream, options: TakeOptions, surroundings: TakeSurroundings): Taking {
  const { now, drains, maxBytesEach: maxBytes } = surroundings;
  // Most results fit their page: nothing is made for them that only files need.
  let kept: { readonly folder: SnapshotFolder; readonly heart: NodeJS.Timeout } | null = null;
  const prepare = async () => {
    if (kept) return kept.folder;
    const folder = folderOf(surroundings.folder, newSnapshotId());
    const heart = setInterval(() => beat(folder, now()).catch(() => undefined), heartbeat.everyMs);
    heart.unref();
    kept = { folder, heart };
    await createFolder(folder, options.owner.userId, now());
    return folder;
  };
  const stopHeartbeat = () => clearInterval(kept?.heart);
  const encoder = createJsonRowEncoder(options.columns, surroundings.maxCellBytes);
  const claim = (bytes: number) => surroundings.claim(options.owner.userId, bytes);
  const log = new RowLog(encoder, { maxBytes, claim, prepare });
  return {
    drains,
    cursor: new RowCursor(stream),
    log,
    maxRows: Math.min(options.maxRows ?? surroundings.maxRowsEach, surroundings.maxRowsEach),
    maxBytes,
    onRows: options.onRows ?? (() => undefined),
    now,
    stopBy: (error) => stopBy(error, surroundings.reasonOf),
    stopHeartbeat,
    async keep(columns) {
      try {
        const folder = await prepare();
        const { owner, keepUntil } = options;
        const kept = keepUntil === undefined ? {} : { keepUntil };
        await writeManifest(folder, { format: 1, id: folder.id, ...owner, columns, createdAt: now(), ...kept });
        drains.set(folder.id, new LiveDrain());
        return folder;
      } catch (cause) {
        throw new SnapshotStorageError(cause);
      }
    },
    async discard() {
      stopHeartbeat();
      await log.close().catch(() => undefined);
      if (kept) await removeFolder(surroundings.folder, kept.folder.id).catch(() => undefined); // the sweeper comes by later
    },
  };
}

/** Never rejects. The database is let go before the last rows are written. */
async function drain(taking: Taking, folder: SnapshotFolder, firstStop: Stop | null, toTheEnd: boolean): Promise<Stop> {
  const { cursor, log, drains } = taking;
  const live = drains.get(folder.id);
  let stop: Stop;
  try {
    stop = firstStop ?? (await fillRest(taking, taking.now, () => live?.wake()));
    if (toTheEnd && stop.state === 'bounded') await readToTheEnd(cursor);
  } catch (error) {
    stop = taking.stopBy(error);
  }
  const closed = cursor.close();
  try {
    await log.flush();
  } catch (error) {
    if (stop.state !== 'failed') stop = taking.stopBy(error);
  }
  await log.close().catch(() => undefined);
  const reason = stop.state === 'complete' ? null : stop.reason;
  const mark = { state: stop.state, rows: log.flushedRows, reason };
  await writeEnd(folder, mark).catch(() => disownDrain(folder).catch(() => undefined));
  taking.stopHeartbeat();
  drains.delete(folder.id);
  live?.wake();
  await closed;
  return stop;
}

function pageOf(first: FirstRows, log: RowLog, { rowIndex }: PageRequest, columns: readonly ClassifiedColumn[]): ResultPage {
  const { rowCount, start, end, stop } = first;
  const rows = rowCount === 0 ? Buffer.alloc(0) : log.lend(start, end - 1);
  return { rows, rowCount, rowIndex, nextRowIndex: rowIndex + rowCount, hasMore: stop?.state !== 'complete', columns };
}

function answer(page: ResultPage, stop: Stop | null, snapshotId: string | null): TakeAnswer {
  if (page.rowCount === 0 && stop?.state === 'bounded') return { kind: 'incomplete', reason: stop.reason };
  return { kind: 'page', page, snapshotId };
}
