import type { Extent } from '../formats.ts';
import { notes } from '../notes.ts';
import {
  durationSteps,
  type Figure,
  figureOf,
  gridOf,
  labelSize,
  percentFigure,
  percentSteps,
  roomForLabels,
  buildScaledAxis,
  seriesLabel,
  valueAxis,
  valueLabelWidth,
  nameAbove,
} from '../option/axes.ts';
import { categoryAxis, categoryLabel } from '../option/category-axis.ts';
import { type Frame, frameFor, legendOf } from '../option/frame.ts';
import { colorAt, withAlpha } from '../option/theme.ts';
import { axisTooltip, seriesTip } from '../option/tooltip.ts';
import { sliderRoom, zoomInside, zoomWithSlider } from '../option/zoom.ts';
import { makeDistinct, extentOf } from '../points.ts';
import { type ChartFamily, type Drawn, isNarrow, type Option, type Scene } from '../scene.ts';
import { type Aligned, alignSeries, asShares, hasSeries, measureStacks, pickLabels } from '../series.ts';
import { fitText, textWidth } from '../text-width.ts';

const dotDistance = 28; // px; points that are closer have no dots
const labelsUpTo = 60; // points; labels of more would be on the line
const fewLabels = 8; // a narrow chart has room for them
const slideFrom = 120;
const thinOutFrom = 1500; // points; above it, LTTB sampling keeps the shape

export const line: ChartFamily = (scene) => drawLines(scene, 'line');

export const area: ChartFamily = (scene) => drawLines(scene, 'area');

function drawLines(scene: Scene, type: 'line' | 'area'): Drawn {
  const { config } = scene;
  const stacked = type === 'area' && config.stacked !== 'none' && hasSeries(scene);
  const percent = stacked && config.stacked === 'percent';
  const all = alignSeries(scene);
  const aligned = sortLabels(scene, all);
  const drawn = percent ? asShares(aligned) : aligned;
  const { labels, series } = drawn;
  const left = all.labels.length - labels.length;
  const gaps = hasSeries(scene) ? 0 : (series[0]?.values.filter((value) => value === null).length ?? 0);
  const names = series.map(({ name }) => name);
  const frame = frameFor(scene, names);
  const slides = !scene.still && labels.length > slideFrom && config.enableZoom;
  const values = series.flatMap(({ values: own }) => own.flatMap((value) => value ?? []));
  const extent = percent ? { low: 0, high: 100 } : stacked ? measureStacks(drawn) : extentOf(values);
  const figure = percent ? percentFigure : figureOf(scene, extent, values);
  const isScaled = type === 'line' && labels.length > 1 && isFarFromZero(extent);

  return {
    drawn: labels.length * series.length,
    height: frame.chartHeight,
    notes: [
      ...drawn.notes,
      ...(left > 0 ? [notes.withoutLabel(left, scene.label)] : []),
      ...(gaps > 0 ? [notes.gaps(gaps, scene.data)] : []),
    ],
    option: {
      grid: gridOf(frame, slides ? { bottom: frame.bottom + sliderRoom } : {}),
      xAxis: labelAxis(scene, frame, labels),
      yAxis: valueAxis(scene, figure, {
        scale: isScaled,
        ...(isScaled ? {} : durationSteps(scene, extent)),
        ...(percent ? percentSteps(scene) : config.showDataLabels ? roomForLabels(extent, frame.height - 40, 20, !isScaled) : {}),
        ...(hasSeries(scene) || frame.legendAt === null ? nameAbove(scene.theme, scene.data) : {}),
      }),
      dataZoom: slides ? zoomWithSlider(scene, frame, 'x') : zoomInside(scene, 'x'),
      legend: legendOf(scene, frame, names),
      tooltip: axisTooltip(
        scene,
        { type: 'line', lineStyle: { color: scene.theme.axis, type: 'dashed' } },
        seriesTip(scene, aligned, percent ? drawn : null),
      ),
      series: series.map(({ name, values: own }, index) => ({
        ...lineSeries(scene, labels, own, figure),
        name,
        ...(stacked ? { stack: 'all' } : {}),
        ...(type === 'area' ? { areaStyle: fill(scene, index, stacked) } : {}),
      })),
    },
  };
}

/** One area fades out; several overlap, so they are lighter; stacked ones are solid. */
function fill(scene: Scene, index: number, stacked: boolean): Option {
  const color = colorAt(scene.theme, index);
  if (stacked) return { opacity: 1, color: withAlpha(color, 0.55) };
  const top = hasSeries(scene) ? 0.2 : 0.38;
  return {
    opacity: 1,
    color: {
      type: 'linear',
      ...{ x: 0, y: 0, x2: 0, y2: 1 },
      colorStops: [
        { offset: 0, color: withAlpha(color, top) },
        { offset: 1, color: withAlpha(color, 0.04) },
      ],
    },
  };
}

function lineSeries(scene: Scene, labels: Aligned['labels'], values: readonly (number | null)[], figure: Figure): Option {
  const dotted = labels.length * dotDistance <= scene.width;
  const alone = values.map((_, at) => standsAlone(values, at)); // invisible without a dot
  const isLabeled = chooseLabeledPoints(scene, values, figure);
  const hasDot = (at: number): boolean => dotted || alone[at] === true || isLabeled(at);
  const size = labels.length > 30 || hasSeries(scene) ? 5 : 7;
  return {
    type: 'line',
    data: labels.map(({ at, x }, position) => {
      const value = scene.labels === 'category' ? (values[position] ?? null) : [at ?? x, values[position] ?? null];
      if (!scene.config.showDataLabels) return value;
      if (!isLabeled(position)) return { value, label: { show: false } };
      const end = position === 0 ? 'left' : position === labels.length - 1 ? 'right' : null;
      return end === null ? value : { value, label: { align: end } }; // at both ends, a label stays inside the plot
    }),
    connectNulls: false,
    ...(labels.length > thinOutFrom ? { sampling: 'lttb' } : {}),
    showSymbol: labels.some((_, at) => hasDot(at)),
    showAllSymbol: true, // not only at the labels of the axis
    symbol: 'circle',
    symbolSize: (_value: unknown, { dataIndex }: { readonly dataIndex: number }) => (hasDot(dataIndex) ? size : 0),
    lineStyle: { width: labels.length > 800 ? 1.25 : 2.25, join: 'round' },
    itemStyle: { borderColor: scene.theme.background, borderWidth: size > 5 ? 1.5 : 0 }, // a border would hide a small dot
    label: { ...seriesLabel(scene, values, figure), position: 'top' },
    labelLayout: { hideOverlap: true },
  };
}

/** The points with a data label: evenly spaced, instead of wherever one happens to fit. */
function chooseLabeledPoints(scene: Scene, values: readonly (number | null)[], figure: Figure): (at: number) => boolean {
  if (!scene.config.showDataLabels || values.length > (isNarrow(scene) ? labelsUpTo / 2 : labelsUpTo)) return () => false;
  const widths = values.map((value) => (value === null ? 0 : textWidth(figure(value), labelSize)));
  const step = Math.ceil(((Math.max(...widths) + 8) * values.length) / (scene.width - 60)); // without the axis
  // not at the ends, where a label is beside its point and meets the next one
  return (at) => step === 1 || (at % step === Math.floor(step / 2) && at !== values.length - 1);
}

function labelAxis(scene: Scene, frame: Frame, labels: Aligned['labels']): Option {
  const scaled = buildScaledAxis(scene, frame, labels, false);
  if (scaled) return scaled;
  const axis = categoryAxis(scene, frame, makeDistinct(labels.map(({ label }) => label)));
  const isCrowded = isNarrow(scene) && labels.length > fewLabels;
  return { ...axis, ...(isCrowded ? thinLabels(scene, frame, labels.length) : {}), boundaryGap: labels.length === 1 };
}

/** Some labels side by side instead of all of them rotated: a line is read by its order. */
function thinLabels(scene: Scene, frame: Frame, count: number): Option {
  const width = frame.width - valueLabelWidth(scene);
  const step = Math.ceil(count / Math.max(2, Math.floor(width / 72)));
  const room = (width / count) * step - 8;
  const formatter = (label: string): string => fitText(label, room, 2, labelSize);
  return { axisLabel: { ...categoryLabel(scene), interval: step - 1, formatter } };
}

/** Sorts by time or number; labels without one are left out. */
function sortLabels(scene: Scene, aligned: Aligned): Aligned {
  if (scene.labels === 'category') return aligned;
  const placed = aligned.labels.flatMap(({ at, x }, index) => {
    const position = at ?? x;
    return position === null ? [] : { index, position };
  });
  const order = placed.toSorted((a, b) => a.position - b.position).map(({ index }) => index);
  return pickLabels(aligned, order);
}

function standsAlone(values: readonly (number | null)[], index: number): boolean {
  const isEmpty = (at: number): boolean => (values[at] ?? null) === null;
  return !isEmpty(index) && isEmpty(index - 1) && isEmpty(index + 1);
}

/** A line that varies little, far from zero, would look flat on an axis that includes zero. */
const isFarFromZero = ({ low, high }: Extent): boolean => low > 0 && (high - low) / high < 0.25;
