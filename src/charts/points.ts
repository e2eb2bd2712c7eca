import type { SortBy } from '../core/chart-config.ts';
import { cellText, writesDigits } from '../core/column-format.ts';
import type { ChartColumn, ChartRow } from './built-chart.ts';
import { labelText, toNumber, toPrintable, toTime } from './cell-values.ts';
import type { Extent, Formats, TimePrecision } from './formats.ts';
import type { BucketUnit } from './summary/time-buckets.ts';

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

/** `unit`: that of labels which are buckets of time. */
export function readPoints(
  label: ChartColumn,
  value: string, // key of the values
  rows: readonly ChartRow[],
  formats: Formats,
  unit: BucketUnit | null = null,
): { readonly points: readonly Point[]; readonly labels: LabelKind } {
  const labels = kindOf(label, rows);
  const times = labels === 'time' ? rows.map((row) => toTime(row[label.name])) : [];
  const precision = unit ?? precisionOf(times);
  const toLabel = (value: unknown): string =>
    writesDigits(label.format) && value != null ? toPrintable(cellText(value, label.format)) : labelText(value);
  const points = rows.map((row, index): Point => {
    const at = times[index] ?? null;
    return {
      label: at === null ? toLabel(row[label.name]) : formats.moment(at, precision),
      at,
      x: labels === 'number' ? toNumber(row[label.name]) : null,
      value: toNumber(row[value]),
    };
  });
  return { points, labels };
}

/** The largest value first, or by time, number or name. */
export function sortPoints<P extends Point>(points: readonly P[], sortBy: SortBy): readonly P[] {
  if (sortBy === 'none') return points;
  if (sortBy === 'value') return points.toSorted((a, b) => (b.value ?? -Number.MAX_VALUE) - (a.value ?? -Number.MAX_VALUE));
  return points.toSorted((a, b) => (a.at ?? a.x ?? 0) - (b.at ?? b.x ?? 0) || byName.compare(a.label, b.label));
}

export const byName = new Intl.Collator('en', { numeric: true });

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
