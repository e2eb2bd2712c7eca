import { nothingAboveZeroMessage, partsOfWhole } from '../labeled-values.ts';
import { type Figure, figureOf, labelSize, niceCeiling, roundStep, tickOf } from '../option/axes.ts';
import { type Frame, frameFor, legendOf, legendTexts, withFigure } from '../option/frame.ts';
import { colorAt, withAlpha } from '../option/theme.ts';
import { itemTooltip, pointTooltip, tipHtml } from '../option/tooltip.ts';
import { makeDistinct, extentOf, sortPoints, sumOf, type ValuedPoint } from '../points.ts';
import type { ChartFamily, Drawn, Message, Option, Scene } from '../scene.ts';
import { fitText, textWidth } from '../text-width.ts';

const maxSlices = 10;

export const pie: ChartFamily = (scene) => drawSlices(scene, false);

export const donut: ChartFamily = (scene) => drawSlices(scene, true);

function drawSlices(scene: Scene, hollow: boolean): Drawn | Message {
  const { points, notes, others } = partsOfWhole(scene, maxSlices, () => true);
  const slices = scene.config.sortBy === 'none' ? sortSlices(points, others) : points;
  if (slices.length === 0) return nothingAboveZeroMessage(scene);

  const { formats, theme } = scene;
  const names = makeDistinct(slices.map(({ label }) => label));
  const total = sumOf(slices);
  const portions = slices.map(({ value }) => value / total);
  const shares = portions.map((portion) => formats.share(portion, 1));
  const plain = frameFor(scene, names, { shape: 'round' });
  const room = roomForNames(plain, names, shares, portions);
  // without room at the slices, the shares are beside the names of the legend
  const inLegend = room === null ? shares : undefined;
  const frame = frameFor(scene, legendTexts(names, inLegend), { shape: 'round' });
  const colors = slices.map((slice, index) => (slice === others ? theme.others : colorAt(theme, index)));
  const radius = scene.zoom.factor * (room?.radius ?? Math.max(30, Math.min(frame.width / 2 - 8, frame.height / 2 - 6)));

  return {
    drawn: slices.length,
    height: frame.chartHeight,
    notes,
    option: {
      legend: legendOf(scene, frame, names, inLegend),
      tooltip: itemTooltip(scene, ({ dataIndex }) => {
        const slice = slices[dataIndex];
        if (!slice) return '';
        return tipHtml(slice.label, [
          [scene.data, formats.full(slice.value), colors[dataIndex]],
          ['Share', shares[dataIndex] ?? ''],
        ]);
      }),
      ...(hollow && isAdded(scene) ? { title: totalInTheMiddle(scene, total, frame.center, radius) } : {}),
      series: [
        {
          type: 'pie',
          name: scene.data,
          center: frame.center,
          radius: hollow ? [radius * 0.62, radius] : [0, radius],
          startAngle: 90,
          clockwise: true,
          avoidLabelOverlap: true,
          minShowLabelAngle: leastAngle,
          itemStyle: { borderColor: theme.background, ...edges(slices, total, hollow) },
          ...sliceLabels(scene, names, shares, room?.width ?? null),
          emphasis: { scaleSize: 5 },
          data: slices.map(({ value }, index) => ({ name: names[index], value, itemStyle: { color: colors[index] } })),
        },
      ],
    },
  };
}

/** The group of small values stays last. */
const sortSlices = (slices: readonly ValuedPoint[], others: ValuedPoint | null): readonly ValuedPoint[] => [
  ...sortPoints(
    slices.filter((slice) => slice !== others),
    'value',
  ),
  ...(others === null ? [] : [others]),
];

const leastAngle = 4; // degrees of a slice with a label
const labelLine = 15; // px
const besideSlices = 24; // px for the line to a label

/**
 * The radius that leaves room for names and figures beside the slices, and the width of that room. Null if the slices would be too small
 * and a legend names them instead.
 */
function roomForNames(frame: Frame, names: readonly string[], figures: readonly string[], portions: readonly number[]) {
  const widest = Math.max(...names.map((name, index) => textWidth(withFigure(name, figures[index]), labelSize)));
  const width = Math.min(widest, 140, frame.width * 0.27);
  const most = frame.height / 2 - labelLine - 3;
  const radius = Math.min(frame.width / 2 - width - besideSlices, most);
  const ends = portions.map((_, index) => portions.slice(0, index + 1).reduce((sum, each) => sum + each, 0));
  const shown = [...portions.keys()].filter((index) => (portions[index] ?? 0) * 360 >= leastAngle);
  const onRight = shown.filter((index) => (ends[index] ?? 0) - (portions[index] ?? 0) / 2 < 0.5).length;
  const lines = Math.max(onRight, shown.length - onRight) * (width < widest ? 2 : 1);
  const isTooSmall = radius < Math.max(36, most * 0.55) || lines * labelLine > frame.height;
  if (isTooSmall && (frame.legendAt !== null || radius < 16)) return null;
  return { radius, width: frame.width / 2 - radius - besideSlices };
}

/** The name and the figure of each slice, on one line if it is wide enough; without a width, no labels. */
const sliceLabels = (scene: Scene, names: readonly string[], figures: readonly string[], width: number | null): Option => ({
  label: {
    show: width !== null,
    color: scene.theme.text,
    fontSize: labelSize,
    lineHeight: labelLine,
    formatter: ({ dataIndex }: { readonly dataIndex: number }) => {
      const [name = '', figure = ''] = [names[dataIndex], figures[dataIndex]];
      const line = withFigure(name, figure);
      return textWidth(line, labelSize) <= (width ?? 0) ? line : `${fitText(name, width ?? 0, 1, labelSize)}\n${figure}`;
    },
  },
  labelLine: { show: width !== null, length: 10, length2: 8, lineStyle: { color: scene.theme.axis } },
});

/** Lines between slices, unless a slice is thinner than a line. */
function edges(slices: readonly ValuedPoint[], total: number, hollow: boolean): Option {
  const { low } = extentOf(slices.map(({ value }) => value));
  return slices.length === 1 || low / total < 0.005 ? { borderWidth: 0 } : { borderWidth: 2, borderRadius: hollow ? 4 : 2 };
}

/** The sum of averages, of lowest or of highest values means nothing. */
const isAdded = ({ config: { aggregate } }: Scene): boolean =>
  aggregate === 'sum' || aggregate === 'count' || aggregate === 'none';

const boldInHole = 1; // of the radius: the hole is wider, and bold digits are wider than others

function totalInTheMiddle({ data, formats, theme }: Scene, total: number, [x, y]: readonly [number, number], radius: number) {
  const text = formats.figures({ low: 0, high: total }, [total])(total);
  const size = Math.max(9, Math.min(26, radius * 0.3, (radius * boldInHole) / textWidth(text, 1)));
  return {
    text,
    subtext: fitText(data, radius * 0.95, 2, 11),
    left: x,
    top: y - size / 2 - 12,
    textAlign: 'center',
    itemGap: 2,
    textStyle: { fontSize: size, lineHeight: Math.round(size * 1.15), fontWeight: 700, color: theme.text },
    subtextStyle: { fontSize: 11, lineHeight: 14, color: theme.muted },
  };
}

const maxSectors = 10;

/** Sectors of equal angle; the radius is the value. */
export const polarArea: ChartFamily = (scene) => {
  const { points: sectors, notes } = partsOfWhole(scene, maxSectors, () => false);
  if (sectors.length === 0) return nothingAboveZeroMessage(scene);

  const { theme } = scene;
  const names = makeDistinct(sectors.map(({ label }) => label));
  const frame = frameFor(scene, names, { shape: 'round' });
  const values = sectors.map(({ value }) => value);
  const { high } = extentOf(values);
  const { limit, step } = chooseRings(high);
  const figure = figureOf(scene, { low: 0, high: limit }, values);
  const figures = values.map(figure);
  const isLabeled = scene.config.showDataLabels || frame.legendAt === null;
  const portions = values.map(() => 1 / values.length);
  const room = isLabeled ? roomForNames(frame, names, figures, portions) : null;
  const small = room?.radius ?? Math.max(30, Math.min(frame.width / 2 - 8, frame.height / 2 - 16)); // the outermost ring has its label above
  const radius = scene.zoom.factor * small;

  return {
    drawn: sectors.length,
    height: frame.chartHeight,
    notes,
    option: {
      legend: legendOf(scene, frame, names),
      tooltip: pointTooltip(scene, sectors, (index) => colorAt(theme, index)),
      ...rings(scene, frame.center, radius, limit, step, figure),
      series: [
        {
          type: 'pie',
          name: scene.data,
          roseType: 'area',
          center: frame.center,
          radius: [0, (radius * high) / limit],
          startAngle: 90,
          clockwise: true,
          itemStyle: {
            borderColor: theme.background,
            ...(sectors.length > 1 ? { borderWidth: 2, borderRadius: 2 } : { borderWidth: 0 }),
            opacity: 0.85,
          },
          ...sliceLabels(scene, names, figures, room?.width ?? null),
          emphasis: { scaleSize: 4 },
          data: sectors.map(({ value }, index) => ({ name: names[index], value, itemStyle: { color: colorAt(theme, index) } })),
        },
      ],
    },
  };
};

/**
 * Three to five rings at round numbers, the outermost as close to the largest value as possible. If that is far from it, the largest
 * value is the edge.
 */
function chooseRings(high: number): { readonly limit: number; readonly step: number } {
  const choices = [3, 4, 5].map((count) => ({ limit: niceCeiling(high / count) * count, step: niceCeiling(high / count) }));
  const best = choices.reduce((closest, each) => (each.limit < closest.limit ? each : closest));
  if (best.limit <= high * 1.12) return best;
  const steps = [4, 3].map((count) => roundStep(high / count));
  const step = steps.find((each) => high % each > 0.1 * high) ?? roundStep(high / 4); // else the last ring would double the edge
  return { limit: high, step };
}

const rings = (
  { config, theme }: Scene,
  center: readonly [number, number],
  radius: number,
  limit: number,
  step: number,
  figure: Figure,
): Option => ({
  polar: { center, radius },
  angleAxis: { type: 'value', min: 0, max: 360, show: false },
  radiusAxis: {
    type: 'value',
    min: 0,
    max: limit,
    interval: step,
    z: 3,
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: {
      show: config.showGrid,
      color: theme.muted,
      fontSize: 11,
      margin: 4,
      verticalAlign: 'bottom', // above the ring, not on it
      backgroundColor: withAlpha(theme.background, 0.8),
      padding: [1, 3],
      borderRadius: 2,
      showMinLabel: false,
      showMaxLabel: Math.abs(limit / step - Math.round(limit / step)) < 1e-6, // not at the largest value
      formatter: tickOf(figure),
    },
    splitLine: { show: config.showGrid, lineStyle: { color: theme.grid } },
  },
});
