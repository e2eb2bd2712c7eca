import {
  type ChartConfig,
  type ChartType,
  chartTypeName,
  columnsOf,
  dataColumnsOf,
  ofRows,
  severalSeries,
} from '../core/chart-config.ts';
import type { ColumnFormat } from '../core/column-format.ts';
import type { BuiltChart, ChartColumn, ChartRow, ChartSurface } from './built-chart.ts';
import { labelText, toPrintable } from './cell-values.ts';
import { bar } from './families/bar.ts';
import { boxPlot } from './families/box-plot.ts';
import { heatmap } from './families/heatmap.ts';
import { area, line } from './families/line-area.ts';
import { donut, pie, polarArea } from './families/pie-donut.ts';
import { radar } from './families/radar.ts';
import { radialBar } from './families/radial-bar.ts';
import { scatter } from './families/scatter.ts';
import { treemap } from './families/treemap.ts';
import { formatsFor } from './formats.ts';
import { notes, quoteName } from './notes.ts';
import { captionsOf, titleOf, decalsOf } from './option/frame.ts';
import { chartFont, themeOf } from './option/theme.ts';
import { extentOf, listValues } from './points.ts';
import type { ChartFamily, Drawn, Message, Option, Scene } from './scene.ts';
import { readSeries } from './series.ts';
import { isBox } from './summary/boxes.ts';
import type { ChartData } from './summary/chart-data.ts';

const families: Readonly<Record<ChartType, ChartFamily>> = {
  bar,
  line,
  area,
  scatter,
  pie,
  donut,
  polarArea,
  radar,
  radialBar,
  heatmap,
  treemap,
  boxPlot,
};

/** Converts the collected rows of a result to an ECharts option, for server pictures, embed pages and the web interface. */
export function buildChart(
  columns: readonly ChartColumn[],
  data: ChartData,
  config: ChartConfig,
  surface: ChartSurface,
): BuiltChart {
  const hasOneSeries = !severalSeries.has(config.chartType);
  const isCount = config.aggregate === 'count' && !ofRows.has(config.chartType);
  const scene: Scene = {
    config,
    width: Math.max(160, surface.width || 0),
    height: Math.max(80, config.chartHeight || 0),
    still: surface.still === true,
    zoom: surface.zoom ?? { factor: 1, x: 0, y: 0 },
    theme: themeOf(surface),
    formats: formatsFor(),
    labelFormats: formatsFor(formatOf(columns, config.labelColumn)),
    label: nameOr(config.labelColumn, 'Label'),
    data: isCount ? `Count of ${nameMeasure(config, hasOneSeries)}` : nameMeasure(config, hasOneSeries),
    labels: 'category',
    points: [],
    series: [],
    boxes: [],
    missing: data.missing,
    others: data.others,
  };
  const unknown = columnsOf(config).find((name) => !columns.some((column) => column.name === name));
  if (unknown !== undefined) return messageChart(scene, noColumnMessage(toPrintable(unknown)), []);
  if (data.refusal !== null) return messageChart(scene, data.refusal, data.notes);
  if (data.rows.length === 0 && data.rowsRead === 0) return messageChart(scene, noRows, data.notes);

  const drawable = hasOneSeries ? { ...config, moreDataColumns: [], seriesColumn: null } : config;
  const read = readSeries(columns, data, drawable, scene.formats);
  if (read === null) return messageChart(scene, noColumnMessage(scene.label), []);
  const isSingle = drawable.seriesColumn === null && read.series.length === 1;
  const ownFormats = isCount ? [] : dataColumnsOf(drawable).map((name) => formatOf(columns, name));
  const measured = read.series.flatMap(({ points }) => listValues(points));
  const series = read.series.map(({ name, points }, index) => ({
    name: isSingle ? scene.data : name,
    points,
    full: formatsFor(ownFormats[drawable.seriesColumn === null ? index : 0], listValues(points)).full,
  }));
  const noteTexts = [
    ...data.notes,
    ...(data.unreadable > 0 ? [notes.unreadable(data.unreadable, scene.data)] : []),
    ...read.notes,
    ...(hasOneSeries ? noteHiddenColumns(config) : []),
    ...(drawable.seriesColumn === null ? noteSmallSeries(series) : []),
  ];
  const boxes = config.chartType === 'boxPlot' ? boxesOf(data.rows, config) : [];
  if (boxes.length === 0 && measured.length === 0) return messageChart(scene, noNumbersMessage(scene.data), noteTexts);

  const formats = formatsFor(findCommon(ownFormats), measured);
  const full = { ...scene, formats, series, boxes, labels: read.labels, points: series[0]?.points ?? [] };
  const drawn = families[config.chartType](full);
  if ('head' in drawn) return messageChart(scene, drawn, noteTexts);
  return finishChart(full, { ...drawn, notes: [...noteTexts, ...drawn.notes] });
}

const boxesOf = (rows: readonly ChartRow[], { labelColumn, dataColumn }: ChartConfig): Scene['boxes'] =>
  rows.flatMap((row) => {
    const box = row[dataColumn];
    return isBox(box) ? [{ ...box, label: labelText(row[labelColumn]) }] : [];
  });

const formatOf = (columns: readonly ChartColumn[], name: string): ColumnFormat | undefined =>
  columns.find((column) => column.name === name)?.format;

/** The format that all columns share, if they do. */
function findCommon([first, ...others]: readonly (ColumnFormat | undefined)[]): ColumnFormat | undefined {
  const isSame = (other: ColumnFormat | undefined) =>
    other?.kind === first?.kind && other?.currency === first?.currency && other?.unit === first?.unit;
  return others.every(isSame) ? first : undefined;
}

function nameMeasure(config: ChartConfig, hasOneSeries: boolean): string {
  const names = hasOneSeries || config.seriesColumn !== null ? [config.dataColumn] : dataColumnsOf(config);
  return names.map((name) => nameOr(name, 'Value')).join(', ');
}

/** Notes about the columns that a chart type with one series does not show. */
function noteHiddenColumns({ chartType, moreDataColumns, seriesColumn }: ChartConfig): readonly string[] {
  const type = chartTypeName(chartType).toLowerCase();
  return [
    ...(moreDataColumns.length > 0 ? [notes.notShown(moreDataColumns)] : []),
    ...(seriesColumn === null ? [] : [notes.noSeries(type, seriesColumn)]),
  ];
}

/** A note about series that look flat beside a much larger one, such as a percentage beside a revenue. */
function noteSmallSeries(series: Scene['series']): readonly string[] {
  const sizes = series.map(({ name, points }) => ({
    name,
    size: extentOf([0, ...listValues(points).map(Math.abs)]).high,
  }));
  const largest = sizes.reduce((most, each) => (each.size > most.size ? each : most), { name: '', size: 0 });
  const small = sizes.filter(({ size }) => size > 0 && size < largest.size / 100).map(({ name }) => name);
  return small.length === 0 ? [] : [notes.tooSmall(small, largest.name)];
}

function finishChart(scene: Scene, { option, drawn, height = scene.height, notes: noteTexts }: Drawn): BuiltChart {
  const description = describe(scene, drawn, noteTexts);
  return chartOf(scene, option, { height, notes: noteTexts, empty: false, drawn, description });
}

function chartOf(scene: Scene, { title, ...rest }: Option, built: Omit<BuiltChart, 'option'>): BuiltChart {
  const aria = { enabled: true, label: { description: built.description }, decal: decalsOf(scene) };
  return {
    option: {
      ...base(scene),
      ...rest,
      title: [...titles(scene), ...(built.empty ? [] : captionsOf(scene)), ...(title ? [title] : [])],
      aria,
    },
    ...built,
  };
}

function messageChart(scene: Scene, { head, advice }: Message, noteTexts: readonly string[]): BuiltChart {
  const { theme, height, width } = scene;
  const wrapped = { width: Math.max(100, width - 48), overflow: 'break' };
  const message: Option = {
    text: head,
    subtext: advice,
    left: 'center',
    top: Math.max(36, height / 2 - 30),
    itemGap: 8,
    textStyle: { fontSize: 15, lineHeight: 20, fontWeight: 600, color: theme.muted, ...wrapped },
    subtextStyle: { fontSize: 13, lineHeight: 18, color: theme.muted, ...wrapped },
  };
  const description = `${chartTypeName(scene.config.chartType)}. ${head}. ${advice}`;
  return chartOf(scene, { title: message, series: [] }, { height, notes: noteTexts, empty: true, drawn: 0, description });
}

function base({ config, theme }: Scene): Option {
  const speed = config.enableAnimations ? Math.max(0, config.animationSpeed) : 0;
  return {
    backgroundColor: 'transparent',
    color: [...theme.colors, theme.others],
    textStyle: { fontFamily: chartFont, color: theme.text, fontSize: 12 },
    useUTC: true,
    animation: speed > 0,
    animationDuration: speed,
    animationDurationUpdate: Math.min(speed, 400),
    animationEasing: 'cubicOut',
  };
}

const titles = (scene: Scene): readonly Option[] =>
  scene.config.title.trim() === '' ? [] : [titleOf(scene, toPrintable(scene.config.title))];

function describe({ config, formats, label, data, series, boxes }: Scene, drawn: number, noteTexts: readonly string[]): string {
  const ofBoxes = boxes.flatMap(({ five, outliers }) => [...five, ...outliers]);
  const { low, high } = extentOf([...ofBoxes, ...series.flatMap(({ points }) => listValues(points))]);
  const title = config.title.trim() === '' ? '' : `: ${toPrintable(config.title)}`;
  const items = `${formats.count(drawn)} ${drawn === 1 ? 'item' : 'items'}`;
  const range = `Lowest ${formats.full(low)}, highest ${formats.full(high)}.`;
  return [`${chartTypeName(config.chartType)}${title}.`, `${data} by ${label}, ${items}.`, range, ...noteTexts].join(' ');
}

const nameOr = (name: string, otherwise: string): string => (name.trim() === '' ? otherwise : toPrintable(name));

const noRows: Message = { head: 'No rows', advice: 'The query ran and returned no rows. Try other parameter values.' };

const noColumnMessage = (name: string): Message => ({
  head: 'Column not found',
  advice: `The result has no column ${quoteName(name)}. Choose another one.`,
});

const noNumbersMessage = (data: string): Message => ({
  head: 'Nothing to draw',
  advice: `${quoteName(data)} has no numeric values. Choose another Data Column.`,
});
