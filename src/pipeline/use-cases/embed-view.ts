import { hash } from 'node:crypto';
import { embedBehind, type Principal, viewerBehind } from '../../access/principal.ts';
import type { Embed, ShareParameters } from '../../access/share.ts';
import { takeOpen } from '../../catalog/open-parameters.ts';
import type { SentParameter } from '../../catalog/parameter.ts';
import type { QueryDefinition } from '../../catalog/query.ts';
import type { TimeZone } from '../../catalog/time-zone.ts';
import { type ChartColumn, type ChartRow, type ChartSurface, toChartColumn } from '../../charts/built-chart.ts';
import { createClockReader } from '../../charts/cell-values.ts';
import { classifyColumns } from '../../charts/classify.ts';
import { type ChartCollector, type ChartData, createChartCollector } from '../../charts/summary/chart-data.ts';
import type { Config } from '../../config/config.ts';
import { accountOf } from '../../core/account-of.ts';
import { type ChartConfig, columnsOf } from '../../core/chart-config.ts';
import { failed, type Failure, inputRefused, type Result, succeeded } from '../../core/errors.ts';
import {
  type ChartDrawer,
  type ChartDrawing,
  type ChartPicture,
  DrawFailed,
  type PngPicture,
} from '../../drawing/chart-drawer.ts';
import { ByteWriter } from '../../results/byte-writer.ts';
import { labelColumns, observeValues } from '../../results/columns.ts';
import { rowsDigestOf } from '../../results/continuation.ts';
import { createJsonRowEncoder } from '../../results/encode/json-rows.ts';
import type { RowBatch, RowStream } from '../../results/row-stream.ts';
import { queryBound } from '../../results/snapshot/stop.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import type { Authorized } from '../authorized.ts';
import type { Call } from '../call.ts';
import type { Deliver } from '../deliver.ts';
import { type RanVersion, ranVersion, readNamedVersion } from '../find-query.ts';
import { type Execute, executionFailure } from '../steps/execute.ts';
import type { ChartCache, Sized } from './chart-cache.ts';
import { describeOpen, fieldsOf, missingProblems, type OpenField, type ReadFields, type ViewForm } from './open-fields.ts';

export type { ChartPicture };
export type Theme = ChartSurface['theme'];
/** Narrow pictures are for phones, where the text of a wide one would be too small to read. */
export type PictureSize = 'wide' | 'narrow';

/** A chart: its rows, and pictures of it, each drawn on first use. */
export interface ViewedChart {
  readonly ran: RanVersion;
  readonly embed: Embed;
  readonly fields: readonly OpenField[];
  readonly expiresAt: number | null; // of the viewer's token
  readonly isOfIssuer: boolean; // its rows and values are those that the issuer chose
  readonly collected: CollectedChart;
  readonly draw: (theme: Theme, size: PictureSize) => Promise<ChartPicture>;
  /** These two are standalone images: without room for a toolbar, and with the notes of the chart. */
  readonly svg: (theme: Theme) => Promise<string>;
  readonly png: (theme: Theme) => Promise<PngPicture>;
}

export interface View {
  readonly action: string; // in the audit trail
  readonly counts: boolean; // as a view of the embed
  readonly hasFields: boolean; // the viewer sees fields for open parameters
  readonly sent: readonly SentParameter[]; // in the address
}

/** The result of a view. The fields are also read if it failed, so that its viewer can send other values. */
export interface Viewed<T> {
  readonly shown: Result<T>;
  readonly embed: Embed | null;
  readonly fields: readonly OpenField[];
}

/** `show` renders the chart for the caller. It is part of the call, so that its errors are audited. */
export type ViewEmbed = <T>(call: Call, view: View, show: (chart: ViewedChart) => Promise<T>) => Promise<Viewed<T>>;

export interface ViewEmbedParts {
  readonly deliver: Deliver; // by embed tokens
  readonly execute: Execute;
  readonly cache: ChartCache<DrawnChart>;
  readonly readFields: ReadFields;
  readonly store: Pick<MetadataStore, 'queries'>;
  readonly drawer: ChartDrawer;
  readonly parameters: ShareParameters;
  readonly recordView: (embedId: string) => void;
  readonly config: () => Config;
  readonly zone: TimeZone;
}

type DrawnChart = Pick<ViewedChart, 'collected' | 'draw' | 'svg' | 'png'>;

/** Pictures are drawn at these widths; the page shows them until its script has loaded. A narrow one fits beside a scroll bar. */
const PICTURE_WIDTHS: Readonly<Record<PictureSize, number>> = { wide: 960, narrow: 360 };

/** The chart of a token with current rows, or cached ones: a popular page queries its database at most once per `cacheSeconds`. */
export function createViewEmbed(parts: ViewEmbedParts): ViewEmbed {
  return async (call, view, show) => {
    let embed: Embed | null = null;
    let fields: readonly OpenField[] = [];
    let admitted: { readonly principal: Principal; readonly form: ViewForm } | null = null;
    const readForm = (principal: Principal): Result<ViewForm> => {
      embed = embedBehind(principal);
      const form = formOf(parts.parameters, embed, view.sent);
      if (form.ok) admitted = { principal, form: form.value };
      return form;
    };
    const shown = await parts.deliver({ call, action: view.action, form: readForm }, async (authorized) => {
      if (view.hasFields) fields = await parts.readFields(authorized);
      const missing = missingProblems(authorized);
      return missing.length > 0 ? failed(inputRefused(missing)) : showChart(parts, authorized, { fields, view }, show);
    });
    if (!shown.ok && 'problems' in shown.failure && fields.length === 0) fields = await fieldsToCorrect(parts, admitted);
    return { shown, embed, fields };
  };
}

function formOf(stored: ShareParameters, embed: Embed | null, sent: readonly SentParameter[]): Result<ViewForm> {
  if (embed === null) return failed({ kind: 'CredentialMissing' });
  const kept = stored.open(embed);
  if (kept === null) return failed({ kind: 'CredentialInvalid' }); // sealed under a secret that no longer exists
  const { queryName, open } = embed;
  const parameters = takeOpen(open, sent, 'embed');
  return parameters.ok ? succeeded({ embed, run: { queryName }, parameters: parameters.value, kept, open }) : parameters;
}

/** The fields of a view whose values were refused. Viewers who may not run the query have failed before. */
async function fieldsToCorrect(
  { store }: Pick<ViewEmbedParts, 'store'>,
  admitted: { readonly principal: Principal; readonly form: ViewForm } | null,
): Promise<readonly OpenField[]> {
  const version = admitted && (await readNamedVersion(store, admitted.form.embed.queryName));
  return version && admitted ? fieldsOf(version.definition.parameters, admitted.principal, admitted.form) : [];
}

async function showChart<T>(
  parts: ViewEmbedParts,
  authorized: Authorized<ViewForm>,
  { fields, view }: { readonly fields: readonly OpenField[]; readonly view: View },
  show: (chart: ViewedChart) => Promise<T>,
): Promise<Result<T>> {
  const { call, form, principal, query, values, draft } = authorized;
  const { embed } = form;
  draft.parameters = { ...draft.parameters, embed: embed.id };
  if (query.current.definition.epilogue !== undefined)
    return failed({ kind: 'StateConflict', reason: 'The query has an Epilogue now, and a view must not change data.' });
  const chart = JSON.stringify(embed.chart);
  const viewer = viewerBehind(principal) === null ? '' : principal.userId; // viewers do not share rows
  const key = [embed.id, embed.stamp, viewer, chart, query.current.version, rowsDigestOf(query.id, values)].join(':');
  const { result, cached } = await parts.cache.get(key, call.signal, (left) => makeChart(parts, authorized, key, left));
  if (!result.ok) return result;
  const { data, bytes } = result.value.collected;
  draft.rows = data.rows.length;
  draft.bytes = bytes;
  draft.responseBytes = bytes;
  draft.cached = cached;
  try {
    const isOfIssuer = viewer === '' && form.parameters.length === 0;
    const expiresAt = viewerBehind(principal)?.expiresAt ?? null;
    const shown = await show({ ran: ranVersion(authorized), embed, fields, expiresAt, isOfIssuer, ...result.value });
    if (view.counts) parts.recordView(embed.id);
    return succeeded(shown);
  } catch (error) {
    return failed(drawFailure(error));
  }
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
): Promise<Result<Sized<DrawnChart>>> {
  const { call, form, principal, query } = authorized;
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
    const createDrawing = (drawn: ChartConfig, theme: Theme, size: PictureSize) => ({
      columns,
      data,
      config: drawn,
      surface: { width: PICTURE_WIDTHS[size], theme },
      turn: { owner: accountOf(principal.userId), chart: form.embed.id, bytes, key: `${key}:${digest}` },
    });
    const createStandalone = (theme: Theme): ChartDrawing => ({
      ...createDrawing({ ...chart, showToolbar: false }, theme, 'wide'),
      below: describeOpen(authorized),
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
