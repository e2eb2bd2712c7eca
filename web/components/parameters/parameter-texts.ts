import { parseSqlType } from '../../../src/catalog/sql-type.ts';
import type { QueryParameter } from '../../app/wire.ts';

/** What a form calls a parameter: its label, with the name too if another parameter has the same label. */
export function labelOf({ name, label }: QueryParameter, parameters: readonly QueryParameter[] = []): string {
  if (label === undefined || label === '') return name;
  const isShared = parameters.some((other) => other.name !== name && other.label === label);
  return isShared ? `${label} (${name})` : label;
}

/** The type in words: `decimal(12,2)` is a number with up to 2 decimals. An unknown type stays as the author wrote it. */
export function typeText({ dataType, multiple }: Pick<QueryParameter, 'dataType' | 'multiple'>): string {
  const type = parseSqlType(dataType);
  const words = type === null ? dataType : wordsOf(type);
  return multiple === true ? `List, each: ${words.charAt(0).toLowerCase()}${words.slice(1)}` : words;
}

function wordsOf(type: NonNullable<ReturnType<typeof parseSqlType>>): string {
  switch (type.name) {
    case 'text':
      return type.length === undefined ? 'Text' : `Text, up to ${type.length.toLocaleString('en')} characters`;
    case 'integer':
      return type.unsigned ? 'Whole number from 0' : 'Whole number';
    case 'decimal':
      if (type.scale === undefined) return 'Number';
      return type.scale === 0 ? 'Whole number' : `Number with up to ${type.scale} decimals`;
    case 'float':
      return 'Number';
    case 'bit':
      return 'Yes or no';
    case 'date':
      return 'Date';
    case 'datetime':
      return 'Date and time';
    case 'datetimeoffset':
      return 'Date and time with time zone';
    case 'time':
      return 'Time of day';
    case 'uuid':
      return 'UUID';
    case 'json':
      return 'JSON';
    case 'binary':
      return 'Binary data in Base64';
  }
}

/** Below the input: the type, whether it may be left out, and what the author wrote. */
export function helpText(parameter: QueryParameter): string {
  const { required, description } = parameter;
  const type = required ? typeText(parameter) : `${typeText(parameter)}, optional`;
  return description === undefined || description === '' ? type : `${type} · ${description}`;
}

export function placeholderOf(parameter: QueryParameter, value: string | null | undefined): string {
  if (value === null) return 'Not set';
  if (value === '') return 'Empty text';
  if (parameter.default !== undefined) return `Default: ${parameter.default}`;
  return parameter.required ? '' : 'Not set';
}
