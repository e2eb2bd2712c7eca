import type { Aggregate, BarOrientation, SortBy, Stacked } from '../../src/core/chart-config.ts';

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

export const orientationTexts: Texts<BarOrientation> = [
  { value: 'vertical', label: 'Vertical' },
  { value: 'horizontal', label: 'Horizontal' },
];
