import { Select } from '@mantine/core';
import type { ChartConfig } from '../../src/core/chart-config.ts';

type ChoiceName = 'aggregate' | 'sortBy' | 'timeUnit' | 'stacked' | 'barOrientation' | 'legendPosition';

interface Choice<Word> {
  readonly label: string;
  readonly data: readonly { readonly value: Word; readonly label: string }[];
}

/** The options of a chart with several values, as forms name them. */
export const chartChoices: { readonly [Name in ChoiceName]: Choice<ChartConfig[Name]> } = {
  aggregate: {
    label: 'Aggregate',
    data: [
      { value: 'sum', label: 'Sum' },
      { value: 'average', label: 'Average' },
      { value: 'count', label: 'Count' },
      { value: 'min', label: 'Lowest' },
      { value: 'max', label: 'Highest' },
      { value: 'none', label: 'None: every row' },
    ],
  },
  sortBy: {
    label: 'Sort By',
    data: [
      { value: 'none', label: 'As is' },
      { value: 'value', label: 'Value' },
      { value: 'label', label: 'Label' },
    ],
  },
  timeUnit: {
    label: 'Time Unit',
    data: [
      { value: 'auto', label: 'Automatic' },
      { value: 'none', label: 'None: every moment' },
      { value: 'minute', label: 'Minute' },
      { value: 'hour', label: 'Hour' },
      { value: 'day', label: 'Day' },
      { value: 'week', label: 'Week' },
      { value: 'month', label: 'Month' },
      { value: 'quarter', label: 'Quarter' },
      { value: 'year', label: 'Year' },
    ],
  },
  stacked: {
    label: 'Stacked',
    data: [
      { value: 'none', label: 'Side by side' },
      { value: 'stacked', label: 'Stacked' },
      { value: 'percent', label: '100 % stacked' },
    ],
  },
  barOrientation: {
    label: 'Bar Orientation',
    data: [
      { value: 'vertical', label: 'Vertical' },
      { value: 'horizontal', label: 'Horizontal' },
    ],
  },
  legendPosition: {
    label: 'Legend Position',
    data: [
      { value: 'top', label: 'Top' },
      { value: 'bottom', label: 'Bottom' },
      { value: 'left', label: 'Left' },
      { value: 'right', label: 'Right' },
    ],
  },
};

export interface ChartChoiceProps {
  readonly name: ChoiceName;
  readonly config: Pick<ChartConfig, ChoiceName>;
  readonly onChange: (change: Partial<Pick<ChartConfig, ChoiceName>>) => void;
  readonly disabled?: boolean;
  readonly readOnly?: boolean;
}

/** A field for one of these options. */
export const ChartChoice = ({ name, config, onChange, ...field }: ChartChoiceProps) => (
  <Select
    {...chartChoices[name]}
    {...field}
    value={config[name]}
    onChange={(value) => value !== null && onChange({ [name]: value })}
    allowDeselect={false}
  />
);
