import type { TimeZone } from '../../catalog/time-zone.ts';
import type { ChartRow } from '../../charts/built-chart.ts';
import { createClockReader } from '../../charts/cell-values.ts';
import { withColumns } from '../../charts/suggest-chart.ts';
import { createSummariser, type Summariser } from '../../charts/summary/summarise.ts';
import { type Aggregate, type ChartColumnNames, dataColumnsOf, type SortBy, type TimeUnit } from '../../core/chart-config.ts';
import { FailureError, failed, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import type { ClassifiedColumn } from '../../results/columns.ts';
import type { SnapshotPosition } from '../../results/continuation.ts';
import type { ReadRequest } from '../../results/snapshot/snapshots.ts';
import type { Authorised, ContinueForm, RunForm } from '../authorised.ts';
import type { Call } from '../call.ts';
import type { Deliver } from '../deliver.ts';
import { type PageParts, readSnapshot, type TakePage } from './page.ts';

export interface SummaryRequest extends ChartColumnNames {
  readonly sortBy: SortBy;
  readonly aggregate: Exclude<Aggregate, 'none'>;
  readonly timeUnit: TimeUnit;
  readonly limit: number | undefined;
}

export type SummaryForm = (RunForm | ContinueForm) & { readonly summary: SummaryRequest; readonly fresh?: boolean | undefined };

export interface ChartSummary {
  readonly columns: readonly Pick<ClassifiedColumn, 'label' | 'class'>[];
  readonly rows: readonly ChartRow[];
  readonly rowsRead: number;
  readonly groups: number;
  readonly code: string;
}

export type DeliverSummary = (call: Call, form: () => Result<SummaryForm>) => Promise<Result<ChartSummary>>;

export interface SummaryParts extends PageParts {
  readonly deliver: Deliver;
  readonly takePage: TakePage;
  readonly zone: TimeZone;
}

const MAX_GROUPS = 10_000;
const MAX_ROWS = 5_000; // of a page
const PAGE_BYTES = 1 << 20; // parsing it takes a few milliseconds

/** Groups all rows of a result. The first call runs the query; with its code, later ones read the same rows again. */
export function createDeliverSummary(parts: SummaryParts): DeliverSummary {
  return (call, form) =>
    parts.deliver({ call, action: 'query.execute', form }, async (authorised) => {
      const opened = await openResult(parts, authorised);
      if (!opened.ok) return opened;
      const { position, columns } = opened.value;
      const plan = planSummary(columns, authorised.form.summary, parts.zone);
      if (!plan.ok) return plan;
      const { summariser, names } = plan.value;
      const read = await addAllRows(parts, call, position, summariser);
      if (!read.ok) return read;
      const summary = summariser.finish();
      if (summary === null) return tooManyGroups;
      const held = await holdRows(authorised, summary.rows.length);
      if (!held.ok) return held;
      authorised.draft.rows = summary.rows.length;
      const code = parts.continuations.issue({ kind: 'page', ...position });
      const shown = columns.filter(({ label }) => names.has(label));
      return succeeded({ columns: shown, rows: summary.rows, groups: summary.groups, rowsRead: read.value, code });
    });
}

/** A key with fewer rows left gets none: a part of the groups would look like all of them. */
async function holdRows({ allowance }: Authorised<SummaryForm>, rows: number): Promise<Result<null>> {
  try {
    await allowance.holdAll(rows);
    return succeeded(null);
  } catch (error) {
    if (error instanceof FailureError) return failed(error.failure);
    throw error;
  }
}

interface OpenedResult {
  readonly position: SnapshotPosition; // its first row
  readonly columns: readonly ClassifiedColumn[];
}

async function openResult(parts: SummaryParts, authorised: Authorised<SummaryForm>): Promise<Result<OpenedResult>> {
  const { form, position } = authorised;
  if (position !== null) {
    const first = await readSnapshot(parts.snapshots, position.snapshotId, requestRows(0, authorised.call, 1));
    if (!first.ok) return first;
    return succeeded({ position: { ...position, rowIndex: 0 }, columns: first.value.manifest.columns });
  }
  const page = await parts.takePage({ ...authorised, form: { ...form, rowSize: 1, classified: true, keep: true } });
  if (!page.ok) return page;
  const started = page.value.code === null ? null : parts.continuations.read(page.value.code, 'page');
  if (started === null) return failed({ kind: 'StoreUnavailable', cause: new Error('The result could not be kept.') });
  return succeeded({ position: { ...started, rowIndex: 0, rowSize: parts.config().rowsDefault }, columns: page.value.columns });
}

/** The columns by their names, and how they are grouped. */
function planSummary(columns: readonly ClassifiedColumn[], sent: SummaryRequest, zone: TimeZone) {
  const named = withColumns(columns, sent);
  if (!named.ok) return named;
  const { labelColumn, seriesColumn, timeUnit, limit, aggregate, sortBy } = named.value;
  const isTime = columns.find(({ label }) => label === labelColumn)?.nature === 'time';
  if (!isTime && timeUnit !== 'auto' && timeUnit !== 'none')
    return failed(
      fieldInvalid('timeUnit', `The column ${JSON.stringify(labelColumn)} has no dates or times. Leave the unit out.`),
    );
  const data = dataColumnsOf(named.value);
  const summariser = createSummariser({
    label: labelColumn,
    data,
    series: seriesColumn,
    aggregate,
    clockOf: isTime && timeUnit !== 'none' ? createClockReader(zone.clockAt) : null,
    unit: timeUnit === 'none' ? 'auto' : timeUnit,
    sortBy,
    limit,
    maxGroups: MAX_GROUPS,
  });
  return succeeded({ summariser, names: new Set([labelColumn, seriesColumn, ...data]) });
}

/** The number of rows. */
async function addAllRows(
  { snapshots, config }: SummaryParts,
  call: Call,
  { snapshotId }: SnapshotPosition,
  summariser: Summariser,
): Promise<Result<number>> {
  const { chartRows } = config();
  for (let rowIndex = 0; ;) {
    const read = await readSnapshot(snapshots, snapshotId, requestRows(rowIndex, call));
    if (!read.ok) return read;
    const { page } = read.value;
    const rows: readonly ChartRow[] = JSON.parse(`[${page.rows.toString()}]`);
    for (const row of rows) if (!summariser.add(row)) return tooManyGroups;
    rowIndex = page.nextRowIndex;
    if (rowIndex > chartRows || (rowIndex === chartRows && page.hasMore)) return tooManyRows(chartRows);
    if (!page.hasMore) return succeeded(rowIndex);
  }
}

const requestRows = (rowIndex: number, { signal }: Call, rowSize = MAX_ROWS): ReadRequest => ({
  rowIndex,
  rowSize,
  maxPageBytes: PAGE_BYTES,
  signal,
});

const tooManyGroups = failed({
  kind: 'ChartTooLarge',
  reason: `There are more than ${MAX_GROUPS} groups. Filter the rows, choose a coarser time unit, or aggregate in the SQL.`,
});

const tooManyRows = (most: number) =>
  failed({
    kind: 'ChartTooLarge',
    reason: `The result has more than ${most} rows (SLUICE_CHART_ROWS). Filter the rows, or aggregate in the SQL.`,
  });
