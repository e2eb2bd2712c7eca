import { Autocomplete, Checkbox, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../app/api.ts';
import type { Query } from '../../../app/wire.ts';
import { useNamedQuery } from '../../../components/queries/use-named-query.ts';
import type { ChoicesDraft, ParameterDraft } from '../query-draft.ts';

export interface ParameterSourceProps {
  readonly parameter: ParameterDraft;
  readonly others: readonly ParameterDraft[]; // the other parameters of the query
  readonly set: (changes: Partial<ParameterDraft>) => void;
  readonly errorOf: (field: string) => string | undefined;
  readonly readOnly: boolean;
}

const MAX_OFFERED = 100;

const sources = ['user.name', 'user.email', 'user.fullName', 'user.id', 'user.roles', 'user.attributes.region'];

/** Where the value of a parameter comes from: the caller sends it, or the service takes it from the caller's account. */
export const BoundTo = ({ parameter, set, errorOf, readOnly }: ParameterSourceProps) => (
  <Autocomplete
    label="Bound to"
    description="Takes the value from the caller’s account. Callers cannot see or send it."
    inputWrapperOrder={['label', 'input', 'error', 'description']}
    placeholder="Nothing: callers send it"
    data={sources}
    filter={({ options }) => options}
    value={parameter.boundTo ?? ''}
    onChange={(source) => set({ boundTo: source.trim() === '' ? null : source.trim() })}
    error={errorOf('boundTo')}
    readOnly={readOnly}
    spellCheck={false}
  />
);

/** The query that the choices of a parameter come from, its columns, and the parameters that it gets from this query. */
export function Choices({ parameter, others, set, errorOf, readOnly }: ParameterSourceProps) {
  const { choices } = parameter;
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed === choices?.query ? '' : typed.trim(), 200);
  const { data } = useQuery({
    queryKey: ['queries', 'choices', search],
    queryFn: ({ signal }) => call('GET /api/v1/queries', { query: { status: 'Active', search, limit: MAX_OFFERED } }, { signal }),
    placeholderData: keepPreviousData,
  });
  const found = data?.items ?? [];
  const { query: chosen } = useNamedQuery(choices?.query);
  const queries = chosen === null || found.some(({ id }) => id === chosen.id) ? found : [chosen, ...found];
  const source = chosen ?? undefined;
  const pick = (queryName: string | null) => {
    const picked = queries.find((each) => each.queryName === queryName);
    set(picked === undefined ? { choices: null, choicesOnly: false } : { choices: choicesOf(picked, others) });
  };
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
        <Select
          label="Choices from query"
          description="Callers choose from its rows, which can depend on other parameters of this query."
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          placeholder="None"
          data={removeDuplicates([...queries.map(({ queryName }) => queryName), ...(choices === null ? [] : [choices.query])])}
          value={choices?.query ?? null}
          onChange={pick}
          searchable
          searchValue={typed}
          onSearchChange={setTyped}
          filter={({ options }) => options} // filtered by the service
          clearable
          error={errorOf('choices.query') ?? errorOf('choices')}
          readOnly={readOnly}
        />
        {choices !== null && (
          <Checkbox
            label="Refuse other values"
            checked={parameter.choicesOnly}
            onChange={({ currentTarget: { checked } }) => set({ choicesOnly: checked })}
            disabled={readOnly}
            mt="xl"
          />
        )}
        {choices !== null && <Columns {...{ choices, source, set, errorOf, readOnly }} />}
        {choices !== null && <Cascade {...{ choices, source, others, set, errorOf, readOnly }} />}
      </SimpleGrid>
      {errorOf('choices.parameters') !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)">
          {errorOf('choices.parameters')}
        </Text>
      )}
    </Stack>
  );
}

interface ChoicesPartProps extends Pick<ParameterSourceProps, 'set' | 'errorOf' | 'readOnly'> {
  readonly choices: ChoicesDraft;
  readonly source: Query | undefined;
}

function Columns({ choices, source, set, errorOf, readOnly }: ChoicesPartProps) {
  const columns = labelsOf(source);
  return (
    <>
      <Select
        label="Value column"
        data={removeDuplicates([...columns, choices.value])}
        value={choices.value}
        onChange={(value) => value !== null && set({ choices: { ...choices, value } })}
        allowDeselect={false}
        error={errorOf('choices.value')}
        readOnly={readOnly}
      />
      <Select
        label="Label column"
        placeholder="The value itself"
        data={removeDuplicates([...columns, ...(choices.label === undefined ? [] : [choices.label])])}
        value={choices.label ?? null}
        onChange={(label) => {
          const { label: _, ...rest } = choices;
          set({ choices: label === null ? rest : { ...rest, label } });
        }}
        clearable
        error={errorOf('choices.label')}
        readOnly={readOnly}
      />
    </>
  );
}

/** One field for each parameter of the source: which parameter of this query it gets its value from. */
function Cascade({ choices, source, others, set, errorOf, readOnly }: ChoicesPartProps & Pick<ParameterSourceProps, 'others'>) {
  const mapped = choices.parameters ?? {};
  const names = removeDuplicates([
    ...(source?.parameters ?? []).filter(({ boundTo }) => boundTo === undefined).map(({ name }) => name),
    ...Object.keys(mapped),
  ]);
  return names.map((name) => (
    <Select
      key={name}
      label={`${name} of the choices`}
      placeholder="Its default"
      data={removeDuplicates([...others.map((each) => each.name), ...(mapped[name] === undefined ? [] : [mapped[name]])])}
      value={mapped[name] ?? null}
      onChange={(from) => {
        const { [name]: _, ...rest } = mapped;
        const { parameters: _before, ...bare } = choices;
        const parameters = from === null ? rest : { ...rest, [name]: from };
        set({ choices: Object.keys(parameters).length === 0 ? bare : { ...bare, parameters } });
      }}
      clearable
      error={errorOf(`choices.parameters.${name}`)}
      readOnly={readOnly}
    />
  ));
}

const removeDuplicates = (names: readonly string[]): string[] => [...new Set(names)];

const labelsOf = (query: Query | undefined): readonly string[] => (query?.resultColumns ?? []).map(({ label }) => label);

/** The first column is the value, and the second its label; parameters of equal names are connected. */
function choicesOf(source: Query, others: readonly ParameterDraft[]): ChoicesDraft {
  const [value = '', label] = labelsOf(source);
  const equal = source.parameters.filter(({ name }) => others.some((each) => each.name === name)).map(({ name }) => [name, name]);
  return {
    query: source.queryName,
    value,
    ...(label === undefined ? {} : { label }),
    ...(equal.length === 0 ? {} : { parameters: Object.fromEntries(equal) }),
  };
}
