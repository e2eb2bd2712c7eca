import { MultiSelect, TagsInput } from '@mantine/core';
import type { QueryParameter } from '../../app/wire.ts';
import { listOf, textOfList } from './parameter-values.ts';

export interface ListFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly parameter: QueryParameter;
  readonly value: string | null | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Several values: of those the author declared, or typed ones. */
export function ListField({ parameter, value, onChange, ...common }: ListFieldProps) {
  const data = [...new Set(parameter.values)];
  const shared = { ...common, value: listOf(value), onChange: (list: string[]) => onChange(textOfList(list)), clearable: true };
  if (data.length > 0 && parameter.valuesOpen !== true) return <MultiSelect {...shared} data={data} searchable />;
  const placeholder = common.placeholder || 'Type a value and press Enter';
  return <TagsInput {...shared} placeholder={placeholder} data={data} splitChars={[]} acceptValueOnBlur />;
}
