import type { SentParameter } from '../../catalog/parameter.ts';
import { type Failure, failed, fieldInvalid, parameterInvalid, type Result, succeeded } from '../../errors.ts';

export interface FieldNames {
  readonly name: string;
  readonly value: string;
  readonly type: string;
}

/** Parameters sent as a list of objects; each door has its own field names. */
export function parameterList(sent: readonly unknown[], field: string, names: FieldNames): Result<readonly SentParameter[]> {
  return collect(sent, (each, index) => {
    if (!isObject(each))
      return failed(
        fieldInvalid(`${field}.${index}`, `Expected an object with ${names.name}, ${names.value} and ${names.type}.`),
      );
    const name = each[names.name];
    if (name === undefined || name === null) return failed({ kind: 'FieldMissing', field: `${field}.${index}.${names.name}` });
    if (typeof name !== 'string')
      return failed(fieldInvalid(`${field}.${index}.${names.name}`, 'Expected a string such as "@Region".'));
    const type = each[names.type];
    if (type != null && typeof type !== 'string')
      return failed(parameterInvalid(name, `${names.type} must be a string such as "nvarchar".`));
    return sentParameter(name, each[names.value], type ?? undefined);
  });
}

/** Parameters sent as an object {"@Name": value}. */
export const parameterObject = (sent: Readonly<Record<string, unknown>>): Result<readonly SentParameter[]> =>
  collect(Object.entries(sent), ([name, value]) => sentParameter(name, value, undefined));

/** Values are text; numbers and booleans are converted. */
function sentParameter(ParameterName: string, value: unknown, DataType: string | undefined): Result<SentParameter> {
  if (value === undefined || value === null || typeof value === 'string')
    return succeeded({ ParameterName, Value: value, DataType });
  if (typeof value === 'number' || typeof value === 'boolean')
    return succeeded({ ParameterName, Value: String(value), DataType });
  return failed(parameterInvalid(ParameterName, 'The value must be a string, a number, a boolean or null.'));
}

function collect<From, To>(from: readonly From[], read: (each: From, index: number) => Result<To>): Result<readonly To[]> {
  const values: To[] = [];
  for (const each of from) {
    const result = read(each, values.length);
    if (!result.ok) return failed(result.failure satisfies Failure);
    values.push(result.value);
  }
  return succeeded(values);
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
