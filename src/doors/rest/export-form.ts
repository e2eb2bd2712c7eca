import type { FastifyRequest } from 'fastify';
import { filledFields } from '../../core/defined-fields.ts';
import { failed, fieldInvalid, fieldMissing, type Result, succeeded } from '../../core/errors.ts';
import { type ByteRange, toByteRange } from '../../pipeline/use-cases/download.ts';
import type { ExportedFile, ExportFileForm } from '../../pipeline/use-cases/export.ts';
import { formats } from '../../results/encode/formats.ts';
import type { ExportFile } from '../../results/files/export-files.ts';
import { queryValue, refuseForm } from '../input/fields.ts';
import { type JsonTypes, readJsonObject } from '../input/json.ts';
import { exportTable, readRange } from '../wire/export-fields.ts';

/** The body of docs/spec.md 4.1, with format and file name in the URL. */
export function readExportForm(request: FastifyRequest, types: JsonTypes): Result<ExportFileForm> {
  const body = readJsonObject(request, types);
  if (!body.ok) return body;
  const read = exportTable.read({ body: body.value, query: request.query, headers: request.headers });
  if (!read.ok) {
    const { QueryName: queryName, Parameters: parameters } = read.partly;
    return refuseForm(read.failure, { queryName, parameters });
  }
  const { QueryName, Parameters, format, fileName } = read.value;
  return succeeded({
    run: { queryName: QueryName },
    parameters: Parameters,
    format: formats[format],
    ...filledFields({ fileName }),
  });
}

/** Other parameters are ignored: mail clients, for example, add some to links. */
export function readToken({ query }: FastifyRequest): Result<string> {
  const token = queryValue(query, 'token');
  if (token === undefined || token === '') return failed(fieldMissing('token'));
  return typeof token === 'string' ? succeeded(token) : failed(fieldInvalid('token', 'Expected a single token.'));
}

export const etagOf = (file: ExportFile): string => `"${file.id}"`;

/** A single satisfiable byte range; anything else returns the whole file, as RFC 9110 allows. */
export function readPart({ headers }: FastifyRequest, file: ExportFile): ByteRange | null {
  const ifRange = headers['if-range'];
  const range = ifRange === undefined || ifRange === etagOf(file) ? readRange(headers.range) : null;
  return range && toByteRange(range, file.size);
}

export type DownloadLink = ReturnType<typeof downloadLink>;

/** An export file as reported to callers, the same over REST and MCP. */
export function downloadLink(baseUrl: string, { token, expiresAt, ran: _, ...file }: ExportedFile) {
  return { ...file, downloadUrl: `${baseUrl}${DOWNLOAD_PATH}?token=${token}`, expiresAt: new Date(expiresAt).toISOString() };
}

export const DOWNLOAD_PATH = '/api/v1/Export/Download';
