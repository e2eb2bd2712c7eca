import type { SentParameter } from '../../catalog/parameter.ts';
import { type FieldProblem, missingField } from '../../errors.ts';
import { type Field, isObject, type NameTable, nameTable, repeatedField, reportUnknown, type Spelling } from './fields.ts';
import { parseJson } from './parse-json.ts';

export interface ParameterOptions {
  readonly names?: ItemNames; // of the fields of an item
  readonly spelling?: Spelling;
  readonly asText?: boolean; // also as a JSON text
}

type ItemNames = readonly [name: string, value: string, type: string];
const itemNames: ItemNames = ['ParameterName', 'Value', 'DataType'];

/** Values for the parameters of a query: an array of {ParameterName, Value, DataType?} or an object {"@Name": value}. */
export function parameterValues({ names = itemNames, spelling, asText = false }: ParameterOptions = {}): Field<
  readonly SentParameter[]
> & { required: false } {
  const table = nameTable(names, spelling);
  const example = `[{"${names[0]}": "@Region", "${names[1]}": "North"}]`;
  const expected = `Expected an array such as ${example} or an object such as {"@Region": "North"}.`;
  const read: Field<readonly SentParameter[]>['read'] = (value, path, problems) => {
    if (Array.isArray(value)) return readList(value, path, table, names, problems);
    if (isObject(value))
      return readEach(Object.entries(value), problems, ([name, each]) => sentParameter(name, each, undefined, problems));
    if (asText && value === '') return undefined;
    const json = asText && typeof value === 'string' ? parseJson(value, { isParameters: true }) : null;
    if (json?.ok === true && typeof json.value !== 'string' && json.value !== null) return read(json.value, path, problems);
    problems.push({ field: path, message: expected });
    return undefined;
  };
  return { required: false, from: 'query', read };
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
    const given = readItem(item, at, table, problems);
    const named = given[name];
    if (typeof named !== 'string') {
      if (named !== undefined && named !== null)
        problems.push({ field: `${at}.${name}`, message: 'Expected a string such as "@Region".' });
      else if (given.misspelled !== name) problems.push(missingField(`${at}.${name}`));
      return null;
    }
    const dataType = given[type] ?? undefined;
    if (dataType === undefined || typeof dataType === 'string') return sentParameter(named, given[value], dataType, problems);
    problems.push(invalid(named, `${type} must be a string such as "nvarchar".`));
    return null;
  });
  // an item that is not readable may be any parameter
  return problems.slice(length).every(({ kind }) => kind === 'ParameterInvalid') ? read : undefined;
}

/** The fields of an item by their declared names. */
function readItem(
  item: Readonly<Record<string, unknown>>,
  path: string,
  table: NameTable,
  problems: FieldProblem[],
): Readonly<Record<string, unknown>> {
  const keys = Object.keys(item);
  if (areExact(keys, table.names)) return item;
  const given: Record<string, unknown> = {};
  for (const key of keys) {
    const name = table.find(key);
    if (name === undefined) given.misspelled = reportUnknown(key, `${path}.${key}`, table.names, problems);
    else if (name in given) problems.push(repeatedField(`${path}.${key}`));
    else given[name] = item[key];
  }
  return given;
}

function areExact(keys: readonly string[], names: readonly string[]): boolean {
  for (const key of keys) if (!names.includes(key)) return false;
  return true;
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
function sentParameter(
  ParameterName: string,
  value: unknown,
  DataType: string | undefined,
  problems: FieldProblem[],
): SentParameter | null {
  if (value === undefined || value === null || typeof value === 'string') return { ParameterName, Value: value, DataType };
  if (isNumberOrBoolean(value)) return { ParameterName, Value: String(value), DataType };
  const list = Array.isArray(value) ? textsOf(value) : null;
  if (list !== null) return { ParameterName, Value: list, DataType };
  problems.push(invalid(ParameterName, 'The value must be a string, a number, a boolean, null or a list of these.'));
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

const invalid = (name: string, message: string): FieldProblem => ({
  kind: 'ParameterInvalid',
  field: name.slice(0, 128),
  message,
});
