import { hash } from 'node:crypto';
import type { Embed, EmbedParameters } from '../../access/embed.ts';
import type { Principal } from '../../access/principal.ts';
import type { QueryDefinition } from '../../catalog/query.ts';
import type { TimeZone } from '../../catalog/time-zone.ts';
import { type ChartColumn, type ChartRow, type ChartSurface, toChartColumn } from '../../charts/built-chart.ts';
import { createClockReader } from '../../charts/cell-values.ts';
import { classifyColumns } from '../../charts/classify.ts';
import { type ChartCollector, type ChartData, createChartCollector } from '../../charts/summary/chart-data.ts';
import type { Config } from '../../config/config.ts';
import { type ChartConfig, columnsOf } from '../../core/chart-config.ts';
import { failed, type Failure, type Result, succeeded } from '../../core/errors.ts';
import { type ChartDrawer, type ChartDrawing, type ChartPicture, DrawFailed } from '../../drawing/chart-drawer.ts';
import { ByteWriter } from '../../results/byte-writer.ts';
import { labelColumns, observeValues } from '../../results/columns.ts';
import { rowsDigestOf } from '../../results/continuation.ts';
import { createJsonRowEncoder } from '../../results/encode/json-rows.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import { queryBound } from '../../results/snapshot/stop.ts';
import type { Authorized, RunForm } from '../authorized.ts';
import type { Call } from '../call.ts';
import type { Deliver } from '../deliver.ts';
import { type Execute, executionFailure } from '../steps/execute.ts';
import type { ChartCache, Sized } from './chart-cache.ts';

export type { ChartPicture };
export type Theme = ChartSurface['theme'];
/** A picture for a phone is drawn for it: scaled down, its text could not be read. */
export type PictureSize = 'wide' | 'narrow';

/** A chart: its rows, and pictures of it, each drawn on first use. */
export interface ViewedChart {
  readonly embed: Embed;
  readonly collected: CollectedChart;
  readonly draw: (theme: Theme, size: PictureSize) => Promise<ChartPicture>;
  /** These two are standalone images: without room for a toolbar, and with the notes of the chart. */
  readonly svg: (theme: Theme) => Promise<string>;
  readonly png: (theme: Theme) => Promise<Buffer>;
}

export interface View {
  readonly action: string; // in the audit trail
  readonly counts: boolean; // as a view of the embed
}

/** `show` renders the chart for the caller. It is part of the call, so that its errors are audited. */
export type ViewEmbed = <T>(call: Call, view: View, show: (chart: ViewedChart) => Promise<T>) => Promise<Result<T>>;

export interface ViewEmbedParts {
  readonly deliver: Deliver; // by embed tokens
  readonly execute: Execute;
  readonly cache: ChartCache<Omit<ViewedChart, 'embed'>>;
  readonly drawer: ChartDrawer;
  readonly parameters: EmbedParameters;
  readonly recordView: (embedId: string) => void;
  readonly config: () => Config;
  readonly zone: TimeZone;
}

/** Pictures are drawn at these widths; the page shows them until its script has loaded. A narrow one fits beside a scroll bar. */
const PICTURE_WIDTHS: Readonly<Record<PictureSize, number>> = { wide: 960, narrow: 360 };

/** The chart of a token with current rows, or cached ones: a popular page queries its database at most once per `cacheSeconds`. */
export function createViewEmbed(parts: ViewEmbedParts): ViewEmbed {
  const form = ({ authentication }: Principal): Result<ViewForm> => {
    if (authentication.kind !== 'embed') return failed({ kind: 'CredentialMissing' });
    const { embed } = authentication;
    const parameters = parts.parameters.open(embed);
    if (parameters === null) return failed({ kind: 'CredentialInvalid' }); // sealed under a secret that no longer exists
    return succeeded({ embed, run: { queryName: embed.queryName }, parameters });
  };
  return (call, { action, counts }, show) =>
    parts.deliver({ call, action, form }, async (authorized) => {
      const { query, values, draft } = authorized;
      const { embed } = authorized.form;
      draft.parameters = { ...draft.parameters, embed: embed.id };
      if (query.current.definition.epilogue !== undefined)
        return failed({ kind: 'StateConflict', reason: 'The query has an Epilogue now, and a view must not change data.' });
      const chart = JSON.stringify(embed.chart);
      const key = [embed.id, embed.stamp, chart, query.current.version, rowsDigestOf(query.id, values)].join(':');
      const { result, cached } = await parts.cache.get(key, call.signal, (left) => makeChart(parts, authorized, key, left));
      if (!result.ok) return result;
      const { data, bytes } = result.value.collected;
      draft.rows = data.rows.length;
      draft.bytes = bytes;
      draft.responseBytes = bytes;
      draft.cached = cached;
      try {
        const shown = await show({ embed, ...result.value });
        if (counts) parts.recordView(embed.id);
        return succeeded(shown);
      } catch (error) {
        return failed(drawFailure(error));
      }
    });
}

interface ViewForm extends RunForm {
  readonly embed: Embed;
}

/** The failure that a caller sees if a chart cannot be drawn. */
export function drawFailure(cause: unknown): Failure {
  if (!(cause instanceof DrawFailed)) return { kind: 'Internal', cause };
  switch (cause.reason) {
    case 'too large':
      return { kind: 'ChartTooLarge', reason: TOO_LARGE };
    case 'too busy':
      return { kind: 'Overloaded', retryAfterSeconds: 1 };
    case 'closed':
      return { kind: 'ShuttingDown', cause };
    case 'broken':
      return { kind: 'Internal', cause };
  }
}

const TOO_LARGE =
  'The chart takes too long to draw. Draw less: filter or group the rows in the query, or choose a chart type with fewer marks.';

async function makeChart(
  { execute, drawer, config, zone }: ViewEmbedParts,
  authorized: Authorized<ViewForm>,
  key: string,
  left: AbortSignal,
): Promise<Result<Sized<Omit<ViewedChart, 'embed'>>>> {
  const { call, form, query } = authorized;
  const { chart } = form.embed;
  const { definition } = query.current;
  const { embedTimeoutSeconds, queryTimeoutSeconds, chartRows } = config();
  const timeoutSeconds = Math.min(definition.timeoutSeconds ?? queryTimeoutSeconds, embedTimeoutSeconds);
  const withTimeout = { ...query, current: { ...query.current, definition: { ...definition, timeoutSeconds } } };
  const execution = await execute({ ...authorized, query: withTimeout, call: { ...call, signal: left } });
  if (!execution.ok) return execution;
  try {
    const read = await collectStream(execution.value.rows, definition, chart, {
      clockOf: createClockReader(zone.clockAt),
      maxRows: chartRows,
    });
    if (!read.ok) return read;
    const collected = read.value;
    const { columns, data, bytes, digest } = collected;
    const createDrawing = (config: ChartConfig, theme: Theme, size: PictureSize) => ({
      columns,
      data,
      config,
      surface: { width: PICTURE_WIDTHS[size], theme },
      turn: { owner: form.embed.userId, chart: form.embed.id, bytes, key: `${key}:${digest}` },
    });
    const createStandalone = (theme: Theme): ChartDrawing => ({
      ...createDrawing({ ...chart, showToolbar: false }, theme, 'wide'),
      below: [],
    });
    const value = {
      collected,
      draw: cacheByTheme((theme, size) => drawer.picture(createDrawing(chart, theme, size))),
      svg: cacheByTheme((theme) => drawer.svg(createStandalone(theme))),
      png: cacheByTheme((theme) => drawer.png(createStandalone(theme))),
    };
    return succeeded({ value, bytes: bytes * MEMORY_FACTOR + PICTURE_BYTES });
  } catch (error) {
    return failed(executionFailure(error));
  }
}

// objects take more memory than their JSON; pictures are added
const MEMORY_FACTOR = 6;
const PICTURE_BYTES = 512 << 10;

/** Computed on first use. Only the failure of a chart that is too large is cached: others may be temporary. */
function cacheByTheme<T>(
  make: (theme: Theme, size: PictureSize) => Promise<T>,
): (theme: Theme, size?: PictureSize) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (theme, size = 'wide') => {
    const key = `${theme} ${size}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const making = make(theme, size);
    made.set(key, making);
    making.catch((error: unknown) => {
      if (!(error instanceof DrawFailed && error.reason === 'too large')) made.delete(key);
    });
    return making;
  };
}

/** The data of a chart: only its own columns, so that viewers see no more of the result than the chart shows. */
export interface CollectedChart {
  readonly columns: readonly ChartColumn[];
  readonly data: ChartData;
  readonly bytes: number;
  readonly digest: string; // of the data
}

interface ReadOptions {
  readonly clockOf: (label: unknown) => number | null;
  readonly maxRows: number;
}

const FIRST_ROWS = 1000; // whose values classify columns without a declared type
const CHUNK_BYTES = 256 << 10; // parsing it takes a millisecond

/** Reads all rows of a result that the chart needs. Always closes the stream. */
export async function collectStream(
  stream: RowStream,
  definition: QueryDefinition,
  chart: ChartConfig,
  options: ReadOptions,
): Promise<Result<CollectedChart>> {
  try {
    const labeled = labelColumns(stream.columns, definition.columns);
    const names = columnsOf(chart);
    const missing = names.find((name) => !labeled.some(({ label }) => label === name));
    if (missing !== undefined) return failed({ kind: 'StateConflict', reason: `The query no longer has the column ${missing}.` });
    const wanted = labeled.flatMap(({ label }, index) => (names.includes(label) ? [index] : []));
    const observer = observeValues(stream.columns);
    const classify = () =>
      classifyColumns(labeled, definition.columns, observer.seen())
        .filter((_, index) => wanted.includes(index))
        .map(toChartColumn);
    let collector: ChartCollector | null = null;
    let columns: readonly ChartColumn[] = [];
    const open = (): ChartCollector => {
      columns = classify();
      return createChartCollector(columns, chart, options);
    };

    const { encodeRow } = createJsonRowEncoder(wanted.flatMap((index) => labeled[index] ?? []));
    const out = new ByteWriter();
    const { maxRows = Number.POSITIVE_INFINITY } = definition;
    let count = 0;
    let isDone = false;
    const flush = (): void => {
      const rows: readonly ChartRow[] = JSON.parse(`[${Buffer.from(out.take()).toString()}]`);
      collector ??= open();
      isDone ||= !rows.every(collector.add);
    };
    for await (const batch of stream.batches()) {
      const narrow = selectColumns(batch, wanted);
      for (let row = 0; row < batch.length && count <= maxRows && !isDone; row++) {
        if (++count > maxRows) break;
        if (out.length > 0) out.ascii(',');
        encodeRow(narrow, row, out);
        if (collector === null) observer.look(batch, row);
        if (out.length > CHUNK_BYTES || count === FIRST_ROWS) flush();
      }
      if (isDone || count > maxRows) break;
    }
    flush();
    const data = (collector ?? open()).finish(count > maxRows ? queryBound(maxRows) : undefined);
    const json = JSON.stringify(data);
    return succeeded({ columns, data, bytes: json.length, digest: hash('sha256', json) });
  } finally {
    await stream.close().catch(() => undefined); // the rows that were read stay valid
  }
}

/** A batch with only these columns. */
const selectColumns = (batch: RowBatch, columns: readonly number[]): RowBatch => {
  const sourceColumn = (column: number): number => columns[column] ?? 0;
  return {
    length: batch.length,
    writeJson: (row, column, out) => batch.writeJson(row, sourceColumn(column), out),
    writeText: (row, column, out) => batch.writeText(row, sourceColumn(column), out),
    value: (row, column) => batch.value(row, sourceColumn(column)),
  };
};
