import type { TimeZone } from '../../catalog/time-zone.ts';
import { type ChartRow, toChartColumn } from '../../charts/built-chart.ts';
import { createClockReader } from '../../charts/cell-values.ts';
import { notes } from '../../charts/notes.ts';
import { type ChartData, createChartCollector, MAX_GROUPS, tooManyGroups } from '../../charts/summary/chart-data.ts';
import { createSummarizer, measureKey } from '../../charts/summary/summarize.ts';
import {
  type Aggregate,
  type ChartColumnNames,
  type ChartType,
  columnsOf,
  dataColumnsOf,
  type SortBy,
  type TimeUnit,
} from '../../core/chart-config.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { ClassifiedColumn } from '../../results/columns.ts';
import type { SnapshotPosition } from '../../results/snapshot-position.ts';
import type { Authorized, ContinueForm, RunForm } from '../authorized.ts';
import type { Call } from '../call.ts';
import type { Deliver } from '../deliver.ts';
import { type RanVersion, ranVersion } from '../find-query.ts';
import { checkColumns } from '../steps/embed-chart.ts';
import { type PageParts, readSnapshot, type TakePage } from './page.ts';
import { type ReadAllRows, requestRows } from './read-all-rows.ts';

export interface SummaryRequest extends ChartColumnNames {
  readonly sortBy: SortBy;
  readonly aggregate: Aggregate;
  readonly timeUnit: TimeUnit;
  readonly limit: number | undefined;
  /** The rows that a chart of this type draws, instead of every group. */
  readonly chartType: ChartType | undefined;
  readonly allLabels: boolean;
}

export type SummaryForm = (RunForm | ContinueForm) & { readonly summary: SummaryRequest; readonly fresh?: boolean | undefined };

export interface ChartSummary {
  readonly ran: RanVersion;
  readonly columns: readonly Pick<ClassifiedColumn, 'label' | 'class'>[];
  readonly rows: readonly ChartRow[];
  readonly rowsRead: number;
  readonly groups: number;
  readonly isWhole: boolean; // false: a chart of rows draws the first ones
  readonly drawing: Omit<ChartData, 'rows' | 'refusal' | 'isWhole'> | null; // null: not for a chart
  readonly code: string;
}

export type DeliverSummary = (call: Call, form: () => Result<SummaryForm>) => Promise<Result<ChartSummary>>;

export interface SummaryParts extends PageParts {
  readonly deliver: Deliver;
  readonly takePage: TakePage;
  readonly zone: TimeZone;
  readonly readAllRows: ReadAllRows;
}

/** Groups all rows of a result. The first call runs the query; with its code, later ones read the same rows again. */
export function createDeliverSummary(parts: SummaryParts): DeliverSummary {
  return (call, form) =>
    parts.deliver({ call, action: 'query.execute', form }, async (authorized) => {
      const opened = await openResult(parts, authorized);
      if (!opened.ok) return opened;
      const { position, columns, ran } = opened.value;
      const named = checkColumns(columns, authorized.form.summary);
      if (!named.ok) return named;
      const summary = await (named.value.chartType === undefined ? groupResult : drawResult)(
        parts,
        call,
        position.snapshotId,
        columns,
        named.value,
      );
      if (!summary.ok) return summary;
      const { rows } = summary.value;
      // a key with fewer rows left gets none: a part of the groups would look like all of them
      await authorized.allowance.holdAll(rows.length);
      authorized.draft.rows = rows.length;
      authorized.draft.responseBytes = JSON.stringify(rows).length;
      const code = parts.continuations.issue({ kind: 'page', ...position });
      return succeeded({ ...summary.value, ran, columns: columnsOfSummary(columns, named.value), code });
    });
}

/** Aggregates are numbers, also those of texts. A measure of the label or the series column is a separate column. */
function columnsOfSummary(columns: readonly ClassifiedColumn[], chart: SummaryRequest): ChartSummary['columns'] {
  const { labelColumn: label, seriesColumn: series, aggregate } = chart;
  const keys = dataColumnsOf(chart).map((name) => measureKey(name, { label, series, aggregate }));
  const measured = aggregate === 'none' ? [] : [...new Set(keys)].map((key) => ({ label: key, class: 'numeric' as const }));
  const names = columnsOf(chart);
  return [
    ...columns.flatMap((column) =>
      names.includes(column.label) ? (measured.find(({ label: key }) => key === column.label) ?? column) : [],
    ),
    ...measured.filter(({ label: key }) => !names.includes(key)),
  ];
}

type Summarized = Result<Omit<ChartSummary, 'ran' | 'columns' | 'code'>>;

async function groupResult(
  parts: SummaryParts,
  call: Call,
  snapshotId: string,
  columns: readonly ClassifiedColumn[],
  request: SummaryRequest,
): Promise<Summarized> {
  const { labelColumn, seriesColumn, timeUnit, limit, sortBy, ...sent } = request;
  const isTime = columns.find(({ label }) => label === labelColumn)?.nature === 'time';
  const summarizer = createSummarizer({
    label: labelColumn,
    data: dataColumnsOf(sent),
    series: seriesColumn,
    aggregate: sent.aggregate === 'none' ? 'sum' : sent.aggregate,
    clockOf: isTime && timeUnit !== 'none' ? createClockReader(parts.zone.clockAt) : null,
    unit: timeUnit === 'none' ? 'auto' : timeUnit,
    sortBy,
    limit,
    maxGroups: MAX_GROUPS,
  });
  const { chartRows } = parts.config();
  let rowsRead = 0;
  let isFull = false;
  const add = (row: ChartRow): boolean => {
    isFull = !summarizer.add(row);
    return !isFull && ++rowsRead <= chartRows;
  };
  const read = await parts.readAllRows(snapshotId, columnsOf(request), add, call.signal);
  if (!read.ok) return read;
  if (rowsRead > chartRows) return tooLarge(notes.tooManyRows(chartRows));
  const summary = isFull ? null : summarizer.finish();
  if (summary === null) return tooLarge(`${tooManyGroups.head}. ${tooManyGroups.advice}`);
  return succeeded({ rows: summary.rows, groups: summary.groups, rowsRead, isWhole: true, drawing: null });
}

async function drawResult(
  parts: SummaryParts,
  call: Call,
  snapshotId: string,
  columns: readonly ClassifiedColumn[],
  { chartType = 'bar', ...sent }: SummaryRequest,
): Promise<Summarized> {
  const read = await collectSnapshot(parts, call, snapshotId, columns, { ...sent, chartType }, sent.allLabels);
  if (!read.ok) return read;
  const { rows, refusal, isWhole, ...drawing } = read.value;
  if (refusal !== null) return tooLarge(`${refusal.head}. ${refusal.advice}`);
  return succeeded({ rows, groups: rows.length, rowsRead: drawing.rowsRead, isWhole, drawing });
}

const tooLarge = (reason: string) => failed({ kind: 'ChartTooLarge', reason });

/** What a chart draws of a result. */
export async function collectSnapshot(
  parts: Pick<SummaryParts, 'readAllRows' | 'config' | 'zone'>,
  call: Call,
  snapshotId: string,
  columns: readonly ClassifiedColumn[],
  chart: Parameters<typeof createChartCollector>[1],
  allLabels = false,
): Promise<Result<ChartData>> {
  const collector = createChartCollector(columns.map(toChartColumn), chart, {
    clockOf: createClockReader(parts.zone.clockAt),
    maxRows: parts.config().chartRows,
    allLabels,
  });
  const read = await parts.readAllRows(snapshotId, columnsOf(chart), collector.add, call.signal);
  if (read.ok) return succeeded(collector.finish());
  return read.failure.kind === 'SnapshotIncomplete' ? succeeded(collector.finish(read.failure.reason)) : read;
}

interface OpenedResult {
  readonly ran: RanVersion;
  readonly position: SnapshotPosition; // its first row
  readonly columns: readonly ClassifiedColumn[];
}

async function openResult(parts: SummaryParts, authorized: Authorized<SummaryForm>): Promise<Result<OpenedResult>> {
  const { form, position } = authorized;
  if (position !== null) {
    const first = await readSnapshot(parts.snapshots, position.snapshotId, requestRows(0, authorized.call.signal, 1));
    if (!first.ok) return first;
    const { queryVersion, columns } = first.value.manifest;
    return succeeded({ ran: ranVersion(authorized, queryVersion), position: { ...position, rowIndex: 0 }, columns });
  }
  const page = await parts.takePage({ ...authorized, form: { ...form, rowSize: 1, classified: true, keep: true } });
  if (!page.ok) return page;
  const started = page.value.code === null ? null : parts.continuations.read(page.value.code, 'page');
  if (started === null) return failed({ kind: 'StoreUnavailable', cause: new Error('The result could not be kept.') });
  const { ran, columns } = page.value;
  return succeeded({ ran, position: { ...started, rowIndex: 0, rowSize: parts.config().rowsDefault }, columns });
}
