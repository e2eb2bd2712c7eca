import { identityOf, type Principal } from '../../access/principal.ts';
import { bindParameters } from '../../catalog/parameter.ts';
import type { Query } from '../../catalog/query.ts';
import type { TimeZone } from '../../catalog/time-zone.ts';
import type { ChartColumn, ChartRow } from '../../charts/built-chart.ts';
import { createClockReader, labelText, toNumber, toTime } from '../../charts/cell-values.ts';
import { chartSettings } from '../../charts/suggest-chart.ts';
import { type ChartData, createChartCollector, type DrawnConfig } from '../../charts/summary/chart-data.ts';
import { type BucketUnit, nextBucket } from '../../charts/summary/time-buckets.ts';
import { type Aggregate, type ChartConfig, ofRows } from '../../core/chart-config.ts';
import type { Snapshots } from '../../results/snapshot/snapshots.ts';
import { findById, type QueryStore } from '../find-query.ts';
import { nameFigure, nameResult, type NameValues } from './shared-results.ts';

/** A small chart of a query with its default values, from rows that an earlier call left. */
export interface Figure {
  readonly at: number; // when the query ran
  readonly labelColumn: string;
  readonly dataColumn: string;
  readonly aggregate: Aggregate;
  readonly unit: BucketUnit | null; // null: the labels are no times
  readonly points: readonly FigurePoint[]; // times in order, other labels from the largest value
  readonly labels: number; // there may be more than points
  readonly last: FigurePoint | null; // the last period that has ended
  readonly change: number | null; // of its value since the period before: 0.1 is 10 %
}

export interface FigurePoint {
  readonly label: string;
  readonly value: number | null;
}

/** A figure that was drawn; null: the result has none. */
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

export type ReadFigure = (principal: Principal, queryId: string) => Promise<{ query: Query; figure: Figure } | null>;

const MAX_AGE_MS = 86_400_000; // of rows that are drawn for the first time
const MAX_ROWS = 100_000;
const PAGE_ROWS = 5000;
const PAGE_BYTES = 1 << 20;
const MAX_BARS = 6;

/**
 * The figure of a query that the principal may run now. Only rows of a call with the same values count, also those that the
 * identity binds, and of this user unless the author shares results. Never runs a query.
 */
export function createReadFigure(parts: FigureParts): ReadFigure {
  const { store, snapshots, nameValues, memory, zone, now } = parts;
  return async (principal, queryId) => {
    const found = await findById(store, principal, queryId, 'ui');
    if (found === null || found.query.current.definition.epilogue !== undefined) return null;
    const declared = found.query.current.definition.parameters;
    const bound = bindParameters(declared, [], { caller: identityOf(principal), clock: { now: now(), zone } });
    if (!bound.ok) return null; // it needs input
    const source = { ...found, values: bound.value };
    const key = nameFigure(nameValues, source, principal.userId);
    const mark = await snapshots.findShared(nameResult(nameValues, source, principal.userId), MAX_AGE_MS).catch(() => null);
    const before = memory.get(key);
    if (mark === null || mark.at === before?.at) return withFigure(found.query, before);
    const data = await readRows(parts, mark.id, found.query);
    if (data === null) return withFigure(found.query, before);
    const kept = {
      at: mark.at,
      figure: 'points' in data ? { ...data, at: mark.at, ...changeOf(data, zone.clockAt(mark.at)) } : null,
    };
    memory.set(key, kept);
    return withFigure(found.query, kept);
  };
}

const withFigure = (query: Query, kept: KeptFigure | undefined) =>
  kept === undefined || kept.figure === null ? null : { query, figure: kept.figure };

type Drawn = Omit<Figure, 'at' | 'last' | 'change'>;

/** Null if the rows are gone; without points if no figure shows them. */
async function readRows(
  { snapshots, zone }: FigureParts,
  id: string,
  query: Query,
): Promise<Drawn | Record<never, never> | null> {
  let collector: ReturnType<typeof createChartCollector> | null = null;
  let config: FigureConfig | null = null;
  for (let rowIndex = 0; ;) {
    const read = await snapshots.read(id, { rowIndex, rowSize: PAGE_ROWS, maxPageBytes: PAGE_BYTES });
    if (read.kind !== 'page') return null;
    const rows: readonly ChartRow[] = JSON.parse(`[${read.page.rows.toString()}]`);
    if (collector === null) {
      const columns = read.manifest.columns.map((column) => ({ name: column.label, class: column.class, nature: column.nature }));
      config = figureConfig(chartSettings(query.current.definition.chart, columns, rows), columns);
      if (config === null) return {};
      collector = createChartCollector(columns, config, { clockOf: createClockReader(zone.clockAt), maxRows: MAX_ROWS });
    }
    if (!rows.every(collector.add)) return {};
    if (!read.page.hasMore && config !== null) return toFigure(collector.finish(), config);
    rowIndex = read.page.nextRowIndex;
  }
}

type FigureConfig = DrawnConfig & { readonly isTime: boolean };

/** One line or some bars, whatever the type of the chart. Null for charts of numbers and of lists. */
function figureConfig(config: ChartConfig | null, columns: readonly ChartColumn[]): FigureConfig | null {
  const nature = columns.find(({ name }) => name === config?.labelColumn)?.nature;
  if (config === null || nature === undefined || nature === 'id' || nature === 'number') return null;
  if (config.labelColumn === config.dataColumn) return null;
  const isTime = nature === 'time';
  const { aggregate, chartType } = config;
  return {
    ...config,
    isTime,
    chartType: isTime ? 'line' : 'bar',
    moreDataColumns: [],
    seriesColumn: null,
    aggregate: ofRows.has(chartType) ? 'average' : aggregate === 'none' ? 'sum' : aggregate,
    sortBy: isTime ? 'none' : 'value',
    timeUnit: isTime && config.timeUnit !== 'none' ? config.timeUnit : 'auto',
  };
}

function toFigure({ rows, unit, refusal }: ChartData, config: FigureConfig): Drawn | Record<never, never> {
  const { labelColumn, dataColumn, aggregate, isTime } = config;
  if (refusal !== null || rows.length === 0) return {};
  const points = rows.map((row) => ({ label: labelText(row[labelColumn]), value: toNumber(row[dataColumn]) }));
  if (points.every(({ value }) => value === null)) return {};
  return { labelColumn, dataColumn, aggregate, unit, points: isTime ? points : points.slice(0, MAX_BARS), labels: rows.length };
}

/** Compares periods that have ended: the current one has only a part of its rows. */
function changeOf({ unit, points }: Drawn, clock: number): Pick<Figure, 'last' | 'change'> {
  if (unit === null) return { last: null, change: null };
  const ended = points.filter(({ label }) => nextBucket(toTime(label) ?? clock, unit) <= clock);
  const [before, last] = ended.slice(-2);
  if (last === undefined) return { last: before ?? null, change: null };
  const comparable = before?.value != null && before.value !== 0 && last.value !== null;
  return { last, change: comparable ? (last.value - before.value) / Math.abs(before.value) : null };
}
