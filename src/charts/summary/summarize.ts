import type { Aggregate, SortBy } from '../../core/chart-config.ts';
import type { ChartRow } from '../built-chart.ts';
import { labelText, toNumber } from '../cell-values.ts';
import { byName, extentOf } from '../points.ts';
import {
  type BucketUnit,
  bucketUnits,
  chooseCalendarUnit,
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
  readonly unit: BucketUnit | 'auto' | 'calendar'; // of the clocks; calendar: days, or months where there are too many
  readonly sortBy: SortBy;
  readonly limit?: number | undefined; // labels to keep
  /** More labels than `above` become the largest ones and one label for the others. Times have an order and are not reduced. */
  readonly largest?: { readonly above: number; readonly keep: number } | undefined;
  readonly maxGroups: number;
}

export interface Summary {
  readonly rows: readonly ChartRow[]; // one per label and series
  readonly groups: number; // before the limit
  readonly filled: number; // groups with rows
  readonly unit: BucketUnit | null; // null: the labels are grouped as they are
  readonly others: OtherLabels | null;
  readonly missing: number; // values that are null
  readonly unreadable: number; // values that are not numbers
}

/** The label that combines the smaller ones. */
export interface OtherLabels {
  readonly label: string;
  readonly labels: number;
}

/** Aggregates rows one by one, in memory bounded by the groups. The same for every drawing. */
export interface Summarizer {
  /** False: there are more groups than allowed, and no summary. */
  add(row: ChartRow): boolean;
  /** Null if there are more groups than allowed. */
  finish(): Summary | null;
}

export function createSummarizer(spec: SummarySpec): Summarizer {
  const labels = new Map<unknown, LabelGroup>(); // by clock or by label
  const seriesSeen = new Map<unknown, unknown>(); // key: value
  const time = spec.clockOf === null ? null : createClocks(spec.clockOf, spec.unit, labels);
  const tally = { missing: 0, unreadable: 0, characters: 0 };
  const mostCells = spec.maxGroups * (time === null ? 1 : interimFactor);
  let cells = 0;

  return {
    add(row) {
      const label = row[spec.label] ?? null;
      const clock = time?.read(label) ?? null;
      const key = clock ?? keyOf(label);
      let group = labels.get(key);
      if (group === undefined) {
        group = { label, clock, bySeries: new Map() };
        labels.set(key, group);
        if (typeof key === 'string') tally.characters += key.length;
      }
      const series = spec.series === null ? null : (row[spec.series] ?? null);
      const seriesKey = keyOf(series);
      if (!seriesSeen.has(seriesKey)) {
        seriesSeen.set(seriesKey, series);
        if (typeof seriesKey === 'string') tally.characters += seriesKey.length;
      }
      let accumulators = group.bySeries.get(seriesKey);
      if (accumulators === undefined) {
        accumulators = spec.data.map(createAccumulator);
        group.bySeries.set(seriesKey, accumulators);
        cells++;
      }
      for (const [index, name] of spec.data.entries()) accumulate(accumulators[index], row[name], spec.aggregate, tally);
      if (tally.characters > maxCharacters) return false;
      if (cells > mostCells) cells = countCells(labels); // buckets may have been merged
      return cells <= mostCells;
    },
    finish() {
      const unit = time?.finish() ?? null;
      const filled = countCells(labels);
      if (unit !== null && !fillEmptyBuckets(labels, unit, spec.maxGroups)) return null;
      const groups = unit === null ? filled : labels.size * seriesSeen.size;
      if (groups > spec.maxGroups) return null;
      const { kept, others } = keepLargest([...labels.values()], spec, unit);
      const ordered = [...sortLabels(kept, spec, unit), ...(others === null ? [] : [others.group])].slice(0, spec.limit);
      const rows = ordered.flatMap((group) => toRows(group, spec, unit, seriesSeen));
      const { missing, unreadable } = tally;
      return { rows, groups, filled, unit, missing, unreadable, others: others?.named ?? null };
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

const maxCharacters = 8 << 20; // of all labels and series

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

function accumulate(
  into: Accumulator | undefined,
  value: unknown,
  aggregate: SummarySpec['aggregate'],
  tally: { missing: number; unreadable: number },
): void {
  if (into === undefined || value === null || value === undefined) {
    tally.missing++;
    return;
  }
  into.count++;
  if (aggregate === 'count') return;
  const number = toNumber(value);
  if (number === null) {
    tally.unreadable++;
    return;
  }
  into.numbers++;
  if (number < into.min) into.min = number;
  if (number > into.max) into.max = number;
  addToSum(into, number);
  if (!hasDecimals(number, into.decimals)) into.decimals = Math.max(into.decimals, decimalsOf(number));
}

/** Neumaier's summation: the error does not grow with the number of values. */
function addToSum(into: Accumulator, number: number): void {
  const sum = into.sum + number;
  into.compensation += Math.abs(into.sum) >= Math.abs(number) ? into.sum - sum + number : number - sum + into.sum;
  into.sum = sum;
}

/** Without converting each number to text. */
function hasDecimals(number: number, decimals: number): boolean {
  const factor = 10 ** decimals;
  return Math.round(number * factor) / factor === number;
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
function createClocks(clockOf: (label: unknown) => number | null, wanted: SummarySpec['unit'], labels: Map<unknown, LabelGroup>) {
  const isFixed = wanted !== 'auto' && wanted !== 'calendar';
  let base: BucketUnit = isFixed ? wanted : wanted === 'auto' ? 'minute' : 'day';
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let natural: readonly BucketUnit[] = bucketUnits; // units of which every clock is a first moment

  const findCoarser = (): BucketUnit | null => (isFixed ? null : coarserThan(base, first, last));
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
        for (let unit = findCoarser(); unit !== null; unit = findCoarser()) regroup(unit);
      }
      if (!isFixed) natural = natural.filter((unit) => startOfBucket(clock, unit) === clock);
      return startOfBucket(clock, base);
    },
    finish(): BucketUnit | null {
      if (last < first) return null;
      const choose = wanted === 'calendar' ? chooseCalendarUnit : chooseUnit;
      const unit = isFixed ? wanted : choose(first, last, natural.at(-1) ?? 'minute');
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

/** The largest labels, and a group of the others. */
function keepLargest(groups: readonly LabelGroup[], { largest, aggregate }: SummarySpec, unit: BucketUnit | null) {
  if (largest === undefined || unit !== null || groups.length <= largest.above) return { kept: groups, others: null };
  const sorted = sortBySize(groups, aggregate);
  const rest = sorted.slice(largest.keep);
  const label = nameOthers(rest.length);
  const group: LabelGroup = { label, clock: null, bySeries: new Map() };
  for (const each of rest) mergeGroups(group, each);
  return { kept: sorted.slice(0, largest.keep), others: { group, named: { label, labels: rest.length } } };
}

export const nameOthers = (labels: number): string => `Others (${labels.toLocaleString('en-US')})`;

function sortBySize(groups: readonly LabelGroup[], aggregate: SummarySpec['aggregate']): readonly LabelGroup[] {
  const sizes = new Map(groups.map((group) => [group, sizeOf(group, aggregate)]));
  return groups.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
}

function sortLabels(
  groups: readonly LabelGroup[],
  { sortBy, aggregate }: SummarySpec,
  unit: BucketUnit | null,
): readonly LabelGroup[] {
  if (sortBy === 'value') return sortBySize(groups, aggregate);
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
    const values = spec.data.map((name, index) => {
      const from = accumulators?.[index];
      return [measureKey(name, spec), from === undefined ? empty : resultOf(aggregate, from)] as const;
    });
    const split = spec.series === null ? [] : [[spec.series, series.get(key) ?? null] as const];
    return Object.fromEntries([[spec.label, shown], ...split, ...values]); // a name may be __proto__
  });
}

/** The key of a measure in the rows of a summary. A column that is counted by itself must not replace its labels. */
export const measureKey = (
  name: string,
  { label, series, aggregate }: { label: string; series: string | null; aggregate: Aggregate },
): string => (aggregate !== 'none' && (name === label || name === series) ? `${name} (${aggregate})` : name);

type SeriesValues = ReadonlyMap<unknown, unknown>; // by their keys

/** Values of documents and lists are equal if their JSON is. */
const keyOf = (value: unknown): unknown => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

const countCells = (labels: ReadonlyMap<unknown, LabelGroup>): number => {
  let cells = 0;
  for (const { bySeries } of labels.values()) cells += bySeries.size;
  return cells;
};
