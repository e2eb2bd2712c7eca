import type { BuiltChart, ChartColumn, ChartRow, ChartSurface } from './built-chart.ts';
import { printable } from './cell-values.ts';
import { type ChartConfig, type ChartType, chartTypes } from './chart-config.ts';
import { bar } from './families/bar.ts';
import { boxPlot } from './families/box-plot.ts';
import { heatmap } from './families/heatmap.ts';
import { area, line } from './families/line-area.ts';
import { donut, pie } from './families/pie-donut.ts';
import { polarArea } from './families/polar-area.ts';
import { radar } from './families/radar.ts';
import { radialBar } from './families/radial-bar.ts';
import { scatter } from './families/scatter.ts';
import { treemap } from './families/treemap.ts';
import { formatsFor } from './formats.ts';
import { notes, quoted } from './notes.ts';
import { decalsOf } from './option/decals.ts';
import { titleOf } from './option/frame.ts';
import { chartFont, themeOf } from './option/theme.ts';
import { extentOf, type Points, readPoints, valued } from './points.ts';
import type { ChartFamily, Drawn, Message, Option, Scene } from './scene.ts';

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

/** Converts rows to an ECharts option; the same for server pictures, embed pages and the web interface. */
export function buildChart(
  columns: readonly ChartColumn[],
  rows: readonly ChartRow[],
  config: ChartConfig,
  surface: ChartSurface,
): BuiltChart {
  const scene: Scene = {
    config,
    width: Math.max(160, surface.width || 0),
    height: Math.max(80, config.chartHeight || 0),
    theme: themeOf(surface),
    formats: formatsFor(surface.locale),
    label: shown(config.labelColumn, 'Label'),
    data: shown(config.dataColumn, 'Value'),
    points: { rows: [], labels: 'category', missing: 0, unreadable: 0 },
  };
  const label = columns.find(({ name }) => name === config.labelColumn);
  const data = columns.find(({ name }) => name === config.dataColumn);
  if (!label || !data) return messageChart(scene, noColumn(label ? scene.data : scene.label), []);
  if (rows.length === 0) return messageChart(scene, noRows, []);

  const points = readPoints(label, data, rows, scene.formats);
  const said = points.unreadable > 0 ? [notes.unreadable(points.unreadable, scene.data)] : [];
  if (valued(points.rows).length === 0) return messageChart(scene, noNumbers(scene.data), said);

  const drawn = families[config.chartType]({ ...scene, points });
  if ('head' in drawn) return messageChart(scene, drawn, said);
  return finished(scene, points, { ...drawn, notes: [...said, ...drawn.notes] });
}

function finished(scene: Scene, points: Points, { option, drawn, notes: said }: Drawn): BuiltChart {
  const description = describe(scene, points, drawn, said);
  return chartOf(scene, option, { notes: said, empty: false, drawn, description });
}

function chartOf(scene: Scene, { title, ...rest }: Option, built: Omit<BuiltChart, 'option'>): BuiltChart {
  const aria = { enabled: true, label: { description: built.description }, decal: decalsOf(scene) };
  return { option: { ...base(scene), ...rest, title: [...titles(scene), ...(title ? [title] : [])], aria }, ...built };
}

function messageChart(scene: Scene, { head, advice }: Message, said: readonly string[]): BuiltChart {
  const { theme, height, width } = scene;
  const wrapped = { width: Math.max(100, width - 48), overflow: 'break' };
  const message: Option = {
    text: head,
    subtext: advice,
    left: 'center',
    top: Math.max(36, height / 2 - 30),
    itemGap: 8,
    textStyle: { fontSize: 15, fontWeight: 600, color: theme.muted, ...wrapped },
    subtextStyle: { fontSize: 13, lineHeight: 18, color: theme.muted, ...wrapped },
  };
  const description = `${typeName(scene.config.chartType)}. ${head}. ${advice}`;
  return chartOf(scene, { title: message, series: [] }, { notes: said, empty: true, drawn: 0, description });
}

function base({ config, theme }: Scene): Option {
  const speed = config.enableAnimations ? Math.max(0, config.animationSpeed) : 0;
  return {
    backgroundColor: 'transparent',
    color: theme.colours,
    textStyle: { fontFamily: chartFont, color: theme.text, fontSize: 12 },
    useUTC: true,
    animation: speed > 0,
    animationDuration: speed,
    animationDurationUpdate: Math.min(speed, 400),
    animationEasing: 'cubicOut',
  };
}

const titles = (scene: Scene): readonly Option[] =>
  scene.config.title.trim() === '' ? [] : [titleOf(scene, printable(scene.config.title))];

function describe({ config, formats, label, data }: Scene, points: Points, drawn: number, said: readonly string[]): string {
  const { low, high } = extentOf(valued(points.rows).map(({ value }) => value));
  const title = config.title.trim() === '' ? '' : `: ${printable(config.title)}`;
  const items = `${formats.count(drawn)} ${drawn === 1 ? 'item' : 'items'}`;
  const range = `Lowest ${formats.full(low)}, highest ${formats.full(high)}.`;
  return [`${typeName(config.chartType)}${title}.`, `${data} by ${label}, ${items}.`, range, ...said].join(' ');
}

const typeName = (type: ChartType): string => chartTypes.find((each) => each.type === type)?.name ?? type;

const shown = (name: string, otherwise: string): string => (name.trim() === '' ? otherwise : printable(name));

const noRows: Message = { head: 'No rows', advice: 'The query ran and returned no rows. Try other parameter values.' };

const noColumn = (name: string): Message => ({
  head: 'Column not found',
  advice: `The result has no column ${quoted(name)}. Choose another one.`,
});

const noNumbers = (data: string): Message => ({
  head: 'Nothing to draw',
  advice: `${quoted(data)} has no numeric values. Choose another Data Column.`,
});
