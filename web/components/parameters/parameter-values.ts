import { parseRelativeMoment } from '../../../src/catalog/relative-moment.ts';
import { familyOf, parseSqlType } from '../../../src/catalog/sql-type.ts';
import type { QueryParameter, SentParameter } from '../../app/wire.ts';

/** By name: a text, or null for NULL. An absent value is not sent, so that the default applies. */
export type ParameterValues = Readonly<Record<string, string | null>>;

export type InputKind = 'list' | 'choice' | 'suggestion' | 'number' | 'date' | 'datetime' | 'time' | 'boolean' | 'text';

/** The kind of input for a parameter. */
export function inputKindOf({ dataType, values = [], valuesOpen, multiple, choices }: QueryParameter): InputKind {
  if (multiple === true) return 'list';
  if (choices !== undefined) return 'choice';
  if (values.length > 0 && valuesOpen !== true) return 'choice';
  const type = parseSqlType(dataType);
  if (values.length > 0 && (type === null || familyOf(type) !== 'date')) return 'suggestion';
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

/** The parameters that callers send; the service binds the others to the caller. */
export const selectSendable = (parameters: readonly QueryParameter[]): readonly QueryParameter[] =>
  parameters.filter(({ boundTo }) => boundTo === undefined);

/** The values of a list, which a form keeps as the text of a JSON array. */
export function listOf(text: string | null | undefined): string[] {
  if (text === null || text === undefined || text === '') return [];
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed.map(String);
  } catch {
    // a single value
  }
  return [text];
}

export const textOfList = (values: readonly string[]): string | undefined =>
  values.length === 0 ? undefined : JSON.stringify(values);

/** The parameters whose choices depend on this one, also through others. */
export function dependentsOf(name: string, parameters: readonly QueryParameter[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (from: string): void => {
    for (const { name: each, choices } of parameters) {
      if (found.has(each) || !Object.values(choices?.parameters ?? {}).includes(from)) continue;
      found.add(each);
      visit(each);
    }
  };
  visit(name);
  return found;
}

/** The initial values of a form: the defaults of required parameters. */
export const toInitialValues = (parameters: readonly QueryParameter[]): ParameterValues =>
  Object.fromEntries(
    selectSendable(parameters).flatMap(({ name, required, default: defaultValue }) =>
      required && defaultValue !== undefined ? [[name, defaultValue]] : [],
    ),
  );

/** The parameters of a request: one object per value. */
export const toSentParameters = (parameters: readonly QueryParameter[], values: ParameterValues): readonly SentParameter[] =>
  selectSendable(parameters).flatMap(({ name, dataType, multiple }) => {
    const value = values[name];
    if (value === undefined) return [];
    return [{ ParameterName: name, Value: multiple === true && value !== null ? listOf(value) : value, DataType: dataType }];
  });

/** The same values by name. */
export const toValuesByName = (
  parameters: readonly QueryParameter[],
  values: ParameterValues,
): Readonly<Record<string, SentParameter['Value']>> =>
  Object.fromEntries(toSentParameters(parameters, values).map(({ ParameterName, Value }) => [ParameterName, Value]));

/** The values that are evaluated at each run, such as `today-30d`. */
export const selectRelative = (sent: readonly SentParameter[]): readonly SentParameter[] =>
  sent.filter(({ Value, DataType }) => {
    const type = parseSqlType(DataType ?? '');
    return type !== null && familyOf(type) === 'date' && typeof Value === 'string' && parseRelativeMoment(Value) !== null;
  });

/** The error for each required parameter without a value or a default. The service checks the rest. */
export const findMissing = (parameters: readonly QueryParameter[], values: ParameterValues): Record<string, string> =>
  Object.fromEntries(
    selectSendable(parameters)
      .filter(
        ({ name, required, default: fallback }) => required && (values[name] === undefined ? fallback : values[name]) == null,
      )
      .map(({ name }) => [name, 'A value is required.']),
  );
