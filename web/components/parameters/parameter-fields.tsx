import { Autocomplete, Button, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useSession } from '../../app/session.tsx';
import type { QueryParameter } from '../../app/wire.ts';
import { countText } from '../count-text.ts';
import { NumberField } from '../fields/number-field.tsx';
import { markRequired } from '../fields/required-label.ts';
import { IconChevronDown } from '../icons.tsx';
import { helpText, labelOf, placeholderOf } from './parameter-texts.ts';
import { ValueMenu } from './parameter-value-menu.tsx';
import { selectSendable, dependentsOf, inputKindOf, type ParameterValues } from './parameter-values.ts';

// each only for queries with such a parameter
const ChoiceField = lazy(() => import('./choice-field.tsx').then((module) => ({ default: module.ChoiceField })));
const ListField = lazy(() => import('./list-field.tsx').then((module) => ({ default: module.ListField })));
const MomentInput = lazy(() => import('../fields/moment-input.tsx').then((module) => ({ default: module.MomentInput })));

export interface ParameterFieldsProps {
  /** The technical name, for choices from a query; left out while the query is not saved. */
  readonly queryName?: string | undefined;
  readonly parameters: readonly QueryParameter[];
  readonly values: ParameterValues;
  readonly onChange: (values: ParameterValues) => void;
  /** By parameter name: `errorsByField(problem.fields)` or `findMissing(…)`. */
  readonly errors?: Readonly<Record<string, string>> | undefined;
  readonly disabled?: boolean;
  /** Labels each input with its `@Name`, for people who write calls. */
  readonly byName?: boolean;
  /** Shows optional parameters on request only: on a phone they would push the buttons away. */
  readonly foldsOptional?: boolean;
}

/** An input for each declared parameter, labeled as the author wishes, or with its `@Name`. */
export function ParameterFields({
  queryName,
  parameters,
  values,
  onChange,
  errors = {},
  disabled = false,
  byName = false,
  foldsOptional = false,
}: ParameterFieldsProps) {
  const [isOpen, setOpen] = useState(false);
  const sendable = selectSendable(parameters);
  if (sendable.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {parameters.length === 0 ? 'This query has no parameters.' : 'This query takes its values from your account.'}
      </Text>
    );
  }
  const set = (name: string, value: string | null | undefined) => {
    const stale = dependentsOf(name, sendable);
    const others = Object.fromEntries(Object.entries(values).filter(([each]) => each !== name && !stale.has(each)));
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  const optional = sendable.filter(({ required }) => !required);
  const isFolded = foldsOptional && !isOpen && optional.length > 1 && !optional.some(({ name }) => name in errors);
  const filled = optional.filter(({ name }) => values[name] !== undefined).length;
  const fields = (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} verticalSpacing="sm">
      {sendable
        .filter((parameter) => parameter.required || !isFolded)
        .map((parameter) => (
          <ParameterField
            key={parameter.name}
            queryName={queryName}
            parameters={parameters}
            values={values}
            parameter={parameter}
            value={values[parameter.name]}
            onChange={(value) => set(parameter.name, value)}
            error={errors[parameter.name]}
            disabled={disabled}
            label={byName ? parameter.name : labelOf(parameter, sendable)}
          />
        ))}
    </SimpleGrid>
  );
  if (!isFolded) return fields;
  return (
    <>
      {optional.length < sendable.length && fields}
      <Button
        variant="default"
        size="xs"
        justify="space-between"
        aria-expanded={false}
        rightSection={<IconChevronDown size={14} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {countText(optional.length, 'optional field')}
        {filled > 0 && `, ${filled} filled in`}
      </Button>
    </>
  );
}

interface ParameterFieldProps extends Pick<ParameterFieldsProps, 'queryName' | 'parameters' | 'values'> {
  readonly parameter: QueryParameter;
  readonly value: string | null | undefined;
  readonly onChange: (value: string | null | undefined) => void;
  readonly error: string | undefined;
  readonly disabled: boolean;
  readonly label: string;
}

/** An input; a plain one until that of its kind is loaded. */
function ParameterField(props: ParameterFieldProps) {
  const { parameter, label, value } = props;
  const shown = { label, description: helpText(parameter), ...markRequired(parameter.required), inputWrapperOrder: order };
  return (
    <Suspense fallback={<TextInput {...shown} value={value ?? ''} disabled readOnly />}>
      <LoadedField {...props} />
    </Suspense>
  );
}

function LoadedField(props: ParameterFieldProps) {
  const { queryName, parameters, values, parameter, value, onChange, error, disabled, label } = props;
  const { session } = useSession();
  const kind = inputKindOf(parameter);
  const setText = (text: string) => onChange(text === '' ? undefined : text);
  const common = {
    label,
    description: helpText(parameter),
    ...markRequired(parameter.required),
    placeholder: placeholderOf(parameter, value),
    disabled,
    inputWrapperOrder: order,
    ...(error === undefined ? {} : { error }),
  };
  // an open list would cover the error
  const list = { ...common, openOnFocus: error === undefined };
  const menu = <ValueMenu parameter={parameter} label={label} kind={kind} value={value} onChange={onChange} />;
  if (parameter.choices !== undefined && queryName !== undefined)
    return <ChoiceField {...{ queryName, parameter, parameters, values, menu }} common={list} onChange={onChange} />;
  switch (kind) {
    case 'list':
      return <ListField {...list} parameter={parameter} value={value} onChange={onChange} />;
    case 'choice':
    case 'boolean':
      return (
        <Select
          {...list}
          data={kind === 'boolean' ? yesAndNo : [...new Set([...(parameter.values ?? []), ...(value ? [value] : [])])]}
          value={kind === 'boolean' ? booleanText(value) : (value ?? null)}
          onChange={(choice) => onChange(choice ?? undefined)}
          clearable
          searchable
          {...(value === null ? { leftSection: menu } : {})}
        />
      );
    case 'suggestion':
      return (
        <Autocomplete
          {...list}
          data={[...new Set(parameter.values)]}
          value={value ?? ''}
          onChange={setText}
          rightSection={menu}
        />
      );
    case 'number':
      return <NumberField {...common} value={value ?? ''} onChange={setText} rightSection={menu} rightSectionWidth={36} />;
    case 'date':
    case 'datetime':
    case 'time':
      return (
        <MomentInput
          {...common}
          kind={kind}
          value={value ?? ''}
          defaultValue={parameter.default}
          onChange={setText}
          menu={menu}
          timeZone={session.timeZone}
        />
      );
    case 'text':
      return (
        <TextInput {...common} value={value ?? ''} onChange={(event) => setText(event.currentTarget.value)} rightSection={menu} />
      );
  }
}

const yesAndNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

/** URLs and defaults also write 1 and 0. */
const booleanText = (value: string | null | undefined): string | null =>
  /^(1|true)$/i.test(value ?? '') ? 'true' : /^(0|false)$/i.test(value ?? '') ? 'false' : null;

/** Below the input, so that descriptions of different lengths keep the inputs aligned. */
const order: ('label' | 'input' | 'error' | 'description')[] = ['label', 'input', 'error', 'description'];
