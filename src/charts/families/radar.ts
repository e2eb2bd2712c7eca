import { missingNotes } from '../labeled-values.ts';
import { notes } from '../notes.ts';
import { figureOf, roundStep, tickOf } from '../option/axes.ts';
import { frameFor, legendOf } from '../option/frame.ts';
import { withAlpha } from '../option/theme.ts';
import { itemTooltip, tipHtml } from '../option/tooltip.ts';
import { makeDistinct, extentOf } from '../points.ts';
import { type ChartFamily, isNarrow } from '../scene.ts';
import { type Aligned, alignSeries, hasSeries, limitLabels, pickLabels } from '../series.ts';
import { clip, textLines, textWidth } from '../text-width.ts';

const fewestAxes = 3;
const maxAxes = 16;
const mostValues = 3; // series whose values fit below the name of an axis

/** One axis per label, one outline per series. */
export const radar: ChartFamily = (scene) => {
  const { config, formats, theme } = scene;
  const all = withValues(alignSeries(scene));
  if (all.labels.length < fewestAxes) {
    const found = all.labels.length === 1 ? 'one' : String(all.labels.length);
    return { head: 'A radar chart needs three labels or more', advice: `This result has ${found}. Choose a bar chart instead.` };
  }
  const { labels, series } = limitLabels(all, maxAxes);
  const axes = makeDistinct(labels.map(({ label }) => label));
  const names = series.map(({ name }) => name);
  const frame = frameFor(scene, names);
  const shown = series.flatMap(({ values }) => values.flatMap((value) => value ?? []));
  const { low, high, rings } = scaleOf(shown);
  const figure = figureOf(scene, { low, high }, shown);
  const isNamed = config.showDataLabels && series.length <= mostValues;
  const isWrapped = isNarrow(scene) && !isNamed; // leaves more of a phone's width to the plot
  const nameLines = axes.map((name, index) => {
    const shownName = isWrapped ? textLines(clip(name, 20), 56, 11).join('\n') : clip(name, 20);
    const values = series.map(({ values: own }) => own[index] ?? null);
    const text = values.map((value) => (value === null ? '–' : figure(value))).join(' · ');
    return isNamed ? `${shownName}\n${text}` : shownName;
  });
  const widest = Math.max(...nameLines.flatMap((text) => text.split('\n')).map((text) => textWidth(text, 11)));
  const mostLines = Math.max(...nameLines.map((text) => text.split('\n').length));
  const small = Math.max(24, Math.min(frame.height / 2 - (isNamed ? 12 : 10) - 14 * mostLines, frame.width / 2 - widest - 12));
  const radius = scene.zoom.factor * small;
  const labelEvery = Math.ceil((14 * rings) / radius); // ring
  const ringOf = (value: number): number => Math.round(((value - low) / (high - low)) * rings);
  const line = { show: config.showGrid, lineStyle: { color: theme.web } };

  return {
    drawn: labels.length * series.length,
    height: frame.chartHeight,
    notes: [
      ...all.notes,
      ...missingNotes(scene),
      ...(all.labels.length > maxAxes ? [notes.first(maxAxes, all.labels.length, 'labels')] : []),
      ...(low > 0 ? [notes.center(figure(low))] : []),
    ],
    option: {
      legend: legendOf(scene, frame, names),
      tooltip: itemTooltip(scene, ({ dataIndex }) => {
        const one = series[dataIndex] ?? series[0];
        return tipHtml(
          one?.name ?? scene.data,
          labels.map(({ label }, index) => [clip(label, 40), formats.full(one?.values[index] ?? null)]),
        );
      }),
      radar: {
        center: [frame.center[0], frame.center[1] + (isNamed ? 0 : 6)],
        radius,
        shape: 'polygon',
        splitNumber: rings,
        indicator: nameLines.map((name, index) => ({
          name,
          min: low,
          max: high,
          axisLabel: {
            show: index === 0 && config.showGrid && !isNamed,
            color: theme.muted,
            fontSize: 11,
            margin: 6,
            verticalAlign: 'bottom', // beside the axis and above the ring, not on them
            backgroundColor: withAlpha(theme.background, 0.75),
            padding: [1, 2],
            showMinLabel: low !== 0,
            showMaxLabel: false, // the name of the axis is there
            formatter: (value: number) => (ringOf(value) % labelEvery === 0 ? tickOf(figure)(value) : ''),
          },
        })),
        axisName: { color: theme.muted, fontSize: 11, lineHeight: 14 },
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
          data: series.map(({ name, values }) => ({ name, value: values })),
        },
      ],
    },
  };
};

/** Removes labels that have no value in any series. */
function withValues(aligned: Aligned): Aligned {
  const hasValue = (index: number) => aligned.series.some(({ values }) => (values[index] ?? null) !== null);
  return pickLabels(aligned, [...aligned.labels.keys()].filter(hasValue));
}

/** Rings at round numbers. Values that differ little, far from zero, would all be at the edge of a chart whose center is zero. */
function scaleOf(values: readonly number[]): { readonly low: number; readonly high: number; readonly rings: number } {
  const { low, high } = extentOf(values);
  const isFar = low > 0 && high > low && (high - low) / high < 0.25;
  const base = isFar ? low : Math.min(low, 0);
  const step = roundStep((Math.max(high, 0) - base) / 4);
  const from = isFar ? Math.max(0, (Math.floor(low / step) - 1) * step) : Math.floor(base / step) * step;
  const rings = Math.max(2, Math.ceil((high - from) / step - 1e-9));
  return { low: from, high: from + step * rings, rings };
}
