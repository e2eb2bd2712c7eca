import { type ComboboxItem, MultiSelect, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import type { QueryParameter } from '../../app/wire.ts';
import { labelOf } from './parameter-texts.ts';
import { listOf, type ParameterValues, textOfList } from './parameter-values.ts';

export interface ChoiceFieldProps {
  readonly queryName: string; // technical name of the query of the parameter
  readonly parameter: QueryParameter;
  readonly parameters: readonly QueryParameter[];
  readonly values: ParameterValues;
  readonly onChange: (value: string | undefined) => void;
  readonly common: {
    readonly label: string;
    readonly disabled: boolean;
    readonly placeholder: string;
    readonly description: string;
    readonly openOnFocus: boolean;
  };
  readonly menu: ReactNode;
}

/** Choices that the service reads from another query, found by typing, and depending on other parameters. */
export function ChoiceField({ queryName, parameter, parameters, values, onChange, common, menu }: ChoiceFieldProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 250);
  const needed = Object.values(parameter.choices?.parameters ?? {});
  const sent = Object.fromEntries(needed.flatMap((name) => (values[name] == null ? [] : [[name, values[name]] as const])));
  const missing = needed.find((name) => {
    const declared = parameters.find((each) => each.name === name);
    return declared !== undefined && declared.boundTo === undefined && sent[name] === undefined && declared.default === undefined;
  });
  const nameOf = (name: string) => {
    const declared = parameters.find((each) => each.name === name);
    return declared === undefined ? name : labelOf(declared, parameters);
  };
  const { data, error } = useQuery({
    queryKey: ['choices', queryName, parameter.name, sent, search],
    queryFn: ({ signal }) =>
      call(
        'GET /api/v1/queries/{queryName}/choices',
        { params: { queryName }, query: { ...sent, parameter: parameter.name, search, limit: 100 } },
        { signal },
      ),
    enabled: missing === undefined,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const chosen = parameter.multiple === true ? listOf(values[parameter.name]) : [values[parameter.name] ?? []].flat();
  const items = missing === undefined ? (data?.items ?? []) : [];
  const own = parameter.choicesOnly === true || typed === '' ? [] : [{ value: typed, label: typed }];
  const shared = {
    ...common,
    data: unique([...items, ...chosen.map((value) => ({ value, label: value })), ...own]),
    searchable: true,
    clearable: true,
    onSearchChange: setTyped,
    filter: ({ options }: { options: readonly unknown[] }) => [...options] as ComboboxItem[], // the service has searched
    nothingFoundMessage: missing === undefined ? 'No choices' : `Choose ${nameOf(missing)} first`,
    ...(error === null ? {} : { error: error.message }),
    ...(missing === undefined ? {} : { placeholder: `Choose ${nameOf(missing)} first` }),
  };
  if (parameter.multiple === true)
    return <MultiSelect {...shared} value={chosen} onChange={(list) => onChange(textOfList(list))} />;
  const value = values[parameter.name];
  return (
    <Select
      {...shared}
      value={value ?? null}
      onChange={(choice) => onChange(choice ?? undefined)}
      {...(value === null ? { leftSection: menu } : {})}
    />
  );
}

function unique(items: readonly ComboboxItem[]): ComboboxItem[] {
  const labels = new Map<string, string>();
  for (const { value, label } of items) if (!labels.has(value)) labels.set(value, label);
  return [...labels].map(([value, label]) => ({ value, label }));
}
