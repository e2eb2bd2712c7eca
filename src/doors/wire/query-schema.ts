import { closedValues } from '../../catalog/closed-values.ts';
import { plainName } from '../../catalog/parameter.ts';
import type { ParameterDefinition } from '../../catalog/query.ts';
import { parseSqlType } from '../../catalog/sql-type.ts';
import type { ColumnKind, LabeledColumn } from '../../core/column.ts';
import { definedFields } from '../../core/defined-fields.ts';

// JSON Schemas of the parameters and rows of a query.

export type JsonType = 'string' | 'integer' | 'number' | 'boolean';

export function jsonType(dataType: string): JsonType {
  const type = parseSqlType(dataType);
  if (type === null) return 'string';
  if (type.name === 'integer') return 'integer';
  if (type.name === 'decimal' || type.name === 'float') return 'number';
  return type.name === 'bit' ? 'boolean' : 'string';
}

/** A number with more digits than clients keep stays text. */
export function jsonValue(text: string, type: JsonType): string | number | boolean {
  if (type === 'boolean') return text === '1' || text.toLowerCase() === 'true';
  const number = Number(text);
  return type === 'string' || !Number.isFinite(number) || isRounded(text, number) ? text : number;
}

const isRounded = (text: string, number: number): boolean =>
  String(number) !== text && text.replace(/\D/g, '').length > SAFE_DIGITS;

interface Schema {
  readonly type?: string | readonly string[];
  readonly [keyword: string]: unknown;
}

/** The values of a query's parameters by their names; an unknown one is refused. */
export function parametersSchema(parameters: readonly ParameterDefinition[]): Schema & { readonly required: readonly string[] } {
  const required = parameters.filter((each) => each.required && each.default === undefined);
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((each) => [plainName(each.name), parameterSchema(each)])),
    required: required.map(({ name }) => plainName(name)),
    additionalProperties: false,
  };
}

function parameterSchema(parameter: ParameterDefinition): Schema {
  const { dataType, description, multiple, required, default: fallback } = parameter;
  const type = jsonType(dataType);
  const toJson = (text: string) => jsonValue(text, type);
  const closed = closedValues(parameter)?.map(toJson);
  const texts = fallback === undefined ? [] : multiple === true ? listOf(fallback) : [fallback];
  const defaults = texts.map(toJson);
  const note = [description, `SQL type ${dataType}.`].filter(Boolean).join(' ');
  const isNumeric = type === 'integer' || type === 'number';
  const hasTexts = !isExact(dataType) || [...(closed ?? []), ...defaults].some((each) => typeof each === 'string');
  const value: Schema = { type: isNumeric && hasTexts ? [type, 'string'] : type };
  if (multiple === true) {
    return {
      type: orNull('array', !required),
      description: note,
      items: { ...value, ...definedFields({ enum: closed }) },
      ...(fallback === undefined ? {} : { default: defaults }),
    };
  }
  return {
    type: orNull(value.type ?? [], !required),
    description: note,
    ...(closed === undefined ? {} : { enum: required ? closed : [...closed, null] }),
    ...(fallback === undefined ? {} : { default: defaults[0] }),
  };
}

const orNull = (type: string | readonly string[], isNullable: boolean): string | readonly string[] =>
  isNullable ? [type, 'null'].flat() : type;

/** The default of a list is a JSON array, or a single value. */
function listOf(text: string): readonly string[] {
  if (!text.startsWith('[')) return [text];
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed.map(String) : [text];
}

/** Each row has every column that validation found. */
export function rowSchema(columns: readonly LabeledColumn[] | null, hasLooseTypes: boolean): Schema {
  if (columns === null) return { type: 'object', additionalProperties: true };
  const schemaOf = hasLooseTypes ? looseSchema : cellSchema;
  return {
    type: 'object',
    properties: Object.fromEntries(columns.map((column) => [column.label, schemaOf(column)])),
    required: columns.map(({ label }) => label),
  };
}

const formats: Readonly<Partial<Record<ColumnKind, Schema>>> = {
  date: { format: 'date' },
  timestamptz: { format: 'date-time' },
  uuid: { format: 'uuid' },
  binary: { contentEncoding: 'base64' },
};

function cellSchema({ kind, type }: LabeledColumn): Schema {
  switch (kind) {
    case 'float':
      return { type: ['number', 'null'] };
    case 'integer':
    case 'decimal':
      return { type: isExact(type) ? ['number', 'null'] : ['number', 'string', 'null'] };
    case 'boolean':
      return { type: ['boolean', 'null'] };
    case 'json':
    case 'undeclared':
      return {};
    default:
      return { type: ['string', 'null'], ...formats[kind] };
  }
}

const looseSchema = ({ kind }: LabeledColumn): Schema => {
  if (kind === 'json' || kind === 'undeclared') return {};
  return { type: ['string', 'number', ...(kind === 'boolean' ? ['boolean'] : []), 'null'] };
};

const SAFE_DIGITS = 15;

/** Whether a JSON number can have every value of a numeric type. A larger number is a string, so that no client rounds it. */
function isExact(dataType: string): boolean {
  const type = parseSqlType(dataType);
  if (type?.name === 'integer') return type.bits < 64;
  if (type?.name !== 'decimal') return type?.name === 'float';
  return type.precision !== undefined && type.precision - (type.scale ?? 0) <= SAFE_DIGITS;
}
