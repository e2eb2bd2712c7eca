import type { Aggregate, SortBy } from '../core/chart-config.ts';
import { cellText, writesDigits } from '../core/column-format.ts';
import type { ChartColumn, ChartRow } from './built-chart.ts';
import { labelText, toNumber, toPrintable, toTime } from './cell-values.ts';
import type { Extent, Formats, TimePrecision } from './formats.ts';

/** One row, or several rows with the same label as one. */
export interface Point {
  readonly label: string;
  readonly at: number | null; // milliseconds, if labels are times
  readonly x: number | null; // if labels are numbers
  readonly value: number | null;
}

export interface ValuedPoint extends Point {
  readonly value: number;
}

export type LabelKind = 'time' | 'number' | 'category';

/** To be counted, a value need not be a number: each counts as one. */
export function readPoints(
  label: ChartColumn,
  data: ChartColumn,
  rows: readonly ChartRow[],
  formats: Formats,
  aggregate: Aggregate = 'sum',
) {
  const labels = kindOf(label, rows);
  const times = labels === 'time' ? rows.map((row) => toTime(row[label.name])) : [];
  const precision = precisionOf(times);
  const toLabel = (value: unknown): string =>
    writesDigits(label.format) && value != null ? toPrintable(cellText(value, label.format)) : labelText(value);
  let missing = 0; // rows without a value
  let unreadable = 0; // rows whose value is not a number
  const points = rows.map((row, index): Point => {
    const cell = row[data.name];
    const isMissing = cell === null || cell === undefined;
    const value = isMissing ? null : aggregate === 'count' ? 1 : toNumber(cell);
    if (isMissing) missing++;
    else if (value === null) unreadable++;
    const at = times[index] ?? null;
    return {
      label: at === null ? toLabel(row[label.name]) : formats.moment(at, precision),
      at,
      x: labels === 'number' ? toNumber(row[label.name]) : null,
      value,
    };
  });
  return { rows: points, labels, missing, unreadable };
}

/** One point per label, in order of first occurrence, and how many rows shared one. */
export function aggregatePoints(
  points: readonly Point[],
  aggregate: Aggregate,
): { readonly points: readonly Point[]; readonly shared: number } {
  if (aggregate === 'none') return { points, shared: 0 };
  const groups = new Map<string | number, { point: Point; rows: number; values: number; value: number | null }>();
  for (const point of points) {
    const key = point.at ?? point.label;
    const group = groups.get(key);
    if (!group) {
      groups.set(key, { point, rows: 1, values: point.value === null ? 0 : 1, value: point.value });
      continue;
    }
    group.rows++;
    if (point.value === null) continue;
    group.values++;
    group.value = group.value === null ? point.value : combine[aggregate](group.value, point.value);
  }
  const all = [...groups.values()];
  const divisor = (values: number): number => (aggregate === 'average' ? Math.max(1, values) : 1);
  return {
    points: all.map(({ point, value, values }) => ({ ...point, value: value === null ? null : value / divisor(values) })),
    shared: all.reduce((rows, group) => rows + (group.rows > 1 ? group.rows : 0), 0),
  };
}

const add = (a: number, b: number): number => a + b;
const combine: Readonly<Record<Exclude<Aggregate, 'none'>, (a: number, b: number) => number>> = {
  sum: add,
  average: add,
  count: add,
  min: Math.min,
  max: Math.max,
};

/** The largest value first, or by time, number or name. */
export function sortPoints<P extends Point>(points: readonly P[], sortBy: SortBy): readonly P[] {
  if (sortBy === 'none') return points;
  if (sortBy === 'value') return points.toSorted((a, b) => (b.value ?? -Number.MAX_VALUE) - (a.value ?? -Number.MAX_VALUE));
  return points.toSorted((a, b) => (a.at ?? a.x ?? 0) - (b.at ?? b.x ?? 0) || byName.compare(a.label, b.label));
}

const byName = new Intl.Collator('en', { numeric: true });

export const pointsWithValue = (points: readonly Point[]): readonly ValuedPoint[] => points.filter(hasValue);

export const listValues = (points: readonly Point[]): readonly number[] => points.flatMap(({ value }) => value ?? []);

export const sumOf = (points: readonly ValuedPoint[]): number => points.reduce((sum, { value }) => sum + value, 0);

/** Minimum and maximum. A loop, because Math.min takes a limited number of arguments. */
export function extentOf(values: Iterable<number>): Extent {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}

/** ECharts identifies marks by name: duplicate names get a number. */
export function makeDistinct(names: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

const hasValue = (point: Point): point is ValuedPoint => point.value !== null;

function kindOf(label: ChartColumn, rows: readonly ChartRow[]): LabelKind {
  const values = rows.map((row) => row[label.name]).filter((value) => value !== null && value !== undefined);
  if (values.length === 0) return 'category';
  const mayBeTime = label.nature === 'time' || (label.nature === undefined && label.class === 'categorical');
  if (mayBeTime && values.every((value) => toTime(value) !== null)) return 'time';
  const mayBeNumber = label.class === 'numeric' && label.nature !== 'id';
  return mayBeNumber && values.every((value) => toNumber(value) !== null) ? 'number' : 'category';
}

function precisionOf(times: readonly (number | null)[]): TimePrecision {
  const allMultiplesOf = (unit: number) => times.every((at) => at === null || at % unit === 0);
  if (allMultiplesOf(86_400_000)) return 'day';
  return allMultiplesOf(60_000) ? 'minute' : 'second';
}
