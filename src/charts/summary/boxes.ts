import { cellText, type ColumnFormat } from '../../core/column-format.ts';
import type { ChartRow } from '../built-chart.ts';
import { labelText, toNumber } from '../cell-values.ts';

/** The distribution of the values of one label. It is the value of the data column. */
export interface Box {
  readonly five: readonly [lowest: number, lower: number, median: number, upper: number, highest: number];
  readonly outliers: readonly number[]; // at most as many as a reader can distinguish
  readonly rows: number;
}

export const isBox = (value: unknown): value is Box => typeof value === 'object' && value !== null && 'five' in value;

/** For a table. */
export function boxText({ five, rows }: Box, format?: ColumnFormat): string {
  const [lowest, lower, median, upper, highest] = five.map((value) => cellText(value, format));
  return `median ${median}, quartiles ${lower} and ${upper}, whiskers ${lowest} and ${highest}, ${rows} rows`;
}

export interface Boxes {
  readonly rows: readonly ChartRow[]; // one per label
  readonly labels: number; // with those beyond the first boxes
  readonly isOne: boolean; // no label occurs twice: one box of all rows
  readonly outliersLeft: number;
}

export const MAX_BOXES = 40;
const maxOutliers = 2000;

/** Collects every value: exact quartiles need them. */
export function createBoxes({ label, data, maxGroups }: { label: string; data: string; maxGroups: number }) {
  const groups = new Map<string, number[]>();
  const all: number[] = []; // of labels that occur once each, while there are more than `maxGroups`
  let count = 0;
  return {
    /** False: there are more labels than allowed. */
    add(row: ChartRow): boolean {
      const value = toNumber(row[data]);
      if (value === null) return true;
      count++;
      if (all.length > 0) {
        all.push(value);
        return true;
      }
      const name = labelText(row[label]);
      const group = groups.get(name);
      if (group !== undefined) group.push(value);
      else groups.set(name, [value]);
      if (groups.size <= maxGroups) return true;
      if (groups.size < count) return false;
      for (const values of groups.values()) all.push(...values);
      groups.clear();
      return true;
    },
    finish(): Boxes {
      const isOne = all.length > 0 || (groups.size > 1 && groups.size === count);
      const values = all.length > 0 ? all : [...groups.values()].flat();
      const shown = isOne ? [['All rows', values] as const] : [...groups].slice(0, MAX_BOXES);
      const boxes = shown.map(([name, own]) => ({ name, ...spreadOf(own) }));
      const outliers = boxes.reduce((sum, box) => sum + box.outliers.length, 0);
      const share = Math.max(1, outliers / maxOutliers);
      const rows = boxes.map(({ name, five, outliers: beyond, rows: of }) => ({
        [label]: name,
        [data]: { five, outliers: thin(beyond, share), rows: of } satisfies Box,
      }));
      return { rows, labels: groups.size, isOne, outliersLeft: Math.max(0, outliers - maxOutliers) };
    },
  };
}

export function spreadOf(values: readonly number[]): Box {
  const sorted = values.toSorted((a, b) => a - b);
  const [lower, median, upper] = [quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)];
  const reach = 1.5 * (upper - lower);
  const inside = sorted.filter((value) => value >= lower - reach && value <= upper + reach);
  return {
    five: [inside[0] ?? lower, lower, median, upper, inside.at(-1) ?? upper],
    outliers: sorted.filter((value) => value < lower - reach || value > upper + reach),
    rows: sorted.length,
  };
}

function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  const from = sorted[below] ?? 0;
  return from + ((sorted[below + 1] ?? from) - from) * (position - below);
}

/** Evenly chosen, with the first and the last. */
const thin = (values: readonly number[], share: number): readonly number[] =>
  share === 1 ? values : values.filter((_, index) => index === values.length - 1 || Math.floor(index % share) === 0);
