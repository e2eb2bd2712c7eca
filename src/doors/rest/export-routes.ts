import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '../../pipeline/call.ts';
import type { Downloads } from '../../pipeline/use-cases/download.ts';
import type { DeliverExport, DeliverExportFile } from '../../pipeline/use-cases/export.ts';
import { dispositionOf } from '../../results/file-name.ts';
import type { ExportFile } from '../../results/files/export-files.ts';
import { createAnonymousCall, handleCall, jsonTypesOf } from '../http/call-of.ts';
import { bodyStream, contentCodingOf, varyByCoding } from '../http/content-coding.ts';
import { sendFailure } from '../http/failure-response.ts';
import {
  anyCredential,
  bodyFailures,
  credentialFailures,
  type Operation,
  runFailures,
  versionHeaders,
} from '../http/operation.ts';
import type { Origins } from '../http/origins.ts';
import { noteVersion } from '../http/server.ts';
import { downloadQuery, exportedQuery, exportLink, exportQuery, fileBody } from '../wire/export-fields.ts';
import { exportExample, linkExample } from './examples.ts';
import { DOWNLOAD_PATH, downloadLink, etagOf, readExportForm, readPart, readToken } from './export-form.ts';
import { executeAddress } from './page-format.ts';

export interface ExportRouteParts {
  readonly deliverExport: DeliverExport;
  readonly deliverExportFile: DeliverExportFile;
  readonly downloads: Downloads;
  readonly origins: Origins;
  readonly baseUrl: () => string;
}

const shared = {
  tag: 'Export',
  credentials: anyCredential,
  query: exportQuery,
  body: exportedQuery,
  failures: [...credentialFailures, ...bodyFailures, ...runFailures, 'OriginNotAllowed'],
} as const;

const exportOperation: Operation = {
  ...shared,
  id: 'exportQuery',
  summary: 'Run a query and return its complete result as a file',
  description: 'If the query fails half-way, the connection is reset: a file that ends properly is complete.',
  responses: { 200: fileBody },
  example: exportExample,
};

const linkOperation: Operation = {
  ...shared,
  id: 'createExportLink',
  summary: 'Run a query, store its complete result as a file, and return a link that is valid for ten minutes',
  responses: { 200: { description: 'The link.', content: { 'application/json': exportLink }, headers: versionHeaders } },
  failures: [...shared.failures, 'ExportSpaceFull'],
  example: linkExample,
};

const downloadOperation: Operation = {
  id: 'downloadExport',
  tag: 'Export',
  summary: 'The file behind a link',
  credentials: [],
  query: downloadQuery,
  responses: { 200: fileBody, 206: { ...fileBody, description: 'The part of the file that the header `Range` asks for.' } },
  failures: [
    'FieldMissing',
    'FieldInvalid',
    'ContinuationInvalid',
    'ContinuationExpired',
    'QueryNotAccessible',
    'ResponsesUnread',
    'Overloaded',
    'QueryCancelled',
    'StoreUnavailable',
  ],
};

/** Complete results as files: streamed, or stored first and downloaded by a link. */
export function registerExportRoutes(app: FastifyInstance, parts: ExportRouteParts): void {
  app.post(
    '/api/v1/Export/ExecuteQuery',
    { config: { operation: exportOperation } },
    handleCall('export', parts.origins, async (call, request, reply) => {
      const exported = await parts.deliverExport(call, () => readExportForm(request, jsonTypesOf(call)));
      if (!exported.ok) return sendFailure(request, reply, exported.failure);
      const { format, fileName, ran } = exported.value.head;
      noteVersion(reply, ran, executeAddress(parts.baseUrl));
      const coding = format.isText ? contentCodingOf(request.headers['accept-encoding']) : null;
      if (format.isText) varyByCoding(reply);
      if (coding !== null) reply.header('Content-Encoding', coding);
      return asFile(reply, { mimeType: format.mimeType, fileName }).send(bodyStream(exported.value.body, coding));
    }),
  );
  app.post(
    '/api/v1/Export/CreateLink',
    { config: { operation: linkOperation } },
    handleCall('export', parts.origins, async (call, request, reply) => {
      const file = await parts.deliverExportFile(call, () => readExportForm(request, jsonTypesOf(call)));
      if (!file.ok) return sendFailure(request, reply, file.failure);
      noteVersion(reply, file.value.ran, executeAddress(parts.baseUrl));
      return reply.header('Cache-Control', 'no-store').type('application/json').send(downloadLink(parts.baseUrl(), file.value));
    }),
  );
  registerDownload(app, parts.downloads);
}

function registerDownload(app: FastifyInstance, downloads: Downloads): void {
  // registered before GET, whose implicit HEAD would read the whole file
  app.head(DOWNLOAD_PATH, { config: { operation: null } }, async (request, reply) => {
    const file = await downloads.head(byToken(request, reply), () => readToken(request));
    if (!file.ok) return sendFailure(request, reply, file.failure);
    return asDownload(reply, file.value).header('Content-Length', file.value.size).send();
  });
  app.get(DOWNLOAD_PATH, { config: { operation: downloadOperation } }, async (request, reply) => {
    if (downloads.redirect !== null) {
      const address = await downloads.redirect(byToken(request, reply), () => readToken(request));
      if (!address.ok) return sendFailure(request, reply, address.failure);
      return reply.header('Cache-Control', 'no-store').redirect(address.value, 307);
    }
    const download = await downloads.body(
      byToken(request, reply),
      () => readToken(request),
      (file) => readPart(request, file),
    );
    if (!download.ok) return sendFailure(request, reply, download.failure);
    const { file, range } = download.value.head;
    if (range !== null) reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end - 1}/${file.size}`);
    return asDownload(reply, file)
      .header('Content-Length', range === null ? file.size : range.end - range.start)
      .send(bodyStream(download.value.body, null));
  });
}

/** Only the token authenticates; cookies and headers are ignored. */
const byToken = (request: FastifyRequest, reply: FastifyReply): Call => createAnonymousCall(request, reply, 'export');

const asFile = (reply: FastifyReply, { mimeType, fileName }: Pick<ExportFile, 'mimeType' | 'fileName'>): FastifyReply =>
  reply.type(mimeType).header('Content-Disposition', dispositionOf('attachment', fileName)).header('Cache-Control', 'no-store');

const asDownload = (reply: FastifyReply, file: ExportFile): FastifyReply =>
  asFile(reply, file)
    .header('Accept-Ranges', 'bytes')
    .header('ETag', etagOf(file))
    .header('X-Query-Version', String(file.queryVersion));
