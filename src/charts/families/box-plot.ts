import { missingNotes } from '../labeled-values.ts';
import { gridOf, valueAxis, nameAbove } from '../option/axes.ts';
import { categoryAxis } from '../option/category-axis.ts';
import { frameFor, legendOf } from '../option/frame.ts';
import { colorAt, withAlpha } from '../option/theme.ts';
import { type Hovered, itemTooltip, tipHtml } from '../option/tooltip.ts';
import { zoomInside } from '../option/zoom.ts';
import { extentOf, makeDistinct } from '../points.ts';
import type { ChartFamily } from '../scene.ts';

const outlierName = 'Outliers';

/** The distribution of values per label: quartiles, whiskers of at most 1.5 times the box, and outliers. */
export const boxPlot: ChartFamily = (scene) => {
  const { boxes, formats, theme } = scene;
  const outliers = boxes.flatMap(({ outliers: beyond }, index) => beyond.map((value) => [index, value] as const));
  const names = outliers.length > 0 ? [scene.data, outlierName] : [scene.data];
  const frame = frameFor(scene, names);
  const color = colorAt(theme, 0);
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
    notes: missingNotes(scene),
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
          itemStyle: { color: withAlpha(color, theme.dark ? 0.35 : 0.22), borderColor: color, borderWidth: 1.75 },
          data: boxes.map(({ five }) => five),
        },
        ...(outliers.length > 0
          ? [
              {
                type: 'scatter',
                name: outlierName,
                symbolSize: 6,
                itemStyle: { color: colorAt(theme, 1), opacity: 0.8 },
                data: outliers,
              },
            ]
          : []),
      ],
    },
  };
};
