import { onPhone, type PictureCase, picture } from './picture-case.ts';
import {
  changes,
  channels,
  days,
  longNames,
  many,
  measures,
  months,
  regions,
  scripts,
  seconds,
  sideBySide,
  tiny,
  uneven,
  vast,
  withFormat,
} from './tables.ts';

const split = { labelColumn: 'Quarter', dataColumn: 'Revenue', seriesColumn: 'Channel' };
const grouped = picture('grouped-bars', 'bar', measures, {
  ...sideBySide,
  title: 'Revenue, cost and margin',
  showDataLabels: true,
});
const everyLabel = picture('every-label', 'bar', many, { barOrientation: 'horizontal' });

export const bars: readonly PictureCase[] = [
  picture('horizontal-long-names', 'bar', longNames, {
    barOrientation: 'horizontal',
    title: 'Receivables by line item',
    showDataLabels: true,
  }),
  picture('long-names', 'bar', longNames, { title: 'Receivables by line item' }),
  picture('many-scripts', 'bar', scripts, { title: 'Orders by city' }),
  picture('negative-bars', 'bar', changes, { title: 'Net change', showDataLabels: true }),
  picture('time-bars', 'bar', days, { title: 'Orders per day', barWidth: 80 }),
  picture('turned-labels', 'bar', months, { title: 'Revenue by month', showDataLabels: true }),
  picture('vast-numbers', 'bar', vast, { title: 'Stars', barOrientation: 'horizontal', showDataLabels: true }),
  picture('tiny-numbers', 'bar', tiny, { title: 'Error rate', showDataLabels: true }),
  picture('uneven-numbers', 'bar', uneven, { title: 'Orders by channel', showDataLabels: true }),
  picture('small', 'bar', regions, { title: 'Revenue by region', width: 360, chartHeight: 260 }),
  picture('bare', 'bar', regions, { showToolbar: false, showGrid: false, showLegend: false, barWidth: 90 }),
  picture('currency', 'bar', withFormat(regions, { kind: 'currency', currency: 'EUR' }), {
    title: 'Revenue by region',
    showDataLabels: true,
  }),
  picture('durations', 'bar', withFormat(seconds, { kind: 'duration' }), { title: 'Time by step', showDataLabels: true }),
  picture('no-rows', 'bar', { ...regions, rows: [] }, { title: 'Revenue by region' }),
  grouped,
  onPhone(grouped),
  picture('grouped-horizontal-bars', 'bar', measures, { ...sideBySide, barOrientation: 'horizontal', showDataLabels: true }),
  picture('stacked-bars', 'bar', channels, {
    ...split,
    title: 'Revenue by channel',
    stacked: 'stacked',
    showDataLabels: true,
  }),
  picture('percent-bars', 'bar', measures, {
    ...sideBySide,
    stacked: 'percent',
    barOrientation: 'horizontal',
    showDataLabels: true,
  }),
  picture('counted', 'bar', channels, { labelColumn: 'Channel', dataColumn: 'Quarter', aggregate: 'count' }),
  picture('averaged-by-label', 'bar', channels, {
    labelColumn: 'Channel',
    dataColumn: 'Orders',
    aggregate: 'average',
    sortBy: 'label',
  }),
  everyLabel,
  onPhone(everyLabel),
];
