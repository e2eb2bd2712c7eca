import { identityOf, type Principal } from '../../access/principal.ts';
import { bindParameters } from '../../catalog/parameter.ts';
import type { Query } from '../../catalog/query.ts';
import type { TimeZone } from '../../catalog/time-zone.ts';
import type { ChartRow } from '../../charts/built-chart.ts';
import { createClockReader } from '../../charts/cell-values.ts';
import { chartSettings } from '../../charts/suggest-chart.ts';
import { createFigureCollector, type Figure, type FigureCollector } from '../../charts/summary/figure.ts';
import type { Snapshots } from '../../results/snapshot/snapshots.ts';
import { findById, type QueryStore } from '../find-query.ts';
import { nameFigure, nameResult, type NameValues } from './shared-results.ts';

/** The figure of the rows of a call at this time; null: these rows have none. */
export interface KeptFigure {
  readonly at: number;
  readonly figure: Figure | null;
}

export interface FigureMemory {
  get(key: string): KeptFigure | undefined;
  set(key: string, kept: KeptFigure): void;
}

export interface FigureParts {
  readonly store: QueryStore;
  readonly snapshots: Pick<Snapshots, 'findShared' | 'read'>;
  readonly nameValues: NameValues;
  readonly memory: FigureMemory;
  readonly zone: TimeZone;
  readonly now: () => number;
}

export interface FoundFigure {
  readonly query: Query;
  readonly at: number; // when the query ran
  readonly figure: Figure;
}

export type ReadFigure = (principal: Principal, queryId: string) => Promise<FoundFigure | null>;

const MAX_AGE_MS = 86_400_000; // of rows that are drawn for the first time
const MAX_ROWS = 100_000;
const PAGE_ROWS = 5000;
const PAGE_BYTES = 1 << 20;

/**
 * The figure of a query that the principal may run now, with its default values. It is drawn from the rows of an earlier call with the
 * same values, also those that are bound to the caller: a call of this user, unless the author shares results. Never runs a query.
 */
export function createReadFigure(parts: FigureParts): ReadFigure {
  const { store, snapshots, nameValues, memory, zone, now } = parts;
  return async (principal, queryId) => {
    const found = await findById(store, principal, queryId, 'ui');
    if (found === null || found.query.current.definition.epilogue !== undefined) return null;
    const { query } = found;
    const clock = { now: now(), zone };
    const bound = bindParameters(query.current.definition.parameters, [], { caller: identityOf(principal), clock });
    if (!bound.ok) return null; // it needs input
    const source = { ...found, values: bound.value };
    const key = nameFigure(nameValues, source, principal.userId);
    const mark = await snapshots.findShared(nameResult(nameValues, source, principal.userId), MAX_AGE_MS).catch(() => null);
    const before = memory.get(key);
    const drawn = mark === null || mark.at === before?.at ? null : await drawFigure(parts, mark, query);
    if (drawn !== null) memory.set(key, drawn);
    const { at, figure } = drawn ?? before ?? nothing;
    return figure === null ? null : { query, at, figure };
  };
}

const nothing: KeptFigure = { at: 0, figure: null };

/** Null if the rows are gone. */
async function drawFigure(
  { snapshots, zone }: FigureParts,
  { id, at }: { readonly id: string; readonly at: number },
  query: Query,
): Promise<KeptFigure | null> {
  const options = { clockOf: createClockReader(zone.clockAt), maxRows: MAX_ROWS };
  let collector: FigureCollector | null = null;
  for (let rowIndex = 0; ;) {
    const read = await snapshots.read(id, { rowIndex, rowSize: PAGE_ROWS, maxPageBytes: PAGE_BYTES });
    if (read.kind !== 'page') return null;
    const rows: readonly ChartRow[] = JSON.parse(`[${read.page.rows.toString()}]`);
    if (collector === null) {
      const columns = read.manifest.columns.map((column) => ({ ...column, name: column.label }));
      const chart = chartSettings(query.current.definition.chart, columns, rows);
      collector = chart && createFigureCollector(columns, chart, options);
    }
    if (collector === null || !rows.every(collector.add)) return { at, figure: null };
    if (!read.page.hasMore) return { at, figure: collector.finish(zone.clockAt(at)) };
    rowIndex = read.page.nextRowIndex;
  }
}
