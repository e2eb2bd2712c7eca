import { z } from 'zod';
import { formatKinds, type FormatKind, writesDigits } from '../core/column-format.ts';
import { definedFields } from '../core/defined-fields.ts';
import { columnClass, queryChart } from './chart-fields.ts';
import {
  clearable,
  optional,
  optionalFlag,
  optionalText,
  sentShape,
  shownShape,
  sqlText,
  text,
  wholeNumber,
  type WireField,
} from './wire-field.ts';

// The fields of a query, each declared once. The types of the catalog, the JSON in the store, requests, responses, the OpenAPI
// document and the types of the web interface derive from these declarations.

const choicesFields = {
  query: { sent: text(300).min(1).describe('Technical name.'), shown: z.string() },
  value: { sent: text(1000).min(1).describe('Display column of the values.'), shown: z.string() },
  label: optionalText(1000, 'Display column of the texts to show; default: the values.'),
  parameters: {
    sent: z
      .record(z.string().max(200), z.string().max(200))
      .nullish()
      .transform((sent) => (sent == null || Object.keys(sent).length === 0 ? undefined : sent))
      .describe('Parameters of that query, each with the parameter of this one that it gets its value from.'),
    shown: z.record(z.string(), z.string()).readonly().exactOptional(),
  },
};

export const parameterChoices = {
  sent: z.object(sentShape(choicesFields)).transform((choices) => definedFields(choices)),
  shown: z.object(shownShape(choicesFields)),
};

const defaultText = text(32 << 10);
const parameterFields = {
  name: { sent: text(200).describe('`@Region`, as in the SQL.'), shown: z.string() },
  label: optionalText(200, 'What forms show instead of the name.'),
  dataType: {
    sent: text(200).describe('As spelled by SQL Server, PostgreSQL, MySQL or DuckDB: `nvarchar(50)`, `decimal(12,2)`.'),
    shown: z.string(),
  },
  required: { sent: z.boolean().default(false), shown: z.boolean() },
  default: {
    sent: z
      .union([defaultText, z.array(defaultText).max(1000)])
      .nullish()
      .transform((sent) => (typeof sent === 'object' && sent !== null ? JSON.stringify(sent) : (sent ?? undefined)))
      .describe('Value of the parameter if it is omitted; for a list also a JSON array.'),
    shown: z.string().exactOptional(),
  },
  description: optionalText(2000),
  values: optional(
    z.array(text(2000)).max(1000).readonly(),
    z.array(z.string()).readonly(),
    'The values that it takes. One that differs only in case is taken as it is spelled here, any other is refused.',
  ),
  valuesOpen: {
    ...optionalFlag('The values are suggestions; others are taken, too.'),
    shown: z.boolean().exactOptional().describe('The values are suggestions; by default no others are accepted.'),
  },
  choices: optional(parameterChoices.sent, parameterChoices.shown, 'The choices come from another Active query.'),
  choicesOnly: optionalFlag('Other values than the choices are refused.'),
  boundTo: {
    ...optionalText(
      200,
      'The value comes from the caller and cannot be sent: `user.name`, `user.id`, `user.email`, `user.fullName`, `user.roles` or `user.attributes.<name>`.',
    ),
    shown: z.string().exactOptional().describe('Left out for callers who may only run the query.'),
  },
  multiple: optionalFlag('A list of values; the SQL writes `in (@Regions)`.'),
  masked: optionalFlag('The audit trail shows *** for its values.'),
};

export const queryParameter = {
  sent: z.object(sentShape(parameterFields)).transform((parameter) => definedFields(parameter)),
  shown: z.object(shownShape(parameterFields)),
};

const withDecimals = formatKinds.filter((kind) => writesDigits({ kind }));
/** The kinds that a setting belongs to. */
const formatSettings: readonly { field: 'currency' | 'decimals' | 'unit'; kinds: readonly FormatKind[] }[] = [
  { field: 'currency', kinds: ['currency'] },
  { field: 'decimals', kinds: withDecimals },
  { field: 'unit', kinds: ['number'] },
];
export const formatKind = z
  .enum(formatKinds)
  .describe('`percent` takes fractions: 0.25 is 25%. `duration` takes seconds. `id` is no measure.');
const formatFields = {
  kind: { sent: formatKind, shown: formatKind },
  currency: optional(
    text(1000).regex(/^[A-Z]{3}$/, 'Expected an ISO 4217 code, such as EUR.'),
    z.string(),
    'ISO 4217 code; only with `currency`.',
  ),
  decimals: optional(wholeNumber(0, 6), z.number(), 'Number of decimals, 0 to 6; left out: as the kind or the values need.'),
  unit: optional(
    text(20).trim().min(1, 'Expected at least one character.'),
    z.string(),
    'Shown after the number, such as `kg`; only with `number`.',
  ),
};

/** How the values of a column are written for people. */
export const columnFormat = {
  sent: z
    .object(sentShape(formatFields))
    .superRefine((format, { addIssue }) => {
      for (const { field, kinds } of formatSettings)
        if (format[field] !== undefined && !kinds.includes(format.kind))
          addIssue({ code: 'custom', path: [field], message: `Only for a format of the kind ${kinds.join(', ')}.` });
    })
    .transform((format) => definedFields(format)),
  shown: z.object(shownShape(formatFields)),
};

const columnFields = {
  name: { sent: text(1000).min(1).describe('As named by the database.'), shown: z.string() },
  displayName: optionalText(1000, 'Display name.'),
  type: optional(columnClass, columnClass, 'For charts; left out: derived from its format and its type in the database.'),
  format: optional(
    columnFormat.sent,
    columnFormat.shown,
    'How its values are shown; JSON, CSV and Parquet contain them unchanged.',
  ),
};

/** The author's settings for a result column. */
export const queryColumn = {
  sent: z.object(sentShape(columnFields)).transform((column) => definedFields(column)),
  shown: z.object(shownShape(columnFields)),
};

/**
 * Part of a version that stores a field: its definition is fixed until another version is activated, its labels change immediately.
 * A reference is sent as a name and stored as an id.
 */
type Part = 'definition' | 'labels' | 'reference';

interface QueryField extends WireField {
  readonly part: Part;
  readonly required?: true; // in a new query
  readonly empty: unknown; // of a query that does not set it; null is not stored
}

const label = (max: number, description: string) =>
  ({ part: 'labels', empty: '', sent: clearable(text(max), '').describe(description), shown: z.string() }) as const;
const limit = (from: number, to: number, description: string) =>
  ({
    part: 'definition',
    empty: null,
    sent: wholeNumber(from, to).nullish().describe(description),
    shown: z.number().nullable(),
  }) as const;
const sentParameters = clearable(z.array(queryParameter.sent).max(1000), []);
const databaseName = 'Name of the database.';
const chartOfQuery = 'The chart that the query is drawn as at first; null: suggested by its columns.';

const compatibilities = ['warn', 'enforce'] as const;
const breakingActivation = '`enforce`: an activation that breaks callers is refused unless it says `allowBreaking`.';

export const queryFields = {
  name: {
    part: 'definition',
    required: true,
    empty: '',
    sent: text(1000).trim().min(1).describe('Display name, 1 to 200 characters. The technical name is derived from it.'),
    shown: z.string().describe('Display name.'),
  },
  description: label(10_000, 'What the query returns.'),
  tip: label(10_000, 'How to use it.'),
  database: {
    part: 'reference',
    required: true,
    empty: '',
    sent: text(200).describe(databaseName),
    shown: z.string().describe(databaseName),
  },
  sql: {
    part: 'definition',
    required: true,
    empty: '',
    sent: sqlText
      .refine((value) => value.trim() !== '', 'Expected a SQL statement.')
      .describe('One statement; names parameters `@Name` on every engine.'),
    shown: z.string(),
  },
  epilogue: {
    part: 'definition',
    empty: null,
    sent: sqlText
      .nullish()
      .describe('SQL that writes, run after the statement in the same transaction. Needs `queries.epilogue`.'),
    shown: z.string().nullable(),
  },
  parameters: { part: 'definition', empty: [], sent: sentParameters, shown: z.array(queryParameter.shown).readonly() },
  columns: {
    part: 'definition',
    empty: [],
    sent: clearable(z.array(queryColumn.sent).max(5000), []).describe('Display settings of the columns.'),
    shown: z.array(queryColumn.shown).readonly(),
  },
  chart: {
    part: 'definition',
    empty: null,
    sent: queryChart.sent.nullish().describe(chartOfQuery),
    shown: queryChart.shown.nullable().describe(chartOfQuery),
  },
  roles: {
    part: 'reference',
    empty: [],
    sent: clearable(z.array(text(200)).max(1000), []).describe(
      'Names of the roles that may run it; empty: every role. Left out of a change: unchanged.',
    ),
    shown: z.array(z.string()).readonly().describe('Names of the roles that may run it; empty: every role.'),
  },
  timeoutSeconds: limit(1, 300, 'Time limit; null: the default of the settings.'),
  maxRows: limit(1, Number.MAX_SAFE_INTEGER, 'Row limit; null: the default of the settings.'),
  cacheSeconds: limit(0, 86_400, 'How long a result may be served again; null: not cached.'),
  aiAccess: {
    part: 'labels',
    empty: true,
    sent: z
      .boolean()
      .optional()
      .describe('Whether the AI gateway offers it. Left out: unchanged; for a new query true, unless it has an Epilogue.'),
    shown: z.boolean(),
  },
  compatibility: {
    part: 'labels',
    empty: 'warn',
    sent: z.enum(compatibilities).optional().describe(`${breakingActivation} Left out: unchanged; for a new query \`warn\`.`),
    shown: z.enum(compatibilities).describe(breakingActivation),
  },
  tags: {
    part: 'labels',
    empty: [],
    sent: clearable(z.array(text(50)).max(100), []).describe('Tags for searching.'),
    shown: z.array(z.string()).readonly(),
  },
} as const satisfies Readonly<Record<string, QueryField>>;

type Fields = typeof queryFields;
type NamesOf<P extends Part> = { [K in keyof Fields]: Fields[K]['part'] extends P ? K : never }[keyof Fields];

/** A query as its author writes it: with names instead of ids, and null for unset fields. */
export type WrittenQuery = { readonly [K in keyof Fields]: z.output<Fields[K]['shown']> };
export type WrittenDefinition = Pick<WrittenQuery, NamesOf<'definition'>>;
export type WrittenLabels = Pick<WrittenQuery, NamesOf<'labels'>>;

/** Null is not stored. */
export type SetFields<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>;
};

/** The fields that a version stores in one of its parts. */
export function partOf<T extends Partial<WrittenDefinition>>(
  part: 'definition',
  query: T,
): SetFields<Pick<T, keyof T & keyof WrittenDefinition>>;
export function partOf<T extends Partial<WrittenLabels>>(part: 'labels', query: T): Pick<T, keyof T & keyof WrittenLabels>;
export function partOf(part: Part, query: object): object {
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => value != null && parts.get(name) === part));
}

const parts: ReadonlyMap<string, Part> = new Map(Object.entries(queryFields).map(([name, field]) => [name, field.part]));

/** A query that sets nothing: for new ones, and for those that were stored before a field existed. */
export const emptyQuery: WrittenQuery = emptyOf(queryFields);
export const emptyDefinition = partOf('definition', emptyQuery);
export const emptyLabels = { ...partOf('labels', emptyQuery), roleIds: [] };

function emptyOf<T extends Readonly<Record<string, QueryField>>>(fields: T): { readonly [K in keyof T]: T[K]['empty'] };
function emptyOf(fields: Readonly<Record<string, QueryField>>): object {
  return Object.fromEntries(Object.entries(fields).map(([name, { empty }]) => [name, empty]));
}
