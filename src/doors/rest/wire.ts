import { z } from 'zod';

/** The schemas of docs/spec.md 4 for the OpenAPI document. Requests are parsed in page-form.ts. */
export const pagingHeaders = z.object({
  RowIndex: z.string().optional().describe('Zero-based row offset; default 0'),
  RowSize: z.string().optional().describe('Rows to return; above the maximum it is clamped'),
  QueryMoreCode: z.string().optional().describe('QueryMoreCode of the previous page'),
  'Cache-Control': z.string().optional().describe('`no-cache`: run the query although an identical call has a result to share'),
});

const parameterValue = z.object({
  ParameterName: z.string().describe('Exact @Name of the query definition'),
  Value: z.string().nullable().describe('Always a string; the service casts it to DataType. null is NULL'),
  DataType: z.string().optional().describe('SQL type hint such as nvarchar, int, datetime, bit; default: the declared type'),
});

export const sentQuery = z.object({
  QueryName: z.string().describe('Technical name of an Active query'),
  Parameters: z.array(parameterValue).describe('One object per declared parameter; optional ones may be left out'),
});

const row = z.record(z.string(), z.unknown());

export const resultPage = z.object({
  Data: z.array(row).describe('One object per row; keys are display column names'),
  RowSize: z.number().int().describe('Page size used'),
  NextRowIndex: z.number().int().describe('Offset to send as RowIndex on the next call'),
  QueryMoreCode: z.string().nullable().describe('Continuation token; null when no rows remain'),
});

export const chartPage = resultPage.extend({
  Columns: z.array(z.object({ Name: z.string(), Type: z.enum(['categorical', 'numeric']) })),
});

export const shortBody = z.object({
  parameters: z
    .union([
      z.array(z.object({ parameterName: z.string(), value: z.string().nullable(), dataType: z.string().optional() })),
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    ])
    .optional()
    .describe('An array of parameters or an object {"@Name": value}'),
  rowIndex: z.number().int().min(0).optional(),
  rowSize: z.number().int().min(1).optional(),
  queryMoreCode: z.string().nullable().optional(),
});

export const shortPage = z.object({
  data: z.array(row),
  rowSize: z.number().int(),
  nextRowIndex: z.number().int(),
  queryMoreCode: z.string().nullable(),
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
    }),
  ),
});

export const linkQuery = z.object({
  format: z.enum(['csv', 'json', 'ndjson', 'xlsx', 'parquet']),
  fileName: z.string().optional().describe("Name of the file; left out, the query's name"),
});

export const exportLink = z.object({
  format: z.string(),
  fileName: z.string(),
  mimeType: z.string(),
  size: z.number().int().describe('Bytes'),
  rowCount: z.number().int(),
  downloadUrl: z.string().describe('Needs no credential: anyone who has it can download the file'),
  expiresAt: z.string().describe('ISO 8601, in UTC'),
});

export const downloadQuery = z.object({ token: z.string().describe('Of a downloadUrl') });
