import { nothingAboveZeroMessage, partsOfWhole } from '../labelled-values.ts';
import { type Figure, figureOf, niceCeiling, roundStep, tickOf } from '../option/axes.ts';
import { type Frame, frameFor, legendOf } from '../option/frame.ts';
import { colourAt, withAlpha } from '../option/theme.ts';
import { itemTooltip, pointTooltip, tipHtml } from '../option/tooltip.ts';
import { makeDistinct, extentOf, sortPoints, sumOf, type ValuedPoint } from '../points.ts';
import type { ChartFamily, Drawn, Message, Option, Scene } from '../scene.ts';
import { clip } from '../text-width.ts';

const maxSlices = 10;

export const pie: ChartFamily = (scene) => drawSlices(scene, false);

export const donut: ChartFamily = (scene) => drawSlices(scene, true);

function drawSlices(scene: Scene, hollow: boolean): Drawn | Message {
  const { points, notes, others } = partsOfWhole(scene, maxSlices, () => true);
  const slices = scene.config.sortBy === 'none' ? sortSlices(points, others) : points;
  if (slices.length === 0) return nothingAboveZeroMessage(scene);

  const { formats, theme } = scene;
  const names = makeDistinct(slices.map(({ label }) => label));
  const frame = frameFor(scene, names, { shape: 'round' });
  const total = sumOf(slices);
  const colours = slices.map((slice, index) => (slice === others ? theme.others : colourAt(theme, index)));
  const labelled = slicesAreLabelled(scene, frame) || (frame.width >= 240 && frame.height >= 140);
  const beside = labelled ? (frame.legendAt ? 56 : 90) : 8;
  const radius = Math.max(30, Math.min(frame.width / 2 - beside, frame.height / 2 - (labelled ? 18 : 6)));
  const share = (slice: ValuedPoint | undefined): string => formats.share(slice?.value ?? 0, total);

  return {
    drawn: slices.length,
    height: frame.chartHeight,
    notes,
    option: {
      legend: legendOf(scene, frame, names),
      tooltip: itemTooltip(scene, ({ dataIndex }) => {
        const slice = slices[dataIndex];
        if (!slice) return '';
        return tipHtml(slice.label, [
          [scene.data, formats.full(slice.value), colours[dataIndex]],
          ['Share', share(slice)],
        ]);
      }),
      ...(hollow ? { title: totalInTheMiddle(scene, total, frame.centre, radius) } : {}),
      series: [
        {
          type: 'pie',
          name: scene.data,
          center: frame.centre,
          radius: hollow ? [radius * 0.62, radius] : [0, radius],
          startAngle: 90,
          clockwise: true,
          avoidLabelOverlap: true,
          minShowLabelAngle: 4,
          itemStyle: { borderColor: theme.background, ...edges(slices, total, hollow) },
          label: {
            ...sliceLabel(scene, frame, names, (index) => share(slices[index])),
            show: labelled,
            width: 120,
            overflow: 'truncate',
          },
          labelLine: { show: labelled, length: 10, length2: 8, lineStyle: { color: theme.axis } },
          emphasis: { scaleSize: 5 },
          data: slices.map(({ value }, index) => ({ name: names[index], value, itemStyle: { color: colours[index] } })),
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

/** Names are at the slices if there is no legend. */
const slicesAreLabelled = ({ config }: Scene, { legendAt }: Frame): boolean => config.showDataLabels || !legendAt;

const sliceLabel = (scene: Scene, frame: Frame, names: readonly string[], figure: (index: number) => string): Option => ({
  show: slicesAreLabelled(scene, frame),
  color: scene.theme.text,
  fontSize: 11,
  lineHeight: 15,
  formatter: ({ dataIndex }: { readonly dataIndex: number }) => {
    const name = frame.legendAt ? [] : [clip(names[dataIndex] ?? '', 22)];
    return [...name, figure(dataIndex)].join('\n');
  },
});

/** Lines between slices, unless a slice is thinner than a line. */
function edges(slices: readonly ValuedPoint[], total: number, hollow: boolean): Option {
  const { low } = extentOf(slices.map(({ value }) => value));
  return slices.length === 1 || low / total < 0.005 ? { borderWidth: 0 } : { borderWidth: 2, borderRadius: hollow ? 4 : 2 };
}

function totalInTheMiddle({ data, formats, theme }: Scene, total: number, [x, y]: readonly [number, number], radius: number) {
  const size = Math.max(11, Math.min(26, radius * 0.3));
  return {
    text: formats.figures({ low: 0, high: total }, [total])(total),
    subtext: clip(data, Math.max(6, Math.floor((radius * 1.1) / 6))),
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
  const labelled = slicesAreLabelled(scene, frame);
  const radius = Math.max(30, Math.min(frame.width / 2 - (labelled ? 56 : 8), frame.height / 2 - 16)); // the outermost ring has its label above
  const values = sectors.map(({ value }) => value);
  const { high } = extentOf(values);
  const { limit, step } = chooseRings(high);
  const figure = figureOf(scene, { low: 0, high: limit }, values);

  return {
    drawn: sectors.length,
    height: frame.chartHeight,
    notes,
    option: {
      legend: legendOf(scene, frame, names),
      tooltip: pointTooltip(scene, sectors, (index) => colourAt(theme, index)),
      ...rings(scene, frame.centre, radius, limit, step, figure),
      series: [
        {
          type: 'pie',
          name: scene.data,
          roseType: 'area',
          center: frame.centre,
          radius: [0, (radius * high) / limit],
          startAngle: 90,
          clockwise: true,
          itemStyle: {
            borderColor: theme.background,
            ...(sectors.length > 1 ? { borderWidth: 2, borderRadius: 2 } : { borderWidth: 0 }),
            opacity: 0.85,
          },
          label: sliceLabel(scene, frame, names, (index) => figure(sectors[index]?.value ?? 0)),
          labelLine: { show: labelled, length: 8, length2: 6, lineStyle: { color: theme.axis } },
          emphasis: { scaleSize: 4 },
          data: sectors.map(({ value }, index) => ({ name: names[index], value, itemStyle: { color: colourAt(theme, index) } })),
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
  centre: readonly [number, number],
  radius: number,
  limit: number,
  step: number,
  figure: Figure,
): Option => ({
  polar: { center: centre, radius },
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
