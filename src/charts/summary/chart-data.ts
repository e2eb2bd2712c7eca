import { type ChartConfig, type ChartType, dataColumnsOf, ofRows, severalSeries } from '../../core/chart-config.ts';
import type { ChartColumn, ChartRow } from '../built-chart.ts';
import { toNumber, toTime } from '../cell-values.ts';
import { notes, quoteName } from '../notes.ts';
import type { Message } from '../scene.ts';
import { type Boxes, createBoxes, MAX_BOXES } from './boxes.ts';
import { createEvenSample, createFirst, createLargest, createPeaks, type ReducedRows, type RowReducer } from './reduce-rows.ts';
import { createSummarizer, measureKey, type OtherLabels, type SummarySpec } from './summarize.ts';
import type { BucketUnit } from './time-buckets.ts';

/** The rows that a chart draws for a whole result: its groups, or a representative part. */
export interface ChartData {
  readonly rows: readonly ChartRow[];
  readonly rowsRead: number;
  readonly isWhole: boolean; // false: there are more rows, and the first ones are drawn
  readonly unit: BucketUnit | null; // of labels that are times
  readonly others: OtherLabels | null; // the label that combines the smaller ones
  readonly missing: number; // values that are null
  readonly unreadable: number; // values that are not numbers
  readonly notes: readonly string[]; // what was done
  readonly refusal: Message | null; // instead of a drawing: a part of the rows would give wrong numbers
}

/** What decides which rows are drawn, and not how. */
export type DrawnConfig = Pick<
  ChartConfig,
  'chartType' | 'labelColumn' | 'dataColumn' | 'moreDataColumns' | 'seriesColumn' | 'aggregate' | 'sortBy' | 'timeUnit'
>;

export interface CollectorOptions {
  /** Reads the clock of a time in the zone of the service; default: as it is written. */
  readonly clockOf?: ((label: unknown) => number | null) | undefined;
  readonly maxRows?: number;
  readonly maxGroups?: number;
  readonly allLabels?: boolean | undefined; // also the smaller ones
}

export const MAX_GROUPS = 10_000;
const DEFAULT_ROWS = 1_000_000;
const maxLinePoints = 2000;
const maxDots = 5000;
const maxTiles = 2400; // more than a heatmap draws

export interface ChartCollector {
  /** False: nothing more is needed. */
  add(row: ChartRow): boolean;
  /** `cut`: why the last rows are missing. */
  finish(cut?: string): ChartData;
}

/** Collects what a chart draws, row by row, in memory bounded by what is drawn. The same for every drawing. */
export function createChartCollector(
  columns: readonly ChartColumn[],
  config: DrawnConfig,
  options: CollectorOptions = {},
): ChartCollector {
  const { maxRows = DEFAULT_ROWS } = options;
  const plan = planOf(columns, config, options);
  const strategy = chooseStrategy(plan);
  let count = 0;
  let isFull = false; // more groups or series than allowed
  let isLong = false; // more rows than are read
  return {
    add(row) {
      if (count >= maxRows) isLong = true;
      else if (strategy.add(row)) count++;
      else isFull = true;
      return !isLong && !isFull;
    },
    finish(cut) {
      if (isFull) return refuse(strategy.tooMany);
      if (!isLong && cut === undefined) return strategy.finish(count);
      const reason = cut ?? notes.tooManyRows(maxRows);
      if (strategy.needsAll) return refuse({ head: 'Too many rows to draw', advice: reason });
      const data = strategy.finish(count);
      return { ...data, isWhole: false, notes: [...data.notes, notes.onlyFirst(count)] };
    },
  };
}

/** For rows that are all known. */
export function collectChart(
  columns: readonly ChartColumn[],
  rows: readonly ChartRow[],
  config: DrawnConfig,
  options?: CollectorOptions,
): ChartData {
  const collector = createChartCollector(columns, config, options);
  for (const row of rows) if (!collector.add(row)) break;
  return collector.finish();
}

export const tooManyGroups: Message = {
  head: 'Too many groups to draw',
  advice: `There are more than ${MAX_GROUPS.toLocaleString('en-US')}, or their names are too long. Filter the rows, choose a coarser time unit, or aggregate in the SQL.`,
};

const tooManySeries: Message = {
  head: 'Too many series to draw',
  advice: 'Filter the rows, or choose a series column with fewer values.',
};

export const emptyData: ChartData = {
  rows: [],
  rowsRead: 0,
  isWhole: true,
  unit: null,
  others: null,
  missing: 0,
  unreadable: 0,
  notes: [],
  refusal: null,
};
const refuse = (refusal: Message): ChartData => ({ ...emptyData, refusal });

/** How rows are collected for a chart. */
interface Strategy {
  readonly needsAll: boolean; // a part of the rows would give wrong numbers
  readonly tooMany: Message; // instead of a drawing, if a row cannot be added
  add(row: ChartRow): boolean;
  finish(count: number): ChartData;
}

/** The keys of the rows that are collected: the label, the series and the measures. */
export function keysOf(config: DrawnConfig): readonly string[] {
  const { label, series, data } = planOf([], config, {});
  return [...new Set([label, ...(series === null ? [] : [series]), ...data.map((name) => valueKey(config, name))])];
}

/** The key of the values of a data column. */
export const valueKey = (config: DrawnConfig, name: string): string =>
  groups(config)
    ? measureKey(name, {
        label: config.labelColumn,
        series: severalSeries.has(config.chartType) ? config.seriesColumn : null,
        aggregate: config.aggregate,
      })
    : name;

const groups = ({ aggregate, chartType }: DrawnConfig): boolean => aggregate !== 'none' && !ofRows.has(chartType);

type Plan = ReturnType<typeof planOf>;

function planOf(
  columns: readonly ChartColumn[],
  config: DrawnConfig,
  { clockOf = toTime, maxGroups = MAX_GROUPS, allLabels = false }: CollectorOptions,
) {
  const several = severalSeries.has(config.chartType);
  const label = columns.find(({ name }) => name === config.labelColumn);
  const isTime = label?.nature === 'time';
  return {
    type: config.chartType,
    label: config.labelColumn,
    data: several ? dataColumnsOf(config) : [config.dataColumn],
    series: several ? config.seriesColumn : null,
    aggregate: config.aggregate,
    sortBy: config.sortBy,
    timeUnit: config.timeUnit,
    clockOf,
    maxGroups,
    isTime,
    isNumber: label?.class === 'numeric' && label.nature !== 'id',
    largest: allLabels ? undefined : largestOf[config.chartType],
  };
}

/** More labels are reduced to the largest ones and one for the others. */
const largestOf: Partial<Record<ChartType, { readonly above: number; readonly keep: number }>> = {
  bar: { above: 50, keep: 20 },
  pie: { above: 50, keep: 20 },
  donut: { above: 50, keep: 20 },
  polarArea: { above: 50, keep: 20 },
  radialBar: { above: 50, keep: 20 },
  treemap: { above: 1000, keep: 999 },
};

function chooseStrategy(plan: Plan): Strategy {
  if (plan.type === 'boxPlot') return collectBoxes(plan);
  if (plan.type === 'scatter') return reduceRows(plan, createEvenSample(maxDots), notes.evenSample);
  if (plan.aggregate !== 'none') return groupRows(plan, plan.aggregate);
  if (plan.type === 'heatmap' && plan.isTime && plan.series === null) return groupRows(plan, 'sum'); // a cell of a calendar is a sum
  if (plan.largest !== undefined && !plan.isTime)
    return reduceRows(plan, createLargest({ ...plan, ...plan.largest }), notes.others);
  if (plan.type === 'line' || plan.type === 'area' || plan.type === 'bar')
    return reduceRows(plan, createPeaks({ ...plan, positionOf: positionOf(plan), most: maxLinePoints }), notes.peaks);
  return reduceRows(plan, createFirst(maxTiles), notes.onlyFirst);
}

function groupRows(plan: Plan, aggregate: SummarySpec['aggregate']): Strategy {
  const { label, data, series, sortBy, timeUnit, maxGroups, isTime, isNumber, largest } = plan;
  const isCalendar = plan.type === 'heatmap' && series === null && timeUnit === 'auto';
  const summarizer = createSummarizer({
    ...{ label, data, series, aggregate, sortBy, maxGroups },
    clockOf: isTime && timeUnit !== 'none' ? plan.clockOf : null,
    unit: isCalendar ? 'calendar' : timeUnit === 'none' ? 'auto' : timeUnit,
    largest: isTime || isNumber ? undefined : largest,
  });
  return {
    needsAll: true,
    tooMany: tooManyGroups,
    add: summarizer.add,
    finish(count) {
      const summary = summarizer.finish();
      if (summary === null) return refuse(tooManyGroups);
      const { rows, unit, others, filled, missing, unreadable } = summary;
      const noteTexts = [
        ...(filled < count ? [notes.aggregated(aggregate, count, unit ?? quoteName(label))] : []),
        ...(others !== null && plan.type === 'bar' ? [notes.others(rows.length, count, others)] : []), // the other families note it
      ];
      return { ...emptyData, rows, rowsRead: count, unit, others, missing, unreadable, notes: noteTexts };
    },
  };
}

function reduceRows(plan: Plan, reducer: RowReducer, noteOf: typeof notes.others): Strategy {
  const tally = createTally(plan.data);
  const pick = createPick(plan);
  return {
    needsAll: false,
    tooMany: tooManySeries,
    add(row) {
      tally.count(row);
      return reducer.add(pick(row));
    },
    finish(count) {
      const { rows, others = null }: ReducedRows = reducer.finish();
      const isNoted = rows.length < count && (others === null || plan.type === 'bar'); // the other families note it
      const noteTexts = isNoted ? [noteOf(rows.length, count, others ?? { label: '', labels: 0 })] : [];
      return { ...emptyData, ...tally.counted, rows, rowsRead: count, others, notes: noteTexts };
    },
  };
}

function collectBoxes({ label, data, maxGroups }: Plan): Strategy {
  const tally = createTally(data);
  const boxes = createBoxes({ label, data: data[0] ?? '', maxGroups });
  return {
    needsAll: true,
    tooMany: tooManyGroups,
    add(row) {
      tally.count(row);
      return boxes.add(row);
    },
    finish(count) {
      const made = boxes.finish();
      return { ...emptyData, ...tally.counted, rows: made.rows, rowsRead: count, notes: noteBoxes(made, count, label) };
    },
  };
}

function noteBoxes({ isOne, labels, outliersLeft }: Boxes, count: number, label: string): readonly string[] {
  return [
    ...(isOne ? [notes.oneBox(count, label)] : []),
    ...(!isOne && labels > MAX_BOXES ? [notes.first(MAX_BOXES, labels, 'labels')] : []),
    ...(outliersLeft > 0 ? [notes.outliers(outliersLeft)] : []),
  ];
}

/** Only what is drawn is kept: neither other columns, nor more of a text than a chart shows. */
function createPick({ label, series, data }: Plan): (row: ChartRow) => ChartRow {
  const names = [...new Set([label, ...(series === null ? [] : [series]), ...data])];
  return (row) => Object.fromEntries(names.map((name) => [name, shorten(row[name])]));
}

const shorten = (value: unknown): unknown =>
  typeof value === 'string' && value.length > maxText ? value.slice(0, maxText) : value;
const maxText = 500;

function createTally(data: readonly string[]) {
  const counted = { missing: 0, unreadable: 0 };
  return {
    counted,
    count(row: ChartRow): void {
      for (const name of data) {
        const value = row[name];
        if (value === null || value === undefined) counted.missing++;
        else if (toNumber(value) === null) counted.unreadable++;
      }
    },
  };
}

function positionOf({ label, isTime, isNumber }: Plan): ((row: ChartRow) => number | null) | null {
  if (isTime) return (row) => toTime(row[label]);
  return isNumber ? (row) => toNumber(row[label]) : null;
}
