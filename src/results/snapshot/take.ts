import { accountOf } from '../../core/account-of.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { type ClassifiedColumn, observeValues } from '../columns.ts';
import { createJsonRowEncoder } from '../encode/json-rows.ts';
import { type PageRequest, type ResultPage, type WholePageRequest, writeWholePage } from '../result-page.ts';
import type { RowStream } from '../row-stream.ts';
import { ShownRows } from '../shown-rows.ts';
import { createSnapshotId, type SnapshotOwner, type SnapshotStorage, type SnapshotWriter } from '../storage/snapshot-storage.ts';
import type { DrainScheduler } from './drain-scheduler.ts';
import { fillFirstPage, type Filling, fillRest, type FirstRows, readToTheEnd, RowCursor } from './fill.ts';
import { LiveDrain } from './live-drain.ts';
import type { PendingResult } from './pending-result.ts';
import { RowLog } from './row-log.ts';
import type { Space } from './space.ts';
import {
  queryBound,
  rethrowStorageErrors,
  rowsBound,
  SnapshotStoppedError,
  SpaceExhaustedError,
  type Stop,
  stopBy,
} from './stop.ts';

export interface TakeOptions extends WholePageRequest {
  readonly owner: SnapshotOwner;
  /** The database that the rows come from. */
  readonly source: string;
  /** Aborts the stream; a paused drain continues, because it notices only when it reads. */
  readonly signal?: AbortSignal | undefined;
  /** False: the rest is read at once, with or without demand. */
  readonly mayPause?: boolean;
  /** Set if readers may wait for the result before it has a page. */
  readonly pending?: PendingResult | undefined;
  /** For queries with an Epilogue: their rows are valid only once it is committed. */
  readonly wholeBeforeFirstPage: boolean;
  /** Called once, when the stream is closed and nothing more will be written, before or after `take` resolves. */
  readonly onEnd?: ((outcome: TakeOutcome) => void) | undefined;
}

export type TakeOutcome = Stop & { readonly rows: number };

export type TakeResult =
  | { readonly kind: 'page'; readonly page: ResultPage; readonly snapshotId: string | null } // null: nothing is kept, because the page is the whole result
  | { readonly kind: 'incomplete'; readonly reason: string };

/** Work that ends with the process. */
export interface Stoppable {
  stop(error: Error): void;
}

/** State that the takes of one process share. */
export interface TakeContext {
  readonly storage: SnapshotStorage;
  readonly now: () => number;
  readonly maxBytesEach: number;
  readonly maxRowsEach: number;
  readonly maxCellBytes: number;
  readonly reasonOf: (error: unknown) => string;
  readonly space: Pick<Space, 'claim' | 'release'>;
  readonly scheduler: DrainScheduler;
  readonly running: Map<Stoppable, Promise<unknown>>;
  readonly isClosed: () => boolean;
}

export async function take(stream: RowStream, options: TakeOptions, context: TakeContext): Promise<TakeResult> {
  const isWhole = stream.whole !== undefined && !options.pending?.isAnnounced;
  const page = isWhole ? writeWholePage(stream.whole, options, context) : null;
  if (page !== null) {
    void options.pending?.settle();
    options.onEnd?.({ ...whole, rows: page.rowCount });
    return { kind: 'page', page, snapshotId: null };
  }
  const taking = begin(stream, options, context);
  const { cursor, log } = taking;
  const finished = Promise.withResolvers<void>();
  context.running.set(cursor, finished.promise);
  if (context.isClosed()) cursor.stop(new SnapshotStoppedError());
  const end = (outcome: TakeOutcome) => {
    context.running.delete(cursor);
    finished.resolve();
    options.onEnd?.(outcome);
  };
  const abandon = async (stop: Stop) => {
    await Promise.all([cursor.close(), taking.discard()]);
    end({ ...stop, rows: log.rowCount });
  };

  try {
    const observer = observeValues(options.columns);
    const shown = options.view === undefined ? null : new ShownRows(options.columns, options.view, options.maxPageBytes);
    const first = await fillFirstPage(taking, options, shown, observer, taking.stopBy);
    const isAnnounced = (await options.pending?.settle()) ?? false;
    const isKept = isAnnounced || keepsRest(first, options);
    const columns = isKept || options.classified ? options.classify(observer.seen()) : [];
    const page = { ...pageOf(first, log, options, columns), ...(shown && { shown: shown.end() }) };
    const keeping = isKept ? (options.wholeBeforeFirstPage ? taking.open() : taking.keep(columns)) : null;
    const isOptional = first.stop?.state === 'complete' && !isAnnounced; // a result that fits the page need not be kept
    const writer = await (isOptional ? keeping?.catch(() => null) : keeping);
    if (!writer) {
      const stop = first.stop ?? whole;
      await abandon(stop);
      return toResult(page, stop, null);
    }
    const drained = drain(taking, writer, first, columns, options);
    if (!options.wholeBeforeFirstPage) {
      drained.then((stop) => end({ ...stop, rows: log.storedRows }));
      return toResult(page, first.stop, writer.id);
    }
    const stop = await drained;
    if (stop.state === 'failed') throw stop.error;
    if (first.rowCount === 0 && stop.state === 'bounded') await taking.discard();
    end({ ...stop, rows: log.storedRows });
    return toResult(page, stop, writer.id);
  } catch (error) {
    await abandon(taking.stopBy(error));
    throw error;
  }
}

const whole: Stop = { state: 'complete' };

/** A complete result is kept only if other calls may read it; one that ended incomplete and without rows only for an Epilogue. */
function keepsRest({ stop, rowCount }: FirstRows, { keepUntil, keep, wholeBeforeFirstPage }: TakeOptions): boolean {
  if (stop?.state === 'complete') return keepUntil !== undefined || keep === true;
  return stop === null || wholeBeforeFirstPage || rowCount > 0;
}

type Taking = ReturnType<typeof begin>;

function begin(stream: RowStream, options: TakeOptions, context: TakeContext) {
  const { now, scheduler, space, maxBytesEach: maxBytes } = context;
  const userId = accountOf(options.owner.userId); // the account whose space the snapshot uses
  const maxRows = Math.min(options.maxRows ?? context.maxRowsEach, context.maxRowsEach);
  // most results fit their page, so the snapshot is created on demand
  let writer: SnapshotWriter | null = null;
  const prepare = async () => (writer ??= await (options.pending?.open() ?? context.storage.create(createSnapshotId(), userId)));
  const encoder = createJsonRowEncoder(options.columns, context.maxCellBytes);
  const claim = async (bytes: number): Promise<void> => {
    try {
      await space.claim(userId, bytes);
    } catch (error) {
      if (!(error instanceof SpaceExhaustedError)) throw error;
      const live = (writer && scheduler.get(writer.id)) ?? null;
      if (!(await scheduler.makeSpace(live, error.of === 'user' ? userId : null))) throw error;
      await claim(bytes);
    }
  };
  options.claim?.(encoder.usualBytes);
  const log = new RowLog(encoder, { maxBytes, claim, prepare });
  const rowsReason = () => (maxRows === options.maxRows ? queryBound(maxRows) : rowsBound(maxRows));
  const filling: Filling = { cursor: new RowCursor(stream), log, maxRows, rowsReason, maxBytes };
  return {
    ...filling,
    scheduler,
    now,
    stopBy: (error: unknown) => stopBy(error, context.reasonOf),
    open: prepare,
    /** Makes the snapshot readable. */
    keep: (columns: readonly ClassifiedColumn[]) =>
      rethrowStorageErrors(async () => {
        const created = await prepare();
        const { owner, keepUntil } = options;
        await created.writeManifest(
          definedFields({ format: 1 as const, id: created.id, ...owner, columns, createdAt: now(), keepUntil }),
        );
        return created;
      }),
    /** Deletes the rows and leaves an end mark. */
    async abandon() {
      if (!writer) return;
      await writer.abandon();
      space.release(userId, log.claimedBytes);
    },
    /** Removes the snapshot, unless readers wait for it and have to see how it ended. */
    discard: async () => (options.pending?.isAnnounced ? undefined : writer?.discard()),
  };
}

/** Never rejects. The database connection is released before the last rows are written. */
async function drain(
  taking: Taking,
  writer: SnapshotWriter,
  first: FirstRows,
  columns: readonly ClassifiedColumn[],
  { owner, source, signal, mayPause = true, keepUntil, wholeBeforeFirstPage }: TakeOptions,
): Promise<Stop> {
  const { cursor, log, scheduler, now } = taking;
  const stopReading = (error: Error) => cursor.stop(error);
  const live = new LiveDrain({
    source,
    userId: accountOf(owner.userId),
    isShared: keepUntil !== undefined,
    firstBytes: first.end,
    now: now(),
    stop: stopReading,
  });
  live.unbounded = wholeBeforeFirstPage || !mayPause || signal?.aborted === true;
  scheduler.add(writer.id, live);
  const onAbort = () => scheduler.finish(live);
  signal?.addEventListener('abort', onAbort);
  let stop: Stop;
  try {
    const turn = () => scheduler.takeTurn(live, log.rowCount, log.byteCount);
    stop = first.stop ?? (await fillRest(taking, { now, onFlush: () => live.wake(), turn }));
    if (wholeBeforeFirstPage && stop.state === 'bounded') await readToTheEnd(cursor);
  } catch (error) {
    stop = taking.stopBy(live.abandoned ?? error);
  }
  signal?.removeEventListener('abort', onAbort);
  const closed = cursor.close();
  const keepsRows = stop.state !== 'given-up' || stop.keepsRows;
  try {
    if (keepsRows) await log.settle();
    if (wholeBeforeFirstPage && stop.state !== 'failed') await taking.keep(columns);
  } catch (error) {
    if (stop.state !== 'failed') stop = taking.stopBy(error);
  }
  const reason = stop.state === 'bounded' || stop.state === 'failed' ? stop.reason : null;
  await (keepsRows ? writer.end({ state: stop.state, rows: log.storedRows, reason }) : taking.abandon());
  scheduler.remove(writer.id, keepsRows ? log.byteCount : 0);
  live.wake();
  await closed;
  return stop;
}

function pageOf(first: FirstRows, log: RowLog, { rowIndex }: PageRequest, columns: readonly ClassifiedColumn[]): ResultPage {
  const { rowCount, start, end, stop } = first;
  const rows = rowCount === 0 ? Buffer.alloc(0) : log.lend(start, end - 1);
  return { rows, rowCount, rowIndex, nextRowIndex: rowIndex + rowCount, hasMore: stop?.state !== 'complete', columns };
}

function toResult(page: ResultPage, stop: Stop | null, snapshotId: string | null): TakeResult {
  if (stop?.state !== 'bounded' && stop?.state !== 'failed') return { kind: 'page', page, snapshotId };
  const { state, reason } = stop;
  if (page.rowCount === 0 && state === 'bounded') return { kind: 'incomplete', reason };
  return { kind: 'page', page: { ...page, incomplete: reason }, snapshotId };
}
