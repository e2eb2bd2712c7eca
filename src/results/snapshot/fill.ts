import { setImmediate as breathe } from 'node:timers/promises';
import { type PageRequest, pageOverflows } from '../result-page.ts';
import type { ValueObserver } from '../values-seen.ts';
import type { RowCursor } from './row-cursor.ts';
import type { RowLog } from './row-log.ts';
import { bytesBound, rowsBound, type Stop } from './stop.ts';

/** Rows on their way from a stream into a log. */
export interface Filling {
  readonly cursor: RowCursor;
  readonly log: RowLog;
  readonly maxRows: number;
  readonly maxBytes: number;
  readonly onRows: (count: number) => void;
}

/** The first page lies in the log's memory from `start` to `end`. `stop` is null where the rest is still to come. */
export interface FirstRows {
  readonly rowCount: number;
  readonly start: number;
  readonly end: number;
  readonly stop: Stop | null;
}

/**
 * Reads until the page and one row more are there: that row tells whether to issue a continuation. Rows before the page are kept
 * too, since they belong to the snapshot. Throws what the stream throws while the page lacks rows.
 */
export async function fillFirstPage(
  filling: Filling,
  request: PageRequest,
  observer: ValueObserver,
  stopBy: (error: unknown) => Stop,
): Promise<FirstRows> {
  const { cursor, log } = filling;
  const page = { rowCount: 0, start: 0, end: 0 };
  let breathedAt = 0;
  try {
    for (;;) {
      while (cursor.ready) {
        const index = log.rowCount;
        const start = log.byteCount;
        const { batch, row } = cursor;
        const bound = admit(filling);
        if (bound) return { ...page, stop: bound };
        if (index >= request.rowIndex) {
          if (index === request.rowIndex) page.start = start;
          else if (
            index >= request.rowIndex + request.rowSize ||
            pageOverflows(page.start, log.byteCount, request.maxPageBytes)
          ) {
            return { ...page, stop: null };
          }
          observer.look(batch, row);
          page.rowCount++;
          page.end = log.byteCount;
        } else if (log.pendingBytes >= (log.hasFiles ? chunkBytes : spillBytes)) {
          await log.flush();
        }
        if (log.byteCount - breathedAt >= chunkBytes) {
          breathedAt = log.byteCount;
          await breathe();
        }
      }
      filling.onRows(log.rowCount);
      if (!(await cursor.advance())) return { ...page, stop: { state: 'complete' } };
    }
  } catch (error) {
    if (page.rowCount < request.rowSize) throw error;
    return { ...page, stop: stopBy(error) };
  }
}

export interface FillingRest {
  readonly now: () => number;
  readonly onFlush: () => void;
  /** Called after each piece. Returns null if the next one may be read at once. */
  readonly turn: () => Promise<void> | null;
}

/** Reads the rest into the files. A chunk is written before the next is encoded, so a slow disk slows the database, not the memory. */
export async function fillRest(filling: Filling, { now, onFlush, turn }: FillingRest): Promise<Stop> {
  const { cursor, log } = filling;
  let flushedAt = now();
  let turnAt = log.byteCount;
  const flush = async () => {
    await log.flush();
    flushedAt = now();
    onFlush();
  };
  const wait = async () => {
    turnAt = log.byteCount;
    const next = turn();
    if (!next) return;
    await flush(); // readers find these rows during the pause
    await next;
  };
  await flush();
  for (;;) {
    while (cursor.ready) {
      const bound = admit(filling);
      if (bound) return bound;
      if (log.pendingBytes >= chunkBytes) await flush();
      if (log.byteCount - turnAt >= pieceBytes) await wait();
    }
    filling.onRows(log.rowCount);
    if (now() - flushedAt >= flushEveryMs) await flush();
    if (!(await cursor.advance(flush))) return { state: 'complete' };
  }
}

/** Reads on without keeping anything: an Epilogue runs only after the last row. */
export async function readToTheEnd(cursor: RowCursor): Promise<void> {
  while (await cursor.advance()) await breathe();
}

/** Takes the cursor's row into the log, or says which bound keeps it out. */
function admit({ cursor, log, maxRows, maxBytes }: Filling): Stop | null {
  if (log.rowCount >= maxRows) return { state: 'bounded', reason: rowsBound(maxRows) };
  if (!log.append(cursor.batch, cursor.row)) return { state: 'bounded', reason: bytesBound(maxBytes) };
  cursor.row++;
  return null;
}

const chunkBytes = 1 << 18;
const pieceBytes = 1 << 16;
const spillBytes = 1 << 22;
const flushEveryMs = 100;
