import { Code, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Query } from '../../app/wire.ts';
import { markRequired } from '../fields/required-label.ts';
import { useRunnableQueries } from './use-runnable-queries.ts';

export interface QueryPickerProps {
  readonly value: Query | null;
  readonly onChange: (query: Query | null) => void;
  readonly label?: string;
  readonly required?: boolean;
  readonly error?: string | undefined;
}

/** Chooses one of the Active queries that the user may run. The service searches names, technical names, descriptions and tags. */
export function QueryPicker({ value, onChange, label = 'Query Name', required = true, error }: QueryPickerProps) {
  const [typed, setTyped] = useState('');
  const { queries: found, isFetching } = useRunnableQueries(typed === value?.name ? '' : typed);
  const queries = value === null || found.some(({ id }) => id === value.id) ? found : [value, ...found];
  return (
    <Select
      label={label}
      placeholder="Choose a query"
      searchable
      clearable={!required}
      {...markRequired(required)}
      value={value?.queryName ?? null}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(queryName) => onChange(queries.find((query) => query.queryName === queryName) ?? null)}
      data={queries.map(({ queryName, name }) => ({ value: queryName, label: name }))}
      filter={({ options }) => options} // filtered by the service
      nothingFoundMessage={isFetching ? 'Searching…' : 'No Active query you can run'}
      renderOption={({ option }) => <PickedOption query={queries.find(({ queryName }) => queryName === option.value)} />}
      error={error}
    />
  );
}

function PickedOption({ query }: { readonly query: Query | undefined }) {
  if (query === undefined) return null;
  return (
    <Stack gap={0} miw={0}>
      <Group gap="xs">
        <Text size="sm">{query.name}</Text>
        <Text size="xs" c="dimmed">
          {query.database}
        </Text>
      </Group>
      <Code style={{ alignSelf: 'flex-start', overflowWrap: 'anywhere' }}>{query.queryName}</Code>
    </Stack>
  );
}
