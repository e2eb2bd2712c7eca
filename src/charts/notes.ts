import type { Aggregate } from '../core/chart-config.ts';
import { clip } from './text-width.ts';

/** Notes shown below a chart where the picture alone would mislead. Counts are formatted. */
export const notes = {
  /** How rows with the same label were aggregated. A count needs no note. */
  aggregated: (aggregate: Aggregate, rows: string, label: string): readonly string[] => {
    const verb = {
      sum: 'were added up',
      average: 'were averaged',
      min: 'are shown as their lowest',
      max: 'are shown as their highest',
    };
    return aggregate === 'count' || aggregate === 'none'
      ? []
      : [`${rows} rows with the same ${quoteName(label)} ${verb[aggregate]}.`];
  },
  oneSeries: (type: string, shown: string, others: number): string =>
    `A ${type} shows one series: ${quoteName(shown)}. ${others === 1 ? '1 other is' : `${others} others are`} left out.`,
  noSeries: (type: string, series: string): string =>
    `A ${type} cannot show the series of ${quoteName(series)}: they are combined.`,
  firstSeries: (shown: number, all: number): string => `The first ${shown} of ${all} data columns are shown.`,
  largestSeries: (shown: number, all: string): string => `The ${shown} largest of ${all} series are shown.`,
  tooSmall: (small: readonly string[], large: string): string => {
    const names = new Intl.ListFormat('en').format(small.map(quoteName));
    return `${names} ${small.length === 1 ? 'is' : 'are'} too small beside ${quoteName(large)} to be compared.`;
  },
  unreadable: (count: number, data: string): string =>
    `${count === 1 ? '1 value' : `${count} values`} of ${quoteName(data)} could not be read as a number and ${was(count)} left out.`,
  missing: (count: number, data: string): string => `${count === 1 ? '1 row has' : `${count} rows have`} no ${quoteName(data)}.`,
  gaps: (count: number, data: string): string =>
    `${count === 1 ? '1 row has' : `${count} rows have`} no ${quoteName(data)}: the line has a gap there.`,
  withoutLabel: (count: number, label: string): string =>
    `${count === 1 ? '1 row' : `${count} rows`} without ${quoteName(label)} ${was(count)} left out.`,
  negatives: (count: number): string =>
    `${count === 1 ? '1 negative value' : `${count} negative values`} cannot be shown in this chart and ${was(count)} left out.`,
  largest: (shown: number, all: string, share: string): string =>
    `The ${shown} largest of ${all} labels are shown: ${share} of the total.`,
  grouped: (shown: number, others: string, share: string): string =>
    `The ${shown} largest labels are shown; ${others} others are grouped: ${share} of the total.`,
  needsNumber: (label: string): string =>
    `${quoteName(label)} has no numbers, so positions mean nothing. Choose a number or a time as Label Column.`,
  centre: (low: string): string => `The centre of the chart is ${low}, not zero.`,
  betterAsBars: 'A bar chart may show this better.',
  first: (shown: number, all: string, what: 'labels' | 'rows'): string => `The first ${shown} of ${all} ${what} are shown.`,
  firstOfEach: (shown: number, longest: string): string =>
    `The first ${shown} rows of each label are shown, of up to ${longest}.`,
  sameCell: (unit: 'day' | 'month', aggregate: Aggregate): string => {
    const verb = {
      sum: 'added up',
      average: 'averaged',
      min: 'shown as their lowest',
      max: 'shown as their highest',
      count: 'counted',
      none: 'added up',
    };
    return `Rows of the same ${unit} were ${verb[aggregate]}.`;
  },
  oneBox: (rows: string, label: string): string => `No ${quoteName(label)} occurs twice: one box shows all ${rows} rows.`,
  onlyFirst: (rows: number): string => `Only the first ${rows.toLocaleString('en-US')} rows are drawn; the query has more.`,
} as const;

export const quoteName = (name: string): string => `“${clip(name, 40)}”`;

const was = (count: number): string => (count === 1 ? 'was' : 'were');
