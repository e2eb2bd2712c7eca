import { Code, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { parseSqlType } from '../../../../src/catalog/sql-type.ts';
import { typeText } from '../../../components/parameters/parameter-texts.ts';

/** The usual types. Others are typed: `nvarchar(20)`. */
const usualTypes: Readonly<Record<string, string>> = {
  'nvarchar(100)': 'Text',
  'nvarchar(max)': 'Long text',
  int: 'Whole number',
  bigint: 'Large whole number',
  'decimal(18,2)': 'Number with 2 decimals',
  float: 'Number',
  bit: 'Yes or no',
  date: 'Date',
  datetime: 'Date and time',
  datetimeoffset: 'Date and time with time zone',
  time: 'Time of day',
  uniqueidentifier: 'UUID',
};

export interface TypeFieldProps {
  readonly value: string;
  readonly onChange: (dataType: string) => void;
  readonly error: string | undefined;
  readonly readOnly: boolean;
}

/** The type of a parameter in words, with its SQL name below. */
export function TypeField({ value, onChange, error, readOnly }: TypeFieldProps) {
  const [typed, setTyped] = useState('');
  const listed = [...new Set([...Object.keys(usualTypes), value])];
  const written = typed.trim().toLowerCase();
  const isListed = listed.some((type) => type === written || nameType(type).toLowerCase() === written);
  const isOther = !isListed && parseSqlType(written) !== null;
  const data = (isOther ? [written, ...listed] : listed).map((type) => ({ value: type, label: nameType(type) }));
  return (
    <Select
      label="Type"
      description={<Code fz="xs">{value}</Code>}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      data={data}
      value={value}
      onChange={(type) => type !== null && onChange(type)}
      allowDeselect={false}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // shows all types when the list opens, instead of only the current one
      filter={({ options, search }) =>
        search === nameType(value) ? options : options.filter((each) => 'value' in each && matches(each, search))
      }
      renderOption={({ option }) => (
        <Group justify="space-between" wrap="nowrap" gap="xs" flex={1}>
          <Text size="sm">{option.label}</Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {option.value}
          </Text>
        </Group>
      )}
      nothingFoundMessage="Not a type. Examples: nvarchar(20), decimal(10,3)"
      error={error}
      readOnly={readOnly}
    />
  );
}

/** The words for a type: `nvarchar(20)` is text of up to 20 characters. */
export const nameType = (dataType: string): string => usualTypes[dataType] ?? typeText({ dataType });

const matches = ({ value, label }: { readonly value: string; readonly label: string }, search: string): boolean =>
  `${label} ${value}`.toLowerCase().includes(search.trim().toLowerCase());
