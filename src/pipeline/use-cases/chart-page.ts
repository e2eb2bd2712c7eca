import type { Query } from '../../catalog/query.ts';
import { type ChartColumn, type ChartRow, toChartColumn } from '../../charts/built-chart.ts';
import { createClockReader } from '../../charts/cell-values.ts';
import { chartSettings, describeId } from '../../charts/suggest-chart.ts';
import { type ChartData, collectChart } from '../../charts/summary/chart-data.ts';
import { chartConfigDefaults, type ChartConfig, type ChartType } from '../../core/chart-config.ts';
import { type FieldProblem, failed, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import type { ChartDrawer } from '../../drawing/chart-drawer.ts';
import { describeUnknownColumns } from '../../results/shown-rows.ts';
import type { SnapshotPosition } from '../../results/snapshot-position.ts';
import type { Call } from '../call.ts';
import { collectSnapshot, type SummaryParts } from './chart-summary.ts';
import { drawFailure } from './embed-view.ts';
import type { Page, PageForm } from './page.ts';

/** The chart that a caller wants; columns that are left out are chosen. */
export interface WantedChart {
  readonly chartType: ChartType;
  readonly labelColumn?: string | undefined;
  readonly dataColumn?: string | undefined;
  readonly title?: string | undefined;
}

export type ChartPageForm = PageForm & { readonly chart?: WantedChart };

export interface ChartPage {
  readonly page: Page;
  readonly drawn: DrawnChart | null; // null: no chart was wanted
}

export interface DrawnChart {
  readonly columns: readonly ChartColumn[];
  readonly data: ChartData;
  readonly config: ChartConfig;
  readonly png: Buffer;
}

export type DeliverChartPage = (call: Call, form: () => Result<ChartPageForm>) => Promise<Result<ChartPage>>;

const PICTURE_WIDTH = 960;
const SCALE = 1.5; // readable on dense screens, and not larger than what models look at

export interface ChartPageParts extends SummaryParts {
  readonly drawer: Pick<ChartDrawer, 'png'>;
}

/** A page of rows, and a picture of the whole result if a chart is wanted. */
export function createDeliverChartPage(parts: ChartPageParts): DeliverChartPage {
  const { deliver, takePage, drawer } = parts;
  return (call, form) =>
    deliver({ call, action: 'query.execute', form }, async (authorized): Promise<Result<ChartPage>> => {
      const patience = call.waitMs === undefined ? null : AbortSignal.timeout(call.waitMs);
      const page = await takePage(authorized);
      if (!page.ok) return page;
      const { chart } = authorized.form;
      if (chart === undefined || page.value.isRunning) return succeeded({ page: page.value, drawn: null });
      const { rows } = page.value;
      const columns = page.value.columns.map(toChartColumn);
      const parsed: readonly ChartRow[] = JSON.parse(`[${rows.toString()}]`);
      const config = completeChart(authorized.query, columns, parsed, chart);
      if (!config.ok) return config;
      const position =
        authorized.position ?? (page.value.code === null ? null : parts.continuations.read(page.value.code, 'page'));
      const signal = patience === null ? call.signal : AbortSignal.any([call.signal, patience]);
      const collected = await collectResult(parts, { ...call, signal }, position, page.value, parsed, config.value);
      if (!collected.ok && position !== null && patience?.aborted && !call.signal.aborted) {
        Object.assign(authorized.draft, { rows: null, bytes: null, responseBytes: 0 });
        return succeeded({ page: askAgain(parts, position, page.value, parsed.length), drawn: null });
      }
      if (!collected.ok) return collected;
      const data = collected.value;
      try {
        const { png } = await drawer.png(
          {
            columns,
            data,
            config: config.value,
            surface: { width: PICTURE_WIDTH, theme: 'light' },
            below: [],
            turn: { owner: authorized.principal.userId, chart: authorized.call.requestId, bytes: rows.length },
          },
          SCALE,
        );
        authorized.draft.responseBytes = rows.length + png.length;
        return succeeded({ page: page.value, drawn: { columns, data, config: config.value, png } });
      } catch (error) {
        return failed(drawFailure(error));
      }
    });
}

const NOTHING_TO_MEASURE =
  'The result is a list: no column has a number that can be measured. Leave chartType out and show the rows as a table, or name a dataColumn.';

/** Reads the page if it is the whole result, otherwise the snapshot. For an incomplete result, the drawing says why there is no chart. */
async function collectResult(
  parts: ChartPageParts,
  call: Call,
  position: SnapshotPosition | null,
  { columns }: Page,
  rows: readonly ChartRow[],
  config: ChartConfig,
): Promise<Result<ChartData>> {
  if (position !== null) return collectSnapshot(parts, call, position.snapshotId, columns, config);
  const clockOf = createClockReader(parts.zone.clockAt);
  return succeeded(collectChart(columns.map(toChartColumn), rows, config, { clockOf }));
}

/** The response if the chart needs rows that are not stored yet: no rows, and a code for the same page. */
function askAgain({ continuations }: ChartPageParts, position: SnapshotPosition, page: Page, rowCount: number): Page {
  const rowIndex = page.nextRowIndex - rowCount;
  const code = continuations.issue({ ...position, kind: 'page', rowIndex });
  return { ...page, rows: Buffer.alloc(0), shown: null, rowCount: 0, nextRowIndex: rowIndex, code, isRunning: true };
}

/** What the caller leaves out comes from the chart of the query, otherwise from the suggestion of the wizard. */
function completeChart(
  query: Query,
  columns: readonly ChartColumn[],
  rows: readonly ChartRow[],
  { chartType, labelColumn, dataColumn, title }: WantedChart,
): Result<ChartConfig> {
  const problems: FieldProblem[] = [];
  const find = (field: string, sent: string | undefined): string | undefined => {
    if (!sent) return undefined;
    const found =
      columns.find(({ name }) => name === sent) ?? columns.find(({ name }) => name.toLowerCase() === sent.toLowerCase());
    if (found === undefined) {
      const known = columns.map(({ name }) => name);
      problems.push({ field, message: describeUnknownColumns([sent], known) });
    }
    const message = found && field === 'dataColumn' ? describeId({ ...found, label: found.name }) : null;
    if (message != null) problems.push({ field, message });
    return found?.name;
  };
  const [label, data] = [find('labelColumn', labelColumn), find('dataColumn', dataColumn)];
  if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });
  const suggested = chartSettings(query.current.definition.chart, columns, rows);
  if (suggested === null && data === undefined) return failed(fieldInvalid('dataColumn', NOTHING_TO_MEASURE));
  const namesColumns = label !== undefined || data !== undefined;
  return succeeded({
    ...(suggested ?? { ...chartConfigDefaults, labelColumn: columns[0]?.name ?? '', dataColumn: '' }),
    ...(namesColumns ? { seriesColumn: null } : {}), // the columns belong together
    ...(label === undefined ? {} : { labelColumn: label }),
    ...(data === undefined ? {} : { dataColumn: data, moreDataColumns: [] }),
    ...(title === undefined ? {} : { title }),
    chartType,
    showToolbar: false,
  });
}
