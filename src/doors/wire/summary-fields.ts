import { z } from 'zod';
import { aggregate, bucketUnit, chartType, sortBy, timeUnit } from '../../catalog/chart-fields.ts';
import { aggregates, sortings, timeUnits } from '../../core/chart-config.ts';
import { nameSchemas } from '../http/operation.ts';
import { fieldTable } from '../input/fields.ts';
import { columnNames } from './embed-fields.ts';
import { chartPage, pageFields } from './page-fields.ts';
import {
  anyText,
  chartTypeField,
  choice,
  documentField,
  readFromBody,
  requestSchema,
  requireField,
  toggle,
  wholeNumber,
} from './values.ts';

const columnName = anyText('Expected the display name of a column.');

/** The body of docs/spec.md 4.1, and how its rows are grouped. */
const summaryFields = {
  ...pageFields,
  labelColumn: readFromBody(requireField(documentField(columnName, 'Column whose values are the groups'))),
  dataColumn: readFromBody(requireField(documentField(columnNames, 'Column or columns that are aggregated'))),
  seriesColumn: readFromBody(documentField(columnName, 'Column that divides each group into series')),
  aggregate: readFromBody(
    documentField(
      choice(aggregates),
      'Default sum; count: values that are not null; none: with a chartType',
      aggregate.optional(),
    ),
  ),
  timeUnit: readFromBody(documentField(choice(timeUnits), 'Of a label with dates or times; default auto', timeUnit.optional())),
  sortBy: readFromBody(documentField(choice(sortings), 'Default none: times in order, others as they come', sortBy.optional())),
  limit: readFromBody(documentField(wholeNumber(1), 'Keeps the first groups and drops the rest')),
  chartType: readFromBody(
    documentField(
      chartTypeField,
      'Returns what a chart of this type draws: the largest labels and one for the others, or points that stand for all rows',
      chartType.optional(),
    ),
  ),
  allLabels: readFromBody(
    documentField(toggle, 'With a chartType: also the smaller labels; default false', z.boolean().optional()),
  ),
};
export const summaryTable = fieldTable(summaryFields);
export const summaryBody = requestSchema(summaryFields, 'body');

const chartDrawing = z.object({
  rowsRead: z.number().int(),
  unit: bucketUnit.nullable().describe('Of labels that are times'),
  others: z
    .object({ label: z.string(), labels: z.number().int() })
    .nullable()
    .describe('The label that stands for the smaller ones'),
  missing: z.number().int().describe('Values that are null'),
  unreadable: z.number().int().describe('Values that are not numbers'),
  notes: z.array(z.string()).describe('Sentences to show with the chart'),
});

export const summaryResponse = chartPage.pick({ Columns: true }).extend({
  Data: z
    .array(z.record(z.string(), z.unknown()))
    .describe('One object per group and series; keys are display column names. A bucket of time is its first moment'),
  rowsRead: z.number().int().describe('Rows of the result that were read'),
  groups: z.number().int().describe('Groups before the limit'),
  isWhole: z
    .boolean()
    .describe('Whether all rows of the result were read; false only for a chart that draws rows without grouping them'),
  drawing: chartDrawing.optional().describe('With a chartType: what was done to the rows'),
  QueryMoreCode: z.string().describe('Send it to group or page the same rows again without running the query'),
});

nameSchemas({ ChartDrawing: chartDrawing, SummaryRequest: summaryBody, ChartSummary: summaryResponse });
