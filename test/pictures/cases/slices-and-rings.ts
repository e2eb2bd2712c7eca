import { onPhone, type PictureCase, picture } from './picture-case.ts';
import { changes, depots, longNames, measures, regions, scripts, sideBySide, weekdays } from './tables.ts';

const radarOfSeries = picture('radar-of-series', 'radar', measures, { ...sideBySide, showDataLabels: true });
const longLegend = picture('long-legend', 'pie', longNames, { title: 'Receivables by line item' });

/** Charts around a center: pie, doughnut, polar area, radial bar and radar. */
export const slicesAndRings: readonly PictureCase[] = [
  picture('right-to-left', 'pie', scripts, { title: 'الطلبات حسب المدينة', legendPosition: 'left', showDataLabels: true }),
  picture('negative-slices', 'pie', changes, { title: 'Net change', showLegend: false }),
  picture('small-pie', 'pie', regions, { title: 'Revenue by region', width: 360, chartHeight: 320, legendPosition: 'right' }),
  picture('patterns', 'pie', regions, { title: 'Revenue by region', patterns: true, legendPosition: 'right' }),
  picture('one-of-several', 'pie', measures, { ...sideBySide, title: 'Revenue' }),
  longLegend,
  onPhone(longLegend),
  picture('same-label-slices', 'donut', depots, { title: 'Total hours' }),
  picture('legend-on-top', 'polarArea', regions, { title: 'Revenue by region', legendPosition: 'top', showDataLabels: true }),
  picture('polar-weekdays', 'polarArea', weekdays, { title: 'Orders by weekday', showDataLabels: true }),
  picture('radial-weekdays', 'radialBar', weekdays, { title: 'Orders by weekday' }),
  picture('negative-radar', 'radar', changes, { title: 'Net change', showDataLabels: true }),
  radarOfSeries,
  onPhone(radarOfSeries),
];
