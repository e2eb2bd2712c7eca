import type { Aggregate, BarOrientation, SortBy, Stacked, TimeUnit } from '../../src/core/chart-config.ts';

type Texts<Word> = readonly { readonly value: Word; readonly label: string }[];

export const stackingTexts: Texts<Stacked> = [
  { value: 'none', label: 'Side by side' },
  { value: 'stacked', label: 'Stacked' },
  { value: 'percent', label: '100 % stacked' },
];

export const aggregateTexts: Texts<Aggregate> = [
  { value: 'sum', label: 'Sum' },
  { value: 'average', label: 'Average' },
  { value: 'count', label: 'Count' },
  { value: 'min', label: 'Lowest' },
  { value: 'max', label: 'Highest' },
  { value: 'none', label: 'None: every row' },
];

export const sortingTexts: Texts<SortBy> = [
  { value: 'none', label: 'As is' },
  { value: 'value', label: 'Value' },
  { value: 'label', label: 'Label' },
];

export const timeUnitTexts: Texts<TimeUnit> = [
  { value: 'auto', label: 'Automatic' },
  { value: 'none', label: 'None: every moment' },
  { value: 'minute', label: 'Minute' },
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
  { value: 'quarter', label: 'Quarter' },
  { value: 'year', label: 'Year' },
];

export const orientationTexts: Texts<BarOrientation> = [
  { value: 'vertical', label: 'Vertical' },
  { value: 'horizontal', label: 'Horizontal' },
];
