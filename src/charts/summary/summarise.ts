import type { Aggregate, SortBy } from '../../core/chart-config.ts';
import type { ChartRow } from '../built-chart.ts';
import { labelText, toNumber } from '../cell-values.ts';
import { extentOf } from '../points.ts';
import {
  type BucketUnit,
  bucketUnits,
  chooseUnit,
  countBuckets,
  formatBucket,
  nextBucket,
  startOfBucket,
} from './time-buckets.ts';

export interface SummarySpec {
  readonly label: string;
  readonly data: readonly string[];
  readonly series: string | null;
  readonly aggregate: Exclude<Aggregate, 'none'>;
  /** Reads the clock of a label; null if the labels are not times, or are not grouped by a unit. */
  readonly clockOf: ((label: unknown) => number | null) | null;
  readonly unit: BucketUnit | 'auto'; // of the clocks
  readonly sortBy: SortBy;
  readonly limit?: number | undefined; // labels to keep
  readonly maxGroups: number;
}

export interface Summary {
  readonly rows: readonly ChartRow[]; // one per label and series
  readonly groups: number; // before the limit
  readonly unit: BucketUnit | null; // null: the labels are grouped as they are
}

/** Aggregates rows one by one, in memory bounded by the groups. The same for every drawing. */
export interface Summariser {
  /** False: there are more groups than allowed, and no summary. */
  add(row: ChartRow): boolean;
  /** Null if there are more groups than allowed. */
  finish(): Summary | null;
}

export function createSummariser(spec: SummarySpec): Summariser {
  const labels = new Map<unknown, LabelGroup>(); // by clock or by label
  const seriesSeen = new Map<unknown, unknown>(); // key: value
  const time = spec.clockOf === null ? null : createClocks(spec.clockOf, spec.unit, labels);
  let cells = 0;

  return {
    add(row) {
      const label = row[spec.label] ?? null;
      const clock = time?.read(label) ?? null;
      const key = clock ?? keyOf(label);
      const group = labels.get(key) ?? { label, clock, bySeries: new Map() };
      labels.set(key, group);
      const series = spec.series === null ? null : (row[spec.series] ?? null);
      const seriesKey = keyOf(series);
      if (!seriesSeen.has(seriesKey)) seriesSeen.set(seriesKey, series);
      let accumulators = group.bySeries.get(seriesKey);
      if (accumulators === undefined) {
        accumulators = spec.data.map(createAccumulator);
        group.bySeries.set(seriesKey, accumulators);
        cells++;
      }
      for (const [index, name] of spec.data.entries()) accumulate(accumulators[index], row[name], spec.aggregate);
      if (cells <= spec.maxGroups * (time === null ? 1 : interimFactor)) return true;
      cells = countCells(labels); // buckets may have been merged
      return cells <= spec.maxGroups * (time === null ? 1 : interimFactor);
    },
    finish() {
      const unit = time?.finish() ?? null;
      if (unit !== null && !fillEmptyBuckets(labels, unit, spec.maxGroups)) return null;
      const groups = unit === null ? countCells(labels) : labels.size * seriesSeen.size;
      if (groups > spec.maxGroups) return null;
      const ordered = sortLabels([...labels.values()], spec, unit).slice(0, spec.limit);
      const rows = ordered.flatMap((group) => toRows(group, spec, unit, seriesSeen));
      return { rows, groups, unit };
    },
  };
}

interface LabelGroup {
  readonly label: unknown;
  readonly clock: number | null;
  readonly bySeries: Map<unknown, Accumulator[]>;
}

interface Accumulator {
  count: number; // values that are not null
  numbers: number;
  sum: number;
  compensation: number; // of the sum: what rounding has lost so far
  decimals: number; // the most that a value has
  min: number;
  max: number;
}

// buckets are fine while the range of time is not known; merged, they are far fewer
const interimFactor = 20;

const createAccumulator = (): Accumulator => ({
  count: 0,
  numbers: 0,
  sum: 0,
  compensation: 0,
  decimals: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
});

function accumulate(into: Accumulator | undefined, value: unknown, aggregate: SummarySpec['aggregate']): void {
  if (into === undefined || value === null || value === undefined) return;
  into.count++;
  if (aggregate === 'count') return;
  const number = toNumber(value);
  if (number === null) return;
  into.numbers++;
  if (number < into.min) into.min = number;
  if (number > into.max) into.max = number;
  addToSum(into, number);
  if (!Number.isInteger(number)) into.decimals = Math.max(into.decimals, decimalsOf(number));
}

/** Neumaier's summation: the error does not grow with the number of values. */
function addToSum(into: Accumulator, number: number): void {
  const sum = into.sum + number;
  into.compensation += Math.abs(into.sum) >= Math.abs(number) ? into.sum - sum + number : number - sum + into.sum;
  into.sum = sum;
}

function decimalsOf(number: number): number {
  const text = String(number);
  const exponent = text.indexOf('e');
  if (exponent >= 0) return mostDecimals;
  return text.length - text.indexOf('.') - 1;
}

const mostDecimals = 17;

function merge(into: Accumulator, from: Accumulator): void {
  into.count += from.count;
  into.numbers += from.numbers;
  addToSum(into, from.sum);
  into.compensation += from.compensation;
  into.decimals = Math.max(into.decimals, from.decimals);
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
}

function resultOf(aggregate: SummarySpec['aggregate'], from: Accumulator): number | null {
  if (aggregate === 'count') return from.count;
  if (from.numbers === 0) return null;
  if (aggregate === 'min') return from.min;
  if (aggregate === 'max') return from.max;
  const sum = from.sum + from.compensation;
  if (aggregate === 'average') return sum / from.numbers;
  // a sum of amounts in cents has cents: what is beyond is the error of binary fractions
  return from.decimals < 15 && Math.abs(sum) < 1e15 ? Number(sum.toFixed(from.decimals)) : sum;
}

/** Groups clocks by ever coarser units until the range has a readable number of buckets. */
function createClocks(clockOf: (label: unknown) => number | null, wanted: BucketUnit | 'auto', labels: Map<unknown, LabelGroup>) {
  let base: BucketUnit = wanted === 'auto' ? 'minute' : wanted;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let natural: readonly BucketUnit[] = bucketUnits; // units of which every clock is a first moment

  const regroup = (unit: BucketUnit): void => {
    base = unit;
    const fine = [...labels];
    labels.clear();
    for (const [key, group] of fine) {
      if (group.clock === null) {
        labels.set(key, group);
        continue;
      }
      const clock = startOfBucket(group.clock, unit);
      const coarse = labels.get(clock);
      if (coarse === undefined) labels.set(clock, { ...group, clock });
      else mergeGroups(coarse, group);
    }
  };
  return {
    /** The bucket of a label, or null if it is not a time. */
    read(label: unknown): number | null {
      const clock = clockOf(label);
      if (clock === null) return null;
      if (clock < first || clock > last) {
        first = Math.min(first, clock);
        last = Math.max(last, clock);
        for (let coarser = wanted === 'auto' ? coarserThan(base, first, last) : null; coarser !== null;) {
          regroup(coarser);
          coarser = coarserThan(base, first, last);
        }
      }
      if (wanted === 'auto') natural = natural.filter((unit) => startOfBucket(clock, unit) === clock);
      return startOfBucket(clock, base);
    },
    finish(): BucketUnit | null {
      if (last < first) return null;
      const unit = wanted === 'auto' ? chooseUnit(first, last, natural.at(-1) ?? 'minute') : wanted;
      if (unit !== base) regroup(unit);
      return unit;
    },
  };
}

/** Null while the unit may still be chosen. Weeks are made of days, and months are not made of weeks. */
function coarserThan(base: BucketUnit, first: number, last: number): BucketUnit | null {
  const { next, most } = steps[base];
  return next !== null && countBuckets(first, last, base) > most ? next : null;
}

const steps: Readonly<Record<BucketUnit, { readonly next: BucketUnit | null; readonly most: number }>> = {
  minute: { next: 'hour', most: 400 },
  hour: { next: 'day', most: 400 },
  day: { next: 'month', most: 7 * 400 },
  week: { next: null, most: 0 },
  month: { next: 'quarter', most: 400 },
  quarter: { next: 'year', most: 400 },
  year: { next: null, most: 0 },
};

function mergeGroups(into: LabelGroup, { bySeries }: LabelGroup): void {
  for (const [key, accumulators] of bySeries) {
    const before = into.bySeries.get(key);
    if (before === undefined) into.bySeries.set(key, accumulators);
    else accumulators.forEach((each, index) => before[index] && merge(before[index], each));
  }
}

/** False: there are too many. */
function fillEmptyBuckets(labels: Map<unknown, LabelGroup>, unit: BucketUnit, most: number): boolean {
  const { low, high } = extentOf([...labels.values()].flatMap(({ clock }) => clock ?? []));
  if (countBuckets(low, high, unit) > most) return false;
  for (let clock = low; clock <= high; clock = nextBucket(clock, unit))
    if (!labels.has(clock)) labels.set(clock, { label: null, clock, bySeries: new Map() });
  return true;
}

function sortLabels(
  groups: readonly LabelGroup[],
  { sortBy, aggregate }: SummarySpec,
  unit: BucketUnit | null,
): readonly LabelGroup[] {
  if (sortBy === 'value') {
    const sizes = new Map(groups.map((group) => [group, sizeOf(group, aggregate)]));
    return groups.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
  }
  if (unit === null && sortBy === 'none') return groups;
  return groups.toSorted(compareLabels);
}

/** The total of the first measure over all series; without any value last. */
function sizeOf({ bySeries }: LabelGroup, aggregate: SummarySpec['aggregate']): number {
  const values = [...bySeries.values()].flatMap(([first]) => (first === undefined ? [] : (resultOf(aggregate, first) ?? [])));
  return values.length === 0 ? -Number.MAX_VALUE : values.reduce((sum, value) => sum + value, 0);
}

/** Times first, then numbers, then texts; each in its own order. */
function compareLabels(a: LabelGroup, b: LabelGroup): number {
  if (a.clock !== null || b.clock !== null) return (a.clock ?? Number.MAX_VALUE) - (b.clock ?? Number.MAX_VALUE);
  if (typeof a.label === 'number' && typeof b.label === 'number') return a.label - b.label;
  return byName.compare(labelText(a.label), labelText(b.label));
}

const byName = new Intl.Collator('en', { numeric: true });

/** One row per series: in a bucket of time all of them, otherwise those that the label has. */
function toRows(
  { label, clock, bySeries }: LabelGroup,
  spec: SummarySpec,
  unit: BucketUnit | null,
  series: SeriesValues,
): ChartRow[] {
  const { aggregate } = spec;
  const isBucket = clock !== null && unit !== null;
  const shown = isBucket ? formatBucket(clock, unit) : label;
  const empty = aggregate === 'count' || aggregate === 'sum' ? 0 : null;
  return [...(isBucket ? series : bySeries).keys()].map((key) => {
    const accumulators = bySeries.get(key);
    const row: Record<string, unknown> = { [spec.label]: shown };
    if (spec.series !== null) row[spec.series] = series.get(key) ?? null;
    for (const [index, name] of spec.data.entries()) {
      const from = accumulators?.[index];
      row[name] = from === undefined ? empty : resultOf(aggregate, from);
    }
    return row;
  });
}

type SeriesValues = ReadonlyMap<unknown, unknown>; // by their keys

/** Values of documents and lists are equal if their JSON is. */
const keyOf = (value: unknown): unknown => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

const countCells = (labels: ReadonlyMap<unknown, LabelGroup>): number => {
  let cells = 0;
  for (const { bySeries } of labels.values()) cells += bySeries.size;
  return cells;
};
