import type { ChartType, LegendPosition } from '../../core/chart-config.ts';
import { isNarrow, type Option, type Scene } from '../scene.ts';
import { fitText, textWidth } from '../text-width.ts';
import { tipHtml } from './tooltip.ts';

/** The area of the plot, between title, legend and edges. */
export type Frame = ReturnType<typeof frameFor>;

const edge = 20;
const lineHeight = 22;
const tallest = 4000; // px, the largest height that can be configured

export interface FrameOptions {
  readonly shape?: 'oblong' | 'round';
  readonly plotHeight?: number; // px that the plot needs; the chart grows for it
}

/** Computes the frame, with space for a legend of these names if one is configured. */
export function frameFor(scene: Scene, names: readonly string[], { shape = 'oblong', plotHeight = 0 }: FrameOptions = {}) {
  const { width } = scene;
  const legendAt = legendPosition(scene, names);
  const isList = listsLegend(scene, names);
  const legendLines = isList ? Math.ceil(names.length / listColumns(scene, names)) : linesOf(scene, names, width - 2 * edge);
  // round charts leave space at the sides, so the legend moves closer
  const legendInset = edge + (shape === 'round' ? Math.max(0, (width - 640) / 4) : 0);
  const side = legendAt === 'left' || legendAt === 'right' ? sideWidth(scene, names) + legendInset - edge : 0;
  const legendHeight = 8 + legendLines * lineHeight;
  const top = headHeight(scene) + (legendAt === 'top' ? legendHeight - 4 : 0);
  const bottom = 16 + (legendAt === 'bottom' ? legendHeight : 0);
  const left = edge + (legendAt === 'left' ? side : 0);
  const right = edge + (legendAt === 'right' ? side : 0);
  // a long legend adds to the chart instead of taking the space of the plot
  const beyond = legendAt === 'top' || legendAt === 'bottom' ? Math.max(0, legendHeight - 0.3 * scene.height) : 0;
  const chartHeight = Math.round(Math.max(scene.height + beyond, Math.min(tallest, top + plotHeight + bottom)));
  const inner = { width: Math.max(40, width - left - right), height: Math.max(24, chartHeight - top - bottom) };
  return {
    left, // distances from the edges
    right,
    top,
    bottom,
    ...inner, // remaining size
    chartHeight, // at least as configured
    center: [left + inner.width / 2 + scene.zoom.x, top + inner.height / 2 + scene.zoom.y] as const,
    legendAt,
    legendInset, // from its edge
    legendLines,
  };
}

/** A legend of these names, each with its figure if there is one. A name that is cut is shown whole in a tooltip. */
export function legendOf(scene: Scene, frame: Frame, names: readonly string[], figures?: readonly string[]): Option {
  const { theme, width } = scene;
  const { legendAt } = frame;
  if (!legendAt) return { show: false };
  const vertical = legendAt === 'left' || legendAt === 'right';
  const texts = legendTexts(names, figures);
  const isList = listsLegend(scene, texts);
  const room = isList ? listText(width, listColumns(scene, texts)) : vertical ? sideText(width) : longestName(width);
  const ends = new Map(
    names.map((name, index) => [name, figures === undefined ? '' : withFigure(name, figures[index]).slice(name.length)]),
  );
  const shorten = (name: string): string => fitText(name, room - textWidth(ends.get(name) ?? ''), 1, 12);
  return {
    data: names.map((name) =>
      shorten(name) === name ? name : { name, tooltip: { show: true, formatter: () => tipHtml(name, []) } },
    ),
    ...inFront(scene),
    icon: 'roundRect',
    ...legendMark(scene),
    itemGap: isList ? lineHeight - 14 : vertical ? sideGap(scene, texts) : itemGap,
    inactiveColor: theme.axis,
    textStyle: { color: theme.muted, fontSize: 12 },
    formatter: (name: string) => `${shorten(name)}${ends.get(name) ?? ''}${isList ? columnGap : ''}`,
    ...(vertical || isList ? {} : { width: evenWidth(scene, texts, frame.legendLines) }),
    ...legendPlaces[legendAt](scene, frame),
    ...(isList ? { orient: 'vertical', left: edge, align: 'left', height: frame.legendLines * lineHeight } : {}),
  };
}

/** What a legend with figures shows, as far as it fits. */
export const legendTexts = (names: readonly string[], figures?: readonly string[]): readonly string[] =>
  figures === undefined ? names : names.map((name, index) => withFigure(name, figures[index]));

/** A mark keeps a figure after a name that is written from right to left in one piece. */
export const withFigure = (name: string, figure = ''): string => `${name} ${rightToLeft.test(name) ? '\u200e' : ''}${figure}`;
const rightToLeft = /[\u0590-\u08ff]/;

/** Texts that an enlarged drawing would cover. */
const inFront = ({ theme, zoom }: Scene): Option =>
  zoom.factor === 1 ? {} : { z: 20, backgroundColor: theme.background, borderRadius: 4 };

/** The height of title, toolbar and caption. */
export const headHeight = (scene: Scene): number => {
  const { config, height } = scene;
  if (!config.title && !config.showToolbar) return hasCaption(scene) ? 32 : 16;
  return height < 180 ? 36 : hasCaption(scene) && config.title ? 58 : 52;
};

/** These types have no axis that names the measure. */
const captioned: ReadonlySet<ChartType> = new Set(['pie', 'polarArea', 'radialBar', 'heatmap', 'treemap']);
const hasCaption = ({ config, height }: Scene): boolean =>
  captioned.has(config.chartType) && (height >= 180 || config.title.trim() === '');

/** The name of the measure, below the title. */
export function captionsOf(scene: Scene): readonly Option[] {
  if (!hasCaption(scene)) return [];
  const { config, theme, width, height, data, label } = scene;
  const top = config.title.trim() === '' ? (height < 180 ? 8 : 14) : 35;
  const fits = { width: Math.max(80, width - 32 - (config.title.trim() === '' ? toolbarWidth(scene) : 0)), overflow: 'truncate' };
  const textStyle = { fontSize: 12, fontWeight: 400, color: theme.muted, ...fits };
  return [{ ...inFront(scene), text: `${data} by ${label}`, left: 16, top, textStyle }];
}

const toolbarWidth = ({ config, width }: Scene): number =>
  config.showToolbar ? (width < 520 || !config.enableZoom ? 90 : 230) : 0;

export function titleOf(scene: Scene, text: string): Option {
  const { theme, width, height } = scene;
  const toolbar = toolbarWidth(scene);
  return {
    ...inFront(scene),
    text,
    left: 16,
    top: height < 180 ? 8 : 12,
    textStyle: {
      fontSize: 16,
      fontWeight: 600,
      color: theme.text,
      width: Math.max(80, width - 32 - toolbar),
      overflow: 'truncate',
    },
  };
}

/** On a phone, names are below each other: side by side they would be cut. */
const listsLegend = (scene: Scene, names: readonly string[]): boolean =>
  isNarrow(scene) && names.length > 1 && linesOf(scene, names, scene.width - 2 * edge) > 1;

/** Two if the names are short, which leaves more height to the plot. */
const listColumns = ({ width }: Scene, names: readonly string[]): number =>
  names.every((name) => textWidth(name) <= listText(width, 2)) ? 2 : 1;

const columnGap = '\u2003'; // ECharts has one gap for lines and columns, which is too small for columns

const listText = (width: number, columns: number): number => (width - 2 * edge - 40) / columns - 12 * (columns - 1);

/** The plot takes precedence on small surfaces: a legend beside it moves below, one below is omitted. */
function legendPosition(scene: Scene, names: readonly string[]): LegendPosition | null {
  const { config, height } = scene;
  if (!config.showLegend) return null;
  const vertical = config.legendPosition === 'left' || config.legendPosition === 'right';
  if (vertical && !isNarrow(scene) && sideGap(scene, names) >= 4) return config.legendPosition;
  if (height < 200) return null;
  return vertical ? 'bottom' : config.legendPosition;
}

/** The space between the names of a legend beside the plot, as far as there is some. */
const sideGap = (scene: Scene, names: readonly string[]): number =>
  Math.min(14, Math.floor((scene.height - headHeight(scene) - 16) / Math.max(1, names.length)) - 14);

const sideText = (width: number): number => Math.min(width * 0.28, 220);

function sideWidth(scene: Scene, names: readonly string[]): number {
  const longest = names.slice(0, 60).reduce((most, name) => Math.max(most, textWidth(name)), 40);
  return Math.min(longest, sideText(scene.width)) + legendMark(scene).itemWidth + 38;
}

const itemGap = 18;
const longestName = (width: number): number => Math.max(160, width / 2 - 80);

const roomOf = (scene: Scene, name: string): number =>
  legendMark(scene).itemWidth + 5 + Math.min(longestName(scene.width), textWidth(name) + 4) + itemGap;

/** The smallest width for this number of lines, to avoid a last line with a single name. */
function evenWidth(scene: Scene, names: readonly string[], lines: number): number {
  const step = (scene.width - 2 * edge) / 20;
  const widths = Array.from({ length: 20 }, (_, index) => (index + 1) * step);
  return widths.find((each) => linesOf(scene, names, each) <= lines) ?? scene.width - 2 * edge;
}

function linesOf(scene: Scene, names: readonly string[], width: number): number {
  let lines = 1;
  let used = 0;
  for (const name of names) {
    const room = roomOf(scene, name);
    if (used > 0 && used + room > width) {
      lines++;
      used = 0;
    }
    used += room;
  }
  return lines;
}

const legendPlaces: Readonly<Record<LegendPosition, (scene: Scene, frame: Frame) => Option>> = {
  bottom: () => ({ bottom: 12, left: 'center' }),
  top: (scene) => ({ top: headHeight(scene) - 6, left: 'center' }),
  left: (_, { legendInset }) => ({ orient: 'vertical', top: 'middle', left: legendInset, align: 'left' }),
  right: (_, { legendInset }) => ({ orient: 'vertical', top: 'middle', right: legendInset, align: 'left' }),
};

/** Patterns for color-blind readers: one per color, so that no two marks share theirs. */
export function decalsOf({ config, theme }: Scene): Option {
  // patterns would hide shades of heatmaps and names in treemaps
  const helps = config.chartType !== 'heatmap' && config.chartType !== 'treemap';
  if (!config.patterns || !helps) return { show: false };
  const color = theme.dark ? 'rgba(0,0,0,0.45)' : 'rgba(255,255,255,0.6)';
  return { show: true, decals: patterns.map((pattern) => ({ color, ...pattern })) };
}

/** Legend marks that are large enough to show a pattern. */
const legendMark = ({ config }: Scene): { readonly itemWidth: number; readonly itemHeight: number } =>
  config.patterns ? { itemWidth: 22, itemHeight: 14 } : { itemWidth: 10, itemHeight: 10 };

// lengths of dashes and gaps, along and across
const staggerDashes = (length: number): readonly (readonly number[])[] => [
  [length, length],
  [0, length, length, 0],
];
const patterns: readonly Option[] = [
  { dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: Math.PI / 6 },
  { symbol: 'circle', dashArrayX: staggerDashes(8), dashArrayY: [6, 0], symbolSize: 0.8 },
  { dashArrayX: [1, 0], dashArrayY: [4, 4], rotation: -Math.PI / 4 },
  { symbol: 'rect', dashArrayX: staggerDashes(6), dashArrayY: [6, 0] },
  {
    dashArrayX: [
      [1, 0],
      [1, 6],
    ],
    dashArrayY: [1, 0, 6, 0],
    rotation: Math.PI / 4,
  },
  { symbol: 'triangle', dashArrayX: staggerDashes(9), dashArrayY: [7, 2], symbolSize: 0.75 },
  { dashArrayX: [1, 0], dashArrayY: [3, 6] },
  { dashArrayX: [1, 0], dashArrayY: [3, 6], rotation: Math.PI / 2 },
  { symbol: 'circle', dashArrayX: [3, 5], dashArrayY: [3, 5], symbolSize: 1 },
  { dashArrayX: [12, 6], dashArrayY: [3, 5], rotation: -Math.PI / 4 },
];
