import { MultiSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Query } from '../../app/wire.ts';
import { useRunnableQueries } from './use-runnable-queries.ts';

export interface QueriesFieldProps {
  readonly label: string;
  readonly description?: string;
  readonly placeholder: string; // while none is chosen
  readonly value: readonly string[]; // technical names
  readonly onChange: (names: string[]) => void;
  readonly error?: ReactNode;
  readonly isForAi?: boolean; // leaves out queries that AI assistants may not run
}

const MAX_CHOSEN = 500; // the service takes no more

/** A choice of the queries that the user may run, found by the service. */
export function QueriesField({ description, placeholder, value, onChange, isForAi = false, ...field }: QueriesFieldProps) {
  const [typed, setTyped] = useState('');
  const { queries: found, isFetching, hasMore } = useRunnableQueries(typed, isForAi);
  const [chosen, setChosen] = useState<readonly Query[]>([]); // a later search may not find them
  const [isListOpen, setListOpen] = useState(false);
  const known = [...chosen, ...found.filter(({ id }) => !chosen.some((each) => each.id === id))];
  return (
    <MultiSelect
      {...field}
      {...(description === undefined ? {} : { description })}
      placeholder={value.length === 0 ? placeholder : ''}
      data={[
        ...known.map(({ queryName, name }) => ({ value: queryName, label: name })),
        ...(hasMore ? [{ value: '', label: 'Search to find more queries', disabled: true }] : []),
      ]}
      maxValues={MAX_CHOSEN}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options} // filtered by the service
      clearable
      // part of the form: a list that floats above it would cover other fields or the buttons; it stays open, because closing it would move
      // what a click is about to hit
      dropdownOpened={isListOpen}
      onDropdownOpen={() => setListOpen(true)}
      comboboxProps={{ withinPortal: false }}
      // the scroll area of the library is as high as all options until it has measured itself
      withScrollArea={false}
      styles={{
        dropdown: { position: 'static' },
        options: { maxHeight: 180, overflowY: 'auto' },
        pillsList: { maxHeight: 160, overflowY: 'auto' },
      }}
      nothingFoundMessage={isFetching ? 'Searching…' : 'No Active query you can run'}
      value={[...value]}
      onChange={(names) => {
        onChange(names);
        setChosen(known.filter(({ queryName }) => names.includes(queryName)));
      }}
    />
  );
}
