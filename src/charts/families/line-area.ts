import { addedUp } from '../labelled-values.ts';
import { notes } from '../notes.ts';
import { categoryAxis, dataLabel, gridOf, scaledAxis, valueAxis } from '../option/axes.ts';
import { type Frame, frameFor, legendOf } from '../option/frame.ts';
import { colourAt, withAlpha } from '../option/theme.ts';
import { axisTooltip, pointTip } from '../option/tooltip.ts';
import { sliderRoom, zoomInside, zoomWithSlider } from '../option/zoom.ts';
import { distinct, extentOf, type Point, valued } from '../points.ts';
import type { ChartFamily, Drawn, Option, Scene } from '../scene.ts';

const dotsUpTo = 60;
const slideFrom = 120;
const thinOutFrom = 1500; // points; above it, LTTB sampling keeps the shape

export const line: ChartFamily = (scene) => drawLine(scene, {});

export const area: ChartFamily = (scene) => {
  const colour = colourAt(scene.theme, 0);
  return drawLine(scene, {
    areaStyle: {
      opacity: 1,
      color: {
        type: 'linear',
        x: 0,
        y: 0,
        x2: 0,
        y2: 1,
        colorStops: [
          { offset: 0, color: withAlpha(colour, 0.38) },
          { offset: 1, color: withAlpha(colour, 0.04) },
        ],
      },
    },
  });
};

function drawLine(scene: Scene, look: Option): Drawn {
  const { points: all, notes: said } = addedUp(scene);
  const stops = inOrder(scene, all);
  const left = all.length - stops.length;
  const gaps = stops.filter(({ value }) => value === null).length;
  const frame = frameFor(scene, [scene.data]);
  const slides = stops.length > slideFrom && scene.config.enableZoom;

  return {
    drawn: stops.length,
    notes: [
      ...said,
      ...(left > 0 ? [notes.withoutLabel(left, scene.label)] : []),
      ...(gaps > 0 ? [notes.gaps(gaps, scene.data)] : []),
    ],
    option: {
      grid: gridOf(frame, slides ? { bottom: frame.bottom + sliderRoom } : {}),
      xAxis: labelAxis(scene, frame, stops),
      yAxis: valueAxis(scene, { scale: 'areaStyle' in look ? false : farFromZero(stops) }),
      dataZoom: slides ? zoomWithSlider(scene, frame, 'x') : zoomInside(scene, 'x'),
      legend: legendOf(scene, frame, [scene.data]),
      tooltip: axisTooltip(
        scene,
        { type: 'line', lineStyle: { color: scene.theme.axis, type: 'dashed' } },
        pointTip(scene, stops),
      ),
      series: [{ ...series(scene, stops), ...look }],
    },
  };
}

function series(scene: Scene, stops: readonly Point[]): Option {
  const dotted = stops.length <= dotsUpTo;
  const alone = stops.map((_, index) => standsAlone(stops, index)); // invisible without a dot
  const size = stops.length > 30 ? 5 : 7;
  return {
    type: 'line',
    name: scene.data,
    data: stops.map(({ at, x, value }) => (scene.points.labels === 'category' ? value : [at ?? x, value])),
    connectNulls: false,
    ...(stops.length > thinOutFrom ? { sampling: 'lttb' } : {}),
    showSymbol: dotted || alone.includes(true),
    symbol: 'circle',
    symbolSize: (_value: unknown, { dataIndex }: { readonly dataIndex: number }) => (dotted || alone[dataIndex] ? size : 0),
    lineStyle: { width: stops.length > 800 ? 1.25 : 2.25, join: 'round' },
    itemStyle: { borderColor: scene.theme.background, borderWidth: 1.5 },
    label: { ...dataLabel(scene, stops), position: 'top' },
    labelLayout: { hideOverlap: true },
  };
}

function labelAxis(scene: Scene, frame: Frame, stops: readonly Point[]): Option {
  const scaled = scaledAxis(scene, frame, stops, false);
  if (scaled) return scaled;
  const labels = distinct(stops.map(({ label }) => label));
  return { ...categoryAxis(scene, frame, labels), boundaryGap: stops.length === 1 };
}

/** Sorts by time or number; rows without one are left out. */
function inOrder(scene: Scene, points: readonly Point[]): readonly Point[] {
  if (scene.points.labels === 'category') return points;
  const placed = points.filter(({ at, x }) => (at ?? x) !== null);
  return placed.toSorted((a, b) => (a.at ?? a.x ?? 0) - (b.at ?? b.x ?? 0));
}

function standsAlone(stops: readonly Point[], index: number): boolean {
  const empty = (at: number): boolean => (stops[at]?.value ?? null) === null;
  return !empty(index) && empty(index - 1) && empty(index + 1);
}

/** A line that varies little, far from zero, would look flat on an axis that includes zero. */
function farFromZero(stops: readonly Point[]): boolean {
  const { low, high } = extentOf(valued(stops).map(({ value }) => value));
  return stops.length > 1 && low > 0 && (high - low) / high < 0.25;
}
