import { type Aggregate, type ChartConfig, ofRows } from '../../core/chart-config.ts';
import type { ColumnFormat } from '../../core/column-format.ts';
import { definedFields } from '../../core/defined-fields.ts';
import type { ChartColumn, ChartRow } from '../built-chart.ts';
import { labelText, toNumber, toTime } from '../cell-values.ts';
import { createChartCollector, type DrawnConfig } from './chart-data.ts';
import { measureKey } from './summarize.ts';
import { type BucketUnit, nextBucket } from './time-buckets.ts';

/** A small chart: a line of times, or bars. */
export interface Figure {
  readonly labelColumn: string;
  readonly dataColumn: string;
  readonly aggregate: Aggregate;
  readonly format?: ColumnFormat; // of the values
  readonly unit: BucketUnit | null; // null: the labels are no times
  readonly points: readonly FigurePoint[]; // times in order, other labels from the largest value
  readonly labels: number; // there may be more than points
  readonly last: FigurePoint | null; // the last whole period
  readonly change: number | null; // of its value since the period before: 0.1 is 10 %
}

export interface FigurePoint {
  readonly label: string;
  readonly value: number | null;
}

export interface FigureCollector {
  /** False: no figure is drawn. */
  add(row: ChartRow): boolean;
  /** `clock`: when the rows were read. Null: no figure is drawn. */
  finish(clock: number): Figure | null;
}

const MAX_BARS = 6;

/** Collects the figure of a chart row by row. Null for a chart whose labels are numbers. */
export function createFigureCollector(
  columns: readonly ChartColumn[],
  chart: ChartConfig,
  { clockOf, maxRows }: { readonly clockOf: (label: unknown) => number | null; readonly maxRows: number },
): FigureCollector | null {
  const { labelColumn, dataColumn } = chart;
  const nature = columns.find(({ name }) => name === labelColumn)?.nature;
  if (nature === undefined || nature === 'id' || nature === 'number') return null;
  const isTime = nature === 'time';
  const config = simplify(chart, isTime);
  const measure = measureKey(dataColumn, { label: labelColumn, series: null, aggregate: config.aggregate });
  const collector = createChartCollector(columns, config, { clockOf, maxRows });
  const reach = createReach(clockOf);
  const format = config.aggregate === 'count' ? undefined : columns.find(({ name }) => name === dataColumn)?.format;
  return {
    add(row) {
      if (isTime) reach.add(row[labelColumn]);
      return collector.add(row);
    },
    finish(clock) {
      const { rows, unit, others, refusal } = collector.finish();
      const points = rows.map((row) => ({ label: labelText(row[labelColumn]), value: toNumber(row[measure]) }));
      if (refusal !== null || points.every(({ value }) => value === null)) return null;
      const labels = others === null ? points.length : points.length - 1 + others.labels;
      const figure = { labelColumn, dataColumn, aggregate: config.aggregate, ...definedFields({ format }), unit, labels };
      if (unit === null) return { ...figure, points: points.slice(0, MAX_BARS), last: null, change: null };
      const whole = selectWhole(points, unit, Math.min(clock, reach.until()));
      return { ...figure, points: whole.length === 0 ? points : whole, ...compareLast(whole) };
    },
  };
}

/** One line or some bars, whatever the type of the chart. */
const simplify = (chart: ChartConfig, isTime: boolean): DrawnConfig => ({
  ...chart,
  chartType: isTime ? 'line' : 'bar',
  moreDataColumns: [],
  seriesColumn: null,
  aggregate: ofRows.has(chart.chartType) ? 'average' : chart.aggregate === 'none' ? 'sum' : chart.aggregate,
  sortBy: isTime ? 'none' : 'value',
  timeUnit: isTime && chart.timeUnit !== 'none' ? chart.timeUnit : 'auto',
});

const TOLERANCE = 0.05; // of a period without rows at its end

/** The periods that had ended: one with a part of its rows would look like a fall. */
const selectWhole = (points: readonly FigurePoint[], unit: BucketUnit, until: number): readonly FigurePoint[] =>
  points.filter(({ label }) => {
    const start = toTime(label) ?? until;
    const end = nextBucket(start, unit);
    return end - until <= (end - start) * TOLERANCE;
  });

function compareLast(points: readonly FigurePoint[]): Pick<Figure, 'last' | 'change'> {
  const [last = null, before = null] = points.slice(-2).toReversed();
  const isComparable = last?.value != null && before?.value != null && before.value !== 0;
  return { last, change: isComparable ? (last.value - before.value) / Math.abs(before.value) : null };
}

const NEXT = 1.1; // months differ in length

/** The moment up to which rows are known: one step, as between the last two times, after the last one. */
function createReach(clockOf: (label: unknown) => number | null) {
  let [last, before] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return {
    add(label: unknown): void {
      const at = clockOf(label);
      if (at === null || at === last || at <= before) return;
      [last, before] = at > last ? [at, last] : [last, at];
    },
    until: (): number => (before === Number.NEGATIVE_INFINITY ? last : last + (last - before) * NEXT),
  };
}
