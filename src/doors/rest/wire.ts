import { z } from 'zod';
import { columnClass } from '../../catalog/chart-fields.ts';
import { formats } from '../../results/encode/formats.ts';
import { nameSchemas } from '../http/operation.ts';

const rowIndex = z.number().int().min(0).describe('Zero-based row offset; default 0');
const rowSize = z.number().int().min(1).describe('Rows to return; above the maximum it is clamped');
const queryMoreCode = z.string().describe('QueryMoreCode of the previous page');
const queryName = z.string().describe('Technical name of an Active query');

/** Null counts as absent. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().describe(schema.description ?? '');

/** The schemas of docs/spec.md 4 for the OpenAPI document. Requests are parsed in page-form.ts. */
export const pagingHeaders = z.object({
  RowIndex: rowIndex.optional(),
  RowSize: rowSize.optional(),
  QueryMoreCode: queryMoreCode.optional(),
  'Cache-Control': z.string().optional().describe('`no-cache`: run the query although an identical call has a result to share'),
});

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const value = z
  .union([scalar, z.array(scalar)])
  .describe(
    'Cast to the type of the parameter; numbers and booleans are read as text. null is NULL. A list has at most 1,000 values',
  );
const dataType = z.string().nullish().describe('SQL type hint such as nvarchar, int, datetime, bit; default: the declared type');
const parameterName = z.string().describe('The @Name of the query definition; ignores case, and the @ may be left out');

const parameterValue = z.object({ ParameterName: parameterName, Value: value, DataType: dataType });
const shortParameterValue = z.object({ parameterName, value, dataType });
const valuesByName = z.record(z.string(), value).describe('Values by @Name');

export const sentQuery = z.object({
  QueryName: queryName,
  Parameters: z
    .union([z.array(parameterValue), valuesByName])
    .describe('Values of the declared parameters; optional ones may be left out'),
  RowIndex: optional(rowIndex),
  RowSize: optional(rowSize),
  QueryMoreCode: optional(queryMoreCode),
});

/** The body without paging. */
export const exportedQuery = sentQuery.pick({ QueryName: true, Parameters: true });

const row = z.record(z.string(), z.unknown());

export const resultPage = z.object({
  Data: z.array(row).describe('One object per row; keys are display column names'),
  RowSize: z.number().int().describe('Page size used'),
  NextRowIndex: z.number().int().describe('Offset to send as RowIndex on the next call'),
  QueryMoreCode: z.string().nullable().describe('Continuation token; null when no rows remain'),
});

const columns = z.array(z.object({ Name: z.string(), Type: columnClass })).describe('The columns in their order');
export const chartPage = resultPage.extend({ Columns: columns });

export const queryPath = z.object({ queryName });

export const shortBody = z.object({
  queryName: optional(queryName).describe('That of the path'),
  parameters: z
    .union([z.array(shortParameterValue), valuesByName])
    .nullish()
    .describe('Values of the declared parameters; optional ones may be left out'),
  rowIndex: optional(rowIndex),
  rowSize: optional(rowSize),
  queryMoreCode: optional(queryMoreCode),
});

export const shortPage = z.object({
  data: z.array(row).describe('One object per row; keys are display column names'),
  rowSize: z.number().int().describe('Page size used'),
  nextRowIndex: z.number().int().describe('Offset to send as rowIndex on the next call'),
  queryMoreCode: z.string().nullable().describe('Continuation token; null when no rows remain'),
});

export const queryParameters = z.object({
  QueryName: z.string(),
  Parameters: z.array(
    z.object({
      ParameterName: z.string(),
      DataType: z.string(),
      Required: z.boolean(),
      Default: z.string().nullable(),
      Description: z.string().nullable(),
      Values: z.array(z.string()).readonly().nullable().describe('The values that it takes, in any case; null: any value'),
      ValuesOpen: z.boolean().optional().describe('True: the values are suggestions, and others are taken, too'),
      Multiple: z.boolean().describe('Whether it takes a list of values'),
      Choices: z
        .object({
          DependsOn: z.array(z.string()).describe('Parameters whose values the choices depend on'),
          Only: z.boolean().describe('Whether other values are refused'),
        })
        .optional()
        .describe('Left out: it has none. Get them from /api/v1/queries/{queryName}/choices'),
    }),
  ),
});

const format = z.enum(Object.values(formats).map(({ name }) => name));
export const exportQuery = z.object({
  format,
  fileName: z.string().optional().describe("Name of the file; left out, the query's name"),
});

export const exportLink = z.object({
  format,
  fileName: z.string(),
  mimeType: z.string(),
  size: z.number().int().describe('Bytes'),
  rowCount: z.number().int(),
  downloadUrl: z.string().describe('Needs no credential: anyone who has it can download the file'),
  expiresAt: z.string().describe('ISO 8601, in UTC'),
});

export const downloadQuery = z.object({ token: z.string().describe('Of a downloadUrl') });

nameSchemas({
  ParameterValue: parameterValue,
  ShortParameterValue: shortParameterValue,
  SentQuery: sentQuery,
  ExportedQuery: exportedQuery,
  ResultPage: resultPage,
  ChartPage: chartPage,
  ShortQuery: shortBody,
  ShortPage: shortPage,
  DeclaredParameters: queryParameters,
  ExportFormat: format,
  ExportLink: exportLink,
});
