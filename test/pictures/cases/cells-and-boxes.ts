import { onPhone, type PictureCase, picture } from './picture-case.ts';
import { changes, depots, measures, regions, sideBySide, years } from './tables.ts';

const heatmapOfSeries = picture('heatmap-of-series', 'heatmap', measures, { ...sideBySide, showDataLabels: true });

/** Heatmaps, treemaps and box plots. */
export const cellsAndBoxes: readonly PictureCase[] = [
  picture(
    'heatmap-of-rows',
    'heatmap',
    { ...depots, rows: depots.rows.filter((_, index) => index % 5 === 0) },
    { title: 'Delivery hours' },
  ),
  picture('heatmap-of-tiles', 'heatmap', regions, { title: 'Revenue by region' }),
  picture('heatmap-of-months', 'heatmap', years, { title: 'Revenue by month', showDataLabels: true, legendPosition: 'right' }),
  picture('heatmap-around-zero', 'heatmap', changes, { title: 'Net change' }),
  heatmapOfSeries,
  onPhone(heatmapOfSeries),
  picture('few-leaves', 'treemap', regions, { title: 'Revenue by region' }),
  picture('one-box', 'boxPlot', regions, { title: 'Revenue' }),
];
