import { familyOf, parseSqlType } from '../../../src/catalog/sql-type.ts';
import type { QueryParameter, SentParameter } from '../../app/wire.ts';

/** By name: a text, or null for NULL. An absent value is not sent, so that the default applies. */
export type ParameterValues = Readonly<Record<string, string | null>>;

export type InputKind = 'choice' | 'number' | 'date' | 'datetime' | 'time' | 'boolean' | 'text';

/** The kind of input for a parameter. */
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

/** The initial values of a form: the defaults of required parameters. */
export const initialValues = (parameters: readonly QueryParameter[]): ParameterValues =>
  Object.fromEntries(
    parameters.flatMap(({ name, required, default: defaultValue }) =>
      required && defaultValue !== undefined ? [[name, defaultValue]] : [],
    ),
  );

/** The parameters of a request: one object per value. */
export const sentParameters = (parameters: readonly QueryParameter[], values: ParameterValues): readonly SentParameter[] =>
  parameters.flatMap(({ name, dataType }) => {
    const value = values[name];
    return value === undefined ? [] : [{ ParameterName: name, Value: value, DataType: dataType }];
  });

/** The error for each required parameter without a value or a default. The service checks the rest. */
export const missingParameters = (parameters: readonly QueryParameter[], values: ParameterValues): Record<string, string> =>
  Object.fromEntries(
    parameters
      .filter(
        ({ name, required, default: fallback }) => required && (values[name] === undefined ? fallback : values[name]) == null,
      )
      .map(({ name }) => [name, 'A value is required.']),
  );
