import { z } from 'zod';
import { fileFormats } from '../../core/file-format.ts';
import type { SentRange } from '../../pipeline/use-cases/download.ts';
import { formats } from '../../results/encode/formats.ts';
import { nameSchemas, type ResponseBody, versionHeaders } from '../http/operation.ts';
import { fieldTable } from '../input/fields.ts';
import { integer, objectOf, string } from './json-schema.ts';
import { queryFields } from './page-fields.ts';
import { choice, documentField, refuseField, requireField, text, requestSchema } from './values.ts';

// The fields of exports: see docs/api.md.

export const fileFormat = z.enum(fileFormats);
const format = requireField({ ...choice(fileFormats), openApi: fileFormat });
const wholeResult = refuseField('An export has the whole result. Leave RowIndex, RowSize and QueryMoreCode out.');

const exportFields = {
  ...queryFields,
  format,
  fileName: documentField(text({ max: 1000 }), "Name of the file; left out, the query's name"),
  RowIndex: wholeResult,
  RowSize: wholeResult,
  QueryMoreCode: wholeResult,
};
export const exportTable = fieldTable(exportFields);
export const exportedQuery = requestSchema(exportFields, 'body');
export const exportQuery = requestSchema(exportFields, 'query');

export const exportLink = z.object({
  format: fileFormat,
  fileName: z.string(),
  mimeType: z.string(),
  size: z.number().int().describe('Bytes'),
  rowCount: z.number().int(),
  downloadUrl: z.string().describe('Needs no credential: anyone who has it can download the file'),
  expiresAt: z.string().describe('ISO 8601, in UTC'),
});

/** The same for models. */
export const modelExportLink = objectOf({
  format: string('xlsx, csv or json.'),
  fileName: string('Name of the file.'),
  mimeType: string('Media type of the file.'),
  size: integer('Size in bytes.'),
  rowCount: integer('Rows in the file.'),
  downloadUrl: string('Link to the file. It needs no key: anyone who has it can download the file.'),
  expiresAt: string('When the link expires, ISO 8601 in UTC.'),
});

/** The response with a file, in any of the formats. */
export const fileBody: ResponseBody = {
  description: 'The file.',
  content: Object.fromEntries(Object.values(formats).map(({ mimeType }) => [mimeType.split(';')[0] ?? mimeType, null])),
  headers: ['Content-Disposition', ...versionHeaders],
};

/** The single range of bytes that a reader requests; null: none, or several. */
export function readRange(header: string | undefined): SentRange | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  const toNumber = (digits: string): number | null => (digits === '' ? null : Number(digits));
  return first === '' && last === '' ? null : { first: toNumber(first), last: toNumber(last) };
}

export const downloadQuery = z.object({ token: z.string().describe('Of a downloadUrl') });

nameSchemas({ ExportedQuery: exportedQuery, ExportFormat: fileFormat, ExportLink: exportLink });
