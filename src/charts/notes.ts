import { clip } from './text-width.ts';

/** Notes shown below a chart where the picture alone would mislead. Counts are formatted. */
export const notes = {
  addedUp: (rows: string, label: string): string => `${rows} rows with the same ${quoted(label)} were added up.`,
  unreadable: (count: number, data: string): string =>
    `${count === 1 ? '1 value' : `${count} values`} of ${quoted(data)} could not be read as a number and ${was(count)} left out.`,
  missing: (count: number, data: string): string => `${count === 1 ? '1 row has' : `${count} rows have`} no ${quoted(data)}.`,
  gaps: (count: number, data: string): string =>
    `${count === 1 ? '1 row has' : `${count} rows have`} no ${quoted(data)}: the line has a gap there.`,
  withoutLabel: (count: number, label: string): string =>
    `${count === 1 ? '1 row' : `${count} rows`} without ${quoted(label)} ${was(count)} left out.`,
  negatives: (count: number): string =>
    `${count === 1 ? '1 negative value' : `${count} negative values`} cannot be shown in this chart and ${was(count)} left out.`,
  largest: (shown: number, all: string, share: string): string =>
    `The ${shown} largest of ${all} labels are shown: ${share} of the total.`,
  grouped: (shown: number, others: string, share: string): string =>
    `The ${shown} largest labels are shown; ${others} others are grouped: ${share} of the total.`,
  betterAsBars: 'A bar chart may show this better.',
  first: (shown: number, all: string, what: 'labels' | 'rows'): string => `The first ${shown} of ${all} ${what} are shown.`,
  firstOfEach: (shown: number, longest: string): string =>
    `The first ${shown} rows of each label are shown, of up to ${longest}.`,
  sameCell: (unit: 'day' | 'month'): string => `Rows of the same ${unit} were added up.`,
  oneBox: (rows: string, label: string): string => `No ${quoted(label)} occurs twice: one box shows all ${rows} rows.`,
  onlyFirst: (rows: number): string => `Only the first ${rows.toLocaleString('en-US')} rows are drawn; the query has more.`,
} as const;

export const quoted = (name: string): string => `“${clip(name, 40)}”`;

const was = (count: number): string => (count === 1 ? 'was' : 'were');
