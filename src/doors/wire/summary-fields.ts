import { z } from 'zod';
import { aggregate, sortBy, timeUnit } from '../../catalog/chart-fields.ts';
import { sortings, timeUnits } from '../../core/chart-config.ts';
import { nameSchemas } from '../http/operation.ts';
import { fieldTable } from '../input/fields.ts';
import { columnNames } from './embed-fields.ts';
import { chartPage, pageFields } from './page-fields.ts';
import { anyText, choice, documentField, readFromBody, requestSchema, requireField, wholeNumber } from './values.ts';

const columnName = anyText('Expected the display name of a column.');

/** The body of docs/spec.md 4.1, and how its rows are grouped. */
const summaryFields = {
  ...pageFields,
  labelColumn: readFromBody(requireField(documentField(columnName, 'Column whose values are the groups'))),
  dataColumn: readFromBody(requireField(documentField(columnNames, 'Column or columns that are aggregated'))),
  seriesColumn: readFromBody(documentField(columnName, 'Column that divides each group into series')),
  aggregate: readFromBody(
    documentField(
      choice(['sum', 'average', 'count', 'min', 'max']),
      'Default sum; count: values that are not null',
      aggregate.exclude(['none']).optional(),
    ),
  ),
  timeUnit: readFromBody(documentField(choice(timeUnits), 'Of a label with dates or times; default auto', timeUnit.optional())),
  sortBy: readFromBody(documentField(choice(sortings), 'Default none: times in order, others as they come', sortBy.optional())),
  limit: readFromBody(documentField(wholeNumber(1), 'Keeps the first groups and drops the rest')),
};
export const summaryTable = fieldTable(summaryFields);
export const summaryBody = requestSchema(summaryFields, 'body');

export const summaryResponse = chartPage.pick({ Columns: true }).extend({
  Data: z
    .array(z.record(z.string(), z.unknown()))
    .describe('One object per group and series; keys are display column names. A bucket of time is its first moment'),
  rowsRead: z.number().int().describe('Rows of the whole result'),
  groups: z.number().int().describe('Groups before the limit'),
  isWhole: z.boolean().describe('Whether all rows of the result were read'),
  QueryMoreCode: z.string().describe('Send it to group or page the same rows again without running the query'),
});

nameSchemas({ SummaryRequest: summaryBody, ChartSummary: summaryResponse });
