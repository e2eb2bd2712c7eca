import type { BarOrientation } from '../chart-config.ts';
import { missingNotes } from '../labelled-values.ts';
import { categoryAxis, categoryAxisBeside, gridOf, percentAxis, seriesLabel, valueAxis } from '../option/axes.ts';
import { nameAbove, nameBelow } from '../option/axis-name.ts';
import { frameFor, legendOf } from '../option/frame.ts';
import { shortMoments } from '../option/time-axis.ts';
import { axisTooltip, seriesTip } from '../option/tooltip.ts';
import { sliderRoom, zoomInside, zoomWithSlider } from '../option/zoom.ts';
import { distinct, extentOf } from '../points.ts';
import type { ChartFamily, Option, Scene } from '../scene.ts';
import { type Aligned, alignedSeries, asShares, hasSeries, stackedExtent } from '../series.ts';

const sliderFrom = 60; // more vertical bars get a slider
const visibleBars = 40;
const labelRoom = 13.5; // px for each label beside the bars; with less, a slider shows some of them

export const bar: ChartFamily = (scene) => {
  const { config } = scene;
  const aligned = alignedSeries(scene);
  const stacked = config.stacked !== 'none' && hasSeries(scene);
  const percent = stacked && config.stacked === 'percent';
  const drawn = percent ? asShares(aligned) : aligned;
  const { labels, series } = drawn;
  const horizontal = config.barOrientation === 'horizontal';
  const names = series.map(({ name }) => name);
  const frame = frameFor(scene, names);
  const inGroup = stacked ? 1 : series.length; // bars side by side at each label
  const bars = labels.length * inGroup;
  const fitting = Math.max(1, Math.floor((frame.height - 30) / Math.max(labelRoom, 9 * inGroup)));
  // without zoom, a slider still shows every label beside the bars
  const slides = horizontal ? labels.length > fitting : bars > sliderFrom && config.enableZoom;
  const visible = slides ? (horizontal ? fitting : Math.max(1, Math.round(visibleBars / inGroup))) : labels.length;
  const end = (visible / labels.length) * 100;
  const texts = distinct(axisLabels(scene, labels));
  const categories = horizontal ? categoryAxisBeside(scene, frame, texts, visible) : categoryAxis(scene, frame, texts, visible);
  const extent = stacked
    ? stackedExtent(drawn)
    : extentOf(series.flatMap(({ values: own }) => own.flatMap((value) => value ?? [])));
  const isUnnamed = hasSeries(scene) || frame.legendAt === null;
  const values = valueAxis(scene, percent ? { low: 0, high: 100 } : extent, {
    ...(percent ? percentAxis(scene) : {}),
    ...(isUnnamed ? (horizontal ? nameBelow(scene.theme, scene.data) : nameAbove(scene.theme, scene.data)) : {}),
  });
  const room = horizontal ? { right: frame.right + 4 + sliderRoom } : { bottom: frame.bottom + sliderRoom };
  const axis = horizontal ? 'y' : 'x';
  const width = Math.min(100, Math.max(1, config.barWidth)) / inGroup;

  return {
    drawn: bars,
    notes: [...drawn.notes, ...missingNotes(scene)],
    option: {
      grid: gridOf(frame, slides ? room : {}),
      xAxis: horizontal ? values : categories,
      yAxis: horizontal ? categories : values,
      dataZoom: slides ? zoomWithSlider(scene, frame, axis, end) : zoomInside(scene, axis),
      legend: legendOf(scene, frame, names),
      tooltip: axisTooltip(
        scene,
        { type: 'shadow', shadowStyle: { color: scene.theme.shade } },
        seriesTip(scene, aligned, percent ? drawn : null),
      ),
      series: series.map(({ name, values: own }, index) => ({
        type: 'bar',
        name,
        ...(stacked ? { stack: 'all' } : {}),
        barWidth: `${width}%`,
        barMaxWidth: Math.max(24, Math.round((1.6 * config.barWidth) / inGroup)),
        ...(inGroup > 1 ? { barGap: '8%' } : {}),
        data: own.map((value) => mark(value, config.barOrientation, stacked)),
        ...(stacked ? {} : { itemStyle: upwards[config.barOrientation].itemStyle }),
        label: {
          ...seriesLabel(scene, own, index, { inside: stacked, percent }),
          ...(stacked ? { position: 'inside' } : upwards[config.barOrientation].label),
        },
        labelLayout: { hideOverlap: true },
        emphasis: { itemStyle: { opacity: 0.85 } },
      })),
    },
  };
};

function axisLabels({ formats, labels }: Scene, bars: Aligned['labels']): readonly string[] {
  if (labels !== 'time') return bars.map(({ label }) => label);
  const short = shortMoments(
    formats,
    bars.map(({ at }) => at),
  );
  return bars.map(({ label }, index) => short[index] ?? label);
}

/** Bars are rounded and labelled at the end away from zero. */
const upwards: EndsOfBars = {
  vertical: { itemStyle: { borderRadius: [3, 3, 0, 0] }, label: { position: 'top' } },
  horizontal: { itemStyle: { borderRadius: [0, 3, 3, 0] }, label: { position: 'right' } },
};
const downwards: EndsOfBars = {
  vertical: { itemStyle: { borderRadius: [0, 0, 3, 3] }, label: { position: 'bottom' } },
  horizontal: { itemStyle: { borderRadius: [3, 0, 0, 3] }, label: { position: 'left' } },
};

type EndsOfBars = Readonly<Record<BarOrientation, { readonly itemStyle: Option; readonly label: Option }>>;

/** Sets a style only for negative bars: thousands of styles take longer than drawing. */
function mark(value: number | null, orientation: BarOrientation, stacked: boolean): Option | number | '-' {
  if (value === null) return '-';
  return value < 0 && !stacked ? { value, ...downwards[orientation] } : value;
}
