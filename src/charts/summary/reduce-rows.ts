import type { ChartRow } from '../built-chart.ts';
import { toNumber } from '../cell-values.ts';
import { extentOf } from '../points.ts';
import { nameOthers, type OtherLabels } from './summarize.ts';

/** Keeps a bounded, representative number of rows. Nothing is aggregated. */
export interface RowReducer {
  /** False: there are more series than can be drawn. */
  add(row: ChartRow): boolean;
  finish(): ReducedRows;
}

export interface ReducedRows {
  readonly rows: readonly ChartRow[];
  readonly others?: OtherLabels | null;
}

/** The first rows. */
export function createFirst(most: number): RowReducer {
  const rows: ChartRow[] = [];
  return {
    add(row) {
      if (rows.length < most) rows.push(row);
      return true;
    },
    finish: () => ({ rows }),
  };
}

/** Every row, then every second, fourth … of them. */
export function createEvenSample(most: number): RowReducer {
  let kept: ChartRow[] = [];
  let step = 1;
  let seen = 0;
  return {
    add(row) {
      if (seen++ % step === 0) kept.push(row);
      if (kept.length > most) {
        kept = kept.filter((_, index) => index % 2 === 0);
        step *= 2;
      }
      return true;
    },
    finish: () => ({ rows: kept }),
  };
}

export interface PeaksSpec {
  readonly data: readonly string[];
  readonly series: string | null;
  /** The position of a row on the axis; null: the order of the rows. */
  readonly positionOf: ((row: ChartRow) => number | null) | null;
  readonly most: number; // points
}

interface Extremes {
  low: PlacedRow;
  high: PlacedRow;
}

interface PlacedRow {
  readonly row: ChartRow;
  readonly at: number;
  readonly value: number;
}

/**
 * The lowest and the highest value of each interval of the axis, so that every peak stays. The width of an interval only doubles:
 * each is made of whole smaller ones, and no peak is lost on the way.
 */
export function createPeaks({ data, series, positionOf, most }: PeaksSpec): RowReducer {
  const whole: ChartRow[] = []; // while there are few rows
  const cells = new Map<string, Map<number, Extremes>>(); // by series and column, then by interval
  let width = 0; // of an interval; 0: every row is kept
  let count = 0;
  let intervals = 0;

  const include = (of: Map<number, Extremes>, interval: number, low: PlacedRow, high: PlacedRow): void => {
    const before = of.get(interval);
    if (before === undefined) {
      of.set(interval, { low, high });
      intervals++;
      return;
    }
    if (low.value < before.low.value) before.low = low;
    if (high.value > before.high.value) before.high = high;
  };
  const positionAt = (row: ChartRow, index: number): number | null => (positionOf === null ? index : positionOf(row));
  const place = (row: ChartRow, index: number): void => {
    const at = positionAt(row, index);
    if (at === null) return;
    for (const name of data) {
      const value = toNumber(row[name]);
      if (value === null) continue;
      const key = JSON.stringify([name, series === null ? null : row[series]]);
      const own = cells.get(key) ?? new Map<number, Extremes>();
      cells.set(key, own);
      const placed = { row, at, value };
      include(own, Math.floor(at / width), placed, placed);
    }
  };
  const widen = (): void => {
    width *= 2;
    intervals = 0;
    for (const [key, fine] of cells) {
      const coarse = new Map<number, Extremes>();
      for (const { low, high } of fine.values()) include(coarse, Math.floor(low.at / width), low, high);
      cells.set(key, coarse);
    }
  };

  return {
    add(row) {
      count++;
      if (width === 0) {
        whole.push(row);
        if (whole.length * data.length <= most) return true;
        const positions = whole.flatMap((each, index) => positionAt(each, index) ?? []);
        width = firstWidth(positions, most);
        for (const [index, each] of whole.entries()) place(each, index);
      } else place(row, count - 1);
      if (cells.size > most / 4) return false; // one interval on each side of zero, two points in each
      while (intervals > most / 2) widen();
      return true;
    },
    finish() {
      if (width === 0) return { rows: whole };
      const placed = [...cells.values()].flatMap((own) => [...own.values()].flatMap(({ low, high }) => [low, high]));
      const inOrder = placed.toSorted((a, b) => a.at - b.at);
      return { rows: [...new Set(inOrder.map(({ row }) => row))] };
    },
  };
}

/** A power of two, so that the edges of intervals do not depend on the first rows. */
function firstWidth(positions: readonly number[], most: number): number {
  const { low, high } = extentOf(positions);
  const range = high - low;
  return range > 0 && Number.isFinite(range) ? 2 ** Math.ceil(Math.log2(range / most)) : 1;
}

export interface LargestSpec {
  readonly label: string;
  readonly data: readonly string[];
  readonly series: string | null;
  readonly above: number; // rows
  readonly keep: number;
}

/** All rows while they are few, otherwise the largest by their first value, and one row per series for the others. */
export function createLargest({ label, data, series, above, keep }: LargestSpec): RowReducer {
  let kept: ChartRow[] = [];
  let dropped = 0;
  const others = new Map<unknown, Map<string, number>>(); // by series, then by column
  const [first = ''] = data;
  const size = (row: ChartRow): number => toNumber(row[first]) ?? -Number.MAX_VALUE;
  const drop = (): void => {
    const sorted = kept.toSorted((a, b) => size(b) - size(a));
    kept = sorted.slice(0, keep);
    for (const row of sorted.slice(keep)) {
      const own = series === null ? null : row[series];
      const sums = others.get(own) ?? new Map<string, number>();
      others.set(own, sums);
      for (const name of data) sums.set(name, (sums.get(name) ?? 0) + (toNumber(row[name]) ?? 0));
      dropped++;
    }
  };
  return {
    add(row) {
      kept.push(row);
      if (kept.length > Math.max(above, keep + batch)) drop();
      return others.size <= mostSeries;
    },
    finish() {
      if (dropped + kept.length > above) drop();
      if (dropped === 0) return { rows: kept };
      const name = nameOthers(dropped);
      const rest = [...others].map(([own, sums]) =>
        Object.fromEntries([...(series === null ? [] : [[series, own] as const]), ...sums, [label, name]]),
      );
      return { rows: [...kept, ...rest], others: { label: name, labels: dropped } };
    },
  };
}

const batch = 1000; // rows that are added between two sorts
const mostSeries = 1000;
