import { missingNotes } from '../labelled-values.ts';
import { notes } from '../notes.ts';
import { roundStep } from '../option/axes.ts';
import { frameFor, legendOf } from '../option/frame.ts';
import { withAlpha } from '../option/theme.ts';
import { itemTooltip, tipHtml } from '../option/tooltip.ts';
import { distinct, extentOf } from '../points.ts';
import type { ChartFamily } from '../scene.ts';
import { type Aligned, alignedSeries, hasSeries } from '../series.ts';
import { clip } from '../text-width.ts';

const fewestAxes = 3;
const maxAxes = 16;

/** One axis per label, one outline per series. */
export const radar: ChartFamily = (scene) => {
  const { config, formats, theme } = scene;
  const all = withValues(alignedSeries(scene));
  if (all.labels.length < fewestAxes) {
    const found = all.labels.length === 1 ? 'one' : String(all.labels.length);
    return { head: 'A radar chart needs three labels or more', advice: `This result has ${found}. Choose a bar chart instead.` };
  }
  const labels = all.labels.slice(0, maxAxes);
  const series = all.series.map(({ name, values }) => ({ name, values: values.slice(0, maxAxes) }));
  const names = distinct(labels.map(({ label }) => label));
  const frame = frameFor(
    scene,
    series.map(({ name }) => name),
  );
  const { low, high, rings } = scaleOf(series.flatMap(({ values }) => values.flatMap((value) => value ?? [])));
  const short = formats.axis({ low, high });
  const line = { show: config.showGrid, lineStyle: { color: theme.web } };

  return {
    drawn: labels.length * series.length,
    notes: [
      ...all.notes,
      ...missingNotes(scene),
      ...(all.labels.length > maxAxes ? [notes.first(maxAxes, formats.count(all.labels.length), 'labels')] : []),
      ...(low > 0 ? [notes.centre(short(low))] : []),
    ],
    option: {
      legend: legendOf(
        scene,
        frame,
        series.map(({ name }) => name),
      ),
      tooltip: itemTooltip(scene, ({ dataIndex }) => {
        const shown = series[dataIndex] ?? series[0];
        return tipHtml(
          shown?.name ?? scene.data,
          labels.map(({ label }, index) => [clip(label, 40), formats.full(shown?.values[index] ?? null)]),
        );
      }),
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
            fontSize: 11,
            margin: 6, // beside the axis, not on it
            backgroundColor: withAlpha(theme.background, 0.75),
            padding: [1, 2],
            showMinLabel: low !== 0,
            showMaxLabel: false, // the name of the axis is there
            formatter: short,
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
          areaStyle: { opacity: hasSeries(scene) ? 0.1 : 0.18 },
          label: {
            show: config.showDataLabels,
            color: theme.text,
            fontSize: 11,
            formatter: ({ value }: { readonly value: unknown }) => (typeof value === 'number' ? formats.short(value) : ''),
          },
          data: series.map(({ name, values }) => ({ name, value: values })),
        },
      ],
    },
  };
};

/** Without labels that have no value in any series. */
function withValues(aligned: Aligned): Aligned {
  const kept = [...aligned.labels.keys()].filter((index) =>
    aligned.series.some(({ values }) => (values[index] ?? null) !== null),
  );
  return {
    ...aligned,
    labels: kept.flatMap((index) => aligned.labels[index] ?? []),
    series: aligned.series.map(({ name, values }) => ({ name, values: kept.map((index) => values[index] ?? null) })),
  };
}

/** Rings at round numbers. Values that differ little, far from zero, would all be at the edge of a chart whose centre is zero. */
function scaleOf(values: readonly number[]): { readonly low: number; readonly high: number; readonly rings: number } {
  const { low, high } = extentOf(values);
  const isFar = low > 0 && high > low && (high - low) / high < 0.25;
  const base = isFar ? low : Math.min(low, 0);
  const step = roundStep((Math.max(high, 0) - base) / 4);
  const from = isFar ? Math.max(0, (Math.floor(low / step) - 1) * step) : Math.floor(base / step) * step;
  const rings = Math.max(2, Math.ceil((high - from) / step - 1e-9));
  return { low: from, high: from + step * rings, rings };
}
