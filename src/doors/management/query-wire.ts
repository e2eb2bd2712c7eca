import { z } from 'zod';
import type { QueryInput } from '../../administration/queries/query-definition.ts';
import { chartOptions, columnClass, queryChart } from '../../catalog/chart-fields.ts';
import type { SentParameter, SentValue } from '../../catalog/parameter.ts';
import {
  columnFormat,
  formatKind,
  emptyQuery,
  parameterChoices,
  queryColumn,
  queryFields,
  queryParameter,
} from '../../catalog/query-fields.ts';
import { queryStatuses } from '../../catalog/query.ts';
import { clearable, sentShape, shownShape, text } from '../../catalog/wire-field.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { nameSchemas } from '../http/operation.ts';
import { time, timeOrNever } from './list-query.ts';

const note = clearable(text(500), '');
const noteOfVersion = note.describe(
  'Why this version exists. Left out: that of the draft; empty for a version that the request starts.',
);

const { name, database, sql, ...otherFields } = queryFields;
const required = sentShape({ name, database, sql });
const others = { ...sentShape(otherFields), note: noteOfVersion };
export const queryBody = z.object({ ...required, ...others });
export const queryChangeBody = z.object({ ...z.object(required).partial().shape, ...others });
export const retireVersionBody = z.object({
  at: z.iso.datetime({ offset: true, error: 'Expected a time: 2026-12-31T00:00:00Z.' }).optional().describe('Left out: now.'),
});
export const activateBody = z.object({
  allowBreaking: z.boolean().default(false).describe('Activate changes that break callers, too.'),
  ifNotBreaking: z.boolean().default(false).describe('Refuse changes that break callers, whatever `compatibility` says.'),
});
export const restoreVersionBody = z.object({ note: note.describe('Left out: `Restored from version` and its number.') });

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const sentValue = z.union([scalar, z.array(scalar).max(1000)]);
const namedValue = z.object({ parameterName: z.string(), value: sentValue.optional(), dataType: z.string().nullish() });
const EXPECTED_VALUES =
  'Expected [{"parameterName": "@Region", "value": "North"}] or {"@Region": "North"}. A value is a text, a number, true, false, null, or a list of at most 1,000 of them.';
/** Values of parameters as callers send them. */
export const sentValues = z
  .union([z.array(namedValue).max(1000), z.record(z.string(), sentValue)], EXPECTED_VALUES)
  .nullish()
  .describe('`[{parameterName, value, dataType?}]` or `{"@Name": value}`; the value of a list is an array.');
export const previewBody = z.object({
  database: database.sent,
  sql: sql.sent,
  parameters: otherFields.parameters.sent,
  values: sentValues,
  as: text(200)
    .nullish()
    .describe('User name whose identity parameters with `boundTo` have; needs `users.manage`. Left out: your own.'),
});

const resultColumn = z.object({
  name: z.string().describe('As named by the database.'),
  label: z.string().describe('Display name.'),
  type: z.string().describe('As spelled by the database.'),
  kind: z.string(),
  class: columnClass,
  format: columnFormat.shown.exactOptional(),
});

const content = {
  ...shownShape(queryFields),
  resultColumns: z.array(resultColumn).readonly().nullable().describe('Found by validation; null before it.'),
};

export const queryStatus = z.enum(queryStatuses);
const activatedAs = z
  .number()
  .int()
  .nullable()
  .describe('The number by which callers name this version: `<queryName>@<number>`; null: it was never Active.');
const draft = z.object({ version: z.number().int(), status: z.enum(['Draft', 'Validated']) });
export const queryResponse = z.object({
  id: z.string(),
  queryName: z.string().describe('Technical name; fixed after the first activation.'),
  ...content,
  status: queryStatus,
  version: z.number().int().describe('Version number; also the ETag.'),
  note: z.string().optional().describe('Why this version exists. Left out for callers who may only run the query.'),
  activatedAs,
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
  warnings: z.array(z.string()).readonly().optional().describe('Warnings for the author; omitted if there are none.'),
});
export const versionResponse = z.object({
  version: z.number().int(),
  status: z.enum(['current', 'draft']).nullable().describe('Null: an earlier one.'),
  createdBy: z.string(),
  createdAt: time,
  note: z.string().describe('Why this version exists; may be empty.'),
  activatedAs,
  activatedAt: timeOrNever,
  canRetire: z.boolean().describe('Whether callers may name it, and you may end that.'),
  retiresAt: timeOrNever.describe('From then on callers cannot name it; null: that is not set.'),
  ...content,
});
export const previewResponse = z.object({
  data: z.array(z.record(z.string(), z.unknown())).describe('The first 100 rows.'),
  columns: z.array(z.object({ name: z.string(), type: columnClass })),
});

nameSchemas({
  NewParameterChoices: parameterChoices.sent,
  NewQueryParameter: queryParameter.sent,
  NewColumnFormat: columnFormat.sent,
  NewQueryColumn: queryColumn.sent,
  NewQueryChart: queryChart.sent,
  NewChartOptions: chartOptions.sent,
  NewQuery: queryBody,
  QueryChange: queryChangeBody,
  QueryActivation: activateBody,
  VersionRestore: restoreVersionBody,
  VersionRetirement: retireVersionBody,
  PreviewRequest: previewBody,
  QueryStatus: queryStatus,
  QueryDraft: draft,
  QueryParameter: queryParameter.shown,
  ColumnFormat: columnFormat.shown,
  FormatKind: formatKind,
  QueryColumn: queryColumn.shown,
  QueryChart: queryChart.shown,
  ChartOptions: chartOptions.shown,
  ResultColumn: resultColumn,
  Query: queryResponse,
  ValidatedQuery: validateResponse,
  QueryVersion: versionResponse,
  Preview: previewResponse,
  NamedValue: namedValue,
});

const { roles: _roles, aiAccess: _aiAccess, compatibility: _compatibility, ...emptyInput } = emptyQuery;

/** A query as sent; fields that were left out are empty, except access and compatibility, which are unchanged. */
export const inputOfBody = (body: z.output<typeof queryBody>): QueryInput => ({ ...emptyInput, ...definedFields(body) });

/** Numbers and booleans are converted to text. */
export function valuesOf(sent: z.output<typeof sentValues>): readonly SentParameter[] {
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
    DataType: dataType ?? undefined,
  }));
}
