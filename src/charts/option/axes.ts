import { numberText, scaleOf } from '../../core/column-format.ts';
import type { Extent, Formats } from '../formats.ts';
import { extentOf, listValues, type Point } from '../points.ts';
import type { Option, Scene } from '../scene.ts';
import { clip, textWidth } from '../text-width.ts';
import type { Frame } from './frame.ts';
import { colorAt, inkOn, type ChartTheme } from './theme.ts';

export const labelSize = 11;

/** Formats the numbers of an axis and, in the same unit, those at its marks. */
export type Figure = (value: number) => string;

export const figureOf = ({ config, formats }: Scene, extent: Extent, values: readonly number[]): Figure =>
  formats.figures(extent, config.showDataLabels ? values : []);

/** Extends a value axis by as much as the labels beyond the marks take of `length`. */
export function roomForLabels({ low, high }: Extent, length: number, room: number, withZero: boolean): Option {
  const [from, to] = withZero ? [Math.min(0, low), Math.max(0, high)] : [low, high];
  const share = Math.min(0.6, room / Math.max(1, length));
  const more = ((to - from) * share) / (1 - share) / (high - low || Math.abs(low) || 1);
  return { boundaryGap: [low < 0 ? more : 0, high > 0 ? more : 0] };
}

export const valueAxis = (scene: Scene, figure: Figure, more: Option = {}): Option => ({
  type: 'value',
  axisLine: { show: false },
  axisTick: { show: false },
  axisLabel: {
    color: scene.theme.muted,
    fontSize: labelSize,
    hideOverlap: true,
    formatter: tickOf(figure),
  },
  splitLine: { show: scene.config.showGrid, lineStyle: { color: scene.theme.grid } },
  splitNumber: scene.height < 200 ? 2 : scene.height < 320 ? 3 : 5,
  ...more,
});

/** Without the trailing zeros by which the labels of marks have the same decimals. */
export const tickOf =
  (figure: Figure): Figure =>
  (value) =>
    figure(value).replace(/\.(\d*?)0+(?!\d)/, (_, kept: string) => (kept === '' ? '' : `.${kept}`));

/** Steps of whole units for durations: hours are not divided by ten. */
export function durationSteps({ formats }: Scene, { low, high }: Extent): Option {
  if (formats.kind !== 'duration') return {};
  const { divisor } = scaleOf({ kind: 'duration' }, Math.max(Math.abs(low), Math.abs(high)));
  const [from, to] = [Math.min(0, low), Math.max(0, high)];
  const interval = roundStep((to - from) / 5 / divisor) * divisor;
  return { interval, min: Math.floor(from / interval) * interval, max: Math.ceil(to / interval) * interval };
}

/** ECharts would choose steps of 30 % in a low chart. */
export const percentSteps = ({ height }: Scene): Option => ({ max: 100, interval: height < 200 ? 50 : 25 });

const wholePercent = numberText({ kind: 'percent' }, { least: 0, most: 0 });
/** For shares of 100 %. */
export const percentFigure: Figure = (value) => wholePercent(value / 100);

/** A value axis below the plot, for numeric labels. */
const numberAxis = (scene: Scene, points: readonly Positioned[], showGrid: boolean): Option => {
  const extent = extentOf(points.flatMap(({ x }) => x ?? []));
  const isYears =
    yearName.test(scene.label) && points.every(({ x }) => x === null || (Number.isInteger(x) && x >= 1000 && x < 3000));
  const axis = valueAxis(scene, scene.labelFormats.figures(extent), {
    scale: true,
    ...(isYears ? { minInterval: 1 } : {}),
    axisLine: { show: true, onZero: false, lineStyle: { color: scene.theme.axis } },
    splitLine: { show: showGrid && scene.config.showGrid, lineStyle: { color: scene.theme.grid } },
    ...nameBelow(scene.theme, scene.label),
  });
  const label = { color: scene.theme.muted, fontSize: labelSize, hideOverlap: true, formatter: String };
  return isYears ? { ...axis, axisLabel: label } : axis; // 2026, not 2,026
};

const yearName = /\b(?:year|jahr|année|año|anno|ano)s?\b|year$/i;
type Positioned = Pick<Point, 'at' | 'x'>;

/** An axis by time or number; null if the labels are categories. */
export function buildScaledAxis(scene: Scene, frame: Frame, points: readonly Positioned[], showGrid: boolean): Option | null {
  if (scene.labels === 'number') return numberAxis(scene, points, showGrid);
  if (scene.labels !== 'time') return null;
  const times = points.flatMap(({ at }) => at ?? []);
  return timeAxis(scene, times, frame.width);
}

/** Includes space for axis labels. */
export const gridOf = (frame: Frame, more: Option = {}): Option => ({
  left: frame.left,
  right: frame.right + 4,
  top: frame.top + 18,
  bottom: frame.bottom,
  outerBoundsMode: 'same',
  outerBoundsContain: 'all',
  ...more,
});

/** The value of each mark, if configured; inside the marks of a series in a color that contrasts with it. */
export const seriesLabel = (
  { config, theme }: Scene,
  values: readonly (number | null)[],
  figure: Figure,
  insideOf: number | null = null,
): Option => ({
  show: config.showDataLabels,
  color: insideOf === null ? theme.text : inkOn(colorAt(theme, insideOf)),
  fontSize: labelSize,
  minMargin: 6, // between labels; those that are closer are hidden
  formatter: ({ dataIndex }: { readonly dataIndex: number }) => {
    const value = values[dataIndex];
    return typeof value === 'number' ? figure(value) : '';
  },
});

export function valueLabelWidth({ formats, series }: Scene): number {
  const extent = extentOf(series.flatMap(({ points }) => listValues(points)));
  const figure = formats.figures(extent);
  const widths = [extent.low, niceCeiling(extent.high)].map((value) => textWidth(figure(value), labelSize));
  return Math.max(...widths) + 12;
}

/** The next round number that is not smaller. */
export function niceCeiling(value: number): number {
  if (value <= 0) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((each) => each * magnitude >= value) ?? 10;
  return factor * magnitude;
}

/** A round distance between grid lines that is not smaller. */
export function roundStep(value: number): number {
  if (value <= 0) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 2.5, 5].find((each) => each * magnitude >= value * (1 - 1e-9)) ?? 10;
  return factor * magnitude;
}

const style = ({ muted }: ChartTheme): Option => ({ color: muted, fontSize: 11, fontWeight: 500 });

export const nameBelow = (theme: ChartTheme, name: string): Option => ({
  name: clip(name, 40),
  nameLocation: 'middle',
  nameGap: 30,
  nameTextStyle: style(theme),
});

export const nameAbove = (theme: ChartTheme, name: string): Option => ({
  name: clip(name, 40),
  nameLocation: 'end',
  nameGap: 12,
  nameTextStyle: { ...style(theme), align: 'left', padding: [0, 0, 0, -28] },
});

const day = 86_400_000;
const month = 30.4375 * day;

/** A time axis: distances are durations. In UTC, like times without a zone. */
function timeAxis({ theme, formats }: Scene, times: readonly number[], plotWidth: number): Option {
  const { low, high } = extentOf(times);
  const span = high - low;
  return {
    type: 'time',
    axisTick: { show: true, lineStyle: { color: theme.axis } },
    axisLine: { lineStyle: { color: theme.axis } },
    splitLine: { show: false },
    axisLabel: {
      color: theme.muted,
      fontSize: 11,
      margin: 10,
      hideOverlap: true,
      formatter: (at: number, index: number) => timeLabel(formats, at, index === 0, span > 30 * month),
    },
    splitNumber: splits(span, plotWidth),
    ...(times.every((at) => at % day === 0)
      ? { minInterval: day }
      : span < 3 * day
        ? nameBelow(theme, daysOf(formats, low, high))
        : {}),
  };
}

/** The day or days of an axis whose labels are hours. */
function daysOf(formats: Formats, low: number, high: number): string {
  const [first, last] = [formats.moment(low, 'day'), formats.moment(high, 'day')];
  return first === last ? first : `${first} – ${last}`;
}

/** The shortest format in which adjacent times stay distinct. */
export function chooseShortFormat(formats: Formats, times: readonly number[]): (at: number) => string {
  const { low, high } = extentOf(times);
  const dates = times.map((at) => new Date(at));
  if (times.some((at) => at % day !== 0)) {
    if (Math.floor(low / day) === Math.floor(high / day))
      return (at) => (at === low ? `${formats.monthDay(at)} ${formats.hour(at)}` : formats.hour(at));
    return (at) => `${formats.monthDay(at)} ${formats.hour(at)}`;
  }
  if (dates.every((date) => date.getUTCDate() === 1)) {
    return dates.every((date) => date.getUTCMonth() === 0) ? formats.year : formats.monthOfYear;
  }
  const sameYear = new Date(low).getUTCFullYear() === new Date(high).getUTCFullYear();
  return sameYear ? formats.monthDay : (at) => formats.moment(at, 'day');
}

/** The part of a time that differs from its neighbors; the first label includes the year. */
function timeLabel(formats: Formats, at: number, first: boolean, overYears: boolean): string {
  if (at % day !== 0) return formats.hour(at);
  const date = new Date(at);
  if (date.getUTCDate() !== 1) return formats.monthDay(at);
  if (date.getUTCMonth() === 0 && overYears) return formats.year(at);
  return first || date.getUTCMonth() === 0 ? formats.monthOfYear(at) : formats.month(at);
}

/** Across several months, one split less than there are months: ECharts then uses whole months and no odd days between them. */
function splits(span: number, plotWidth: number): number {
  const room = Math.max(2, Math.floor(plotWidth / 90));
  const months = span / month;
  if (months < 3) return Math.min(room, 10);
  const each = [1, 2, 3, 6].find((step) => months / step <= room);
  if (each !== undefined) return Math.max(2, Math.round(months / each) - 1);
  const years = [1, 2, 5, 10, 20].find((step) => months / 12 / step <= plotWidth / 55) ?? 50;
  return months / 12 / years / 1.045; // slightly longer than the years, so that ECharts does not use months
}
