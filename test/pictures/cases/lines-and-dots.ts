import { onPhone, type PictureCase, picture } from './picture-case.ts';
import { channels, days, depots, hours, minutes, months, regions, withGaps, years } from './tables.ts';

const split = { labelColumn: 'Quarter', dataColumn: 'Revenue', seriesColumn: 'Channel', title: 'Revenue by channel' };
const severalLines = picture('several-lines', 'line', channels, split);
const labeledLine = picture('labeled-line', 'line', months, { title: 'Revenue by month', showDataLabels: true });
const ofYears = picture('years', 'area', years, { title: 'Revenue by month' });
const minutesOfDay = picture('minutes-of-a-day', 'line', minutes, { title: 'Load' });

/** Lines, areas and scatter charts. */
export const linesAndDots: readonly PictureCase[] = [
  picture('gaps', 'line', withGaps, { title: 'Amount' }),
  picture('hours', 'line', hours, { title: 'Load by hour' }),
  minutesOfDay,
  onPhone(minutesOfDay),
  ofYears,
  onPhone(ofYears),
  labeledLine,
  onPhone(labeledLine),
  picture('tiny', 'line', days, { title: 'Orders per day', width: 320, chartHeight: 120 }),
  picture('no-numbers', 'line', { ...regions, rows: [{ Region: 'a', Revenue: 'x' }] }, { title: 'Revenue by region' }),
  severalLines,
  onPhone(severalLines),
  picture('overlapping-areas', 'area', channels, split),
  picture('stacked-areas', 'area', channels, { ...split, stacked: 'stacked' }),
  picture('percent-areas', 'area', channels, { ...split, title: '', stacked: 'percent' }),
  picture('scatter-of-series', 'scatter', channels, { ...split, labelColumn: 'Orders', title: 'Orders and revenue' }),
  picture('scatter-of-categories', 'scatter', depots, { title: 'Delivery hours by depot' }),
];
