import { nothingAboveZeroMessage, partsOfWhole } from '../labelled-values.ts';
import { type Figure, figureOf, niceCeiling, roundStep } from '../option/axes.ts';
import { frameFor, legendOf } from '../option/frame.ts';
import { colourAt, withAlpha } from '../option/theme.ts';
import { itemTooltip, pointTip } from '../option/tooltip.ts';
import { makeDistinct, extentOf } from '../points.ts';
import type { ChartFamily, Option, Scene } from '../scene.ts';
import { sliceLabel, slicesAreLabelled } from './pie-donut.ts';

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
  const { high } = extentOf(sectors.map(({ value }) => value));
  const { limit, step } = chooseRings(high);
  const figure = figureOf(
    scene,
    { low: 0, high: limit },
    sectors.map(({ value }) => value),
  );

  return {
    drawn: sectors.length,
    height: frame.chartHeight,
    notes,
    option: {
      legend: legendOf(scene, frame, names),
      tooltip: itemTooltip(
        scene,
        pointTip(scene, sectors, (index) => colourAt(theme, index)),
      ),
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
      formatter: figure,
    },
    splitLine: { show: config.showGrid, lineStyle: { color: theme.grid } },
  },
});
