import { missingNotes } from '../labelled-values.ts';
import { notes } from '../notes.ts';
import { categoryAxis, gridOf, valueAxis, nameAbove } from '../option/axes.ts';
import { frameFor, legendOf } from '../option/frame.ts';
import { colourAt, withAlpha } from '../option/theme.ts';
import { type Hovered, itemTooltip, tipHtml } from '../option/tooltip.ts';
import { zoomInside } from '../option/zoom.ts';
import { makeDistinct, extentOf, type ValuedPoint, pointsWithValue } from '../points.ts';
import type { ChartFamily, Scene } from '../scene.ts';

const maxBoxes = 40;
const maxOutliers = 2000;
const outlierName = 'Outliers';

/** The distribution of values per label: quartiles, whiskers of at most 1.5 times the box, and outliers. */
export const boxPlot: ChartFamily = (scene) => {
  const { formats, theme } = scene;
  const { groups, notes: said } = groupsOf(scene);
  const boxes = groups.slice(0, maxBoxes).map(([label, values]) => ({ label, rows: values.length, ...spreadOf(values) }));
  const outliers = boxes
    .flatMap(({ outliers: beyond }, index) => beyond.map((value) => [index, value] as const))
    .slice(0, maxOutliers);
  const names = outliers.length > 0 ? [scene.data, outlierName] : [scene.data];
  const frame = frameFor(scene, names);
  const colour = colourAt(theme, 0);
  const tip = ({ dataIndex, seriesType }: Hovered): string => {
    const outlier = seriesType === 'scatter' ? outliers[dataIndex] : undefined;
    const box = boxes[outlier?.[0] ?? dataIndex];
    if (!box) return '';
    if (outlier) return tipHtml(box.label, [['Outlier', formats.full(outlier[1])]]);
    const [lowest, lower, median, upper, highest] = box.five;
    return tipHtml(box.label, [
      ['Highest', formats.full(highest)],
      ['Upper quartile', formats.full(upper)],
      ['Median', formats.full(median)],
      ['Lower quartile', formats.full(lower)],
      ['Lowest', formats.full(lowest)],
      ['Rows', formats.count(box.rows)],
    ]);
  };

  return {
    drawn: boxes.length,
    height: frame.chartHeight,
    notes: [
      ...missingNotes(scene),
      ...said,
      ...(groups.length > maxBoxes ? [notes.first(maxBoxes, formats.count(groups.length), 'labels')] : []),
    ],
    option: {
      grid: gridOf(frame),
      xAxis: categoryAxis(scene, frame, makeDistinct(boxes.map(({ label }) => label))),
      yAxis: valueAxis(scene, formats.figures(extentOf(boxes.flatMap(({ five, outliers: beyond }) => [...five, ...beyond]))), {
        scale: boxes.some(({ rows }) => rows > 1),
        ...nameAbove(scene.theme, scene.data),
      }),
      dataZoom: zoomInside(scene, 'x'),
      legend: legendOf(scene, frame, names),
      tooltip: itemTooltip(scene, tip),
      series: [
        {
          type: 'boxplot',
          name: scene.data,
          boxWidth: [10, 56],
          itemStyle: { color: withAlpha(colour, theme.dark ? 0.35 : 0.22), borderColor: colour, borderWidth: 1.75 },
          data: boxes.map(({ five }) => five),
        },
        ...(outliers.length > 0
          ? [
              {
                type: 'scatter',
                name: outlierName,
                symbolSize: 6,
                itemStyle: { color: colourAt(theme, 1), opacity: 0.8 },
                data: outliers,
              },
            ]
          : []),
      ],
    },
  };
};

export interface Spread {
  readonly five: readonly [lowest: number, lower: number, median: number, upper: number, highest: number];
  readonly outliers: readonly number[];
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const [lower, median, upper] = [quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)];
  const reach = 1.5 * (upper - lower);
  const inside = sorted.filter((value) => value >= lower - reach && value <= upper + reach);
  return {
    five: [inside[0] ?? lower, lower, median, upper, inside.at(-1) ?? upper],
    outliers: sorted.filter((value) => value < lower - reach || value > upper + reach),
  };
}

function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = Math.floor(position);
  const from = sorted[below] ?? 0;
  return from + ((sorted[below + 1] ?? from) - from) * (position - below);
}

type Group = readonly [label: string, values: readonly number[]];

function groupsOf({ points, formats, label }: Scene): { readonly groups: readonly Group[]; readonly notes: readonly string[] } {
  const rows = pointsWithValue(points);
  const groups = [...Map.groupBy(rows, (point: ValuedPoint) => point.label)].map(([name, members]): Group => [
    name,
    members.map(({ value }) => value),
  ]);
  if (groups.length === 1 || groups.length < rows.length) return { groups, notes: [] };
  return { groups: [['All rows', rows.map(({ value }) => value)]], notes: [notes.oneBox(formats.count(rows.length), label)] };
}
