import type { SentParameter } from '../../catalog/parameter.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../../errors.ts';
import { isObject, parameterList, parameterObject } from '../http/sent-parameters.ts';
import type { JsonSchema } from './json-schema.ts';

/** Declares an argument of a tool: its JSON Schema and its parser. */
export interface Argument<T> {
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Listed as required although another argument can replace it. */
  readonly listedAsRequired?: true;
  /** `value` is never null or undefined, which count as absent. */
  read(value: unknown, name: string): Result<T>;
}

export type ArgumentList = Readonly<Record<string, Argument<unknown>>>;

/** The parsed arguments of a tool; optional ones may be absent. */
export type ArgumentValues<List extends ArgumentList> = {
  readonly [Name in keyof List]: List[Name] extends Argument<infer T> & { required: true }
    ? T
    : List[Name] extends Argument<infer T>
      ? T | undefined
      : never;
};

const MAX_TEXT_LENGTH = 8_192; // more than any name, code or search needs

export const text = (description: string): Argument<string> & { required: false } => ({
  schema: { type: 'string', description },
  required: false,
  read: readText,
});

export const requiredText = (description: string) => ({ ...text(description), required: true as const });

/** Numbers above the maximum are clamped: the model gets rows, and the response says how many. */
export const whole = (description: string, minimum: number, maximum: number): Argument<number> & { required: false } => ({
  schema: { type: 'integer', minimum, maximum, description },
  required: false,
  read(value, name) {
    const digits = typeof value === 'string' && /^\d{1,15}$/.test(value.trim());
    const number = digits || Number.isInteger(value) ? Number(value) : Number.NaN;
    if (number >= minimum) return succeeded(Math.min(number, maximum));
    return failed(fieldInvalid(name, `Expected a whole number from ${minimum} to ${maximum}.`));
  },
});

export const choice = <const Word extends string>(
  description: string,
  words: readonly Word[],
): Argument<Word> & { required: true } => ({
  schema: { type: 'string', enum: words, description },
  required: true,
  read(value, name) {
    const word = words.find((each) => typeof value === 'string' && each === value.trim().toLowerCase());
    return word === undefined ? failed(fieldInvalid(name, `Expected one of ${words.join(', ')}.`)) : succeeded(word);
  },
});

const itemNames = { name: 'ParameterName', value: 'Value', type: 'DataType' } as const;

/** Parameter values in the form of REST, or as an object {"@Name": value}. */
export const parameterValues = (): Argument<readonly SentParameter[]> & { required: false } => ({
  schema: {
    type: 'array',
    description:
      'Values for the declared parameters of the query, one object per parameter, e.g. [{"ParameterName": "@Region", "Value": "North America"}]. Leave it out if the query has no parameters; optional parameters may be left out. get_query_parameters returns names and types.',
    items: {
      type: 'object',
      description: 'One parameter and its value.',
      properties: {
        ParameterName: { type: 'string', description: 'Exact @Name from get_query_parameters, case-sensitive.' },
        Value: {
          type: 'string',
          description:
            'Always a string; the service casts it. Write dates and times in ISO 8601 (2026-01-31, 2026-01-31T09:30:00), numbers with a decimal point, bit as 1 or 0.',
        },
        DataType: {
          type: 'string',
          description: 'SQL type such as nvarchar, int, datetime. Usually left out: the declared type is used.',
        },
      },
      required: ['ParameterName', 'Value'],
    },
  },
  required: false,
  read(value, name) {
    if (isObject(value)) return parameterObject(value);
    if (!Array.isArray(value))
      return failed(
        fieldInvalid(
          name,
          'Expected an array of objects with ParameterName and Value, such as [{"ParameterName": "@Region", "Value": "North America"}].',
        ),
      );
    const items = value.map((each) => (isObject(each) ? byDeclaredNames(each, Object.values(itemNames)) : each));
    return parameterList(items, name, itemNames);
  },
});

/** Parses arguments by their declaration. Names ignore case, `_` and `-`; undeclared arguments are ignored. */
export function readArguments<List extends ArgumentList>(
  declared: List,
  sent: Readonly<Record<string, unknown>>,
): Result<ArgumentValues<List>> {
  const found = byDeclaredNames(sent, Object.keys(declared));
  const values: Record<string, unknown> = {};
  for (const [name, { required, read }] of Object.entries(declared)) {
    const value = found[name];
    if (value === undefined || value === null || (required && value === '')) {
      if (required) return failed({ kind: 'FieldMissing', field: name });
      continue;
    }
    const result = read(value, name);
    if (!result.ok) return result;
    values[name] = result.value;
  }
  return succeeded(values as ArgumentValues<List>); // each was parsed by its own declaration
}

/** Maps values to the declared names; an exact name wins over other spellings. */
export function byDeclaredNames(
  sent: Readonly<Record<string, unknown>>,
  declared: readonly string[],
): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const keys = Object.keys(sent);
  const areExact = keys.every((key) => declared.includes(key));
  for (const name of declared) {
    const exact = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const value = areExact || (exact !== undefined && exact !== null) ? exact : bySpelling(sent, keys, plain(name));
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Null only if no spelling has a value. */
function bySpelling(sent: Readonly<Record<string, unknown>>, keys: readonly string[], name: string): unknown {
  const spellings = keys.filter((key) => plain(key) === name);
  const key = spellings.find((each) => sent[each] !== null) ?? spellings[0];
  return key === undefined ? undefined : sent[key];
}

const plain = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

function readText(value: unknown, name: string): Result<string> {
  if (typeof value !== 'string') return failed(fieldInvalid(name, 'Expected a string.'));
  if (value.length > MAX_TEXT_LENGTH) return failed(fieldInvalid(name, `Expected at most ${MAX_TEXT_LENGTH} characters.`));
  if (value.includes('\0')) return failed(fieldInvalid(name, 'Expected text without NUL characters.'));
  return succeeded(value);
}
