import { missingNotes } from '../labelled-values.ts';
import { notes } from '../notes.ts';
import { categoryAxis, dataLabel, gridOf, nameAbove, scaledAxis, valueAxis } from '../option/axes.ts';
import { type Frame, frameFor, legendOf } from '../option/frame.ts';
import { itemTooltip, tipHtml, valueTip } from '../option/tooltip.ts';
import { zoomInside } from '../option/zoom.ts';
import { distinct, type ValuedPoint, valued } from '../points.ts';
import type { ChartFamily, Option, Scene } from '../scene.ts';

/** One dot per row; rows with the same label are not added up. */
export const scatter: ChartFamily = (scene) => {
  const { formats, points, theme } = scene;
  const withValue = valued(points.rows);
  const dots = withValue.filter(({ at, x }) => points.labels === 'category' || (at ?? x) !== null);
  const unplaced = withValue.length - dots.length;
  const frame = frameFor(scene, [scene.data]);
  const labels = [...new Set(dots.map(({ label }) => label))];
  const positions = spread(dots, labels);
  const dense = dots.length > 1000;

  return {
    drawn: dots.length,
    notes: [...missingNotes(scene), ...(unplaced > 0 ? [notes.withoutLabel(unplaced, scene.label)] : [])],
    option: {
      grid: gridOf(frame),
      xAxis: labelAxis(scene, frame, dots, labels),
      yAxis: valueAxis(scene, { scale: dots.length > 1, ...nameAbove(scene, scene.data) }),
      dataZoom: [...zoomInside(scene, 'x').map((zoom) => ({ ...zoom, xAxisIndex: 'all' })), ...zoomInside(scene, 'y')],
      legend: legendOf(scene, frame, [scene.data]),
      tooltip: itemTooltip(scene, ({ dataIndex }) => {
        const dot = dots[dataIndex];
        if (!dot) return '';
        if (points.labels !== 'number') return valueTip(scene, dot.label, dot.value);
        return tipHtml(`${scene.label} and ${scene.data}`, [
          [scene.label, formats.full(dot.x)],
          [scene.data, formats.full(dot.value)],
        ]);
      }),
      series: [
        {
          type: 'scatter',
          name: scene.data,
          symbolSize: dense ? 4 : dots.length > 200 ? 6 : 10,
          itemStyle: dense ? { opacity: 0.45 } : { opacity: 0.75, borderColor: theme.background, borderWidth: 1 },
          ...(points.labels === 'category' ? { xAxisIndex: 1 } : {}),
          data: dots.map(({ at, x, value }, index) => [at ?? x ?? positions[index] ?? 0, value]),
          label: { ...dataLabel(scene, dots), position: 'top' },
          labelLayout: { hideOverlap: true },
        },
      ],
    },
  };
};

function labelAxis(
  scene: Scene,
  frame: Frame,
  dots: readonly ValuedPoint[],
  labels: readonly string[],
): Option | readonly Option[] {
  const scaled = scaledAxis(scene, frame, dots, true);
  if (scaled) return scaled;
  const names = {
    ...categoryAxis(scene, frame, distinct(labels)),
    splitLine: { show: scene.config.showGrid, lineStyle: { color: scene.theme.grid } },
  };
  // a category is a single position: a hidden second axis allows dots beside it
  return [names, { type: 'value', min: -0.5, max: labels.length - 0.5, show: false }];
}

/** Spreads the dots of one label evenly and deterministically. */
function spread(dots: readonly ValuedPoint[], labels: readonly string[]): readonly number[] {
  const positions = new Map(labels.map((label, index) => [label, index]));
  const seen = new Map<string, number>();
  const crowded = labels.length < dots.length;
  return dots.map(({ label }) => {
    const before = seen.get(label) ?? 0;
    seen.set(label, before + 1);
    const aside = crowded && before > 0 ? ((before * goldenRatio) % 1) - 0.5 : 0;
    return (positions.get(label) ?? 0) + aside * 0.5;
  });
}

const goldenRatio = 0.618034;
