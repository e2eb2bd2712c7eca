import { addedUpWithValues } from '../labelled-values.ts';
import { notes } from '../notes.ts';
import { niceCeiling } from '../option/axes.ts';
import { frameFor, legendOf } from '../option/frame.ts';
import { itemTooltip, tipHtml } from '../option/tooltip.ts';
import { distinct, extentOf, type ValuedPoint } from '../points.ts';
import type { ChartFamily } from '../scene.ts';
import { clip } from '../text-width.ts';

const fewestAxes = 3;
const maxAxes = 16;

/** One axis per label. */
export const radar: ChartFamily = (scene) => {
  const { points, notes: said } = addedUpWithValues(scene);
  if (points.length < fewestAxes) {
    const found = points.length === 1 ? 'one' : String(points.length);
    return { head: 'A radar chart needs three labels or more', advice: `This result has ${found}. Choose a bar chart instead.` };
  }
  const { config, formats, theme } = scene;
  const axes = points.slice(0, maxAxes);
  const names = distinct(axes.map(({ label }) => label));
  const frame = frameFor(scene, [scene.data]);
  const { low, high, rings } = scaleOf(axes);
  const line = { show: config.showGrid, lineStyle: { color: theme.web } };

  return {
    drawn: axes.length,
    notes: points.length > maxAxes ? [...said, notes.first(maxAxes, formats.count(points.length), 'labels')] : said,
    option: {
      legend: legendOf(scene, frame, [scene.data]),
      tooltip: itemTooltip(scene, () =>
        tipHtml(
          scene.data,
          axes.map(({ label, value }) => [clip(label, 40), formats.full(value)]),
        ),
      ),
      radar: {
        center: [frame.centre[0], frame.centre[1] + 6],
        radius: Math.max(24, Math.min(frame.height / 2 - 22, frame.width / 2 - 80)),
        shape: 'polygon',
        splitNumber: rings,
        indicator: names.map((name, index) => ({
          name,
          min: low,
          max: high,
          axisLabel: {
            show: index === 0 && config.showGrid && !config.showDataLabels,
            color: theme.muted,
            fontSize: 10,
            showMinLabel: low < 0,
            formatter: formats.short,
          },
        })),
        axisName: { color: theme.muted, fontSize: 11, formatter: (name?: string) => clip(name ?? '', 20) },
        axisNameGap: 10,
        axisLine: line,
        splitLine: line,
        splitArea: { show: false },
      },
      series: [
        {
          type: 'radar',
          name: scene.data,
          symbol: 'circle',
          symbolSize: 6,
          lineStyle: { width: 2.25 },
          areaStyle: { opacity: 0.18 },
          label: {
            show: config.showDataLabels,
            color: theme.text,
            fontSize: 11,
            formatter: ({ value }: { readonly value: unknown }) => (typeof value === 'number' ? formats.short(value) : ''),
          },
          data: [{ name: scene.data, value: axes.map(({ value }) => value) }],
        },
      ],
    },
  };
};

/** Rings at round numbers; the centre is zero unless values are negative. */
function scaleOf(axes: readonly ValuedPoint[]): { readonly low: number; readonly high: number; readonly rings: number } {
  const { low, high } = extentOf(axes.map(({ value }) => value));
  const step = niceCeiling((Math.max(high, 0) - Math.min(low, 0)) / 4);
  const from = low < 0 ? Math.floor(low / step) * step : 0;
  const rings = Math.max(2, Math.ceil((high - from) / step - 1e-9));
  return { low: from, high: from + step * rings, rings };
}
