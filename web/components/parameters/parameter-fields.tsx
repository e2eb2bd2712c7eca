import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { QueryParameter } from '../../app/wire.ts';
import { NumberField } from '../fields/number-field.tsx';
import { requiredLabel } from '../fields/required-label.ts';
import { ValueMenu } from './parameter-value-menu.tsx';
import { inputKindOf, type ParameterValues } from './parameter-values.ts';

// the calendar, only for queries with a date parameter
const MomentInput = lazy(() => import('../fields/moment-input.tsx').then((module) => ({ default: module.MomentInput })));

export interface ParameterFieldsProps {
  readonly parameters: readonly QueryParameter[];
  readonly values: ParameterValues;
  readonly onChange: (values: ParameterValues) => void;
  /** By parameter name: `errorsByField(problem.fields)` or `missingParameters(…)`. */
  readonly errors?: Readonly<Record<string, string>> | undefined;
  readonly disabled?: boolean;
}

/** An input for each declared parameter, labelled with its `@Name`. */
export function ParameterFields({ parameters, values, onChange, errors = {}, disabled = false }: ParameterFieldsProps) {
  if (parameters.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        This query has no parameters.
      </Text>
    );
  }
  const set = (name: string, value: string | null | undefined) => {
    const { [name]: _, ...others } = values;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} verticalSpacing="sm">
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name]}
          onChange={(value) => set(parameter.name, value)}
          error={errors[parameter.name]}
          disabled={disabled}
        />
      ))}
    </SimpleGrid>
  );
}

interface ParameterFieldProps {
  readonly parameter: QueryParameter;
  readonly value: string | null | undefined;
  readonly onChange: (value: string | null | undefined) => void;
  readonly error: string | undefined;
  readonly disabled: boolean;
}

function ParameterField({ parameter, value, onChange, error, disabled }: ParameterFieldProps) {
  const kind = inputKindOf(parameter);
  const typed = (text: string) => onChange(text === '' ? undefined : text);
  const common = {
    label: parameter.name,
    description: describe(parameter),
    ...requiredLabel(parameter.required),
    placeholder: placeholderOf(parameter, value),
    disabled,
    inputWrapperOrder: order,
    ...(error === undefined ? {} : { error }),
  };
  const menu = <ValueMenu parameter={parameter} kind={kind} value={value} onChange={onChange} />;
  switch (kind) {
    case 'choice':
    case 'boolean':
      return (
        <Select
          {...common}
          data={kind === 'boolean' ? ['true', 'false'] : [...new Set(parameter.values)]}
          value={value ?? null}
          onChange={(choice) => onChange(choice ?? undefined)}
          clearable
          searchable
          {...(value === null ? { leftSection: menu } : {})}
        />
      );
    case 'number':
      return <NumberField {...common} value={value ?? ''} onChange={typed} rightSection={menu} rightSectionWidth={36} />;
    case 'date':
    case 'datetime':
    case 'time':
      return (
        <Suspense fallback={<TextInput {...common} value={value ?? ''} readOnly />}>
          <MomentInput {...common} kind={kind} value={value ?? ''} onChange={typed} menu={menu} />
        </Suspense>
      );
    case 'text':
      return (
        <TextInput {...common} value={value ?? ''} onChange={(event) => typed(event.currentTarget.value)} rightSection={menu} />
      );
  }
}

/** Below the input, so that descriptions of different lengths keep the inputs aligned. */
const order: ('label' | 'input' | 'error' | 'description')[] = ['label', 'input', 'error', 'description'];

function describe({ dataType, required, description }: QueryParameter): string {
  const type = required ? dataType : `${dataType}, optional`;
  return description === undefined || description === '' ? type : `${type} · ${description}`;
}

function placeholderOf(parameter: QueryParameter, value: string | null | undefined): string {
  if (value === null) return 'NULL';
  if (value === '') return 'Empty text';
  if (parameter.default !== undefined) return `Default: ${parameter.default}`;
  return parameter.required ? '' : 'NULL';
}
