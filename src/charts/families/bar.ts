import type { BarOrientation } from '../chart-config.ts';
import { addedUp, missingNotes } from '../labelled-values.ts';
import { categoryAxis, categoryAxisBeside, dataLabel, gridOf, valueAxis } from '../option/axes.ts';
import { frameFor, legendOf } from '../option/frame.ts';
import { shortMoments } from '../option/time-axis.ts';
import { axisTooltip, pointTip } from '../option/tooltip.ts';
import { sliderRoom, zoomInside, zoomWithSlider } from '../option/zoom.ts';
import { distinct, type Point } from '../points.ts';
import type { ChartFamily, Option, Scene } from '../scene.ts';

const sliderFrom = { vertical: 60, horizontal: 25 }; // more bars get a slider
const visibleBars = { vertical: 40, horizontal: 20 };

export const bar: ChartFamily = (scene) => {
  const { config } = scene;
  const { points: bars, notes: barNotes } = addedUp(scene);
  const horizontal = config.barOrientation === 'horizontal';
  const frame = frameFor(scene, [scene.data]);
  const crowded = bars.length > sliderFrom[config.barOrientation];
  const slides = crowded && config.enableZoom;
  const visible = slides ? visibleBars[config.barOrientation] : bars.length;
  const end = (visible / bars.length) * 100;
  const labels = distinct(axisLabels(scene, bars));
  const names = horizontal ? categoryAxisBeside(scene, frame, labels, visible) : categoryAxis(scene, frame, labels, visible);
  const values = valueAxis(scene);
  const room = horizontal ? { right: frame.right + 4 + sliderRoom } : { bottom: frame.bottom + sliderRoom };
  const axis = horizontal ? 'y' : 'x';

  return {
    drawn: bars.length,
    notes: [...barNotes, ...missingNotes(scene)],
    option: {
      grid: gridOf(frame, slides ? room : {}),
      xAxis: horizontal ? values : names,
      yAxis: horizontal ? names : values,
      dataZoom: crowded ? zoomWithSlider(scene, frame, axis, end) : zoomInside(scene, axis),
      legend: legendOf(scene, frame, [scene.data]),
      tooltip: axisTooltip(scene, { type: 'shadow', shadowStyle: { color: scene.theme.shade } }, pointTip(scene, bars)),
      series: [
        {
          type: 'bar',
          name: scene.data,
          barWidth: `${Math.min(100, Math.max(1, config.barWidth))}%`,
          barMaxWidth: Math.max(24, Math.round(1.6 * config.barWidth)),
          data: bars.map((point) => mark(point, config.barOrientation)),
          itemStyle: upwards[config.barOrientation].itemStyle,
          label: { ...dataLabel(scene, bars), ...upwards[config.barOrientation].label },
          labelLayout: { hideOverlap: true },
          emphasis: { itemStyle: { opacity: 0.85 } },
        },
      ],
    },
  };
};

function axisLabels({ formats, points }: Scene, bars: readonly Point[]): readonly string[] {
  if (points.labels !== 'time') return bars.map(({ label }) => label);
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
function mark({ value }: Point, orientation: BarOrientation): Option | number | '-' {
  if (value === null) return '-';
  return value < 0 ? { value, ...downwards[orientation] } : value;
}
