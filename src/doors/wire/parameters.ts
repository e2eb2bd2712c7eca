import { z } from 'zod';
import type { SentParameter } from '../../catalog/parameter.ts';
import type { ParameterDefinition } from '../../catalog/query.ts';
import { type FieldProblem, missingFieldProblem } from '../../core/errors.ts';
import { nameSchemas } from '../http/operation.ts';
import {
  type Field,
  isObject,
  type NameTable,
  nameTable,
  repeatedFieldProblem,
  reportUnknown,
  type Spelling,
} from '../input/fields.ts';
import { parseJson } from '../input/json.ts';
import type { JsonSchema } from './json-schema.ts';
import type { OptionalField } from './values.ts';

export interface ParameterOptions {
  readonly isShort?: boolean; // the fields of an item are named in camelCase
  readonly spelling?: Spelling;
  readonly asText?: boolean; // also as a JSON text
}

type ItemNames = readonly [name: string, value: string, type: string];
const itemNames: ItemNames = ['ParameterName', 'Value', 'DataType'];
const shortNames: ItemNames = ['parameterName', 'value', 'dataType'];

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const parameterValue = z
  .union([scalar, z.array(scalar)])
  .describe(
    'Cast to the type of the parameter; numbers and booleans are read as text. null is NULL. A list has at most 1,000 values',
  );
const itemSchema = ([name, value, type]: ItemNames) =>
  z.object({
    [name]: z.string().describe('The @Name of the query definition; ignores case, and the @ may be left out'),
    [value]: parameterValue,
    [type]: z.string().nullish().describe('SQL type hint such as nvarchar, int, datetime, bit; default: the declared type'),
  });
const item = itemSchema(itemNames);
const shortItem = itemSchema(shortNames);
nameSchemas({ ParameterValue: item, ShortParameterValue: shortItem });
const valuesByName = z.record(z.string(), parameterValue).describe('Values by @Name');
const openApi = z.union([z.array(item), valuesByName]);
const shortOpenApi = z.union([z.array(shortItem), valuesByName]);
const description = 'Values of the declared parameters; optional ones may be left out';

const modelSchema: JsonSchema = {
  type: 'array',
  description:
    'One object per parameter of get_query_parameters, e.g. [{"ParameterName": "@Region", "Value": "North"}]; optional ones may be left out.',
  items: {
    type: 'object',
    description: 'One parameter and its value.',
    properties: {
      ParameterName: { type: 'string', description: '@Name from get_query_parameters.' },
      Value: {
        type: 'string',
        description:
          'Always a string: dates and times in ISO 8601 (2026-01-31T09:30:00) or relative (today-7d, month-start, now-90m), numbers with a decimal point, bit as 1 or 0, a list (Multiple) as a JSON array.',
      },
      DataType: {
        type: 'string',
        description: 'Usually left out: the declared type is used.',
      },
    },
    required: ['ParameterName', 'Value'],
  },
};

/** The fields by which REST and MCP both describe a declared parameter. */
export const describeParameter = (declared: ParameterDefinition) => ({
  ParameterName: declared.name,
  DataType: declared.dataType,
  Required: declared.required,
  Default: declared.default ?? null,
  Description: declared.description ?? null,
});

/** Values for the parameters of a query: an array of {ParameterName, Value, DataType?} or an object {"@Name": value}. */
export function parameterValues({ isShort = false, spelling, asText = false }: ParameterOptions = {}): OptionalField<
  readonly SentParameter[]
> {
  const names = isShort ? shortNames : itemNames;
  const table = nameTable(names, spelling);
  const example = `[{"${names[0]}": "@Region", "${names[1]}": "North"}]`;
  const expected = `Expected an array such as ${example} or an object such as {"@Region": "North"}.`;
  const read: Field<readonly SentParameter[]>['read'] = (value, path, problems) => {
    if (Array.isArray(value)) return readList(value, path, table, names, problems);
    if (isObject(value))
      return readEach(Object.entries(value), problems, ([name, each]) => readParameter(name, each, undefined, problems));
    if (asText && value === '') return undefined;
    const json = asText && typeof value === 'string' ? parseJson(value, { isParameters: true }) : null;
    if (json?.ok === true && typeof json.value !== 'string' && json.value !== null) return read(json.value, path, problems);
    if (json?.ok === false && 'problems' in json.failure) problems.push(...json.failure.problems);
    else problems.push({ field: path, message: expected });
    return undefined;
  };
  return { required: false, from: 'query', openApi: isShort ? shortOpenApi : openApi, description, modelSchema, read };
}

function readList(
  sent: readonly unknown[],
  path: string,
  table: NameTable,
  [name, value, type]: ItemNames,
  problems: FieldProblem[],
): readonly SentParameter[] | undefined {
  const { length } = problems;
  const read = readEach(sent, problems, (item, index) => {
    const at = `${path}.${index}`;
    if (!isObject(item)) {
      problems.push({ field: at, message: `Expected an object with ${name}, ${value} and ${type}.` });
      return null;
    }
    const fields = readItem(item, at, table, problems);
    const named = fields[name];
    if (typeof named !== 'string') {
      if (named !== undefined && named !== null)
        problems.push({ field: `${at}.${name}`, message: 'Expected a string such as "@Region".' });
      else if (fields.misspelled !== name) problems.push(missingFieldProblem(`${at}.${name}`));
      return null;
    }
    const dataType = fields[type] ?? undefined;
    if (dataType === undefined || typeof dataType === 'string') return readParameter(named, fields[value], dataType, problems);
    problems.push(invalidProblem(named, `${type} must be a string such as "nvarchar".`));
    return null;
  });
  // an item that is not readable may be any parameter
  return problems.slice(length).every(({ kind }) => kind === 'ParameterInvalid') ? read : undefined;
}

/** The fields of an item by their declared names. */
function readItem(item: Readonly<Record<string, unknown>>, path: string, table: NameTable, problems: FieldProblem[]) {
  const keys = Object.keys(item);
  if (keys.every((key) => table.names.includes(key))) return item;
  const fields: Record<string, unknown> = {};
  for (const key of keys) {
    const name = table.find(key);
    if (name === undefined) fields.misspelled = reportUnknown(key, `${path}.${key}`, table.names, problems);
    else if (name in fields) problems.push(repeatedFieldProblem(`${path}.${key}`));
    else fields[name] = item[key];
  }
  return fields;
}

const ENOUGH_PROBLEMS = 100; // a body may have thousands of invalid values

function readEach<From>(
  from: readonly From[],
  problems: readonly FieldProblem[],
  read: (each: From, index: number) => SentParameter | null,
): readonly SentParameter[] {
  const values: SentParameter[] = [];
  let index = 0;
  for (const each of from) {
    const value = read(each, index++);
    if (value !== null) values.push(value);
    else if (problems.length >= ENOUGH_PROBLEMS) break;
  }
  return values;
}

/** Values are text; numbers and booleans are converted. */
function readParameter(ParameterName: string, value: unknown, DataType: string | undefined, problems: FieldProblem[]) {
  if (value === undefined || value === null || typeof value === 'string') return { ParameterName, Value: value, DataType };
  if (isNumberOrBoolean(value)) return { ParameterName, Value: String(value), DataType };
  const list = Array.isArray(value) ? textsOf(value) : null;
  if (list !== null) return { ParameterName, Value: list, DataType };
  problems.push(invalidProblem(ParameterName, 'The value must be a string, a number, a boolean, null or a list of these.'));
  return null;
}

const isNumberOrBoolean = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean';

function textsOf(values: readonly unknown[]): readonly (string | null)[] | null {
  const texts: (string | null)[] = [];
  for (const each of values) {
    if (each === null || typeof each === 'string') texts.push(each);
    else if (isNumberOrBoolean(each)) texts.push(String(each));
    else return null;
  }
  return texts;
}

const invalidProblem = (name: string, message: string): FieldProblem => ({
  kind: 'ParameterInvalid',
  field: name.slice(0, 128),
  message,
});
