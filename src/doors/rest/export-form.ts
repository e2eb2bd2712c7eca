import type { FastifyRequest } from 'fastify';
import type { ByteRange } from '../../delivery/use-cases/download.ts';
import type { ExportFileForm } from '../../delivery/use-cases/export.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../../errors.ts';
import { formats } from '../../results/encode/formats.ts';
import type { RowFormat } from '../../results/encode/row-format.ts';
import type { ExportFile } from '../../results/files/export-files.ts';
import { queryStringOf } from '../http/query-string.ts';
import { readQueryForm } from './page-form.ts';

/** The body of docs/spec.md 4.1, with format and file name in the URL. Paging headers are ignored. */
export function readExportForm(request: FastifyRequest): Result<ExportFileForm> {
  const query = readQueryForm(request);
  if (!query.ok) return query;
  const queryString = queryStringOf(request);
  const format = readFormat(queryString.get('format'));
  if (!format.ok) return format;
  const fileName = queryString.get('fileName');
  if (fileName !== undefined && typeof fileName !== 'string') return failed(fieldInvalid('fileName', 'Expected a single name.'));
  return succeeded({ ...query.value, format: format.value, ...(fileName ? { fileName } : {}) });
}

export function readToken(request: FastifyRequest): Result<string> {
  const token = queryStringOf(request).get('token');
  if (token === undefined || token === '') return failed({ kind: 'FieldMissing', field: 'token' });
  return typeof token === 'string' ? succeeded(token) : failed(fieldInvalid('token', 'Expected a single token.'));
}

export const etagOf = (file: ExportFile): string => `"${file.id}"`;

/** A single satisfiable byte range; anything else returns the whole file, as RFC 9110 allows. */
export function readRange({ headers }: FastifyRequest, file: ExportFile): ByteRange | null {
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && ifRange !== etagOf(file)) return null;
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '') ?? [];
  if (from === '' && to === '') return null;
  const start = from === '' ? Math.max(0, file.size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? file.size : Math.min(file.size, Number(to) + 1);
  return start < end ? { start, end } : null;
}

function readFormat(name: unknown): Result<RowFormat> {
  if (name === undefined || name === '') return failed({ kind: 'FieldMissing', field: 'format' });
  const format = Object.values(formats).find((each) => each.name === name);
  if (format !== undefined) return succeeded(format);
  return failed(fieldInvalid('format', `Expected one of ${Object.keys(formats).join(', ')}.`));
}
