import type { ChartColumn, ChartRow } from './built-chart.ts';
import { labelText, toNumber, toTime } from './cell-values.ts';
import type { Formats, TimePrecision } from './formats.ts';

/** One row, or several rows with the same label added up. */
export interface Point {
  readonly label: string;
  readonly at: number | null; // milliseconds, if labels are times
  readonly x: number | null; // if labels are numbers
  readonly value: number | null;
}

export interface ValuedPoint extends Point {
  readonly value: number;
}

/** The kind of axis for the labels. */
export type LabelKind = 'time' | 'number' | 'category';

export interface Points {
  readonly rows: readonly Point[]; // one per row, in order
  readonly labels: LabelKind;
  readonly missing: number; // rows without a value
  readonly unreadable: number; // rows whose value is not a number
}

export function readPoints(label: ChartColumn, data: ChartColumn, rows: readonly ChartRow[], formats: Formats): Points {
  const labels = kindOf(label, rows);
  const times = labels === 'time' ? rows.map((row) => toTime(row[label.name])) : [];
  const precision = precisionOf(times);
  let missing = 0;
  let unreadable = 0;
  const points = rows.map((row, index): Point => {
    const cell = row[data.name];
    const value = toNumber(cell);
    if (cell === null || cell === undefined) missing++;
    else if (value === null) unreadable++;
    const at = times[index] ?? null;
    return {
      label: at === null ? labelText(row[label.name]) : formats.moment(at, precision),
      at,
      x: labels === 'number' ? toNumber(row[label.name]) : null,
      value,
    };
  });
  return { rows: points, labels, missing, unreadable };
}

/** One point per label, in order of first occurrence, and how many rows shared one. */
export function addUp(points: readonly Point[]): { readonly points: readonly Point[]; readonly shared: number } {
  const sums = new Map<string | number, { point: Point; rows: number; value: number | null }>();
  for (const point of points) {
    const key = point.at ?? point.label;
    const sum = sums.get(key);
    if (!sum) {
      sums.set(key, { point, rows: 1, value: point.value });
      continue;
    }
    sum.rows++;
    if (point.value !== null) sum.value = (sum.value ?? 0) + point.value;
  }
  const added = [...sums.values()];
  return {
    points: added.map(({ point, value }) => ({ ...point, value })),
    shared: added.reduce((rows, sum) => rows + (sum.rows > 1 ? sum.rows : 0), 0),
  };
}

export const valued = (points: readonly Point[]): readonly ValuedPoint[] => points.filter(hasValue);

export const sumOf = (points: readonly ValuedPoint[]): number => points.reduce((sum, { value }) => sum + value, 0);

/** Minimum and maximum. A loop, because Math.min takes a limited number of arguments. */
export function extentOf(values: Iterable<number>): { readonly low: number; readonly high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}

/** ECharts identifies marks by name: duplicate names get a number. */
export function distinct(names: readonly string[]): readonly string[] {
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
  const all = (unit: number) => times.every((at) => at === null || at % unit === 0);
  if (all(86_400_000)) return 'day';
  return all(60_000) ? 'minute' : 'second';
}
