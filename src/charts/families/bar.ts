import type { BarOrientation } from '../../core/chart-config.ts';
import type { Extent } from '../formats.ts';
import { missingNotes } from '../labeled-values.ts';
import { notes } from '../notes.ts';
import {
  chooseShortFormat,
  durationSteps,
  type Figure,
  figureOf,
  gridOf,
  labelSize,
  percentFigure,
  percentSteps,
  roomForLabels,
  seriesLabel,
  valueAxis,
  valueLabelWidth,
  nameAbove,
  nameBelow,
} from '../option/axes.ts';
import { categoryAxis, categoryAxisBeside } from '../option/category-axis.ts';
import { type Frame, frameFor, legendOf } from '../option/frame.ts';
import { axisTooltip, seriesTip } from '../option/tooltip.ts';
import { sliderRoom, zoomInside, zoomWithSlider } from '../option/zoom.ts';
import { makeDistinct, extentOf } from '../points.ts';
import { type ChartFamily, isNarrow, type Option, type Scene } from '../scene.ts';
import { type Aligned, alignSeries, asShares, limitLabels, hasSeries, measureStacks } from '../series.ts';
import { textWidth } from '../text-width.ts';

const sliderFrom = 60; // more vertical bars get a slider
const visibleBars = 40;
const axisRoom = 36; // px for the axis below horizontal bars

export const bar: ChartFamily = (scene) => {
  const { config } = scene;
  const all = alignSeries(scene);
  const stacked = config.stacked !== 'none' && hasSeries(scene);
  const percent = stacked && config.stacked === 'percent';
  const horizontal = config.barOrientation === 'horizontal';
  const names = all.series.map(({ name }) => name);
  const inGroup = stacked ? 1 : names.length; // bars side by side at each label
  const rowHeight = Math.max(16, (config.showDataLabels ? 14 : 9) * inGroup);
  const frame = frameFor(scene, names, horizontal ? { plotHeight: all.labels.length * rowHeight + axisRoom } : {});
  const fitting = horizontal ? Math.max(1, Math.floor((frame.height - axisRoom) / rowHeight)) : all.labels.length;
  const isCut = scene.still && all.labels.length > fitting;
  const aligned = isCut ? limitLabels(all, fitting) : all;
  const drawn = percent ? asShares(aligned) : aligned;
  const { labels, series } = drawn;
  const bars = labels.length * inGroup;
  // without zoom, a slider still shows every label beside the bars
  const slides = !scene.still && (horizontal ? labels.length > fitting : bars > sliderFrom && config.enableZoom);
  const visible = slides ? (horizontal ? fitting : Math.max(1, Math.round(visibleBars / inGroup))) : labels.length;
  const end = (visible / labels.length) * 100;
  const texts = makeDistinct(axisLabels(scene, labels));
  const categories = horizontal ? categoryAxisBeside(scene, frame, texts, visible) : categoryAxis(scene, frame, texts, visible);
  const values = series.flatMap(({ values: own }) => own.flatMap((value) => value ?? []));
  const extent = percent ? { low: 0, high: 100 } : stacked ? measureStacks(drawn) : extentOf(values);
  const figure = percent ? percentFigure : figureOf(scene, extent, values);
  const room = horizontal ? { right: frame.right + 4 + sliderRoom } : { bottom: frame.bottom + sliderRoom };
  const axis = horizontal ? 'y' : 'x';
  const width = Math.min(100, Math.max(1, config.barWidth)) / inGroup;
  const widest = Math.max(24, Math.round((1.6 * config.barWidth) / inGroup));
  const beyond = stacked || !config.showDataLabels ? null : labelsBeyond(scene, frame, figure, extent, values, visible, inGroup);
  const valuesAxis = valueAxis(scene, figure, {
    ...(percent ? percentSteps(scene) : durationSteps(scene, extent)),
    ...(horizontal ? { splitNumber: Math.max(2, Math.min(5, Math.floor(frame.width / (isNarrow(scene) ? 150 : 100)))) } : {}),
    ...beyond?.axis,
    ...(hasSeries(scene) || frame.legendAt === null ? (horizontal ? nameBelow : nameAbove)(scene.theme, scene.data) : {}),
  });

  return {
    drawn: bars,
    height: frame.chartHeight,
    notes: [...drawn.notes, ...missingNotes(scene), ...(isCut ? [notes.first(fitting, all.labels.length, 'labels')] : [])],
    option: {
      grid: gridOf(frame, slides ? room : {}),
      xAxis: horizontal ? valuesAxis : categories,
      yAxis: horizontal ? categories : valuesAxis,
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
        barMaxWidth: widest,
        ...(inGroup > 1 ? { barGap: '8%' } : {}),
        data: own.map((value) => mark(value, config.barOrientation, stacked, beyond?.turned ?? false)),
        ...(stacked ? {} : { itemStyle: upwards[config.barOrientation].itemStyle }),
        label: {
          ...seriesLabel(scene, own, figure, stacked ? index : null),
          ...(stacked ? { position: 'inside' } : upwards[config.barOrientation].label),
          ...(beyond?.turned ? { ...turned, align: 'left' } : {}),
        },
        labelLayout: { hideOverlap: true },
        emphasis: { itemStyle: { opacity: 0.85 } },
      })),
    },
  };
};

/** Labels above vertical bars are turned where they are wider than the distance of the bars. */
function labelsBeyond(
  scene: Scene,
  frame: Frame,
  figure: Figure,
  extent: Extent,
  values: readonly number[],
  visible: number,
  inGroup: number,
) {
  const longest = values.reduce((most, value) => Math.max(most, textWidth(figure(value), labelSize)), 0);
  const [across, along] = [frame.width - valueLabelWidth(scene), frame.height - axisRoom];
  if (scene.config.barOrientation === 'horizontal')
    return { turned: false, axis: roomForLabels(extent, scene.width * 0.6, longest + 10, true) };
  const step = across / Math.max(1, visible);
  const share = inGroup > 1 ? (Math.min(100, scene.config.barWidth) / 100 / inGroup) * 1.08 : 1;
  const distance = Math.min(step * share, inGroup > 1 ? Math.max(24, (1.6 * scene.config.barWidth) / inGroup) * 1.08 : step);
  const isTurned = longest + 4 > distance && (inGroup > 1 || distance >= 13);
  return { turned: isTurned, axis: roomForLabels(extent, along, isTurned ? longest + 10 : 18, true) };
}

const turned: Option = { rotate: 90, verticalAlign: 'middle', distance: 6 };

function axisLabels({ formats, labels }: Scene, bars: Aligned['labels']): readonly string[] {
  if (labels !== 'time') return bars.map(({ label }) => label);
  const times = bars.flatMap(({ at }) => at ?? []);
  const format = chooseShortFormat(formats, times);
  return bars.map(({ label, at }) => (at === null ? label : format(at)));
}

/** Bars are rounded and labeled at the end away from zero. */
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
function mark(value: number | null, orientation: BarOrientation, stacked: boolean, isTurned: boolean): Option | number | '-' {
  if (value === null) return '-';
  if (value >= 0 || stacked) return value;
  const { itemStyle, label } = downwards[orientation];
  return { value, itemStyle, label: isTurned ? { ...label, align: 'right' } : label };
}
