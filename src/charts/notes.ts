import type { Aggregate } from '../core/chart-config.ts';
import { clip } from './text-width.ts';

/** Notes shown below a chart where the picture alone would mislead. */
export const notes = {
  /** How many rows are aggregated. `by`: a unit of time, or the name of the labels. */
  aggregated: (aggregate: Exclude<Aggregate, 'none'>, rows: number, by: string): string => {
    const word = { sum: 'Sum', average: 'Average', count: 'Count', min: 'Lowest', max: 'Highest' };
    return `${word[aggregate]} of ${inDigits(rows)} rows by ${by}.`;
  },
  others: (_drawn: number, _rows: number, { label, labels }: { readonly label: string; readonly labels: number }): string =>
    `The largest labels are shown; ${inDigits(labels)} smaller ones are combined as ${quoteName(label)}.`,
  peaks: (drawn: number, points: number): string =>
    `${inDigits(drawn)} of ${inDigits(points)} points are drawn: the lowest and the highest of each interval.`,
  evenSample: (drawn: number, rows: number): string => `${inDigits(drawn)} of ${inDigits(rows)} rows are drawn, evenly chosen.`,
  outliers: (left: number): string => `${inDigits(left)} outliers are not drawn.`,
  tooManyRows: (most: number): string =>
    `The result has more than ${inDigits(most)} rows (SLUICE_CHART_ROWS). Filter the rows, or aggregate in the SQL.`,
  notShown: (columns: readonly string[]): string =>
    columns.length > MAX_NAMED
      ? `${columns.length} data columns are not shown.`
      : `${listNames(columns)} ${columns.length === 1 ? 'is' : 'are'} not shown.`,
  noSeries: (type: string, series: string): string =>
    `A ${type} cannot show the series of ${quoteName(series)}: they are combined.`,
  firstSeries: (shown: number, all: number): string => `The first ${shown} of ${all} data columns are shown.`,
  largestSeries: (shown: number, all: number): string => `The ${shown} largest of ${inDigits(all)} series are shown.`,
  tooSmall: (small: readonly string[], large: string): string =>
    `${listNames(small)} ${small.length === 1 ? 'is' : 'are'} too small to compare with ${quoteName(large)}.`,
  unreadable: (count: number, data: string): string =>
    `${countOf(count, 'value')} of ${quoteName(data)} ${count === 1 ? 'is not a number' : 'are not numbers'}.`,
  missing: (count: number, data: string): string =>
    `${countOf(count, 'row')} ${count === 1 ? 'has' : 'have'} no ${quoteName(data)}.`,
  gaps: (count: number, data: string): string =>
    `${countOf(count, 'row')} ${count === 1 ? 'has' : 'have'} no ${quoteName(data)}: the line has a gap there.`,
  withoutLabel: (count: number, label: string): string =>
    `${countOf(count, 'row')} without ${quoteName(label)} ${count === 1 ? 'is' : 'are'} not shown.`,
  negatives: (count: number): string => `${countOf(count, 'negative value')} cannot be shown in this chart.`,
  largest: (shown: number, all: number, share: string): string =>
    `The ${shown} largest of ${inDigits(all)} labels are shown: ${share} of the total.`,
  grouped: (shown: number, others: number, share: string): string =>
    `The ${shown} largest labels are shown; ${inDigits(others)} others are grouped: ${share} of the total.`,
  needsNumber: (label: string): string =>
    `${quoteName(label)} has no numbers, so positions mean nothing. Choose a number or a time as Label Column.`,
  center: (low: string): string => `The center of the chart is ${low}, not zero.`,
  betterAsBars: 'A bar chart may show this better.',
  first: (shown: number, all: number, what: 'labels' | 'rows'): string =>
    `The first ${shown} of ${inDigits(all)} ${what} are shown.`,
  firstOfEach: (shown: number, longest: number): string =>
    `The first ${shown} rows of each label are shown, of up to ${inDigits(longest)}.`,
  oneBox: (rows: number, label: string): string =>
    `No ${quoteName(label)} occurs twice: one box shows all ${inDigits(rows)} rows.`,
  onlyFirst: (rows: number): string => `Only the first ${inDigits(rows)} rows are drawn; the query has more.`,
} as const;

const inDigits = (count: number): string => count.toLocaleString('en-US');

const countOf = (count: number, what: string): string => `${inDigits(count)} ${what}${count === 1 ? '' : 's'}`;

export const quoteName = (name: string): string => `“${clip(name, 40)}”`;

const MAX_NAMED = 3;
const listNames = (names: readonly string[]): string => new Intl.ListFormat('en').format(names.map(quoteName));
