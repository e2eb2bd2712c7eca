import { z } from 'zod';
import type { QueryInput } from '../../administration/queries/query-definition.ts';
import type { SentParameter, SentValue } from '../../catalog/parameter.ts';
import {
  type ColumnDefinition,
  type ParameterChoices,
  type ParameterDefinition,
  type QueryChart,
  queryStatuses,
} from '../../catalog/query.ts';
import {
  aggregate,
  barOrientation,
  chartTheme,
  chartType,
  columnClass,
  legendPosition,
  sortBy,
  stacked,
} from '../http/enumerations.ts';
import { nameSchemas } from '../http/operation.ts';
import { clearable, time, timeOrNever } from './list-query.ts';

const SQL_BYTES = 100 << 10;

/** A PostgreSQL store does not accept NUL. */
const text = (max: number) =>
  z
    .string()
    .max(max, `Expected at most ${max} characters.`)
    .refine((value) => !value.includes('\0'), 'Expected text without NUL characters.');
const sqlText = z
  .string()
  .refine((sql) => Buffer.byteLength(sql) <= SQL_BYTES, `Expected at most ${SQL_BYTES >> 10} KiB.`)
  .refine((sql) => !sql.includes('\0'), 'Expected text without NUL characters.');
const whole = (from: number, to: number) => {
  const expected = `Expected a whole number from ${from} to ${to}.`;
  return z.number(expected).int(expected).min(from, expected).max(to, expected);
};

const choices = z
  .object({
    query: text(300).min(1).describe('Technical name.'),
    value: text(1000).min(1).describe('Display column of the values.'),
    label: text(1000).nullish().describe('Display column of the texts to show; left out: the values.'),
    parameters: z
      .record(z.string().max(200), z.string().max(200))
      .nullish()
      .describe('Parameters of that query, each with the parameter of this one that it gets its value from.'),
  })
  .transform(({ label, parameters, ...rest }): ParameterChoices => ({
    ...rest,
    ...(label ? { label } : {}),
    ...(parameters != null && Object.keys(parameters).length > 0 ? { parameters } : {}),
  }));

const parameter = z
  .object({
    name: text(200).describe('`@Region`, as in the SQL.'),
    label: text(200).nullish().describe('What forms show instead of the name.'),
    dataType: text(200).describe('As spelled by SQL Server, PostgreSQL, MySQL or DuckDB: `nvarchar(50)`, `decimal(12,2)`.'),
    required: z.boolean().default(false),
    default: z
      .union([text(32 << 10), z.array(text(32 << 10)).max(1000)])
      .nullish()
      .describe('Value of the parameter if it is left out; of a list also a JSON array.'),
    description: text(2000).nullish(),
    values: z
      .array(text(2000))
      .max(1000)
      .readonly()
      .nullish()
      .describe('The values that it takes. One that differs only in case is taken as it is spelled here, any other is refused.'),
    valuesOpen: z.boolean().nullish().describe('The values are suggestions; others are taken, too.'),
    choices: choices.nullish().describe('The choices come from another Active query.'),
    choicesOnly: z.boolean().nullish().describe('Other values than the choices are refused.'),
    boundTo: text(200)
      .nullish()
      .describe(
        'The value comes from the caller and cannot be sent: `user.name`, `user.id`, `user.email`, `user.fullName`, `user.roles` or `user.attributes.<name>`.',
      ),
    multiple: z.boolean().nullish().describe('A list of values; the SQL writes `in (@Regions)`.'),
    masked: z.boolean().nullish().describe('The audit trail shows *** for its values.'),
  })
  .transform(
    ({
      label,
      default: fallback,
      description,
      values,
      valuesOpen,
      choices: from,
      choicesOnly,
      boundTo,
      multiple,
      masked,
      ...rest
    }): ParameterDefinition => ({
      ...rest,
      ...(label ? { label } : {}),
      ...(fallback == null ? {} : { default: typeof fallback === 'string' ? fallback : JSON.stringify(fallback) }),
      ...(description ? { description } : {}),
      ...(values == null ? {} : { values }),
      ...(valuesOpen ? { valuesOpen } : {}),
      ...(from == null ? {} : { choices: from }),
      ...(choicesOnly ? { choicesOnly } : {}),
      ...(boundTo ? { boundTo } : {}),
      ...(multiple ? { multiple } : {}),
      ...(masked ? { masked } : {}),
    }),
  );
const column = z
  .object({
    name: text(1000).min(1).describe('As named by the database.'),
    displayName: text(1000).nullish().describe('Display name.'),
    type: columnClass.nullish().describe('For charts; left out: derived from its type in the database.'),
  })
  .transform(({ name: named, displayName, type }): ColumnDefinition => ({
    name: named,
    ...(displayName ? { displayName } : {}),
    ...(type == null ? {} : { type }),
  }));

const columnName = text(1000).min(1);
export const chartOptionFields = {
  title: text(300),
  chartHeight: whole(100, 4000),
  animationSpeed: whole(0, 10_000),
  showToolbar: z.boolean(),
  showDataLabels: z.boolean(),
  showGrid: z.boolean(),
  showLegend: z.boolean(),
  enableZoom: z.boolean(),
  enableAnimations: z.boolean(),
  barOrientation,
  barWidth: whole(1, 100),
  legendPosition,
  theme: chartTheme,
  patterns: z.boolean(),
  stacked,
};
const newChartOptions = z.object(chartOptionFields).partial();
const chart = z
  .object({
    type: chartType,
    label: columnName.describe('Display name of the column for the labels.'),
    data: z.array(columnName).min(1).max(20).describe('Display names of the columns with the values, one series each.'),
    series: columnName.nullish().describe('Display name of a column: one series for each of its values.'),
    aggregate: aggregate.nullish().describe('What becomes of rows with the same label; left out: sum.'),
    sortBy: sortBy.nullish().describe('Order of the labels; left out: that of the rows.'),
    options: newChartOptions.nullish().describe('As in GetEmbedUrl.'),
  })
  .refine(({ data, series }) => series == null || data.length === 1, {
    path: ['series'],
    message: 'A series column needs exactly one data column.',
  })
  .transform(({ series, aggregate: added, sortBy: order, options, ...rest }): QueryChart => ({
    ...rest,
    ...(series == null ? {} : { series }),
    ...(added == null ? {} : { aggregate: added }),
    ...(order == null ? {} : { sortBy: order }),
    ...(options == null ? {} : { options: withoutUndefined(options) }),
  }));
const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

const name = text(1000).trim().min(1).describe('Display name, 1 to 200 characters. The technical name is derived from it.');
const database = text(200).describe('Name of the database.');
const sql = sqlText
  .refine((value) => value.trim() !== '', 'Expected a SQL statement.')
  .describe('One statement; names parameters `@Name` on every engine.');
const note = clearable(text(500), '');
const optional = {
  description: clearable(text(10_000), '').describe('What the query returns.'),
  tip: clearable(text(10_000), '').describe('How to use it.'),
  epilogue: sqlText
    .nullish()
    .describe('SQL that writes, run after the statement in the same transaction. Needs `queries.epilogue`.'),
  parameters: clearable(z.array(parameter).max(1000), []),
  columns: clearable(z.array(column).max(5000), []).describe('Display settings of the columns.'),
  chart: chart.nullish().describe('The chart that the query is drawn as at first; null: suggested by its columns.'),
  roles: clearable(z.array(text(200)).max(1000), []).describe(
    'Names of the roles that may run it; empty: every role. Left out of a change: unchanged.',
  ),
  timeoutSeconds: whole(1, 300).nullish().describe('Time limit; null: the default of the settings.'),
  maxRows: whole(1, Number.MAX_SAFE_INTEGER).nullish().describe('Row limit; null: the default of the settings.'),
  cacheSeconds: whole(0, 86_400).nullish().describe('How long a result may be served again; null: not cached.'),
  aiAccess: z
    .boolean()
    .optional()
    .describe('Whether the AI gateway offers it. Left out: unchanged; for a new query true, unless it has an Epilogue.'),
  tags: clearable(z.array(text(50)).max(100), []).describe('Tags for searching.'),
  note: note.describe('Why this version exists. Left out: that of the draft; empty for a version that the request starts.'),
};

export const queryBody = z.object({ name, database, sql, ...optional });
export const queryChangeBody = z.object({
  name: name.optional(),
  database: database.optional(),
  sql: sql.optional(),
  ...optional,
});
export const restoreVersionBody = z.object({ note: note.describe('Left out: `Restored from version` and its number.') });

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const sentValue = z.union([scalar, z.array(scalar).max(1000)]);
export const previewBody = z.object({
  database,
  sql,
  parameters: clearable(z.array(parameter).max(1000), []),
  values: z
    .union([
      z.array(z.object({ parameterName: z.string(), value: sentValue.optional(), dataType: z.string().optional() })).max(1000),
      z.record(z.string(), sentValue),
    ])
    .nullish()
    .describe('`[{parameterName, value, dataType?}]` or `{"@Name": value}`; the value of a list is an array.'),
  as: text(200)
    .nullish()
    .describe('User name whose identity parameters with `boundTo` have; needs `users.manage`. Left out: your own.'),
});

const shownParameter = z.object({
  name: z.string(),
  label: z.string().optional(),
  dataType: z.string(),
  required: z.boolean(),
  default: z.string().optional(),
  description: z.string().optional(),
  values: z.array(z.string()).readonly().optional(),
  valuesOpen: z.boolean().optional().describe('The values are suggestions; left out: no others are taken.'),
  choices: z
    .object({
      query: z.string(),
      value: z.string(),
      label: z.string().optional(),
      parameters: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  choicesOnly: z.boolean().optional(),
  boundTo: z.string().optional().describe('Left out for callers who may only run the query.'),
  multiple: z.boolean().optional(),
  masked: z.boolean().optional(),
});
const shownColumn = z.object({ name: z.string(), displayName: z.string().optional(), type: columnClass.optional() });
const chartOptions = z
  .object({
    ...chartOptionFields,
    title: z.string(),
    chartHeight: z.number(),
    animationSpeed: z.number(),
    barWidth: z.number(),
  })
  .partial();
const shownChart = z.object({
  type: chartType,
  label: z.string(),
  data: z.array(z.string()).readonly(),
  series: z.string().optional(),
  aggregate: aggregate.optional(),
  sortBy: sortBy.optional(),
  options: chartOptions.optional(),
});
const resultColumn = z.object({
  name: z.string().describe('As named by the database.'),
  label: z.string().describe('Display name.'),
  type: z.string().describe('As spelled by the database.'),
  kind: z.string(),
  class: columnClass,
});

const content = {
  name: z.string().describe('Display name.'),
  description: z.string(),
  tip: z.string(),
  database: z.string().describe('Name of the database.'),
  sql: z.string(),
  epilogue: z.string().nullable(),
  parameters: z.array(shownParameter).readonly(),
  columns: z.array(shownColumn).readonly(),
  chart: shownChart.nullable().describe('The chart that the query is drawn as at first; null: suggested by its columns.'),
  roles: z.array(z.string()).readonly().describe('Names of the roles that may run it; empty: every role.'),
  timeoutSeconds: z.number().nullable(),
  maxRows: z.number().nullable(),
  cacheSeconds: z.number().nullable(),
  aiAccess: z.boolean(),
  tags: z.array(z.string()).readonly(),
  resultColumns: z.array(resultColumn).readonly().nullable().describe('Found by validation; null before it.'),
};

export const queryStatus = z.enum(queryStatuses);
const draft = z.object({ version: z.number().int(), status: z.enum(['Draft', 'Validated']) });
export const queryResponse = z.object({
  id: z.string(),
  queryName: z.string().describe('Technical name; fixed after the first activation.'),
  ...content,
  status: queryStatus,
  version: z.number().int().describe('Version number; also the ETag.'),
  note: z.string().optional().describe('Why this version exists. Left out for callers who may only run the query.'),
  draft: draft.nullable().describe('A version that awaits its activation. Edits then name its number in If-Match.'),
  createdBy: z.string(),
  createdAt: time,
  updatedBy: z.string(),
  updatedAt: time,
  canRun: z.boolean().describe('Whether you may run the Active version.'),
  cannotRunReason: z.string().nullable().describe('Why you may not run it; null if you may.'),
  canEdit: z.boolean().describe('Whether you may change the query or restore one of its versions.'),
  canValidate: z.boolean(),
  canActivate: z.boolean(),
  canDeactivate: z.boolean(),
  canVoid: z.boolean(),
  canRestore: z.boolean().describe('Whether you may restore the query, which is Void, as a Draft.'),
  canDiscardDraft: z.boolean(),
  isFavorite: z.boolean().describe('Whether it is one of your favorites.'),
  lastUsedAt: timeOrNever.describe('When you last ran it in the web interface; null: never.'),
  lastRunAt: timeOrNever.describe('When anyone last ran it; null: never.'),
});
export const validateResponse = queryResponse.extend({
  warnings: z.array(z.string()).readonly().optional().describe('Warnings for the author; left out if there are none.'),
});
export const versionResponse = z.object({
  version: z.number().int(),
  status: z.enum(['current', 'draft']).nullable().describe('Null: an earlier one.'),
  createdBy: z.string(),
  createdAt: time,
  note: z.string().describe('Why this version exists; may be empty.'),
  ...content,
});
export const previewResponse = z.object({
  data: z.array(z.record(z.string(), z.unknown())).describe('The first 100 rows.'),
  columns: z.array(z.object({ name: z.string(), type: columnClass })),
});

nameSchemas({
  NewParameterChoices: choices,
  NewQueryParameter: parameter,
  NewQueryColumn: column,
  NewQueryChart: chart,
  NewChartOptions: newChartOptions,
  NewQuery: queryBody,
  QueryChange: queryChangeBody,
  VersionRestore: restoreVersionBody,
  PreviewRequest: previewBody,
  QueryStatus: queryStatus,
  QueryDraft: draft,
  QueryParameter: shownParameter,
  QueryColumn: shownColumn,
  QueryChart: shownChart,
  ChartOptions: chartOptions,
  ResultColumn: resultColumn,
  Query: queryResponse,
  ValidatedQuery: validateResponse,
  QueryVersion: versionResponse,
  Preview: previewResponse,
});

export function inputOfBody(body: z.output<typeof queryBody>): QueryInput {
  return {
    name: body.name,
    description: body.description ?? '',
    tip: body.tip ?? '',
    database: body.database,
    sql: body.sql,
    epilogue: body.epilogue ?? null,
    parameters: body.parameters ?? [],
    columns: body.columns ?? [],
    chart: body.chart ?? null,
    roles: body.roles,
    timeoutSeconds: body.timeoutSeconds ?? null,
    maxRows: body.maxRows ?? null,
    cacheSeconds: body.cacheSeconds ?? null,
    aiAccess: body.aiAccess,
    tags: body.tags ?? [],
    note: body.note,
  };
}

/** Numbers and booleans are converted to text. */
export function valuesOf(sent: z.output<typeof previewBody>['values']): readonly SentParameter[] {
  const asText = (value: z.output<typeof sentValue>): SentValue => {
    if (typeof value === 'object' && value !== null) return value.map((each) => (each === null ? null : String(each)));
    return value === null ? null : String(value);
  };
  if (!Array.isArray(sent)) {
    return Object.entries(sent ?? {}).map(([ParameterName, value]) => ({ ParameterName, Value: asText(value) }));
  }
  return sent.map(({ parameterName, value, dataType }) => ({
    ParameterName: parameterName,
    Value: value === undefined ? undefined : asText(value),
    DataType: dataType,
  }));
}
