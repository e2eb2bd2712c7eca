import { type ChartConfig, dataColumnsOf } from '../core/chart-config.ts';
import type { ChartColumn, ChartRow } from './built-chart.ts';
import { labelText, toTime } from './cell-values.ts';
import type { Extent, Formats } from './formats.ts';
import { notes } from './notes.ts';
import { extentOf, makeDistinct, type Point, readPoints, sortPoints } from './points.ts';
import type { Scene, Series } from './scene.ts';
import { type ChartData, valueKey } from './summary/chart-data.ts';

const maxSeries = 10; // as many as there are colors

/** Reads every series of a chart. All share the kind of their labels. */
export function readSeries(columns: readonly ChartColumn[], { rows, unit }: ChartData, config: ChartConfig, formats: Formats) {
  const findColumn = (name: string | null) => columns.find((column) => column.name === name);
  const label = findColumn(config.labelColumn);
  const data = dataColumnsOf(config).flatMap((name) => findColumn(name) ?? []);
  const split = findColumn(config.seriesColumn);
  const [first] = data;
  if (label === undefined || first === undefined) return null;
  const read = (column: ChartColumn) => readPoints(label, valueKey(config, column.name), rows, formats, unit);

  if (split !== undefined) {
    const { points, labels } = read(first);
    const nameOf = seriesName(split, rows, formats);
    const groups = Map.groupBy(points.keys(), (index) => nameOf(rows[index]?.[split.name]));
    const series = [...groups].map(([name, indexes]) => ({ name, points: indexes.flatMap((index) => points[index] ?? []) }));
    return { labels, ...findLargest(series) };
  }
  const all = data.slice(0, maxSeries).map((column) => ({ column, ...read(column) }));
  const names = makeDistinct(all.map(({ column }) => labelText(column.name)));
  return {
    series: all.map(({ points }, index) => ({ name: names[index] ?? '', points })),
    labels: all[0]?.labels ?? 'category',
    notes: data.length > maxSeries ? [notes.firstSeries(maxSeries, data.length)] : [],
  };
}

/** The labels of all series on one axis, with the values of each series at each of them. */
export interface Aligned {
  readonly labels: readonly Omit<Point, 'value'>[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly notes: readonly string[];
}

/** One value for each label and series, sorted as configured. The label for all others is the last. */
export function alignSeries({ config, series, others }: Pick<Scene, 'config' | 'series' | 'others'>): Aligned {
  const labels = new Map<string, Point>();
  const keyed = series.map(({ name, points }) => {
    const seen = new Map<string | number, number>();
    const values = new Map<string, number | null>();
    for (const point of points) {
      const base = point.at ?? point.label;
      const nth = seen.get(base) ?? 0; // rows with the same label, if they are kept
      seen.set(base, nth + 1);
      const key = `${nth} ${base}`;
      if (!labels.has(key)) labels.set(key, point);
      values.set(key, point.value);
    }
    return { name, values };
  });
  const total = (key: string): number => sum(keyed.map(({ values }) => values.get(key) ?? 0));
  const totals = [...labels].map(([key, point]) => ({ ...point, key, value: total(key) }));
  const isOthers = ({ label }: Point): boolean => label === others?.label;
  const ordered = sortPoints(totals, config.sortBy).toSorted((a, b) => Number(isOthers(a)) - Number(isOthers(b)));
  const keys = ordered.map(({ key }) => key);
  return {
    labels: ordered,
    series: keyed.map(({ name, values }) => ({ name, values: keys.map((key) => values.get(key) ?? null) })),
    notes: [],
  };
}

/** The labels at these positions, in this order. */
export const pickLabels = ({ labels, series, ...rest }: Aligned, positions: readonly number[]): Aligned => ({
  ...rest,
  labels: positions.flatMap((position) => labels[position] ?? []),
  series: series.map(({ name, values }) => ({ name, values: positions.map((position) => values[position] ?? null) })),
});

export const limitLabels = (aligned: Aligned, count: number): Aligned =>
  pickLabels(aligned, [...aligned.labels.keys()].slice(0, count));

/** As shares of the total at each label. Negative values have no share. */
export function asShares(aligned: Aligned): Aligned {
  const clampToZero = (value: number | null): number => Math.max(0, value ?? 0);
  const totals = aligned.labels.map((_, index) => sum(aligned.series.map(({ values }) => clampToZero(values[index] ?? null))));
  const negative = aligned.series.flatMap(({ values }) => values).filter((value) => value !== null && value < 0).length;
  return {
    ...aligned,
    series: aligned.series.map(({ name, values }) => ({
      name,
      values: values.map((value, index) => {
        const total = totals[index] ?? 0;
        return value === null || total === 0 ? null : (100 * clampToZero(value)) / total;
      }),
    })),
    notes: negative > 0 ? [...aligned.notes, notes.negatives(negative)] : aligned.notes,
  };
}

/** From the lowest to the highest end of the stacks. */
export function measureStacks({ labels, series }: Aligned): Extent {
  const ends = labels.flatMap((_, index) => {
    const values = series.map(({ values: own }) => own[index] ?? 0);
    return [sum(values.filter((value) => value > 0)), sum(values.filter((value) => value < 0))];
  });
  return extentOf([0, ...ends]);
}

/** Whether the chart has several series, which the legend names; otherwise it has one measure. */
export const hasSeries = ({ series }: Pick<Scene, 'series'>): boolean => series.length > 1;

function seriesName(split: ChartColumn, rows: readonly ChartRow[], formats: Formats): (value: unknown) => string {
  const isDates = split.nature === 'time' && rows.every((row) => (toTime(row[split.name]) ?? 1) % 86_400_000 === 0);
  return (value) => {
    const at = isDates ? toTime(value) : null;
    return at === null ? labelText(value) : formats.moment(at, 'day');
  };
}

function findLargest(series: readonly Series[]) {
  if (series.length <= maxSeries) return { series, notes: [] };
  const size = ({ points }: Series): number => sum(points.map(({ value }) => Math.abs(value ?? 0)));
  const kept = new Set(series.toSorted((a, b) => size(b) - size(a)).slice(0, maxSeries));
  return {
    series: series.filter((each) => kept.has(each)),
    notes: [notes.largestSeries(maxSeries, series.length)],
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
