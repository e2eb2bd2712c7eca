import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { ChartRow } from '../../charts/built-chart.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { ReadRequest, Snapshots } from '../../results/snapshot/snapshots.ts';
import { readSnapshot } from './page.ts';

/** Reads the named columns of a stored result, row by row, until `add` needs no more. */
export type ReadAllRows = (
  snapshotId: string,
  names: readonly string[],
  add: (row: ChartRow) => boolean,
  signal: AbortSignal,
) => Promise<Result<null>>;

const MAX_ROWS = 5_000; // of a page
const PAGE_BYTES = 1 << 20; // parsing it takes a few milliseconds
const KEEP_MS = 60_000;
const MAX_KEPT_BYTES = 64 << 20;

/** Parsing a result takes longer than drawing it, so its values are kept for a minute: a person who changes a chart usually changes it again. */
export function createReadAllRows(snapshots: Snapshots, maxKeptBytes = MAX_KEPT_BYTES): ReadAllRows {
  const kept = new LRUCache<string, KeptColumns>({
    maxSize: maxKeptBytes,
    sizeCalculation: ({ bytes }) => bytes,
    ttl: KEEP_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  });
  return async (snapshotId, names, add, signal) => {
    const found = kept.get(snapshotId);
    if (found !== undefined) return readKept(found, names, add, signal);
    const columns = createColumns(maxKeptBytes);
    for (let rowIndex = 0; ;) {
      const read = await readSnapshot(snapshots, snapshotId, requestRows(rowIndex, signal));
      if (!read.ok) return read;
      const { page } = read.value;
      const rows: readonly ChartRow[] = JSON.parse(`[${page.rows.toString()}]`);
      columns.add(rows);
      if (!rows.every(add)) return succeeded(null);
      if (!page.hasMore) break;
      rowIndex = page.nextRowIndex;
    }
    const whole = columns.finish();
    if (whole !== null) kept.set(snapshotId, whole);
    return succeeded(null);
  };
}

export const requestRows = (rowIndex: number, signal: AbortSignal, rowSize = MAX_ROWS): ReadRequest => ({
  rowIndex,
  rowSize,
  maxPageBytes: PAGE_BYTES,
  signal,
});

interface KeptColumns {
  readonly values: ReadonlyMap<string, readonly unknown[]>;
  readonly rowCount: number;
  readonly bytes: number;
}

async function readKept(
  { values, rowCount }: KeptColumns,
  names: readonly string[],
  add: (row: ChartRow) => boolean,
  signal: AbortSignal,
): Promise<Result<null>> {
  const columns = names.map((name) => [name, values.get(name) ?? []] as const);
  for (let index = 0; index < rowCount; index++) {
    if (!add(Object.fromEntries(columns.map(([name, cells]) => [name, cells[index]])))) break; // a name may be __proto__
    if (index % MAX_ROWS !== 0) continue;
    await nextTurn(); // for other callers
    if (signal.aborted) return failed({ kind: 'QueryCancelled', cause: signal.reason });
  }
  return succeeded(null);
}

/** Collects the values of each column, with equal texts as one: a fraction of the memory that rows take. */
function createColumns(maxBytes: number) {
  const columns = new Map<string, unknown[]>();
  const texts = new Map<string, string>();
  let rowCount = 0;
  let bytes = 0;
  const intern = (text: string): string => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    texts.set(text, text);
    bytes += BYTES_OF_TEXT + 2 * text.length;
    return text;
  };
  return {
    add(rows: readonly ChartRow[]): void {
      if (bytes > maxBytes) return;
      for (const name of Object.keys(rows[0] ?? {})) {
        const values = columns.get(name) ?? [];
        columns.set(name, values);
        for (const row of rows) {
          const value = row[name];
          values.push(typeof value === 'string' ? intern(value) : value);
          if (typeof value === 'object' && value !== null) bytes += BYTES_OF_OBJECT * JSON.stringify(value).length;
        }
      }
      rowCount += rows.length;
      bytes += rows.length * columns.size * BYTES_OF_CELL;
      if (bytes <= maxBytes) return;
      columns.clear();
      texts.clear();
    },
    /** Null if they take too much memory. */
    finish: (): KeptColumns | null => (bytes > maxBytes ? null : { values: columns, rowCount, bytes: Math.max(1, bytes) }),
  };
}

const BYTES_OF_CELL = 8;
const BYTES_OF_TEXT = 32;
const BYTES_OF_OBJECT = 4; // for each character of its JSON
