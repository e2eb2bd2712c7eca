import { familyOf, parseSqlType } from '../../../src/catalog/sql-type.ts';
import type { QueryParameter, SentParameter } from '../../app/wire.ts';

/** By name: a text, null for NULL; absent: left out, so that the default counts. */
export type ParameterValues = Readonly<Record<string, string | null>>;

export type InputKind = 'choice' | 'number' | 'date' | 'datetime' | 'time' | 'boolean' | 'text';

/** The input that fits a declared parameter. */
export function inputKindOf({ dataType, values }: QueryParameter): InputKind {
  if (values !== undefined && values.length > 0) return 'choice';
  const type = parseSqlType(dataType);
  if (type === null) return 'text';
  switch (familyOf(type)) {
    case 'number':
      return 'number';
    case 'bit':
      return 'boolean';
    case 'time':
      return 'time';
    case 'date':
      return type.name === 'date' ? 'date' : 'datetime';
    default:
      return 'text';
  }
}

/** What a form shows at first: callers must send a required parameter, so its default is filled in. */
export const initialValues = (parameters: readonly QueryParameter[]): ParameterValues =>
  Object.fromEntries(
    parameters.flatMap(({ name, required, default: defaultValue }) =>
      required && defaultValue !== undefined ? [[name, defaultValue]] : [],
    ),
  );

/** As the interface takes them: one object per parameter that has a value. */
export const sentParameters = (parameters: readonly QueryParameter[], values: ParameterValues): readonly SentParameter[] =>
  parameters.flatMap(({ name, dataType }) => {
    const value = values[name];
    return value === undefined ? [] : [{ ParameterName: name, Value: value, DataType: dataType }];
  });

/** Required ones without a value, each with what to say at its field. The service checks the rest. */
export const missingParameters = (parameters: readonly QueryParameter[], values: ParameterValues): Record<string, string> =>
  Object.fromEntries(
    parameters
      .filter(({ name, required }) => required && (values[name] === undefined || values[name] === null))
      .map(({ name }) => [name, 'A value is required.']),
  );
