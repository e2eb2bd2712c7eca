import type { LabeledColumn } from '../../core/column.ts';
import { MOST_BYTES_TO_SHOW, type PageRequest, type ResultPage, rowsThatFit } from '../result-page.ts';
import { type Shown, ShownRows } from '../shown-rows.ts';
import { offsetBytes, type Progress, readOffset, type SnapshotStorage, type StoredRows } from '../storage/snapshot-storage.ts';
import { damagedReason, stoppedReason } from './stop.ts';

export type RowsFound =
  | ({ readonly kind: 'rows'; readonly end: number } & Pick<
      ResultPage,
      'rows' | 'rowCount' | 'hasMore' | 'incomplete' | 'totalRows' | 'shown'
    >)
  | { readonly kind: 'incomplete'; readonly reason: string }
  | { readonly kind: 'given-up' }
  | { readonly kind: 'wait' };

/** Reads once. `progress` was read before, so a drain that had ended has written all its rows. */
export async function findRows(
  storage: SnapshotStorage,
  id: string,
  request: PageRequest,
  progress: Progress,
  columns: readonly LabeledColumn[],
): Promise<RowsFound> {
  const { view, maxPageBytes } = request;
  const shownRows = view && new ShownRows(columns, view, maxPageBytes);
  const complete = typeof progress === 'object' && progress.state === 'complete' ? progress : null;
  if (complete && request.rowIndex >= complete.rows) {
    const shown = shownRows && { shown: shownRows.end() };
    return { kind: 'rows', rows: Buffer.alloc(0), rowCount: 0, hasMore: false, end: 0, ...shown };
  }

  await using stored = await storage.open(id);
  const maxRows = typeof progress === 'object' ? progress.rows : Number.MAX_SAFE_INTEGER;
  const range = stored ? await findRange(stored, request, maxRows) : noRange;
  // a view makes no row longer, and a token has at least one byte
  const mayBeFull = range.closed || (view && range.end - range.start > Math.min(maxPageBytes, view.maxTokens ?? maxPageBytes));
  if (progress === 'running' && !mayBeFull) return { kind: 'wait' };
  if (range.rowCount === 0 && typeof progress === 'object' && progress.state === 'given-up') return { kind: 'given-up' };
  if (range.rowCount === 0 || !stored) return { kind: 'incomplete', reason: reasonOf(progress) };
  const read = await (shownRows ? showRange(stored, range, request, shownRows) : readRange(stored, range, request));
  if (!read) return { kind: 'incomplete', reason: damagedReason };
  const { rows, rowCount, end, shown } = read;
  if (progress === 'running' && !range.closed && rowCount === range.rowCount) return { kind: 'wait' };
  return {
    kind: 'rows',
    rows,
    rowCount,
    hasMore: !complete || request.rowIndex + rowCount < complete.rows,
    end,
    ...(shown && { shown }),
    ...(complete ? { totalRows: complete.rows } : {}),
    ...(typeof progress === 'object' && progress.reason !== null ? { incomplete: progress.reason } : {}),
  };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly ends: readonly number[]; // of each row, also of those that do not fit
  readonly rowCount: number;
  /** No further row can be added to the page: it is full and a row follows, or the next row is too large for it. */
  readonly closed: boolean;
}

const noRange: Range = { start: 0, end: 0, ends: [], rowCount: 0, closed: false };

/** The byte range of the page, as far as it is stored. */
async function findRange(stored: StoredRows, request: PageRequest, maxRows: number): Promise<Range> {
  const { rowIndex, rowSize, view } = request;
  const maxBytes = view === undefined ? request.maxPageBytes : MOST_BYTES_TO_SHOW;
  const written = Math.min(stored.rowCount, maxRows);
  if (rowIndex >= written) return noRange;

  const from = Math.max(rowIndex - 1, 0);
  const until = Math.min(rowIndex + rowSize, written);
  const bytes = await stored.offsets(from, until);
  const start = rowIndex === 0 ? 0 : readOffset(bytes, 0);
  const ends = readEnds(bytes, rowIndex - from, start, stored.byteCount);
  const rowCount = rowsThatFit(start, ends, maxBytes);
  const closed = rowCount < ends.length || (rowCount === rowSize && written > rowIndex + rowSize);
  return { start, end: ends[rowCount - 1] ?? start, ends, rowCount, closed };
}

interface RangeRead extends Pick<Range, 'rowCount' | 'end'> {
  readonly rows: Buffer;
  readonly shown?: Shown;
}

async function readRange(stored: StoredRows, { start, end, rowCount }: Range, { claim }: PageRequest): Promise<RangeRead | null> {
  claim?.(end - start);
  const rows = await readRows(stored, start, end);
  return rows && { rows, rowCount, end };
}

/** Reads rows piece by piece until the page is full of shown ones. */
async function showRange(
  stored: StoredRows,
  { start, ends, rowCount }: Range,
  { maxPageBytes, claim }: PageRequest,
  shown: ShownRows,
): Promise<RangeRead | null> {
  const pieces: Buffer[] = [];
  let at = start; // the end of the last row that is shown
  for (let isFull = false; !isFull && shown.rowCount < rowCount;) {
    const [from, first] = [at, shown.rowCount];
    const until = first + rowsThatFit(from, ends.slice(first, rowCount), 2 * maxPageBytes);
    const pieceEnd = ends[until - 1] ?? from;
    claim?.(pieceEnd - start);
    const piece = await readRows(stored, from, pieceEnd);
    if (!piece) return null;
    pieces.push(piece, COMMA);
    while (!isFull && shown.rowCount < until) {
      const end = ends[shown.rowCount] ?? at;
      isFull = !shown.add(piece, at - from, end - from - 1);
      if (!isFull) at = end;
    }
  }
  const rows = Buffer.concat(pieces).subarray(0, at - start - 1);
  return { rows, rowCount: shown.rowCount, end: at, shown: shown.end() };
}

/** Row ends while they increase and lie within the stored bytes: after a crash of the machine, either may be incomplete. */
function readEnds(bytes: Buffer, skip: number, start: number, rowBytes: number): readonly number[] {
  const ends: number[] = [];
  let before = start;
  for (let index = skip; (index + 1) * offsetBytes <= bytes.length; index++) {
    const end = readOffset(bytes, index);
    if (end <= before || end > rowBytes) break;
    ends.push(end);
    before = end;
  }
  return ends;
}

/** Null if the bytes are damaged. */
async function readRows(stored: StoredRows, start: number, end: number): Promise<Buffer | null> {
  const bytes = await stored.rows(start, end);
  const framed = bytes[0] === openBrace && bytes.at(-2) === closeBrace && bytes.at(-1) === comma;
  // JSON has no zero bytes; a block that never reached the disk consists of them
  const whole = bytes.length === end - start && framed && !bytes.includes(0);
  return whole ? bytes.subarray(0, -1) : null;
}

/** Why rows are missing. */
export function reasonOf(progress: Progress): string {
  if (typeof progress !== 'object') return stoppedReason;
  return progress.reason ?? damagedReason;
}

const COMMA = Buffer.from(',');
const openBrace = 0x7b;
const closeBrace = 0x7d;
const comma = 0x2c;
