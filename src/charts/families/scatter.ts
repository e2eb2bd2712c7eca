import { missingNotes } from '../labeled-values.ts';
import { notes } from '../notes.ts';
import { figureOf, gridOf, roomForLabels, buildScaledAxis, seriesLabel, valueAxis, nameAbove } from '../option/axes.ts';
import { categoryAxis } from '../option/category-axis.ts';
import { type Frame, frameFor, legendOf } from '../option/frame.ts';
import { colorAt } from '../option/theme.ts';
import { itemTooltip, type TipLine, tipHtml } from '../option/tooltip.ts';
import { zoomInside } from '../option/zoom.ts';
import { makeDistinct, extentOf, type ValuedPoint, pointsWithValue } from '../points.ts';
import type { ChartFamily, Scene } from '../scene.ts';
import { hasSeries } from '../series.ts';

/** One dot per row and series; rows with the same label are not aggregated. */
export const scatter: ChartFamily = (scene) => {
  const { theme } = scene;
  const withValue = scene.series.map(({ name, points }) => ({ name, dots: pointsWithValue(points) }));
  const series = withValue.map(({ name, dots }) => ({
    name,
    dots: dots.filter(({ at, x }) => scene.labels === 'category' || (at ?? x) !== null),
  }));
  const all = series.flatMap(({ dots }) => dots);
  const unplaced = withValue.reduce((count, { dots }) => count + dots.length, 0) - all.length;
  const names = series.map(({ name }) => name);
  const frame = frameFor(scene, names);
  const labels = [...new Set(all.map(({ label }) => label))];
  const dense = all.length > 1000;
  const values = all.map(({ value }) => value);
  const extent = extentOf(values);
  const figure = figureOf(scene, extent, values);
  const isScaled = all.length > 1;

  return {
    drawn: all.length,
    height: frame.chartHeight,
    notes: [
      ...missingNotes(scene),
      ...(unplaced > 0 ? [notes.withoutLabel(unplaced, scene.label)] : []),
      ...(scene.labels === 'category' ? [notes.needsNumber(scene.label)] : []),
    ],
    option: {
      grid: gridOf(frame),
      xAxis: labelAxis(scene, frame, all, labels),
      yAxis: valueAxis(scene, figure, {
        scale: isScaled,
        ...(scene.config.showDataLabels ? roomForLabels(extent, frame.height - 40, 20, !isScaled) : {}),
        ...nameAbove(scene.theme, scene.data),
      }),
      dataZoom: [...zoomInside(scene, 'x').map((zoom) => ({ ...zoom, xAxisIndex: 'all' })), ...zoomInside(scene, 'y')],
      legend: legendOf(scene, frame, names),
      tooltip: itemTooltip(scene, ({ dataIndex, seriesIndex = 0 }) => {
        const dot = series[seriesIndex]?.dots[dataIndex];
        if (!dot) return '';
        const value: TipLine = [
          names[seriesIndex] ?? scene.data,
          (scene.series[seriesIndex]?.full ?? scene.formats.full)(dot.value),
          colorAt(theme, seriesIndex),
        ];
        if (scene.labels !== 'number') return tipHtml(dot.label, [value]);
        return tipHtml(`${scene.label} and ${scene.data}`, [[scene.label, scene.labelFormats.full(dot.x)], value]);
      }),
      series: series.map(({ name, dots }) => {
        const positions = spread(dots, labels);
        const own = dots.map(({ value }) => value);
        return {
          type: 'scatter',
          name,
          symbolSize: dense ? 4 : all.length > 200 ? 6 : hasSeries(scene) ? 8 : 10,
          itemStyle: dense ? { opacity: 0.45 } : { opacity: 0.75, borderColor: theme.background, borderWidth: 1 },
          ...(scene.labels === 'category' ? { xAxisIndex: 1 } : {}),
          data: dots.map(({ at, x, value }, dot) => [at ?? x ?? positions[dot] ?? 0, value]),
          label: { ...seriesLabel(scene, own, figure), position: 'top' },
          labelLayout: { hideOverlap: true },
        };
      }),
    },
  };
};

function labelAxis(scene: Scene, frame: Frame, dots: readonly ValuedPoint[], labels: readonly string[]) {
  const scaled = buildScaledAxis(scene, frame, dots, true);
  if (scaled) return scaled;
  const names = {
    ...categoryAxis(scene, frame, makeDistinct(labels)),
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
